"""Reconciles new memories with the older ones near them, after they were stored.

    judge          finds the older ones near one of them, and asks the reader
    carry_out      does what follows, in one small operation that undo takes back

How far a space is reconciled (see `waiting`) moves in the same transaction as what was done: a
program that is killed in between loses nothing and does nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from glymph.context import Context, OpenOperation
from glymph.decay.outdating import is_out_of_the_question
from glymph.decay.reinforce import apply_use
from glymph.model import Added, Outcome, State
from glymph.moments import micros
from glymph.reader.contract import Judgement, find_thresholds
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader
from glymph.text.injection import find_order
from glymph.text.normal import content_hash
from glymph.text.similarity import relation
from glymph.write.draft import NO_KIND
from glymph.write.neighbours import Neighbour, find_neighbours, is_statement, kept_bands
from glymph.write.question_queue import FORGET, close, raise_question
from glymph.write.replace import join, supersede
from glymph.write.verdicts import (
    Kind,
    Verdict,
    decide,
    decide_by_vectors,
    is_fixed,
    spare_vital,
)
from glymph.write.waiting import COUNTER, can_reconcile, list_waiting

NEAREST = 12  # older statements that one is judged against
MOST_CONNECTED = 5
# Characters. Of the texts that the reader has learnt from, 999 in 1,000 are shorter; of longer ones
# it takes most for updates of each other.
LONGEST_STATEMENT = 480
MEMORIES_A_QUESTION = 20  # five questions per 100 memories are what people bear
GRAVE = ("vital", "pinned", "contradicts")  # kinds of doubt that are put in any case
ACTOR = "reconcile"
HIDING: tuple[Kind, ...] = ("same", "replaces")


@dataclass(slots=True)
class Effects:
    """What reconciling did for one memory: ids of older ones, questions, and why."""

    superseded: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)  # they said the same
    flagged: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    connected: list[str] = field(default_factory=list)
    why: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found out about one new memory, before anything is done."""

    row: Row
    verdicts: tuple[Verdict, ...] = ()
    near: tuple[Neighbour, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.verdicts and not self.near


def reconcile(ctx: Context) -> Iterator[tuple[str, Effects]]:
    """Reconciles what waits, the oldest first; yields each memory's id with what was done."""
    if not can_reconcile(ctx):
        return
    while True:
        with ctx.reading() as reader:
            seen, waiting = list_waiting(ctx, reader)
        if not waiting:
            return
        idle = seen  # the newest memory for which there was nothing to do
        for row in waiting:
            with ctx.reading() as reader:
                found = judge(ctx, reader, row)
            effects = Effects()
            if not found.is_empty:
                try:
                    effects = _carry_out_once(ctx, found, seen)
                except _Overtaken:
                    break
                seen = row["key"]
            idle = row["key"]
            yield row["id"], effects
        if idle > seen:
            _go_on(ctx, seen, idle)


class _Overtaken(Exception):
    """Somebody else has reconciled meanwhile."""


def _carry_out_once(ctx: Context, found: Findings, seen: int) -> Effects:
    own = replace(ctx, actor=ACTOR)  # so that undo() without an id means what somebody asked for
    with own.operation("reconcile", session=found.row["session"]) as op:
        if (op.writer.counter(COUNTER) or 0) != seen:
            raise _Overtaken
        op.writer.set_counter(COUNTER, found.row["key"])
        return carry_out(ctx, op, found)


def _go_on(ctx: Context, seen: int, upto: int) -> None:
    """Notes how far it got, unless somebody else got further."""
    with ctx.store.writing(ctx.space, None) as writer:
        if (writer.counter(COUNTER) or 0) == seen:
            writer.set_counter(COUNTER, upto)


def judge(ctx: Context, reader: Reader, row: Row) -> Findings:
    """Finds what a memory says of the older ones near it; nothing if it states nothing itself.

    What tries to steer the agent is no statement, and does nothing to others.
    """
    now = micros(ctx.now())
    if row["state"] != State.LIVE or row["superseded_by"] or not is_statement(row):
        return Findings(row)
    if find_order(row["text"]):
        return Findings(row)
    near = find_neighbours(ctx, reader, row, now=now, most=NEAREST)
    if not near:
        return Findings(row)
    bands = kept_bands(ctx, reader)
    older = [one for one in near if not is_out_of_the_question(row, one.row)]
    read = _read(ctx, row, [one.row for one in older])
    decided = list(decide(row, read, find_thresholds(ctx.reader)))
    verdicts = list(spare_vital(decided, ctx.reader))
    seen = {old["key"] for old, _ in read}
    for old, cosine in older:
        if old["key"] not in seen and cosine is not None and cosine >= bands.duplicate:
            verdicts += filter(None, [decide_by_vectors(row, old, cosine)])
    settled = {verdict.old["key"] for verdict in verdicts}
    beside = [
        one
        for one in near
        if one.row["key"] not in settled
        and one.cosine is not None
        and relation(row["text"], one.row["text"], one.cosine, bands=bands)[0] != "nothing"
    ]
    return Findings(row, tuple(verdicts), tuple(beside[:MOST_CONNECTED]))


def _read(ctx: Context, row: Row, older: Sequence[Row]) -> list[tuple[Row, Judgement]]:
    """Returns what the reader says of the older ones, if they and the new one are statements."""
    short = [old for old in older if len(old["text"]) <= LONGEST_STATEMENT]
    if not short or len(row["text"]) > LONGEST_STATEMENT:
        return []
    judged = ctx.reader.relate(row["text"], [old["text"] for old in short])
    return [(old, one) for old, one in zip(short, judged, strict=True) if one.shares]


def carry_out(ctx: Context, op: OpenOperation, found: Findings) -> Effects:
    """Does what was found, as far as the memories are still what they were then."""
    done = Effects()
    new = find_unchanged(op, found.row)
    if new is None:
        return done
    for verdict in found.verdicts:
        old = find_unchanged(op, verdict.old)
        if old is not None and not (is_fixed(old) and verdict.kind in HIDING):
            new = _act(ctx, op, new, old, verdict, done)
    for one in found.near:
        old = find_unchanged(op, one.row)
        if old is not None:
            join(op, new, old, "similar_to")
            done.connected.append(old["id"])
            done.why.append(f"it is near {old['title']!r}, {one.cosine:.2f}")
    op.writer.bump([new["key"]])  # by which undoing its `add` finds this operation
    op.succeeded.append(new["id"])
    return done


def find_unchanged(op: OpenOperation, row: Row) -> Row | None:
    """Returns a memory as it is, if it still says what was judged, and is current."""
    now = op.writer.memory(row["id"])
    if now is None or now["content_hash"] != row["content_hash"] or now["state"] != State.LIVE:
        return None
    return None if now["superseded_by"] else now


def _act(
    ctx: Context, op: OpenOperation, new: Row, old: Row, verdict: Verdict, done: Effects
) -> Row:
    """Carries one verdict out, and returns the newer memory as it is then."""
    told = f"{old['title']!r}: {verdict.reason} ({verdict.sure:.2f})"
    if verdict.kind == "same":
        new = _take_over(op, new, old)
        _answer_by_repetition(op, old, done)
        supersede(op, old, new)
        done.repeated.append(old["id"])
        done.why.append(f"it takes the place of {told}")
    elif verdict.kind == "replaces":
        supersede(op, old, new)
        done.superseded.append(old["id"])
        done.why.append(f"it takes the place of {told}")
    elif verdict.kind in ("updates", "asks"):
        join(op, new, old, "supersedes", most=verdict.sure)
        done.flagged.append(old["id"])
        done.why.append(f"it stands above {told}")
    if verdict.kind in ("asks", "disputes") and _may_ask(op, new, verdict):
        asked = raise_question(ctx, op, verdict.about, old["id"], new["id"], verdict.reason)
        done.questions.append(asked)
    return new


def _may_ask(op: OpenOperation, new: Row, verdict: Verdict) -> bool:
    """Tells whether a doubt is grave, or none of the memories just before has put a question."""
    if verdict.about in GRAVE:
        return True
    before = op.writer.page(
        Filter(include_superseded=True), before=new["key"], limit=MEMORIES_A_QUESTION - 1
    )
    asked = op.writer.questions_of([new["id"], *(row["id"] for row in before)])
    return all(row["kind"] == FORGET for row in asked)


def _answer_by_repetition(op: OpenOperation, old: Row, done: Effects) -> None:
    """Closes the questions whether a memory is out of date: somebody has just said it again."""
    asked = [row for row in op.writer.questions() if row["older"] == old["id"]]
    close(op, asked, "keep_both")
    done.why += ["it answers an open question: what was in doubt was said again" for _ in asked]


def _take_over(op: OpenOperation, new: Row, old: Row) -> Row:
    """Gives a memory the uses of the one that said the same, one more, and a kind if it has none.

    What is added without a kind is a note: that tells nothing against what is known of it.
    """
    used = {**old, **apply_use(old, Outcome.USED, op.now, curves=op.writer.curves())}
    changes: dict[str, Any] = {
        "access_count": new["access_count"] + used["access_count"],
        "version": new["version"] + 1,
        **{name: used[name] for name in ("last_used_at", "stability", "difficulty", "review")},
    }
    if new["kind"] == NO_KIND != old["kind"]:
        changes |= {name: old[name] for name in ("kind", "section")}
        changes["content_hash"] = content_hash(new["text"], old["kind"], new["event_at"])
    op.writer.change("memories", {new["key"]: changes})
    return {**new, **changes}


def explain(added: Sequence[Added], done: Mapping[str, Effects]) -> list[Added]:
    """Returns what became of memories, with what reconciling them did."""
    return [_explain(one, done.get(one.id or "")) for one in added]


def _explain(added: Added, effects: Effects | None) -> Added:
    if effects is None:
        return added
    return replace(
        added,
        superseded=(*effects.superseded, *effects.repeated, *effects.flagged),
        questions=tuple(effects.questions),
        connected_to=(*added.connected_to, *effects.connected),
        why=(*added.why, *effects.why),
    )
