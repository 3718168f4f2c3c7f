"""A second opinion on new memories: a language model judges what the reader leaves in doubt.

    list_doubts    the pairs since the last time that are neither settled nor plainly unrelated
    ask_model      asks about them in batches, within the ledger, while the agent sleeps
    _carry_out     does what was answered, in one small operation a memory, which undo takes back

How far it got is a counter that moves in the same transaction as what was done. What somebody has
decided is not asked about again.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from glymph.context import Context, OpenOperation
from glymph.decay.outdating import is_out_of_the_question
from glymph.errors import BudgetSpent, MalformedReply, ModelCancelled, ModelFailed
from glymph.llm.dialogue import Question
from glymph.llm.ledger import Run
from glymph.moments import micros, moment
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader
from glymph.text.injection import find_order
from glymph.write import reconcile, waiting
from glymph.write.neighbours import LONGEST, find_neighbours
from glymph.write.question_queue import FIRST_KIND, KINDS, MODEL, close
from glymph.write.questions import questions
from glymph.write.reconcile import HIDING, Findings
from glymph.write.replace import unflag, was_shown_again
from glymph.write.second_opinion_prompt import MOST_PAIRS, Answer, Doubt, Statement, question
from glymph.write.verdicts import (
    Verdict,
    decide_by_word,
    is_fixed,
    spare_many,
    spare_vital,
)

COUNTER = "second_opinion_upto"  # the newest memory that a model was asked about
LAST_RUN = "second_opinion_at"  # questions from before were shown to a model already
JOB = "questions"
AT_ONCE = 200  # memories that are looked at in one run
NEAREST = 16  # older statements that one is compared with
LEAST = 0.003  # the share of doubt, by the reader, from which on a pair is asked about
SILENT = 3  # failed calls in a row after which the model is left in peace
CHOICES = {"replaces": "new_is_current", "same": "new_is_current", "updates": "part_is_outdated"}


@dataclass(frozen=True, slots=True)
class Doubted:
    """A new memory, and older ones that it may concern."""

    row: Row
    older: tuple[Row, ...]
    is_new: bool = True  # else it is asked about once more, for a question that waits

    def show(self) -> Doubt:
        """Returns it as a model may see it."""
        return Doubt(_show(self.row), tuple(_show(row) for row in self.older))


@dataclass(slots=True)
class Asked:
    """What a model was asked and what came of it."""

    pairs: int = 0
    hidden: int = 0
    flagged: int = 0
    answered: int = 0  # questions that waited
    unanswered: int = 0  # batches
    cost_usd: float = 0.0
    problem: str | None = None  # why something is left


def ask_model(
    ctx: Context, *, stop: threading.Event | None = None, patience: int = SILENT
) -> Asked:
    """Asks the language model about what is in doubt, and does what it answers.

    What it has not answered, for it failed or the budget is spent, is asked the next time. After as
    many failures in a row as there is patience, it is left in peace.
    """
    asked = Asked()
    run = Run(ctx, JOB, cancel=stop or threading.Event())
    began, silent = micros(ctx.now()), 0
    upto, doubts = list_doubts(ctx)
    for batch in split_batches(doubts):
        try:
            answer = run.ask(word_question(batch))
        except (ModelFailed, MalformedReply, BudgetSpent) as error:
            asked.problem = asked.problem or str(error)
            asked.unanswered += 1
            silent += 1
            if silent == patience or isinstance(error, BudgetSpent | ModelCancelled):
                break
            continue
        silent = 0
        for doubted, relations in zip(batch, answer, strict=True):
            _carry_out(ctx, doubted, relations, asked)
    if asked.problem is None:
        with ctx.store.writing(ctx.space, None) as writer:
            writer.set_counter(COUNTER, max(upto, writer.counter(COUNTER) or 0))
            writer.set_counter(LAST_RUN, began)
    asked.cost_usd = run.cost_usd
    return asked


def list_doubts(ctx: Context) -> tuple[int, list[Doubted]]:
    """Returns how far it looked, and the new memories with the older ones that are in doubt."""
    with ctx.reading() as reader:
        seen = reader.counter(COUNTER) or 0
        settled = reader.counter(waiting.COUNTER) or 0
        rows = reader.page_after(Filter(live_at=micros(ctx.now())), after=seen, limit=AT_ONCE)
        rows = [row for row in rows if row["key"] <= settled]
        found = [_find_doubts(ctx, reader, row) for row in rows]
    upto = rows[-1]["key"] if len(rows) == AT_ONCE else max(seen, settled)
    return upto, [one for one in (*_list_waiting(ctx, seen), *found) if one.older]


def _list_waiting(ctx: Context, seen: int) -> Iterator[Doubted]:
    """Yields what a model may answer of the questions put since, about memories it has passed."""
    waiting = [one for one in questions(ctx) if MODEL in one.may_answer]
    with ctx.reading() as reader:
        last = reader.counter(LAST_RUN) or 0
        rows = reader.memories({end for one in waiting for end in (one.older, one.newer)})
    for older, newer in {
        (one.older, one.newer) for one in waiting if micros(one.raised_at) >= last
    }:
        if rows[newer]["key"] <= seen and not is_fixed(rows[older]):
            yield Doubted(rows[newer], (rows[older],), is_new=False)


def _find_doubts(ctx: Context, reader: Reader, row: Row) -> Doubted:
    if len(row["text"]) > LONGEST or find_order(row["text"]):
        return Doubted(row, ())
    now = micros(ctx.now())
    decided = _list_decided(reader, row)
    near = [
        one.row
        for one in find_neighbours(ctx, reader, row, now=now, most=NEAREST)
        if one.row["id"] not in decided
        and not is_fixed(one.row)
        and not is_out_of_the_question(row, one.row)
        and find_order(one.row["text"]) is None
    ]
    judged = ctx.reader.relate(row["text"], [old["text"] for old in near]) if near else []
    unsure = (
        old
        for old, one in zip(near, judged, strict=True)
        if not one.shares or 1 - one.shares[0] >= LEAST
    )
    return Doubted(row, tuple(unsure))


def _list_decided(reader: Reader, newer: Row) -> set[str]:
    """Returns the older memories about which somebody has answered, or only somebody else may."""
    return {
        one["older"]
        for one in reader.questions_of([newer["id"]])
        if one["resolution"] or MODEL not in KINDS[one["kind"] or FIRST_KIND].may_answer
    }


def split_batches(doubts: Sequence[Doubted]) -> Iterator[list[Doubted]]:
    """Yields the doubts in batches of few enough pairs; those of one memory stay together."""
    batch: list[Doubted] = []
    for one in doubts:
        if batch and sum(len(each.older) for each in batch) + len(one.older) > MOST_PAIRS:
            yield batch
            batch = []
        batch.append(one)
    if batch:
        yield batch


def word_question(batch: Sequence[Doubted]) -> Question[Answer]:
    """Returns what is asked about a batch."""
    return question([one.show() for one in batch])


def _show(row: Row) -> Statement:
    said = row["created_at"] if row["event_at"] is None else row["event_at"]
    return Statement(moment(said).date(), row["text"])


def _carry_out(
    ctx: Context, doubted: Doubted, relations: Sequence[str | None], asked: Asked
) -> None:
    """Does what was answered about one memory, and notes that it was asked about."""
    own = replace(ctx, actor=reconcile.ACTOR)
    row = doubted.row
    asked.pairs += len(relations)
    with own.operation("reconcile", session=row["session"], reason="a model was asked") as op:
        if doubted.is_new and asked.problem is None:
            op.writer.set_counter(COUNTER, max(row["key"], op.writer.counter(COUNTER) or 0))
        new = reconcile.find_unchanged(op, row)
        if new is None:
            return
        told = dict(_decide(op, new, doubted, relations))
        decided = [*spare_many([verdict for verdict in told.values() if verdict is not None])]
        verdicts = tuple(spare_vital(decided, ctx.reader, kinds=HIDING))
        told |= {verdict.old["id"]: verdict for verdict in verdicts}
        asked.answered += _close_waiting(op, new, told)
        if told and not verdicts:
            op.writer.bump([new["key"]])  # by which undoing its `add` finds this operation
        if verdicts:
            done = reconcile.carry_out(ctx, op, Findings(row, verdicts))
            asked.hidden += len(done.superseded) + len(done.repeated)
            asked.flagged += len(done.flagged)


def _decide(
    op: OpenOperation, new: Row, doubted: Doubted, relations: Sequence[str | None]
) -> Iterator[tuple[str, Verdict | None]]:
    """Yields what is to be done to the older memories that are still what the model has read."""
    decided = _list_decided(op.writer, new)
    for row, word in zip(doubted.older, relations, strict=True):
        old = reconcile.find_unchanged(op, row)
        if old is None or is_fixed(old) or row["id"] in decided:
            continue
        verdict = None if word is None else decide_by_word(new, old, word)
        if verdict and verdict.kind in HIDING and was_shown_again(op.writer, old["key"]):
            continue
        if word is None:
            unflag(op, new, old)
        yield row["id"], verdict


def _close_waiting(op: OpenOperation, new: Row, told: Mapping[str, Verdict | None]) -> int:
    """Closes the questions about these pairs with what was done; returns how many there were."""
    waiting = [
        row
        for row in op.writer.questions_of([new["id"]])
        if row["resolution"] is None and row["older"] in told
    ]
    answered = 0
    for row in waiting:
        verdict = told[row["older"]]
        choice = "keep_both" if verdict is None else CHOICES.get(verdict.kind)
        if choice is not None:
            close(op, [row], choice)
            answered += 1
    return answered
