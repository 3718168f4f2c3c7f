"""What a request names, also where only a request proves it to be an identifier.

In a text these writings may be anything; who asks for "the number plate KX19 OTB" means all of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from glymph.text.identifiers import end_at_unspaced, identifiers
from glymph.text.identifiers.aloud import find_rows, has_words
from glymph.text.identifiers.books import books
from glymph.text.identifiers.codenames import labelled_names, snakes
from glymph.text.identifiers.groups import join_groups
from glymph.text.identifiers.network import asked_webs, bare_macs
from glymph.text.identifiers.plates import local_plates, plates
from glymph.text.identifiers.shortened import shortened
from glymph.text.identifiers.tails import tails
from glymph.text.normal import STOP_WORDS
from glymph.text.scripts import flat
from glymph.text.spans import BLANK, Family, Identifier, Key, Span, find_in_turn, place_span

_SURE = frozenset({"mail", "url", "path", "uuid", "hash", "iban", "ip", "mac", "card", "handle"})
_NUMBERED = re.compile(
    r"(?<!\w)(?:(?:patient|file|case|record|customer|client|member|policy|contract|invoice|order"
    r"|account|reference|ref|booking|ticket|chart|mrn|insurance|passport|dossier|expediente"
    r"|historia|pratica|code|pin|id|number|numéro|número|numero|номер|no|nr|num|aktenzeichen)"
    r"|(?:akten|fall|patienten|kunden|vertrags|versicherungs|bestell|rechnungs|mitglieds)"
    r"(?:nummer|zeichen|nr))(?!\w)[ :.#№°]{1,3}(?:(?:is|ist|lautet|est|es) )?"
    r"(?P<number>[0-9]{1,8}(?:[ ./_-][0-9]{1,8}){1,7})(?!\w|[.,/:-]\w)",
    re.IGNORECASE,
)
_YEAR = re.compile("(?:19|20)[0-9]{2}")
_HANDLE = re.compile(
    r"(?<!\w)(?:handle|user ?name|user|nick(?:name)?|account|login|profile|screen ?name|gamertag"
    r"|benutzername|nutzername|konto|pseudo|compte|usuario|utente|аккаунт|ник|twitter|instagram"
    r"|tiktok|github|gitlab|telegram|discord|mastodon|reddit|twitch|bluesky)"
    r"(?: (?:handle|name|account|user|is|named|called)){0,2}:? "
    r"(?:[\"'`](?P<quoted>[^\W\d]\w{2,38}(?:[.-]\w{1,38}){0,3})[\"'`]"
    r"|(?P<plain>(?=[a-z0-9]*(?:_|\.\w))[a-z]\w{2,38}(?:[.-]\w{1,38}){0,3}))(?![\w@/]|[.-]\w)",
    re.IGNORECASE,
)
FEWEST_DIGITS = 5
MOST_DIGITS = 24


def _says_nothing(word: str) -> bool:
    return word.casefold() in STOP_WORDS


def asked_identifiers(
    text: str, asks: Callable[[str], bool] = _says_nothing
) -> tuple[Identifier, ...]:
    """Returns every identifier that a request names, whole and by type, in their order.

    `asks` tells which of its words only ask.
    """
    plain, places = flat(text)
    usual = identifiers(plain)
    blank = list(plain)
    for each in usual:
        if each.type in _SURE:
            blank[each.start : each.end] = BLANK * (each.end - each.start)
    asked = list(find_in_turn("".join(blank), _FAMILIES))
    dated = _cover(plain, (each for each in usual if each.type in ("date", "time", "phone")))
    asked = [one for one in asked if one.type != "code" or not any(dated[one.start : one.end])]
    taken = _cover(plain, asked)
    macs = {(one.start, one.end): (one.type, one.key) for one in bare_macs(plain)}
    kept = [
        Span(each.type, each.key, each.start, each.end, _add_mac(each, macs))
        for each in usual
        if not any(taken[each.start : each.end])
    ]
    whole = list(join_groups(plain, [*asked, *kept], asks))
    taken = _cover(plain, whole)
    parts = [one for one in (*asked, *kept) if not any(taken[one.start : one.end])]
    found = sorted([*whole, *parts], key=lambda one: one.start)
    return tuple(place_span(one, text, places) for one in found)


def _add_mac(each: Identifier, macs: Mapping[tuple[int, int], Key]) -> tuple[Key, ...]:
    """Returns the other readings of an identifier, a MAC address without separators among them."""
    mac = macs.get((each.start, each.end))
    named = mac is not None and each.type == "code" and re.search("[a-f]", mac[1])
    return (*each.others, mac) if mac and named else each.others


def _letter_macs(text: str) -> Iterator[Span]:
    """Finds MAC addresses of letters alone without separators, which are a code by nothing else."""
    for found in bare_macs(text):
        written = text[found.start : found.end]
        if written.isalpha():
            yield Span("code", written.upper(), found.start, found.end, ((found.type, found.key),))


def _numbered(text: str) -> Iterator[Span]:
    """Finds numbers in groups that a word before them makes one: "patient no. 40 771 88"."""
    for match in _NUMBERED.finditer(text):
        groups = re.findall("[0-9]+", match["number"])
        digits = "".join(groups)
        if not FEWEST_DIGITS <= len(digits) <= MOST_DIGITS:
            continue
        if len(groups) <= 3 and any(_YEAR.fullmatch(group) for group in groups):
            continue
        yield Span("code", digits, *match.span("number"))


def _rows(text: str) -> Iterator[Span]:
    """Finds digits said one by one."""
    for digits, start, end in find_rows(text):
        if len(digits) >= FEWEST_DIGITS or has_words(text[start:end]):
            yield Span("code", digits, start, end)


def _handles(text: str) -> Iterator[Span]:
    """Finds handles without their @ that a word before them says to be one."""
    for match in _HANDLE.finditer(text):
        group = "quoted" if match["quoted"] else "plain"
        yield Span("handle", match[group].casefold(), *match.span(group))


def _cover(text: str, found: Iterable[Span | Identifier]) -> bytearray:
    """Returns for each character whether it is a part of something found."""
    covered = bytearray(len(text))
    for each in found:
        covered[each.start : each.end] = b"\1" * (each.end - each.start)
    return covered


_FAMILIES: tuple[Family, ...] = (
    asked_webs, end_at_unspaced(books), tails, local_plates, end_at_unspaced(plates), shortened,
    end_at_unspaced(_numbered), _rows, _handles, labelled_names, snakes, _letter_macs,
)  # fmt: skip
