"""A clock that stands still until it is moved."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


class FrozenClock:
    """Callable like a clock; time passes only by `advance` or `set`."""

    def __init__(self, start: datetime = START) -> None:
        self.now = start

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **duration: float) -> datetime:
        """Moves by the parts of a timedelta, e.g. advance(days=3), and returns the new moment."""
        self.now += timedelta(**duration)
        return self.now

    def set(self, moment: datetime) -> None:
        self.now = moment
