"""The exact things a text says, as keys that compare.

These are numbers with units, dates, times, money and identifiers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from glymph.text.dates import ENGLISH_MONTHS, WEEKDAYS
from glymph.text.numbers import CURRENCIES, ENGLISH_NUMBERS, FIGURE, UNITS, read_figure
from glymph.text.patterns import compile_late
from glymph.text.remember import remember

Kind = Literal["number", "percent", "money", "date", "time", "identifier"]

NUMBER_WORDS = ENGLISH_NUMBERS | {"once": 1, "twice": 2}
# What each unit measures, and how many of the base unit it is. Other than in a quantity, units
# that convert only about are compared too: feet with metres, years with days.
_MEASURES: dict[str, dict[str, float]] = {
    "time": {"s": 1, "day": 86400, "month": 2592000},
    "length": {"m": 1, "in": 0.0254},
    "mass": {"g": 0.001, "oz": 0.02835},
    "data": {"KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12},
    "volume": {"l": 1},
}
_BASE = {unit: (measure, size) for measure, of in _MEASURES.items() for unit, size in of.items()}
_NAMES = (
    "ms millisecond milliseconds s sec secs second seconds min mins minute minutes h hr hrs hour "
    "hours day days week weeks month months mm cm m meter meters metre metres km kilometer "
    "kilometers kilometre kilometres inch inches ft foot feet mile miles mg g gram grams kg kilo "
    "kilos kilogram kilograms lb lbs kb mb gb tb ml l liter liters litre litres".split()
)
MEASURED: dict[str, tuple[str, float]] = {
    name: (_BASE[unit][0], float(factor) * _BASE[unit][1])
    for name in _NAMES
    for unit, factor in [UNITS[name]]
} | {
    "pound": ("mass", 0.4536), "pounds": ("mass", 0.4536),  # beside a figure more than the money
    "year": ("time", 31536000), "years": ("time", 31536000),  # 365 days, not twelve months
}  # fmt: skip

_SHORTENED = (name[:3] + (f"(?:{name[3:]})?" if name[3:] else "") for name in ENGLISH_MONTHS)
_MONTH = rf"(?P<m{{0}}>{'|'.join(_SHORTENED)})\.?"
_TABLE: tuple[tuple[str, str], ...] = (
    ("mail", r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+"), ("url", r"https?://\S+|www\.\S+"),
    ("iso", r"\b(?P<iy>\d{4})-(?P<im>\d\d)-(?P<id>\d\d)\b"),
    ("mdy", rf"\b{_MONTH.format(1)} (?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<y1>\d{{4}}))?\b"),
    ("dmy", rf"\b(?P<d2>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{_MONTH.format(2)}(?:,? "
            rf"(?P<y2>\d{{4}}))?\b"),
    ("clock", r"\b(?P<h>\d{1,2})(?::(?P<min>\d\d))? ?(?P<half>[ap])\.?m\b\.?"
              r"|\b(?P<h2>\d{1,2}):(?P<min2>\d\d)\b"),
    ("noon", r"\b(?:noon|midnight)\b"), ("weekday", rf"\b(?P<wd>{'|'.join(WEEKDAYS)})s?\b"),
    ("monthname", rf"\b(?P<mn>{'|'.join(m for m in ENGLISH_MONTHS if m != 'may')})\b(?: "
                  rf"(?P<my>\d{{4}})\b)?"),
    ("version", r"\bv\d+(?:\.\d+)*\b|\b\d+(?:\.\d+){2,}\b"),
    ("phone", r"\+\d[\d ()/-]{6,}\d|\b\d{3,4}[-/ ]\d{3}[- ]?\d{3,4}\b"),
    ("money", rf"[$€£¥] ?(?P<a1>{FIGURE})(?P<k1>k\b)?|\b(?P<a2>{FIGURE})(?P<k2>k)? "
    r"?(?P<cur>usd|dollars?|eur|euros?|gbp|€|yen)(?!\w)"),
    ("percent", rf"(?<!\d)(?P<p>{FIGURE}) ?(?:%|percent\b|per cent\b)"), ("ratio", r"\b\d+/\d+\b"),
    ("measured", rf"\b(?P<q>{FIGURE})(?: ?"
                 rf"|-)(?P<unit>{'|'.join(sorted(MEASURED, key=len, reverse=True))})\b"),
    # Of a run without end, only so much is looked at for a figure and a letter at each place.
    ("code", r"\b(?=[\w-]{0,64}\d)(?=[\w-]{0,64}[a-z])\w+(?:-\w+)*\b"),
    ("plain", rf"\b(?:{FIGURE})\b|(?<![\w'])(?P<word>{'|'.join(NUMBER_WORDS)})(?![\w'])"),
)  # fmt: skip
_ANY = compile_late("|".join(f"(?P<{name}>{pattern})" for name, pattern in _TABLE), re.IGNORECASE)
# What every one of these has somewhere: most clauses have none of it, and need not be tried.
_HINT = compile_late(
    rf"[\d@]|\b(?:https?:|www\.|noon|midnight|{'|'.join((*ENGLISH_MONTHS, *NUMBER_WORDS))})"
    rf"|(?:{'|'.join(WEEKDAYS)})s?\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Value:
    """One exact thing in a text: comparable by its key, with the place where it stands."""

    kind: Kind
    key: str
    unit: str
    start: int
    end: int


@remember(4096)
def values(text: str) -> tuple[Value, ...]:
    """Returns the exact things of a text in order.

    So "two" and "2.0" are one number, and "2 h" and "120 minutes" one time.
    """
    return tuple(_values(text)) if _HINT.search(text) else ()


def _values(text: str) -> Iterator[Value]:
    for match in _ANY.finditer(text):
        name = str(match.lastgroup)
        # `lastgroup` is the outermost group that closed last: the pattern's own name.
        kind, key, unit = _READ[name](match)
        yield Value(kind, key, unit, match.start(), match.end())


Read = tuple[Kind, str, str]


def _figure(text: str) -> str:
    return f"{float(read_figure(text)):.10g}"


def _day(year: str | None, month: str, day: str) -> Read:
    number = (
        month
        if month.isdigit()
        else str([name[:3] for name in ENGLISH_MONTHS].index(month[:3].lower()) + 1)
    )
    return "date", f"{year or ''}-{int(number):02}-{int(day):02}", "day"


def _clock(match: re.Match[str]) -> Read:
    hour = int(match["h"] or match["h2"]) % (12 if match["half"] else 24)
    late = 12 if (match["half"] or "").lower() == "p" else 0
    return "time", f"{hour + late:02}:{match['min'] or match['min2'] or '00'}", "clock"


def _money(match: re.Match[str]) -> Read:
    amount = float(read_figure(match["a1"] or match["a2"])) * (
        1000 if match["k1"] or match["k2"] else 1
    )
    return "money", f"{amount:.10g}", CURRENCIES[(match["cur"] or match[0][0]).lower()].lower()


def _measure(match: re.Match[str]) -> Read:
    measure, factor = MEASURED[match["unit"].lower()]
    return "number", f"{float(read_figure(match['q'])) * factor:.8g}", measure


def _plain(match: re.Match[str]) -> Read:
    return (
        "number",
        str(NUMBER_WORDS[match["word"].lower()]) if match["word"] else _figure(match[0]),
        "",
    )


def _identifier(match: re.Match[str]) -> Read:
    return "identifier", match[0].casefold().rstrip(".,;"), ""


_READ: dict[str, Callable[[re.Match[str]], Read]] = {
    "mail": _identifier,
    "url": _identifier,
    "iso": lambda m: _day(m["iy"], m["im"], m["id"]),
    "mdy": lambda m: _day(m["y1"], m["m1"], m["d1"]),
    "dmy": lambda m: _day(m["y2"], m["m2"], m["d2"]),
    "clock": _clock,
    "noon": lambda m: ("time", {"noon": "12:00", "midnight": "00:00"}[m[0].lower()], "clock"),
    "weekday": lambda m: ("date", m["wd"].lower(), "weekday"),
    "monthname": lambda m: ("date", f"{m['my'] or ''}-{m['mn'].lower()}", "month"),
    "version": lambda m: ("identifier", m[0].lower().removeprefix("v"), ""),
    "phone": lambda m: ("identifier", re.sub(r"\D", "", m[0]), "phone"),
    "money": _money,
    "percent": lambda m: ("percent", _figure(m["p"]), "%"),
    "ratio": lambda m: ("number", m[0], "ratio"),
    "measured": _measure,
    "code": _identifier,
    "plain": _plain,
}
