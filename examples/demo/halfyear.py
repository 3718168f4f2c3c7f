"""The half-year a life covers, as numbered days."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

START = datetime(2026, 1, 5, tzinfo=UTC)  # a Monday
DAYS = 180
END = START + timedelta(days=DAYS)

# Until then the user allows new positions on weekends; from then on she does not.
WEEKENDS_FREE_FROM = 131
# Share of the account one trade may risk, by the day from which it holds.
RISK_STEPS = ((0, 1.0), (52, 0.75), (124, 0.5))


def moment(day: int, hour: float = 0.0) -> datetime:
    """The moment at an hour of a day, to the minute."""
    return START + timedelta(days=day, minutes=round(hour * 60))


def day_of(at: datetime) -> int:
    return (at - START).days


def is_weekend(day: int) -> bool:
    return moment(day).weekday() >= 5


def allowed_risk(day: int) -> float:
    return max(step for step in RISK_STEPS if step[0] <= day)[1]


def spoken(day: int) -> str:
    """The date as people say it: 5 January."""
    at = moment(day)
    return f"{at.day} {at:%B}"
