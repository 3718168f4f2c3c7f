"""Reads dates and times of day in several languages."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator

from glymph.text.patterns import compile_late
from glymph.text.spans import Span

# The names of each month: in English, short ones first, and in the other languages.
_MONTHS = (
    ("jan january", "januar jänner janvier janv enero ene gennaio gen janeiro januari январь января"
     " stycznia"),
    ("feb february", "februar février févr febrero febbraio fevereiro fev februari февраль февраля"
     " lutego"),
    ("mar march", "märz maerz mär mars marzo março marco maart март марта marca"),
    ("apr april", "avril avr abril abr aprile апрель апреля kwietnia"),
    ("may", "mai mayo maggio mag maio mei май мая maja"),
    ("jun june", "juni juin junio giugno giu junho июнь июня czerwca"),
    ("jul july", "juli juillet juil julio luglio lug julho июль июля lipca"),
    ("aug august", "août aout agosto ago augustus август августа sierpnia"),
    ("sep sept september", "septembre septiembre setiembre settembre setembro set сентябрь сентября"
     " września"),
    ("oct october", "oktober okt octobre octubre ottobre ott outubro out октябрь октября"
     " października"),
    ("nov november", "novembre noviembre novembro ноябрь ноября listopada"),
    ("dec december", "dezember dez décembre déc diciembre dic dicembre dezembro декабрь декабря"
     " grudnia"),
)  # fmt: skip
ENGLISH_MONTHS = tuple(english.split()[-1] for english, _ in _MONTHS)
SHORT_MONTHS = tuple(name for english, _ in _MONTHS for name in english.split()[:-1])
MONTHS_WRITTEN = {
    number: tuple(f"{english} {others}".split())
    for number, (english, others) in enumerate(_MONTHS, start=1)
}
_MONTH_NUMBERS = {name: number for number, names in MONTHS_WRITTEN.items() for name in names}
WEEKDAYS = tuple("monday tuesday wednesday thursday friday saturday sunday".split())
_STOP = r"(?![\w]|[-/.,:][0-9])"
_YEAR_FIRST = compile_late(
    rf"([0-9](?<![\w./-].)[0-9]{{3}})([-/.])([0-9]{{1,2}})\2([0-9]{{1,2}})(?:(?=[Tt][0-9]{{2}}:)"
    rf"|{_STOP})"
)
_YEAR_LAST = compile_late(
    r"([0-9](?<![\w./-].)[0-9]?)([-/.])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})" + _STOP
)
_WORD = r"([^\W\d_]{3,11})"
_OF = r"(?:of |de |del |di |d'|do |des )?"
_DAY = r"([0-9](?<![\w.,:/-].)[0-9]?)(?:st|nd|rd|th|er|re|\.|º|ª|°|-го|e)?"
_YEAR = r"([0-9]{4})"
_DAY_FIRST = compile_late(rf"{_DAY} ?{_OF}{_WORD}\.?(?:,? {_OF}{_YEAR})?(?![\w]|[.,:][0-9])")
_DAY_DASHED = compile_late(rf"([0-9](?<![\w.,:/-].)[0-9]?)-{_WORD}-{_YEAR}(?![\w-])")
_AFTER_MONTH = compile_late(
    rf" (?:(?:the )?([0-9]{{1,2}})(?:st|nd|rd|th)?(?:(?:,|,? of)? {_YEAR})?|{_OF}{_YEAR})"
    r"(?![\w]|[.,:/][0-9]|-[0-9]{3})"
)
_MONTH_BEFORE = compile_late(rf"(?<![\w-]){_WORD}[.,]{{0,2}}\Z")
_QUARTER = compile_late(r"[1-4](?:(?<![\w][QTqt].)(?<=[QTqt].))[ /-]([0-9]{4})(?!\w)")
_QUARTER_LAST = compile_late(r"([12](?<!\w.)[0-9]{3})[ /-]?[Qq]([1-4])(?!\w)")
_HAN = compile_late(r"(?<![0-9])([0-9]{4})[年년] ?([0-9]{1,2})[月월](?: ?([0-9]{1,2})[日일])?")
_YEAR_MONTH = compile_late(r"([12](?<![\w./-].)[09][0-9]{2})-(0[1-9]|1[0-2])(?![\w]|[-/.,:][0-9])")
_ONLY_CAPITAL = frozenset("may mar mars march set sept out dic gen mag ago giu lug ene".split())

_ZONE = (
    r"(?: ?(Z(?!\w)|[+-][0-9]{2}:?[0-9]{2}(?![0-9])|"
    r"(?:UTC|GMT|CET|CEST|EST|EDT|CST|CDT|MST|MDT|PST|PDT|BST|IST|JST|MSK|MEZ|MESZ)(?!\w)))?"
)
_HALF = r"(?: ?([AaPp])(?:\.[Mm]\.?|[Mm])(?!\w))"
_CLOCK = compile_late(
    r"([0-9](?:(?<![\w:.,+-].)|(?<=[Tt].)(?<!\w[Tt].))[0-9]?):([0-5][0-9])(?::([0-5][0-9])(?:[.,]"
    r"([0-9]{1,9}))?)?"
    rf"{_HALF}?{_ZONE}(?![\w:]|[.,][0-9])"
)
_HOUR = compile_late(rf"([0-9](?<![\w:.,+/-].)[0-9]?)(?:\.([0-5][0-9]))?{_HALF}{_ZONE}")
_UHR = compile_late(
    r"([0-9](?<![\w:.,+/-].)[0-9]?)(?:[.:]([0-5][0-9]))? ?(?:Uhr|uhr|час(?:а"
    r"|ов)?)(?: ([0-5][0-9]))?(?!\w)"
)
_H = compile_late(r"([0-9](?<![\w:.,+/-].)[0-9]?) ?[hH] ?([0-5][0-9])(?![\w:])")
_AT_H = compile_late(r"([0-9](?:(?<=[àÀ] .)|(?<=às .)|(?<=vers .))[0-9]?) ?(?:h|heures?)(?![\w])")
_HAN_TIME = compile_late(r"([0-9](?<![0-9:].)[0-9]?)[时時点시](?: ?([0-5]?[0-9])[分분])?")
_NAMED = compile_late(
    r"(?<![\w-])(?:(noon|midday|mediodía|mediodia|mezzogiorno|meio-dia|полдень)|"
    r"(midnight|mitternacht|minuit|medianoche|mezzanotte|meia-noite|полночь))(?![\w-])"
)
_NAMED_PARTS = ("noon", "midd", "midn", "nacht", "minui", "media", "medio", "mezz", "mei", "пол")
_ZONES = {
    "Z": "Z",
    "UTC": "Z",
    "GMT": "Z",
    "+00:00": "Z",
    "-00:00": "Z",
    "MEZ": "CET",
    "MESZ": "CEST",
}


def find_dates(text: str) -> Iterator[Span]:
    """Dates as 2023-05-08, without a day 2023-05, without a year --05-08.

    What may be read two ways has both as its key, the American first, and each as a further
    reading.
    """
    for match in _YEAR_FIRST.finditer(text):
        yield from _date(match, match[1], match[3], match[4])
    for match in _YEAR_LAST.finditer(text):
        yield from _numeric(match)
    for match in _DAY_DASHED.finditer(text):
        yield from _date(match, match[3], _month(match[2]), match[1])
    yield from _find_worded(text)
    for match in _QUARTER.finditer(text):
        yield Span("date", f"{match[1]}-Q{match[0][0]}", match.start() - 1, match.end())
    for match in _QUARTER_LAST.finditer(text):
        yield Span("date", f"{match[1]}-Q{match[2]}", *match.span())
    for match in _YEAR_MONTH.finditer(text):
        yield from _date(match, match[1], match[2], None)
    if not text.isascii():
        for match in _HAN.finditer(text):
            yield from _date(match, match[1], match[2], match[3])


def find_times(text: str) -> Iterator[Span]:
    """Times of day as 15:00, with seconds and zone where they are written."""
    if ":" in text:
        for match in _CLOCK.finditer(text):
            yield from _time(match, match[1], match[2], match[3], match[4], match[5], match[6])
    for match in _HOUR.finditer(text) if "m" in text or "M" in text else ():
        yield from _time(match, match[1], match[2], None, None, match[3], match[4])
    if "h" in text or "H" in text or not text.isascii():
        for match in _UHR.finditer(text):
            yield from _time(match, match[1], match[2] or match[3])
        for match in _H.finditer(text):
            yield from _time(match, match[1], match[2])
        for match in _AT_H.finditer(text):
            yield from _time(match, match[1], None)
        for match in _HAN_TIME.finditer(text) if not text.isascii() else ():
            yield from _time(match, match[1], match[2])


def find_named_times(text: str) -> Iterator[Span]:
    """Noon and midnight."""
    lowered = text.lower()
    if len(lowered) == len(text) and any(part in lowered for part in _NAMED_PARTS):
        for match in _NAMED.finditer(lowered):
            yield Span("time", "12:00" if match[1] else "00:00", *match.span())


def _find_worded(text: str) -> Iterator[Span]:
    for match in _DAY_FIRST.finditer(text):
        month = _month(match[2])
        if month and (match[3] or not (match[2] in _ONLY_CAPITAL and match[2] != "may")):
            yield from _date(match, match[3], month, match[1])
    for match in _AFTER_MONTH.finditer(text):
        word = _MONTH_BEFORE.search(text, max(0, match.start() - 13), match.start())
        month = _month(word[1]) if word else None
        year = match[2] or match[3]
        if word and month and (year or word[1] not in _ONLY_CAPITAL):
            key = _key(year, month, match[1])
            if key:
                yield Span("date", key, word.start(), match.end())


def _month(name: str) -> str | None:
    month = _MONTH_NUMBERS.get(name.lower())
    return str(month) if month else None


def _numeric(match: re.Match[str]) -> Iterator[Span]:
    one, mark, two, year = match.groups()
    if len(year) == 2:
        if mark == "-" or (mark == "." and (len(one) < 2 or len(two) < 2)):
            return  # a range, a version
        year = ("20" if int(year) < 70 else "19") + year
    day_first = _key(year, two, one)
    # With dots the day stands first wherever they are in use.
    month_first = None if mark == "." and day_first else _key(year, one, two)
    if day_first and month_first and day_first != month_first:
        others = (("date", month_first), ("date", day_first))
        yield Span("date", f"{month_first}|{day_first}", *match.span(), others)
    elif day_first or month_first:
        yield Span("date", day_first or month_first or "", *match.span())


def _date(
    match: re.Match[str], year: str | None, month: str | None, day: str | None
) -> Iterator[Span]:
    key = _key(year, month, day) if month else None
    if key:
        yield Span("date", key, *match.span())


def _key(year: str | None, month: str, day: str | None) -> str | None:
    if not 1 <= int(month) <= 12 or (year is not None and int(year) < 1):
        return None
    # February has 29 days as long as nobody says which year.
    last = calendar.monthrange(int(year) if year else 2000, int(month))[1]
    if day is not None and not 1 <= int(day) <= last:
        return None
    start = f"{year}-" if year else "--"
    return f"{start}{int(month):02}" + (f"-{int(day):02}" if day else "")


def _time(
    match: re.Match[str],
    hour: str,
    minute: str | None,
    second: str | None = None,
    part: str | None = None,
    half: str | None = None,
    zone: str | None = None,
) -> Iterator[Span]:
    hours = int(hour)
    if half:
        if not 1 <= hours <= 12:
            return
        hours = hours % 12 + (12 if half in "pP" else 0)
    if hours > 24 or (hours == 24 and int(minute or 0)):
        return
    key = f"{hours % 24:02}:{int(minute or 0):02}"
    fraction = (part or "").rstrip("0")
    if int(second or 0) or fraction:
        key += f":{second}" + (f".{fraction}" if fraction else "")
    if zone:
        zone = zone if ":" in zone or zone[0] not in "+-" else f"{zone[:3]}:{zone[3:]}"
        key += _ZONES.get(zone, zone)
    yield Span("time", key, *match.span())
