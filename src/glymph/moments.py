"""Moments as aware datetimes outside and as whole microseconds since 1970 inside."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from glymph.errors import InvalidInput

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

_FIRST = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND
_LAST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND

# How people and models write a moment.
WRITE_IT = "Write it like 2026-03-01T09:30:00Z or 2026-03-01T10:30:00+01:00."

MICROS_PER_DAY = 86_400_000_000

EVER = _LAST  # no moment is later

# A moment that lies further ahead of the clock was written under a clock that was wrong.
AHEAD = MICROS_PER_DAY
# No clock that is right shows an earlier moment: there was no Glymph yet. A machine without a
# battery wakes in 1970, or on the day its firmware was made.
EARLIEST = (datetime(2026, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND


def micros(moment: datetime, field: str = "time") -> int:
    """Returns the moment as an integer.

    Refuses a datetime without a time zone, which would be ambiguous.
    """
    if not isinstance(moment, datetime):
        raise InvalidInput(
            field,
            f"expected a datetime, got {type(moment).__name__}. Pass e.g. "
            "datetime.now(timezone.utc).",
        )
    if moment.utcoffset() is None:
        raise InvalidInput(
            field, "has no time zone. Pass an aware datetime, e.g. datetime.now(timezone.utc)."
        )
    value = (moment - _EPOCH) // _MICROSECOND
    if not _FIRST <= value <= _LAST:
        raise InvalidInput(
            field, f"{moment.isoformat()} is outside the years 1 to 9999 in UTC. Move it inside."
        )
    return value


def moment(value: int) -> datetime:
    """Returns the aware UTC datetime of a stored integer."""
    return _EPOCH + timedelta(microseconds=value)


def shift(start: datetime, *, days: float) -> datetime:
    """Returns the moment so many days later, or at the end of the years 1 to 9999 in UTC."""
    value = micros(start) + days * MICROS_PER_DAY
    return moment(int(min(max(value, _FIRST), _LAST)))


def optional_micros(value: datetime | None, field: str) -> int | None:
    return None if value is None else micros(value, field)


def optional_moment(value: int | None) -> datetime | None:
    return None if value is None else moment(value)


def iso(value: datetime | None) -> str | None:
    """Returns a moment as JSON writes it."""
    return None if value is None else value.astimezone(UTC).isoformat()


def parse_iso(text: str, field: str) -> datetime:
    """Returns the aware datetime of an ISO 8601 text."""
    try:
        parsed = datetime.fromisoformat(text)
    except (ValueError, TypeError) as error:
        raise InvalidInput(field, f"{text!r} is no ISO 8601 time. {WRITE_IT}") from error
    if parsed.utcoffset() is None:
        raise InvalidInput(field, f"{text!r} has no time zone. {WRITE_IT}")
    micros(parsed, field)
    return parsed


def day_in_words(value: int | None) -> str:
    """Returns the day of a stored moment as people write it, "8 May 2023"; empty for none."""
    if value is None:
        return ""
    day = moment(value)
    from calendar import month_name  # it reads the locale

    return f"{day.day} {month_name[day.month]} {day.year}"
