"""Shapes of keys and tokens: some are known by their own look, some by the service named before.

A shape stands beside a piece of it in lower case without which it cannot occur, so that a text
that has none of these is not searched.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from glymph.text.patterns import compile_late
from glymph.text.secret_values import HEX_BITS, UUID, entropy, is_label, is_mixed, no_value

START = r"(?<![A-Za-z0-9_\-])"
END = r"(?![A-Za-z0-9_\-])"


class Rule(NamedTuple):
    """The look of a secret. The group `v` is what goes, else all of it, if the check agrees.

    A text without any of the words it needs has none of these, and is not searched for them; nor is
    a text without a long word for what is always one. A pattern is compiled when it is needed.
    """

    pattern: str
    check: Callable[[re.Match[str]], bool] = lambda found: True
    needs: tuple[str, ...] = ("",)
    flags: int = re.IGNORECASE
    is_long: bool = False

    def compile(self) -> re.Pattern[str]:
        """Returns the compiled pattern."""
        return compile_pattern(self.pattern, self.flags)


@cache
def compile_pattern(pattern: str, flags: int) -> re.Pattern[str]:
    """Compiles a pattern once."""
    return re.compile(pattern, flags)


# Known wherever they stand, between blanks or marks; read as they are written, in upper and lower
# case.
OWN_LOOK: tuple[tuple[str, str], ...] = (
    # clouds and their parts
    ("akia asia abia acca a3t", r"(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}"),
    ("absk", r"ABSK[A-Za-z0-9+/]{80,400}={0,2}"),
    ("bedrock-api-key-", r"bedrock-api-key-[A-Za-z0-9+/]{20,}={0,2}"),
    ("aiza", r"AIza[A-Za-z0-9_\-]{35}"),
    ("ya29.", r"ya29\.[A-Za-z0-9_\-]{20,}"),
    ("gocspx-", r"GOCSPX-[A-Za-z0-9_\-]{20,}"),
    ("ltai", r"LTAI[A-Za-z0-9]{20}"),
    ("o_v1_ p_v1_ r_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    ("dapi", r"dapi[0-9a-f]{32}(?:-\d)?"),
    ("hrku-", r"HRKU-[A-Za-z0-9_\-]{36,80}"),
    ("aqvn", r"AQVN[A-Za-z0-9_\-]{35,38}"),
    ("t1.", r"t1\.[A-Za-z0-9_\-]{1,40}={0,2}\.[A-Za-z0-9_\-]{86}={0,2}"),
    ("fo1_ fm1 fm2", r"fo1_[\w\-]{43}|fm[12][ar]?_[A-Za-z0-9+/]{100,}={0,3}"),
    ("v1.0-", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}"),
    ("dt0c01.", r"dt0c01\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}"),
    ("pul-", r"pul-[a-f0-9]{40}"),
    ("tk-us-", r"tk-us-[\w\-]{48}"),
    ("4b1d", r"4b1d[A-Za-z0-9]{38}"),
    ("sha256~", r"sha256~[\w\-]{43}"),
    ("dp.pt. dp.st. dp.sa. dp.ct. dp.sc dp.au",
    r"dp\.(?:pt|st|sa|ct|scim|audit)\.[A-Za-z0-9]{40,44}"),
    ("hvs. hvb. hvr.", r"hv[sbr]\.[A-Za-z0-9_\-]{20,}"),
    ("pscale_", r"pscale_(?:tkn|oauth|pw)_[\w=.\-]{32,64}"),
    ("glc_ glsa_", r"glc_[A-Za-z0-9+/]{32,400}={0,3}|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}"),
    ("eyjrijoi", r"eyJrIjoi[A-Za-z0-9+/]{40,400}={0,3}"),
    ("nrjs- nrii- nrak- nriq- nrra-", r"NR(?:JS|II|AK|IQ|RA)-[A-Za-z0-9\-]{19,42}"),
    ("s-s4t2", r"s-s4t2(?:ud|af)-[a-f0-9]{64}"),
    # code and packages
    ("ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{30,255}"),
    ("github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}"),
    ("glpat- gldt- glrt- glcbt- glptt- glsoat- glffct- glft- glimt- glagent- gloas-",
    r"gl(?:pat|dt|rt|cbt|ptt|soat|ffct|ft|imt|agent|oas)-[A-Za-z0-9_\-.]{20,}"),
    ("gr1348941", r"GR1348941[\w\-]{20,}"),
    ("npm_", r"npm_[A-Za-z0-9]{36}"),
    ("pypi-age", r"pypi-AgE[A-Za-z0-9_\-]{20,}"),
    ("rubygems_", r"rubygems_[a-f0-9]{48}"),
    ("clojars_", r"CLOJARS_[A-Za-z0-9]{60}"),
    ("akcp", r"AKCp[A-Za-z0-9]{60,80}"),
    ("cmvmd", r"cmVmd[A-Za-z0-9]{59}"),
    ("sgp_", r"sgp_(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}"),
    ("api-", r"API-[A-Z0-9]{26}"),
    ("pnu_", r"pnu_[A-Za-z0-9]{36}"),
    ("rdme_", r"rdme_[a-z0-9]{70}"),
    ("pmak-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    ("ico-", r"ico-[A-Za-z0-9]{32}"),
    ("sntryu_ sntrys_", r"sntryu_[a-f0-9]{64}|sntrys_eyJ[A-Za-z0-9+/=_\-]{40,}"),
    ("pat. sat.", r"[ps]at\.[A-Za-z0-9_\-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}"),
    ("lin_api_", r"lin_api_[A-Za-z0-9]{30,}"),
    ("ntn_", r"ntn_[A-Za-z0-9]{30,}"),
    ("figd_", r"figd_[A-Za-z0-9_\-]{30,}"),
    # models
    ("sk-ant-", r"sk-ant-[A-Za-z0-9_\-]{20,}"),
    ("hf_", r"hf_[A-Za-z0-9]{30,}"),
    ("api_org_", r"api_org_[A-Za-z]{34}"),
    ("gsk_", r"gsk_[A-Za-z0-9]{30,}"),
    ("xai-", r"xai-[A-Za-z0-9]{40,}"),
    ("pplx-", r"pplx-[A-Za-z0-9]{40,}"),
    ("r8_", r"r8_[A-Za-z0-9]{30,}"),
    # talk and mail
    ("xoxa- xoxb- xoxe xoxo- xoxp- xoxr- xoxs-",
    r"xox[abeoprs]-[A-Za-z0-9\-]{8,}|xoxe\.xox[bp]-\d-[A-Za-z0-9]{100,}"),
    ("xapp-", r"xapp-\d-[A-Za-z0-9\-]{10,}"),
    ("sg.", r"SG\.[A-Za-z0-9_\-=.]{33,120}"),
    ("key-", r"(?:pub)?key-[0-9a-f]{32}"),
    ("xkeysib-", r"xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    (":aa :a", r"\d{8,10}:A[A-Za-z0-9_\-]{34}"),
    ("sk", r"SK[0-9a-fA-F]{32}"),
    ("-us0 -us1 -us2 -us3 -us4 -us5 -us6 -us7 -us8 -us9", r"[0-9a-f]{32}-us\d{1,2}"),
    ("tfp_", r"tfp_[A-Za-z0-9_\-.=]{59}"),
    # money and shops
    ("_live_ _test_ _prod_", r"(?:sk|rk|pk)_(?:live|test|prod)_[A-Za-z0-9]{10,}"),
    ("_live_ _test_", r"(?:duffel|shippo)_(?:live|test)_[A-Za-z0-9_\-=]{40,}"),
    ("whsec_", r"whsec_[A-Za-z0-9+/=]{20,}"),
    ("shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("ezak eztk", r"EZ[AT]K[A-Za-z0-9]{54}"),
    ("flwseck flwpubk", r"FLW(?:SECK|PUBK)(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?"),
    ("eaaa eaam eaac", r"EAAA[A-Za-z0-9_\-]{22,60}|EAA[MC][A-Za-z0-9]{80,400}"),
    ("sq0", r"sq0(?:atp|csp)-[\w\-]{22,60}"),
    ("access-sandbox access-dev access-prod",
    r"access-(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    ("sm_aat_ sm_pat_ sm_sat_", r"sm_[aps]at_[A-Za-z0-9]{16}"),
    ("fio-u-", r"fio-u-[A-Za-z0-9_\-=]{64}"),
    # safes and signatures
    ("a3-", r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    ("ops_eyj", r"ops_eyJ[A-Za-z0-9+/]{40,}={0,3}"),
    ("p8e-", r"p8e-[A-Za-z0-9]{32}"),
    ("age-secret-key-1", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    ("dnkey-", r"dnkey-[A-Za-z0-9_\-=]{26}-[A-Za-z0-9_\-=]{52}"),
    ("eyj", r"eyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*)?"),
    ("zxlk", r"ZXlK[A-Za-z0-9+/_\-]{40,}={0,2}"),
    (".acc",
    r"(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_\-][a-z0-9\-]{10,32}"
    r"\.[A-Za-z0-9+/_=\-]{30,120}"),
    ("pat", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    (".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w\-=]{60,70}"),
    ("q~", r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.\-]{31,34}"),
    ("_mmk", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"),
    ("|", r"\d{15,16}\|[A-Za-z0-9_\-]{27}"),
    ("aaaaaaaaaaaaaaaaaaaa", r"A{20,24}[A-Za-z0-9%]{80,100}"),
    (".", r"[MNO][A-Za-z\d_\-]{23,25}\.[A-Za-z\d_\-]{6}\.[A-Za-z\d_\-]{27,38}"),
)  # fmt: skip

MARKED_BITS = 4.2  # of entropy per character, of a key with marks in it
# Services whose keys look like any other random word: it is one behind the name of the service.
SERVICES = tuple(
    "adafruit adobe airtable algolia alibaba asana atlassian confluence jira beamer "
    "bitbucket bittrex meraki cloudflare codecov cohere coinbase confluent contentful "
    "datadog discord droneci dropbox etsy facebook fastly finicity finnhub flickr freshbooks "
    "gitter gitlab_session gocardless heroku hubspot intercom jfrog artifactory kraken "
    "kucoin launchdarkly linear linkedin lob looker mailchimp mailgun mapbox mattermost "
    "messagebird netlify new-relic newrelic nytimes okta plaid privateai rapidapi sendbird "
    "sentry snyk softlayer sonar sonarlogin squarespace sumologic sumo telegram travis "
    "twitch twitter typeform yandex zendesk openai anthropic mistral deepseek groq cloudant "
    "pinecone weaviate supabase vercel pagerduty opsgenie twilio shodan virustotal".split()
)
# Places in which a UUID is a key, not a name.
KEYED_BY_UUID = frozenset("heroku hubspot kucoin messagebird sendbird snyk squarespace".split())

_OF_SERVICE = (
    r"(?P<service>{0})(?<![a-z0-9]{0})[ \t\w.\-]{{0,20}}?[\"']?\s{{0,3}}(?::=|=>|==?|:)"
    r"\s{{0,3}}[\"'`]?"
    r"(?P<v>[A-Za-z0-9][A-Za-z0-9_\-.=:+/~|%]{{13,400}})"
)


def _is_key_of_service(found: re.Match[str]) -> bool:
    """Returns whether what stands behind the name of a service is one of its keys."""
    value = found["v"].rstrip(".:=")
    if UUID.fullmatch(value):
        return found["service"].casefold() in KEYED_BY_UUID
    if no_value(value) or "//" in value or is_label(value):
        return False
    parts = re.split(r"[_\-.=:+/~|%]", value)
    longest = max(parts, key=len)
    if len(value) >= 30 and len(longest) < 14:  # drawn from letters, digits and marks
        mixed = value != value.lower() and any(map(is_mixed, parts))
        return mixed and entropy(value) >= MARKED_BITS
    return len(longest) >= 14 and is_mixed(longest) and entropy(longest) >= HEX_BITS


def _know_by_look(needs: str, shape: str) -> Rule:
    """Returns the rule of a shape with a look of its own.

    Where it begins with plain letters, these come first in the pattern: a search for them is many
    times faster than one that looks at what stands before every character.
    """
    begins = _PLAIN_START.match(shape)
    if begins is None or "|" in re.sub(r"\([^()]*\)", "", shape):
        pattern = f"{START}(?:{shape}){END}"
    else:
        pattern = f"{begins[0]}(?<![A-Za-z0-9_\\-]{begins[0]}){shape[begins.end() :]}{END}"
    return Rule(pattern, needs=tuple(needs.split(" ")), flags=0, is_long=True)


_PLAIN_START = compile_late(r"(?:\[\w+\]|[A-Za-z0-9_\-])+(?![{?*+])")


SHAPE_RULES: tuple[Rule, ...] = (
    *(_know_by_look(needs, shape) for needs, shape in OWN_LOOK),
    *(Rule(_OF_SERVICE.format(one), _is_key_of_service, (one,), is_long=True) for one in SERVICES),
)
