"""The rules by which secrets are recognised.

Keys and tokens are known by their shape, or by what stands before them; ordinary words, hashes of
commits, UUIDs, paths and numbers stay. Every pattern runs in linear time: texts come from anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from glymph.text.numbers import passes_luhn
from glymph.text.patterns import compile_late
from glymph.text.secret_shapes import SHAPE_RULES, START, Rule, compile_pattern
from glymph.text.secret_values import (
    DIGIT,
    HEX_BITS,
    LOWER,
    PLACEHOLDER,
    SYMBOL,
    UPPER,
    UUID,
    entropy,
    is_dotted,
    is_label,
    is_mixed,
    looks_random,
    no_value,
)
from glymph.text.secret_words import ORDINARY

_PEM = (
    r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:[^-]|-(?!----)){0,20000}-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
    r"|(?:\s*[A-Za-z0-9+/=\\]{16,})*)"
)
_ALL_SIGNS = r"(?<![\w.:/=&%@#$\-])(?P<v>[A-Za-z0-9!#$^*@_+\-]{10,64})(?![\w.:/=&%(\[{])"
_SK = rf"{START}sk-(?:proj-|svcacct-|admin-|or-v1-|lf-)?[A-Za-z0-9_\-]{{20,}}"
_HOOK = r"\bhooks\.slack\.com/(?:services|workflows)/(?P<v>[A-Za-z0-9/]{20,})"
_TEAMS = r"\bwebhook\.office\.com/webhookb2/(?P<v>[\w@/\-]{40,300})"
_SOFTLAYER = r"\bapi\.softlayer\.com/soap/v3(?:\.1)?/(?P<v>[a-z0-9]{64})"
_DISCORD = r"\bdiscord(?:app)?\.com/api/webhooks/(?P<v>\d{10,}/[\w\-]{20,})"

# Values that are secrets for what stands before them

_PASSWORD = (
    r"pass(?:word|wd|phrase| ?code)|pwd|passwort|kennwort|(?<![a-z])pw|contraseña|mot de passe"
    r"|пароль|(?<![a-z])(?:code|safe|pass) ?words?(?![a-z])"
)
_KEY = (
    r"secret|token|api[ _\-]?key|access[ _\-]?key(?:[ _\-]?id)?|secret[ _\-]?(?:access[ "
    r"_\-]?)?key|private[ _\-]?key|encryption[ _\-]?key|signing[ _\-]?key|account[ _\-]?key"
    r"|credentials?|auth|bearer|client[ _\-]?secret|webhook[ _\-]?secret|license[ _\-]?key"
    r"|recovery[ _\-]?(?:code|key)"
)
# What people call what lets them in, where the word itself stands some words further on.
_LOGIN = (
    r"(?:pass(?:word|wd|wort|phrase)|kennwort|contraseña|clave|mot de passe|senha|wachtwoord"
    r"|lösenord|hasło|parola|şifre|пароль|zugangsdaten|log[ -]?in|credentials|wi-?fi|wlan)"
)
_MADE_UP = (
    rf"(?<![^\W_]){_LOGIN}(?![^\W_])[^.!?\n]{{0,60}}?(?<![\w/.@\-=&])"
    r"(?P<v>(?=[^\s\d]{0,40}\d)[A-Za-z][\w!#$%&*+?\-]{6,40})(?![\w/@])"
)
_NAMED = (
    r"(?<![^\W_])(?:pass(?:word|wd|wort|phrase)|kennwort|contraseña|mot de passe|senha|wachtwoord"
    r"|lösenord|hasło|parola|şifre|пароль)"
    r"(?: (?:of|for|to|at|der|des|vom|von|für|del?|du|da|do|van|voor|od|от|la|l'|the|my|our) ?"
    r"[\w.\-]{0,20}){0,3} ?: {1,2}(?P<v>(?=[^\s\d]{0,40}\d)[A-Za-z][\w!#$%&*+?\-]{7,40})(?![\w/@])"
)
_QUOTED = r"\"(?P<dq>[^\"\n]{1,400})\"|'(?P<sq>[^'\n]{1,400})'|`(?P<bq>[^`\n]{1,400})`"
_VALUE = rf"(?P<v>{_QUOTED}|[^\s\"'`,;<>(){{}}]{{1,400}})"
_IS_NAME = compile_late(r"\b(?:name|ssid|nombre|nom|naam|nome)\b", re.IGNORECASE)
_SIGN = r"[\"']?\s{0,3}(?P<sign>:=|=>|==?|:)\s{0,3}"
_ORDINARY_END = compile_late(
    r"(?:ed|ing|able|ible|less|ive|ful|n't|argon2\w*|pbkdf2|sha-?\d+|md5|scrypt)\Z"
)


def _unquote(found: re.Match[str]) -> tuple[str, bool]:
    """The value without its quotation marks, and whether it has them."""
    for name in ("dq", "sq", "bq"):
        if found[name] is not None:
            return found[name], True
    return found["v"].rstrip(".:!?"), False


def _is_password(found: re.Match[str]) -> bool:
    value, quoted = _unquote(found)
    if no_value(value) or len(value) < 4 or _is_call(found):
        return False
    if quoted:
        return " " not in value or len(value.split()) >= 4
    if DIGIT.search(value) or SYMBOL.search(value):
        return True
    rest = _after(found).lstrip(" ")
    ends = not rest or rest[0] in "\n,;.&\"'"
    ends = ends or (bool(re.match(r"(?:for|and|or|at|on)\b", rest)) and not _is_ordinary(value))
    return found["sign"] in ("=", ":=", "==", "=>") or (found["sign"] == ":" and ends)


def _is_key(found: re.Match[str]) -> bool:
    value, quoted = _unquote(found)
    if no_value(value) or " " in value or len(value) < (6 if quoted else 8) or _is_call(found):
        return False
    if value.isdigit() or re.fullmatch(r"[\d.,:%]+", value) or (is_dotted(value) and not quoted):
        return False
    if not quoted and is_label(value):
        return False
    if found["sign"] in ("=", ":=", "==", "=>") and quoted:
        return bool(
            DIGIT.search(value)
            or SYMBOL.search(value)
            or not value.isidentifier()
            or len(value) >= 8
        )
    return is_mixed(value) or (
        bool(LOWER.search(value)) and bool(UPPER.search(value[1:])) and len(value) >= 16
    )


def _is_call(found: re.Match[str]) -> bool:
    """Returns whether the value is code that gets it: `get_token(user)`, `options["token"]`."""
    return found.string[found.end() : found.end() + 1] in ("(", "[", "{")


def _is_told(found: re.Match[str]) -> bool:
    """Returns whether "the password is …" tells one: it is quoted, or no word."""
    value, quoted = _unquote(found)
    if no_value(value) or len(value) < 4:
        return False
    if quoted:
        return " " not in value or len(value.split()) >= 4
    if re.fullmatch(r"\d+(?:[.,]\d+)?%?", value):
        return len(value) >= 4 and not re.match(
            r"\s*(?:char|bit|byte|token|day|hour|minute|second)", _after(found)
        )
    if re.match(_PASSWORD, found[0], re.IGNORECASE):
        return not is_dotted(value) and (
            not _is_ordinary(value, _after(found)) if found["is"] else is_mixed(value)
        )
    return (
        len(value) >= 12
        and is_mixed(value)
        and not re.fullmatch(r"\d+\w{1,3}", value)
        and not is_dotted(value)
    )


def _is_ordinary(value: str, after: str = "") -> bool:
    """Returns whether a word behind "the password is" says something about the password.

    Examples are "wrong", "hashed" and "in the vault".
    """
    low = value.casefold()
    first = re.split(r"['’\-/]", low)[0]
    odd = re.fullmatch(r"\d+\w{1,3}", low) or _ORDINARY_END.search(low)  # 90d, hashed
    goes_on = re.match(
        r"['’]s " if not low.endswith("ly") else r" \w", after
    )  # Eva's birthday, randomly made
    return first in ORDINARY or low in ORDINARY or len(low) < 4 or bool(odd or goes_on)


def _is_strong(found: re.Match[str]) -> bool:
    """Returns whether a word looks made up to be a password, with nothing before that says so."""
    value = found["v"].rstrip(".:!?,")
    parts = (
        len(value.split("-")) if re.fullmatch(r"[a-z]+(?:-[a-z]+)+", value, re.IGNORECASE) else 0
    )
    if parts >= 3 and found[0].casefold().startswith("passphrase"):
        return True
    if no_value(value) or _is_call(found) or is_dotted(value) or _is_ordinary(value):
        return False
    if parts >= 4:
        return True
    cases = bool(LOWER.search(value)) and bool(UPPER.search(value))
    return len(value) >= 6 and is_mixed(value) and (cases or bool(SYMBOL.search(found["v"])))


def _mixes_all(found: re.Match[str]) -> bool:
    """Returns whether a word has capitals, small letters, digits and a sign within, as few have."""
    value = found["v"]
    return (
        bool(UPPER.search(value) and LOWER.search(value))
        and len(DIGIT.findall(value)) > 1
        and re.search(r"[^\W_][!#$^*][^\W_]", value) is not None
    )


def _is_made_up(found: re.Match[str]) -> bool:
    """Returns whether a word near one that speaks of logins is made up to be a password.

    It has small letters, two digits, and a capital or a sign: Chouette-77, but not US-1234, room2.
    """
    value = found["v"].rstrip(".:?,")
    if no_value(value) or _is_call(found) or is_dotted(value) or UUID.fullmatch(value):
        return False
    if _IS_NAME.search(found[0]):
        return False
    shaped = LOWER.search(value) and (UPPER.search(value) or re.search(r"[!#$%&*+?_]", value))
    return bool(shaped) and len(DIGIT.findall(value)) > 1


# Words drawn with a number, which are said to go into the environment

_WORD_OF_PARTS = (
    r"(?<![\w.:/=&%@$\-])(?P<v>(?:[A-Z]?[a-z]{2,12}-){2,5}(?!(?:19|20)\d\d\b)\d{3,6})"
    r"(?![\w.:/=&%(\[{\-])"
)
_ENVIRONMENT = compile_late(r"\benv(?:ironment)? var(?:iable)?s?\b", re.IGNORECASE)


def _is_for_environment(found: re.Match[str]) -> bool:
    """Returns whether words drawn with a number are said to be put into the environment."""
    start, end = found.span("v")
    beside = found.string[max(0, start - NEAR) : start] + found.string[end : end + NEAR]
    return _ENVIRONMENT.search(beside) is not None


def _is_named(found: re.Match[str]) -> bool:
    """Returns whether what stands behind "the password of …:" is made of letters and figures."""
    value = found["v"].rstrip(".:?,")
    ordinary = no_value(value) or is_dotted(value) or UUID.fullmatch(value)
    return not ordinary and not _IS_NAME.search(found[0])


def _after(found: re.Match[str]) -> str:
    return found.string[found.end() : found.end() + 20]


def _is_random_token(found: re.Match[str]) -> bool:
    value = found["v"]
    return (
        not no_value(value) and (is_mixed(value) or len(value) >= 40) and not UUID.fullmatch(value)
    )


def _is_api_key(found: re.Match[str]) -> bool:
    """Returns whether what begins with sk- is a key and not a name made of words."""
    body = found[0][3:]
    return bool(DIGIT.search(body)) and max(map(len, re.split(r"[_\-]", body))) >= 16


def _ends_at_random(found: re.Match[str]) -> bool:
    """Returns whether the last piece of a key mixes letters of both sizes with digits."""
    last = re.split("[_-]", found["v"])[-1]
    mixed = LOWER.search(last) and UPPER.search(last) and len(re.findall("[0-9]+", last)) > 1
    return len(last) >= PIECE and bool(mixed)


# Long words drawn at random, near a word that speaks of secrets

_LONG = r"(?<![A-Za-z0-9+/_\-.])(?P<v>[A-Za-z0-9+/_\-]{20,512}={0,2})(?![A-Za-z0-9+/_\-=])"
_SPEAKS = compile_late(
    r"secret|token|password|passwd|passphrase|credential|api[ _\-]?key|private key|access key"
    r"|signing key|\bauth|\bkey\b|\bbearer|cookie|session=",
    re.IGNORECASE,
)
_HARMLESS = compile_late(
    r"commit|\bsha\b|sha-?\d|hash|checksum|digest|md5|revision|\brev\b|blob|\btree\b|merge|branch"
    r"|cherry|uuid|guid|\bid\b|integrity",
    re.IGNORECASE,
)
NEAR = 60  # characters before the word
PIECE = 8  # characters of the piece of a key that is drawn at random


def _is_drawn(found: re.Match[str]) -> bool:
    value = found["v"]
    before = found.string[max(0, found.start() - NEAR) : found.start()]
    spoken = list(_SPEAKS.finditer(before))
    if not spoken or _HARMLESS.search(before, spoken[-1].end()) or UUID.fullmatch(value):
        return False
    if re.fullmatch(r"(?:[0-9a-f]{32,}|[0-9A-F]{32,})", value):
        return _HARMLESS.search(before) is None and entropy(value) >= HEX_BITS
    return looks_random(value)


def find_random_word(text: str) -> str | None:
    """Returns a long word that looks drawn at random, whatever stands before it."""
    words = (found["v"] for found in compile_pattern(_LONG, 0).finditer(text))
    return next((word for word in words if looks_random(word)), None)


# Cards

_CARD = (
    r"(?<![\w.\-])(?:\d{4}([ \-])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|3\d{3}([ \-])\d{6}\2\d{4,5}"
    r"|\d{13,19})(?![\w\-]|\.\d)"
)
_BRANDS = (
    (compile_late("4"), (13, 16, 19)),
    (compile_late(r"5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)"), (16,)),
    (compile_late("3[47]"), (15,)),
    (compile_late(r"6(?:011|5|4[4-9]|2)"), (16, 17, 18, 19)),
    (compile_late(r"3(?:0[0-5]|[689])"), (14,)),
    (compile_late(r"35(?:2[89]|[3-8])"), (16,)),
)


def _is_card(found: re.Match[str]) -> bool:
    digits = re.sub(r"\D", "", found[0])
    branded = any(brand.match(digits) and len(digits) in sizes for brand, sizes in _BRANDS)
    return branded and passes_luhn(digits)


def _is_pin(found: re.Match[str]) -> bool:
    return not re.match(r"\s*(?:digit|char)", _after(found))


def _is_login(found: re.Match[str]) -> bool:
    return not PLACEHOLDER.search(found["v"]) and found["v"] != "*"


def _is_random_login(found: re.Match[str]) -> bool:
    """Returns whether a user in a URL is a token: `https://TOKEN@github.com/…`."""
    return _is_login(found) and is_mixed(found["v"]) and not is_label(found["v"])


def _make_rule(
    pattern: str, needs: str, check: Callable[[re.Match[str]], bool] = lambda found: True
) -> Rule:
    return Rule(pattern, check, tuple(needs.split()))


_PASSWORDS = "pass pw kennwort contraseña пароль code safe"
_LOGINS = (
    "password", "passwd", "passwort", "passphrase", "kennwort", "contraseña", "clave",
    "mot de passe", "senha", "wachtwoord", "lösenord", "hasło", "parola", "şifre", "пароль",
    "zugangsdaten", "login", "log-in", "log in", "credentials", "wifi", "wi-fi", "wlan",
)  # fmt: skip
_KEYS = "secret token key credential auth bearer recovery cookie session="

RULES: tuple[Rule, ...] = (
    Rule(_PEM, needs=("private key",), flags=0),
    *SHAPE_RULES,
    Rule(_SK, _is_api_key, ("sk-",), flags=0, is_long=True),
    _make_rule(_HOOK, "hooks.slack.com"),
    Rule(_MADE_UP, _is_made_up, _LOGINS),
    Rule(_NAMED, _is_named, _LOGINS),
    Rule(_WORD_OF_PARTS, _is_for_environment, (" env",), flags=0),
    Rule(_ALL_SIGNS, _mixes_all, tuple("!#$^*"), flags=0),
    _make_rule(_DISCORD, "/webhooks/"),
    _make_rule(_TEAMS, "webhook.office"),
    _make_rule(_SOFTLAYER, "softlayer"),
    _make_rule(
        r"<add key=\"[\w.\-]{0,40}password\"\s{0,3}value=\"(?P<v>[^\"\n]{1,200})\"",
        "<add key",
        _is_login,
    ),
    _make_rule(r"\b_authToken=(?P<v>[A-Za-z0-9\-]{20,200})", "_authtoken", _is_login),
    _make_rule(
        r"\bBUNDLE_[A-Z0-9_]{3,80}(?:=|:\s)\s?[\"']?(?P<v>[a-f0-9]{8}:[a-f0-9]{8})\b", "bundle_"
    ),
    _make_rule(
        r"\b[a-z][a-z0-9+.\-]{1,20}://(?P<v>[A-Za-z0-9_\-.~%]{16,400})@", "://", _is_random_login
    ),
    _make_rule(
        r"\b[a-z][a-z0-9+.\-]{1,20}://[^\s/:@\"'<>]{0,100}:(?P<v>[^\s/@\"'<>]{1,200})@",
        "://",
        _is_login,
    ),
    _make_rule(
        r"\bcurl\b[^\n]{0,200}?\s(?:-u|--user)[ =][\"']?[^\s:\"']{0,100}:(?P<v>[^\s\"']{1,200})",
        "curl",
        _is_login,
    ),
    _make_rule(
        r"\b(?:mysql|mysqldump|mariadb|sshpass)\b[^\n]{0,100}?\s-p "
        r"?[\"']?(?P<v>[^\s\"'\-][^\s\"']{3,100})",
        "mysql mariadb sshpass",
        _is_login,
    ),
    _make_rule(
        r"\bauthorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:bearer|basic|token|digest|apikey)\s{1,3}"
        r"(?P<v>[A-Za-z0-9._~+/=\-]{6,2000})",
        "authorization",
        lambda found: not no_value(found["v"]),
    ),
    _make_rule(
        r"\b(?:bearer|basic)\s{1,3}(?P<v>[A-Za-z0-9._~+/=\-]{16,2000})",
        "bearer basic",
        _is_random_token,
    ),
    _make_rule(
        r"[?&](?:key|sig|signature|x-amz-signature)=(?P<v>[A-Za-z0-9%._\-]{16,400})",
        "key= sig= signature=",
        _is_random_token,
    ),
    _make_rule(rf"(?:{_PASSWORD}){_SIGN}{_VALUE}", _PASSWORDS, _is_password),
    _make_rule(
        rf"--(?:[a-z]{{1,20}}-){{0,3}}(?:{_PASSWORD})(?P<sign>=|\s)\s{{0,3}}{_VALUE}",
        _PASSWORDS,
        _is_password,
    ),
    _make_rule(rf"(?:{_KEY}){_SIGN}{_VALUE}", _KEYS, _is_key),
    _make_rule(
        rf"--(?:[a-z]{{1,20}}-){{0,3}}(?:{_KEY})(?P<sign>=|\s)\s{{0,3}}{_VALUE}", _KEYS, _is_key
    ),
    _make_rule(
        rf"\b(?:{_PASSWORD}|{_KEY})(?: (?:for|of|to|on) (?:the |my |our )?[\w.\-]{{1,40}}(?: "
        rf"[\w.\-]{{1,40}})?)?(?:(?P<is> is| was| ist| lautet| es| est)|'s| to)(?: now| still"
        rf"| currently)?:? (?P<sign>){_VALUE}",
        f"{_PASSWORDS} {_KEYS}",
        _is_told,
    ),
    _make_rule(
        r"\b(?:(?:cvv|cvc)|pin(?: code| number)?(?: is| =|[:=])):? {0,2}(?P<v>\d{3,8})\b(?!\.\d)",
        "pin cvv cvc",
        _is_pin,
    ),
    _make_rule(
        rf"\b(?:{_PASSWORD})[ \t]{{1,3}}(?P<v>[^\s\"'`,;<>(){{}}]{{6,200}})", _PASSWORDS, _is_strong
    ),
    _make_rule(
        r"\buser(?:name|id)? ?(?:/|and|,|\+) ?pass(?:word|wd)?(?:(?: is"
        r"| are) ?[:=]?| ?[:=]) {0,2}[\w.@\-]{1,60} ?[/:,] ?(?P<v>[^\s/,;]{4,200})",
        "user",
        lambda found: not no_value(found["v"]) and not is_dotted(found["v"]),
    ),
    _make_rule(
        r"\b(?:log ?in|creds|credentials|account)(?: is| are| as| with|:)? {1,2}[\w.@\-]{1,60} "
        r"?[/:] ?(?P<v>[^\s/,;]{6,200})",
        "login log creds credentials account",
        _is_strong,
    ),
    _make_rule(
        r"\b(?:ssn|social security(?: number| no\.?)?)(?: is|:|=| #)? {0,2}(?P<v>\d{3}[ \-]?\d\d[ "
        r"\-]?\d{4})\b",
        "ssn social",
    ),
    _make_rule(
        r"\bpass(?: is|:| =) (?P<v>(?=[^\s\d]{0,40}\d)[A-Za-z][\w!#$%&*+?\-]{6,40})(?![\w/@])",
        "pass",
        _is_made_up,
    ),
    _make_rule(
        r"\bkey(?: is| was|:| =|'s) (?P<v>[A-Za-z0-9_\-]{10,80})(?![\w/@]|\.\w)",
        "key",
        _ends_at_random,
    ),
    Rule(r"(?<![\w.\-])(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}(?![\w\-]|\.\d)"),
    Rule(_LONG, _is_drawn, tuple(f"{_PASSWORDS} {_KEYS}".split()), flags=0, is_long=True),
    Rule(_CARD, _is_card),
)
