"""Why a memory is in no default selection, however stale: somebody names it, or it stays.

It may be vital to somebody; or it is about a day to come; or it is a goal; or it is the current
statement of something that is alive: it has replaced another one, and that or itself was recalled,
or something beside it was told, in the last 90 days. What is out of date goes first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from glymph.context import Context
from glymph.decay.sections import kind_profile
from glymph.moments import AHEAD, MICROS_PER_DAY, micros
from glymph.prune.marks import REPLACING
from glymph.store import guards, records
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader
from glymph.write.grading import LIKELY_VITAL, Grader, is_to_come

ALIVE_DAYS = 90
EXAMINED = 2_000  # recalls
EVERY_LIVE = Filter(include_superseded=True)


def find_reasons_to_stay(
    reader: Reader, grader: Grader, ids: Sequence[str], *, vital_from: float = LIKELY_VITAL
) -> dict[str, str]:
    """Returns why some of these memories stay unless somebody names them."""
    alive = find_alive(grader.ctx, reader, ids)
    goals = _find_goals(grader.ctx, reader, ids)
    ahead = _find_to_come(grader.ctx, reader, ids)
    vital = grader.find_vital(reader, ids, least=vital_from)
    return (
        dict.fromkeys(alive, guards.STILL_CURRENT)
        | dict.fromkeys(goals, guards.STANDING_GOAL)
        | dict.fromkeys(ahead, guards.STILL_TO_COME)
        | dict.fromkeys(vital, guards.MAY_BE_VITAL)
    )


def _find_goals(ctx: Context, reader: Reader, ids: Sequence[str]) -> set[str]:
    """Returns the ids of what never fades and still holds: goals, unless replaced or expired."""
    now = micros(ctx.now())
    return {
        row["id"]
        for row in reader.memories(ids).values()
        if not kind_profile(row["kind"]).decays and _holds_still(row, now)
    }


def _find_to_come(ctx: Context, reader: Reader, ids: Sequence[str]) -> set[str]:
    """Returns the ids of what is about a day to come and still holds."""
    now = micros(ctx.now())
    return {
        row["id"]
        for row in reader.memories(ids).values()
        if _holds_still(row, now) and is_to_come(row, now)
    }


def _holds_still(row: Row, now: int) -> bool:
    expires_at = row["expires_at"]
    return row["superseded_by"] is None and (expires_at is None or expires_at > now)


def find_alive(ctx: Context, reader: Reader, ids: Sequence[str]) -> set[str]:
    """Returns the ids of those that have replaced another one, and whose subject is alive."""
    rows = [row for row in reader.memories(ids).values() if row["superseded_by"] is None]
    of_key = {row["key"]: row for row in rows}
    older: dict[int, set[int]] = defaultdict(set)
    beside: dict[int, set[int]] = defaultdict(set)
    for source, target, kind, *_ in reader.edges_touching(list(of_key)) if rows else []:
        if kind == "supersedes" and source in of_key:
            older[source].add(target)
        elif kind not in REPLACING:
            beside[source].add(target)
            beside[target].add(source)
    if not older:
        return set()
    now = micros(ctx.now())
    since = now - ALIVE_DAYS * MICROS_PER_DAY
    around = {key for own in older for key in (own, *older[own], *beside[own])}
    known = reader.by_key(around, EVERY_LIVE)
    shown = _find_shown(reader, since, now + AHEAD)
    return {
        of_key[key]["id"]
        for key, replaced in older.items()
        if any(known[one]["id"] in shown for one in (key, *replaced) if one in known)
        or any(known[one]["created_at"] >= since for one in (key, *beside[key]) if one in known)
    }


def _find_shown(reader: Reader, since: int, upto: int) -> set[str]:
    """Returns the ids of what recalls have shown between two moments."""
    recent = [row for row in reader.recalls(limit=EXAMINED) if since <= row["at"] <= upto]
    return {memory_id for row in recent for memory_id in records.words(row["shown"])}
