"""Days that a text names: whether they are still to come, and what it says once they are over.

What has a day ahead may be vital for that day alone: an appointment, a deadline, a freeze. Until
then upkeep leaves it. Once it is over such a text is judged a second time without it, as what it
says today.
"""

from __future__ import annotations

import calendar
import re
from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta

from glymph.moments import MICROS_PER_DAY, micros, moment
from glymph.text.dates import find_dates
from glymph.text.spans import Span

OVER_DAYS = 30  # after the last day that a text names, until it counts as over
HIDDEN = "..."  # of the words and signs tried, what vital texts stay vital with
_DAY = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d))?|(\d{4})-Q([1-4])")
_YEARLY = re.compile(r"--\d\d-\d\d")


def find_last_day(text: str) -> int | None:
    """Returns the end of the last day that a text names; None if it names none for certain.

    A day without its year may come again.
    """
    readings = [key for span in _list_days(text) for key in span.key.split("|")]
    ends = [end for end in map(_find_end, readings) if end is not None]
    return max(ends) if ends and len(ends) == len(readings) else None


def _find_end(key: str) -> int | None:
    """Returns when a day, month or quarter ends, by its key; None without a year."""
    found = _DAY.fullmatch(key)
    if found is None:
        return None
    year, month = int(found[1] or found[4]), int(found[2] or 3 * int(found[5]))
    day = int(found[3] or calendar.monthrange(year, month)[1])
    return micros(datetime(year, month, day, tzinfo=UTC) + timedelta(hours=23))


def is_over(text: str, now: int) -> bool:
    """Tells whether every day that a text names has been over for a while, and it names one."""
    last = find_last_day(text)
    return last is not None and now - last >= OVER_DAYS * MICROS_PER_DAY


def was_ahead(text: str, told_at: int) -> bool:
    """Tells whether a text named a day that was to come when it was told."""
    last = find_last_day(text)
    return last is not None and last > told_at + MICROS_PER_DAY


def is_to_come(text: str, told_at: int, now: int) -> bool:
    """Tells whether a day that a text names is today or later.

    A day without its year is the one nearest to when it was told.
    """
    if not any(map(str.isdigit, text)):
        return False
    keys = (key for span in _list_days(text) for key in span.key.split("|"))
    ends = (
        _find_nearest(key, told_at) if _YEARLY.fullmatch(key) else _find_end(key) for key in keys
    )
    return any(end is not None and end > now for end in ends)


def _find_nearest(key: str, told_at: int) -> int | None:
    """Returns when a day without its year ends, in the year in which it is nearest to a moment."""
    told = moment(told_at).year
    month, day = int(key[2:4]), int(key[5:])
    ends = [
        _find_end(f"{year:04}{key[1:]}")
        for year in (told - 1, told, told + 1)
        if MINYEAR <= year <= MAXYEAR and day <= calendar.monthrange(year, month)[1]
    ]
    return min(filter(None, ends), key=lambda end: abs(end - told_at), default=None)


def hide_days(text: str) -> str:
    """Returns a text with a sign in the place of each day."""
    parts, at = [], 0
    for span in _list_days(text):
        parts += [text[at : span.start], HIDDEN]
        at = span.end
    return "".join([*parts, text[at:]])


def _list_days(text: str) -> list[Span]:
    """Returns the days of a text in their order, without the month that is read within a day."""
    found: list[Span] = []
    for span in sorted(find_dates(text), key=lambda one: (one.start, -one.end)):
        if not found or span.start >= found[-1].end:
            found.append(span)
    return found
