"""Number plates: told by a word beside them, or by a shape that nothing else has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from glymph.text.dates import MONTHS_WRITTEN
from glymph.text.normal import STOP_WORDS
from glymph.text.spans import Span
from glymph.text.words import word_set

_LETTERS = "A-ZÄÖÜА-Я"
_LABEL = (
    r"(?<!\w)(?:(?:number|licen[cs]e|car|vehicle|registration)[ -]?plates?|plates?|reg(?:istration"
    r")?|kennzeichen|nummernschild\w*|autokennzeichen|immatriculation|plaque(?: d'immatriculation)?"
    r"|matr[ií]cula|targa|placa|kenteken|tablica|rejestracja|plaka|госномер|номерной знак)"
    r"(?: (?:number|no\.?|nr\.?))?(?: (?:is|was|of|reading|ist|lautet))?:? ?[\"'(]?"
)
_PART = (
    rf"(?:[{_LETTERS}]{{1,4}}|[0-9]{{1,5}}|[{_LETTERS}]{{1,3}}[0-9]{{1,4}}"
    rf"|[0-9]{{1,4}}[{_LETTERS}]{{1,3}}|[{_LETTERS}0-9]{{4,10}})"
)
_LABELLED = re.compile(rf"(?i:{_LABEL})({_PART}(?:[ .:·-]{{1,2}}{_PART}){{0,4}})(?!\w|-\w)")
_SMALL = re.compile(
    rf"(?i:{_LABEL})([a-z]{{1,3}}-?[0-9]{{1,4}}(?:[ -]?[a-z]{{1,3}})?[0-9]{{0,4}}"
    r"|[0-9]{2}[ -]?[a-z]{1,3}[ -]?[0-9]{2,4})(?!\w|-\w)"
)
_SHAPES = re.compile(
    r"(?<![\w-])(?:"
    r"[A-Z]{2}[0-9]{2}[ -]?[A-Z]{3}"  # United Kingdom
    r"|[A-Z]{2}[ -]?[0-9]{1,2}[ -]?[A-Z]{1,3}[ -]?[0-9]{4}"  # India
    r"|[A-ZÄÖÜ]{1,3}-[A-Z]{1,2} ?[0-9]{1,4}[EH]?"  # Germany
    r"|[A-Z]{2}[- ][0-9]{3}[- ][A-Z]{2}"  # France, Italy
    r")(?![\w]|-\w)"
)
_TURKISH = re.compile(
    r"(?<![\w.,/:+-])(?<![0-9] )(?<!(?<!\w)[A-Z] )(?<!(?<!\w)[A-Z]{2} )"
    r"(?P<province>0[1-9]|[1-7][0-9]|8[01]) "
    r"(?P<letters>[A-Z]{2,3}(?=[ -]?[0-9]{2})|[A-Z](?=[ -]?[0-9]{3}))[ -]?[0-9]{2,4}"
    r"(?![\w]|[-.,/:]\w| [A-Z]?[0-9])"
)
_MONTHS = frozenset(name[:3] for names in MONTHS_WRITTEN.values() for name in names) | word_set(
    "mrz oca şub sub nis haz tem ağu agu eyl eki kas ara"
)
_LAST_DAY = 31
# Words between two numbers: of amounts, hours and numbers of something else.
_BETWEEN = frozenset(word for word in STOP_WORDS if len(word) > 1) | word_set(
    "no nr num id pin am pm uhr hrs hr min sec eur usd gbp chf try tl jpy cny inr rub pln sek nok "
    "dkk czk huf cad aud km m cm mm kg g mg lb oz l ml kb mb gb tb mhz ghz hz kw w v h pcs pc st x"
)

_PROVINCES = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
_LOCAL_SHAPES = re.compile(  # of China and Japan
    rf"[{_PROVINCES}][A-Z][ .·•・-]?[A-Z0-9]{{4,6}}[挂学警港澳]?(?![A-Za-z0-9])"  # China
    r"|[\u3400-\u9fff]{1,4} ?[0-9]{2,3} ?[ぁ-ん] ?(?:[0-9]{2}-[0-9]{2}|[0-9]{1,4})(?![0-9])"
)


def local_plates(text: str) -> Iterator[Span]:
    """Finds plates with characters of scripts that are written without spaces."""
    for match in _LOCAL_SHAPES.finditer(text):
        yield from _plate(match[0], match.start())


def plates(text: str) -> Iterator[Span]:
    """Finds number plates; their keys are the letters and digits alone."""
    for match in (*_LABELLED.finditer(text), *_SMALL.finditer(text)):
        yield from _plate(match[1], match.start(1))
    for match in _SHAPES.finditer(text):
        yield from _plate(match[0], match.start())
    for match in _TURKISH.finditer(text):
        if _is_turkish(int(match["province"]), match["letters"].casefold()):
            yield from _plate(match[0], match.start())


def _is_turkish(province: int, letters: str) -> bool:
    """Tells whether a plate may have these letters: no date has them, and no amount."""
    return letters not in _BETWEEN and not (province <= _LAST_DAY and letters in _MONTHS)


def _plate(written: str, start: int) -> Iterator[Span]:
    written = _without_words(written)
    key = re.sub(r"[\W_・]", "", written).upper()
    if re.search("[0-9]", key) and re.search(r"[^\W\d_]", key) and 4 <= len(key) <= 11:
        yield Span("plate", key, start, start + len(written))


def _without_words(written: str) -> str:
    """A plate without a capital word that begins what follows it: "KX19 OTB I saw"."""
    return re.sub(r"(?<=[0-9A-Z]) (?:I|A|AND|OR|FROM|THE)$", "", written)
