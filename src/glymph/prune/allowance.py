"""The cap on how many memories unattended runs may archive in a day."""

from __future__ import annotations

from glymph.context import Context
from glymph.moments import AHEAD, MICROS_PER_DAY, micros
from glymph.store import guards
from glymph.store.reader import Reader

UNATTENDED = ("lifecycle", "ai_prune", "garden")  # verbs that share one allowance


def allowance(ctx: Context, reader: Reader) -> int:
    """Returns what is left of the cap of the last 24 hours; 0 when it is used up.

    The cap is a share of what was live before these runs began, so that it does not shrink while
    they use it up. What was undone since counts as live, not as gone. Ask inside the transaction
    that moves the memories.
    """
    gone = sum(count_today(ctx, reader, verb) for verb in UNATTENDED)
    return min(ctx.count_left_today(reader), max(0, count_cap(ctx, reader, gone) - gone))


def count_today(ctx: Context, reader: Reader, verb: str) -> int:
    """Returns how many memories operations of a verb moved to another state in 24 hours."""
    now = micros(ctx.now())
    return reader.changed_by(verb, now - MICROS_PER_DAY, upto=now + AHEAD)


def count_cap(ctx: Context, reader: Reader, gone: int = 0) -> int:
    """Returns how many memories may go at once, with `gone` counted as if they were still live."""
    percent, most = ctx.settings.prune_percent, ctx.settings.prune_most
    enough = -(-100 * most // percent) if percent > 0 else 0  # more of them allow no more
    return guards.cap(reader.live_count(enough) + gone, percent=percent, most=most)
