"""The cost of language models by job, by model and by day, and what may still be spent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from glymph.checks import show
from glymph.context import Context
from glymph.errors import InvalidInput
from glymph.moments import AHEAD, MICROS_PER_DAY, micros, moment, shift
from glymph.store.contract import Row

MOST_DAYS = 3660


@dataclass(frozen=True, slots=True)
class Spending:
    """Calls of a language model, summed up. `unsettled` ones were cut off, at the highest price."""

    name: str
    calls: int
    failed: int
    unsettled: int
    tokens_in: int
    tokens_out: int
    cost_usd: float
    assumed: bool  # a price was not known, and an expensive one was taken


@dataclass(frozen=True, slots=True)
class Costs:
    """The cost of language models since a moment, and what may still be spent today."""

    since: datetime
    total: Spending
    by_job: tuple[Spending, ...]
    by_model: tuple[Spending, ...]
    by_day: tuple[Spending, ...]
    today_usd: float
    today_tokens: int
    left_usd: float
    left_tokens: int


def costs(ctx: Context, *, days: int = 30) -> Costs:
    """Returns the calls of the last days, summed up, and what is left today."""
    if isinstance(days, bool) or not isinstance(days, int) or not 1 <= days <= MOST_DAYS:
        raise InvalidInput(
            "days", f"{show(days)} is not a whole number from 1 to {MOST_DAYS}. Pass e.g. 30."
        )
    now = ctx.now()
    with ctx.reading() as reader:
        upto = micros(now) + AHEAD
        calls = reader.calls(micros(shift(now, days=-days)), upto=upto)
        today = reader.spent_since(micros(now) - MICROS_PER_DAY, upto=upto)
        settings = ctx.settings
        return Costs(
            since=shift(now, days=-days),
            total=_sum_up("all", calls),
            by_job=_by(calls, lambda call: str(call["job"])),
            by_model=_by(calls, lambda call: str(call["model"])),
            by_day=_by(calls, lambda call: _day(moment(call["at"]))),
            today_usd=round(today.usd, 6),
            today_tokens=today.tokens,
            left_usd=round(max(0.0, settings.spend_daily_usd - today.usd), 6),
            left_tokens=max(0, settings.tokens_daily - today.tokens),
        )


def _day(at: datetime) -> str:
    return at.date().isoformat()


def _by(calls: Sequence[Row], name: Callable[[Row], str]) -> tuple[Spending, ...]:
    """Returns the calls summed up under each name, names in order."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for call in calls:
        groups[name(call)].append(call)
    return tuple(_sum_up(key, groups[key]) for key in sorted(groups))


def _sum_up(name: str, calls: Sequence[Row]) -> Spending:
    return Spending(
        name=name,
        calls=len(calls),
        failed=sum(call["outcome"] == "failed" for call in calls),
        unsettled=sum(call["outcome"] == "reserved" for call in calls),
        tokens_in=sum(call["tokens_in"] for call in calls),
        tokens_out=sum(call["tokens_out"] for call in calls),
        cost_usd=round(sum(call["cost_usd"] for call in calls), 6),
        assumed=any(call["assumed"] for call in calls),
    )
