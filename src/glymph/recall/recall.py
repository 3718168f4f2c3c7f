"""Recalling: a search that is logged, so that its use can be reported.

Only that report reinforces.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Unpack

from glymph import telemetry
from glymph.checks import checked_id, checked_list
from glymph.context import Context, OpenOperation
from glymph.decay.edges import OUTCOME_CONFIRMED, USED_EXPLICITLY, USED_TOGETHER
from glymph.decay.reinforce import RATINGS, apply_use
from glymph.decay.sections import kind_profile
from glymph.errors import RecallNotFound
from glymph.model import Memory, Outcome, Recall, Receipt, State
from glymph.moments import MICROS_PER_DAY, micros
from glymph.recall.counter import RECALLS, count_recall
from glymph.recall.search import SearchOptions, find
from glymph.store import foresight


@telemetry.observe_calls("recall")
def recall(
    ctx: Context, query: str, *, reinforce: bool = False, **options: Unpack[SearchOptions]
) -> Recall:
    """Searches, and logs the hits so that their use can be reported."""
    found, notice = find(ctx, query, **options)
    hits = tuple(found)
    if not ctx.store.writable:
        also = " and nothing was reinforced" if reinforce else ""
        unlogged = f"The store is read-only: this recall was not logged{also}."
        return Recall(None, query, hits, f"{unlogged} {notice}" if notice else unlogged)
    recall_id = log_shown(ctx, query, [hit.memory for hit in hits], chosen_from=not reinforce)
    if reinforce and hits:
        own = [hit.memory.id for hit in hits if hit.memory.space == ctx.space]
        _report(ctx, recall_id, dict.fromkeys(own, Outcome.USED), gain=USED_TOGETHER)
    return Recall(recall_id, query, hits, notice)


def log_shown(
    ctx: Context, query: str, memories: Sequence[Memory], *, chosen_from: bool = True
) -> str:
    """Logs which memories were put before somebody, and returns the id of this recall.

    Nothing is reinforced. `chosen_from` is false where all of them count as used: nobody chose, so
    there is nothing to learn from.
    """
    at = micros(ctx.now())
    recall_id = ctx.new_id(at)
    figures = json.dumps([_figures(ctx, one, at) for one in memories]) if chosen_from else None
    row = {
        "id": recall_id, "at": at, "query": query,
        "shown": json.dumps([memory.id for memory in memories]), "figures": figures,
    }  # fmt: skip
    ahead = [foresight.counter(RECALLS), *ctx.foresee_signing(None, query)]
    with ctx.store.writing(ctx.space, None, ahead=ahead) as writer:
        count_recall(writer)
        gone = ctx.find_purged(writer, [ctx.actor, ctx.session, query])
        actor, session = ctx.sign(gone)
        said = "" if query in gone else query
        writer.log_recall(
            {**row, "query": said, "actor": actor, "session": session},
            keep=ctx.settings.recall_log_size,
        )
    return recall_id


def _figures(ctx: Context, memory: Memory, at: int) -> tuple[str, float, float] | None:
    """Returns what `fit` will want to know of a memory that was shown.

    Its section, days since its use, its stability.

    Nothing of one that does not fade, nor of one from another space, whose use cannot be reported
    here.
    """
    if memory.space != ctx.space or not kind_profile(memory.kind).decays:
        return None
    days = (at - micros(memory.last_used_at or memory.created_at)) / MICROS_PER_DAY
    return str(memory.section), round(max(days, 0.0), 4), memory.stability


def report(
    ctx: Context, recall_id: str, *, used: Iterable[str] | None = (),
    confirmed: Iterable[str] | None = (), contradicted: Iterable[str] | None = (),
) -> Receipt:  # fmt: skip
    """Says which recalled memories were used; this alone reinforces.

    The best report of an id counts.
    """
    checked_id(recall_id, "recall_id")
    outcomes: dict[str, Outcome] = {}
    for outcome, ids in (
        (Outcome.CONTRADICTED, contradicted),
        (Outcome.USED, used),
        (Outcome.CONFIRMED, confirmed),
    ):
        given = [ids] if isinstance(ids, str) else checked_list(outcome, () if ids is None else ids)
        outcomes |= dict.fromkeys((checked_id(memory_id, outcome) for memory_id in given), outcome)
    return _report(ctx, recall_id, outcomes, gain=USED_EXPLICITLY)


def _report(ctx: Context, recall_id: str, outcomes: dict[str, Outcome], *, gain: float) -> Receipt:
    ahead = [foresight.recall(recall_id), foresight.memories(outcomes), foresight.curves()]
    with ctx.operation("report", reason=f"recall {recall_id}", ahead=ahead) as op:
        logged = op.writer.recall(recall_id)
        if logged is None:
            raise RecallNotFound(recall_id, ctx.space)
        shown = set(json.loads(logged["shown"]))
        reported: dict[str, str] = json.loads(logged["reported"])
        rows = op.writer.memories(outcomes)
        for memory_id, outcome in outcomes.items():
            if memory_id not in rows:
                op.fail(memory_id, "no such memory in this space")
            elif memory_id not in shown:
                op.fail(memory_id, "this recall did not show it")
            elif rows[memory_id]["state"] != State.LIVE:
                op.skip(memory_id, f"it is {rows[memory_id]['state']} now")
            else:
                row = rows[memory_id]
                figures = apply_use(row, outcome, op.now, curves=op.writer.curves())
                op.writer.change("memories", {row["key"]: figures})
                reported[memory_id] = _better(reported.get(memory_id), outcome)
                op.succeeded.append(memory_id)
        op.writer.set_reported(logged["key"], json.dumps(reported))
        _strengthen(op, [rows[i] for i in op.succeeded], outcomes, gain)
    return ctx.receipt(op)


def _better(earlier: str | None, outcome: Outcome) -> str:
    if earlier is not None and RATINGS[Outcome(earlier)] >= RATINGS[outcome]:
        return earlier
    return str(outcome)


def _strengthen(
    op: OpenOperation, rows: Sequence[Any], outcomes: dict[str, Outcome], gain: float
) -> None:
    """Links whose both ends were used together grow stronger, more so when both were confirmed."""
    good = {
        row["key"]: outcomes[row["id"]]
        for row in rows
        if outcomes[row["id"]] is not Outcome.CONTRADICTED
    }
    if len(good) < 2:
        return
    changes: dict[int, dict[str, Any]] = {}
    op.writer.foresee(*(foresight.edges_of(row["id"]) for row in rows))
    for row in rows:
        for edge in op.writer.edges(of=row["id"]):
            ends = good.get(edge["source"]), good.get(edge["target"])
            if None in ends:
                continue
            confirmed = ends == (Outcome.CONFIRMED, Outcome.CONFIRMED)
            weight = min(1.0, edge["weight"] + (OUTCOME_CONFIRMED if confirmed else gain))
            changes[edge["key"]] = {"weight": weight, "last_used_at": op.now}
    op.writer.change("edges", changes)
