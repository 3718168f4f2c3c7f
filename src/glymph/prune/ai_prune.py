"""AI prune: a language model nominates memories for the archive, code decides, undo undoes it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from glymph.context import Context
from glymph.decay.lifecycle import lifecycle
from glymph.decay.stages import GROWING, GROWING_MEMORIES, GROWING_SESSIONS, Stage
from glymph.errors import BudgetSpent, MalformedReply, ModelCancelled, ModelFailed, NoModel, Refused
from glymph.llm.dialogue import Question, Usage, tokens_of
from glymph.llm.ledger import MARGIN, Run
from glymph.model import Refusal, State
from glymph.moments import micros
from glymph.prune.ai_prune_prompt import Nomination, question
from glymph.prune.allowance import allowance
from glymph.prune.nominees import Nominee, Picked, pick_nominees
from glymph.prune.results import AiPruned, FailedBatch
from glymph.prune.schedule import AI_PRUNE_LEAST, ai_prune_due
from glymph.prune.staying import find_reasons_to_stay
from glymph.recall import counter
from glymph.store import guards, records
from glymph.store.contract import Row
from glymph.store.reader import Reader
from glymph.store.writer import Writer
from glymph.text.tokens import tokens
from glymph.write.grading import PERHAPS_VITAL, Grader

VERB = "ai_prune"
FEW = 3  # nominations that are plausible in the smallest batch
SILENT = 3  # failed calls in a row after which the model is left in peace

LAST_RUN = "last_ai_prune_at"
SESSIONS = "sessions_since_ai_prune"
LIVE_THEN = "active_count_at_last_ai_prune"
BEGINS_AT = "ai_prune_begins_at"  # the batch at which a run goes on that the budget stopped

# tokens of an answer that is sent back because it could not be read, and of what is said to it
REPEATED = 2_200
USED_UP = (
    "unattended runs have archived as many as they may within 24 hours; "
    "the rest waits until tomorrow"
)
INFANT = (
    f"there were fewer than {GROWING} recalls, {GROWING_SESSIONS} sessions and {GROWING_MEMORIES} "
    "memories so far: too few to tell what nobody needs"
)
CHANGED = "it was changed or used while the model looked"
Progress = Callable[[int, int], None]


def record_session(ctx: Context) -> int:
    """Counts a session that ended and returns how many there were since the last complete run."""
    with ctx.store.writing(ctx.space, None) as writer:
        count_session(writer)
        return writer.counter(SESSIONS) or 0


def count_session(writer: Writer) -> None:
    """Does the same inside a transaction that is under way."""
    writer.set_counter(SESSIONS, (writer.counter(SESSIONS) or 0) + 1)
    counter.count_session(writer)


def find_reason(ctx: Context, reader: Reader) -> str | None:
    """Returns why a run is due; None if none is."""
    return ai_prune_due(
        sessions=reader.counter(SESSIONS) or 0,
        live=reader.live_count(),
        live_at_last=reader.counter(LIVE_THEN),
        stage=counter.stage_of(reader),
        after_sessions=ctx.settings.ai_prune_sessions,
        from_memories=ctx.settings.ai_prune_memories,
    )


def ai_prune(
    ctx: Context,
    *,
    if_needed: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> AiPruned:
    """Lets the model nominate memories in batches of similar ones and archives some of them.

    Only what the guards and the cap let go is archived. `if_needed` runs only when it is due. A dry
    run tells what would be shown and the most it may cost, and asks nothing. Counters start anew
    only when every batch was answered: what failed is due again. `progress` is told how many
    batches are done, and how many there are.
    """
    with ctx.reading() as reader:
        live, sessions = reader.live_count(), reader.counter(SESSIONS) or 0
        due = find_reason(ctx, reader)
        if live < AI_PRUNE_LEAST:
            return AiPruned(
                False, f"live memories: {live}; under {AI_PRUNE_LEAST} none is archived"
            )
        if if_needed and counter.stage_of(reader) is Stage.INFANCY:
            return AiPruned(False, INFANT)
        if if_needed and due is None:
            return AiPruned(
                False, "it is not due: too few sessions and too few new memories since the last run"
            )
        if ctx.model is None:
            raise NoModel(VERB)
        if not dry_run and not allowance(ctx, reader):
            return AiPruned(False, USED_UP)
        found = pick_nominees(ctx, reader)
        first = (reader.counter(BEGINS_AT) or 0) % max(len(found.batches), 1)
    if not found.batches:
        return AiPruned(
            False, "no memory may be archived: all are young, pinned, protected or superseded"
        )
    why = due or "it was asked for"
    if dry_run:
        return _foretold(ctx, found, why)
    pruning = _Pruning(ctx, found, why, Run(ctx, VERB), first)
    pruning.work(progress)
    result = pruning.result()
    if result.complete:
        _start_anew(ctx, sessions)
    else:
        _go_on_later(ctx, pruning)
    return result


def _go_on_later(ctx: Context, pruning: _Pruning) -> None:
    """Lets the next run begin where the budget ended this one.

    A batch that failed is asked about again.
    """
    where = 0 if pruning.failed else pruning.first + pruning.asked
    with ctx.store.writing(ctx.space, None) as writer:
        writer.set_counter(BEGINS_AT, where)


def _start_anew(ctx: Context, sessions: int) -> None:
    """Sets the counters after a complete run.

    A session that ended meanwhile counts for the next one.
    """
    with ctx.store.writing(ctx.space, None) as writer:
        writer.set_counter(SESSIONS, max(0, (writer.counter(SESSIONS) or 0) - sessions))
        writer.set_counter(LAST_RUN, micros(ctx.now()))
        writer.set_counter(LIVE_THEN, writer.live_count())
        writer.set_counter(BEGINS_AT, 0)


def _foretold(ctx: Context, found: Picked, why: str) -> AiPruned:
    """Returns what a run would show and the most it may cost.

    The most is reached when each batch is asked about twice, with long answers.
    """
    assert ctx.model is not None
    asked = [_question(ctx, batch) for batch in found.batches]
    uses = [_dearest(one, more) for one in asked for more in (0, REPEATED)]
    most = Usage(sum(use.tokens_in for use in uses), sum(use.tokens_out for use in uses))
    return AiPruned(
        False, f"this is a dry run; it would run because {why}",
        eligible=found.eligible, shown=found.shown, batches=found.ids, unasked=len(asked),
        tokens_in=most.tokens_in, tokens_out=most.tokens_out,
        cost_usd=ctx.model.prices.cost(most),
    )  # fmt: skip


def _dearest(asked: Question[tuple[Nomination, ...]], more: int) -> Usage:
    """Returns the most tokens that one call may use, with so many more sent."""
    sent = int((tokens_of(asked.messages) + more) * MARGIN) + tokens(json.dumps(asked.schema))
    return Usage(sent, asked.max_tokens)


def _question(ctx: Context, batch: Sequence[Nominee]) -> Question[tuple[Nomination, ...]]:
    return question([one.shown for one in batch], nonce=os.urandom(8).hex(), today=ctx.now().date())


@dataclass(slots=True)
class _Pruning:
    """A run: what it has asked about so far, and what came of it."""

    ctx: Context
    found: Picked
    why: str
    run: Run
    first: int = 0  # the batch it begins with: those before it were asked about in an earlier run
    asked: int = 0
    silent: int = 0  # batches in a row without an answer that can be used
    stopped: str | None = None
    failed: list[FailedBatch] = field(default_factory=list)
    nominated: int = 0
    reasons: dict[str, str] = field(default_factory=dict)  # of what was archived
    refused: list[Refusal] = field(default_factory=list)
    capped: int = 0
    parent: int | None = None
    operation_id: str | None = None

    def work(self, progress: Progress | None) -> None:
        """Asks about one batch after the other and archives what may go.

        It ends when all are done or it is stopped.
        """
        with ExitStack() as parent:
            for number, batch in list(enumerate(self.found.batches, start=1))[self.first :]:
                nominations = self._nominations(number, batch)
                if nominations:
                    self._archive(batch, nominations, parent)
                if self.stopped is not None:
                    return
                if progress is not None:
                    progress(number, len(self.found.batches))

    def result(self) -> AiPruned:
        run = self.run
        return AiPruned(
            True, self.why, eligible=self.found.eligible, shown=sum(map(len, self._asked_about())),
            batches=self.found.ids, unasked=len(self.found.batches) - self.first - self.asked,
            stopped=self.stopped, failed_batches=tuple(self.failed),
            nominated=self.nominated, archived=tuple(self.reasons), reasons=dict(self.reasons),
            refused=tuple(self.refused), capped=self.capped,
            calls=run.calls, tokens_in=run.tokens_in, tokens_out=run.tokens_out,
            cost_usd=run.cost_usd, operation_id=self.operation_id,
        )  # fmt: skip

    def _asked_about(self) -> Sequence[Sequence[Nominee]]:
        return self.found.batches[self.first : self.first + self.asked]

    def _nominations(self, number: int, batch: Sequence[Nominee]) -> tuple[Nomination, ...] | None:
        """Returns what the model nominates of a batch; None if no answer can be used."""
        with self.ctx.reading() as reader:
            if not allowance(self.ctx, reader):
                self.stopped = USED_UP
                return None
        try:
            found = self.run.ask(_question(self.ctx, batch))
            _check_plausible(found, batch)
        except (BudgetSpent, ModelCancelled) as error:
            self.stopped = str(error)
            return None
        except (ModelFailed, MalformedReply) as error:
            self.asked += 1
            self.failed.append(FailedBatch(number, len(batch), str(error)))
            self.silent += 1
            if self.silent >= SILENT:
                self.stopped = f"{SILENT} batches in a row had no answer that can be used"
            return None
        self.asked += 1
        self.silent = 0
        self.nominated += len(found)
        return found

    def _archive(
        self, batch: Sequence[Nominee], nominations: Sequence[Nomination], parent: ExitStack
    ) -> None:
        """Archives what may go, in one transaction; without any, no operation is left behind."""
        place = self.ctx
        with place.reading() as reader:
            decision = _decide(place, reader, batch, nominations)
        if decision.going:
            if self.parent is None:
                self.parent = parent.enter_context(place.bulk(VERB, reason=self.why))
                with place.reading() as reader:
                    self.operation_id = (reader.operation_by_key(self.parent) or {}).get("id")
            try:
                with place.operation(VERB, parent=self.parent) as op:
                    decision = _decide(place, op.writer, batch, nominations)
                    keys = [row["key"] for row, _ in decision.going]
                    op.writer.set_state(keys, state=State.ARCHIVED, at=op.now, by=VERB)
                    op.reasons |= {row["id"]: reason for row, reason in decision.going}
                    op.succeeded += op.reasons
                    op.skipped += decision.refused
            except Refused:
                if not self._taken_back():
                    raise
                self.stopped = "somebody has undone this run while it was under way"
                return
        self.reasons |= {row["id"]: reason for row, reason in decision.going}
        self.refused += decision.refused
        self.capped += decision.capped

    def _taken_back(self) -> bool:
        """Tells whether the run's operation was closed by somebody else: an undo does that."""
        with self.ctx.reading() as reader:
            row = None if self.parent is None else reader.operation_by_key(self.parent)
        return row is not None and bool(row["hash"])


def _check_plausible(nominations: Sequence[Nomination], batch: Sequence[Nominee]) -> None:
    """Refuses an answer that names more than half of its batch.

    Such an answer follows something else than the criteria. In the smallest batches a few may be
    named all the same.
    """
    if len(nominations) > max(FEW, len(batch) // 2):
        raise MalformedReply(
            f"it names {len(nominations)} of {len(batch)} memories, which is more than half: "
            "that is not plausible"
        )


# deciding


@dataclass(frozen=True, slots=True)
class _Decision:
    going: list[tuple[Row, str]]  # with the model's reasons
    refused: list[Refusal]
    capped: int


def _decide(
    ctx: Context, reader: Reader, batch: Sequence[Nominee], nominations: Sequence[Nomination]
) -> _Decision:
    """Returns which nominations may go as things stand: no model is trusted with the guards."""
    seen = {one.shown.id: one for one in batch}
    rows = reader.standing_of([one.id for one in nominations if one.id in seen])
    present = dict(
        zip(rows, records.retrievabilities(list(rows.values()), reader, ctx.now()), strict=True)
    )
    now = micros(ctx.now())
    refused: list[Refusal] = []
    candidates: dict[str, Row] = {}
    staying = find_reasons_to_stay(reader, Grader(ctx), list(rows), vital_from=PERHAPS_VITAL)
    for one in nominations:
        row = rows.get(one.id)
        if one.id not in seen:
            why: str | None = "it was not among what the model was shown"
        elif row is None:
            why = "it is gone"
        else:
            why = guards.find_obstacle(row, State.ARCHIVED) or _why_changed(row, seen[one.id])
            why = why or guards.worth_keeping(
                row, lifecycle(present[one.id], row["state"]), now=now
            )
            why = why or staying.get(one.id)
        if why is not None:
            refused.append(Refusal(one.id, why))
        elif row is not None:
            candidates[one.id] = row
    named = {one.id: one for one in nominations}
    for memory_id in _mutual({i: named[i].others for i in candidates if named[i].others}):
        del candidates[memory_id]
        refused.append(
            Refusal(memory_id, "it was nominated for the sake of others that go as well")
        )
    most = allowance(ctx, reader) if reader.live_count(AI_PRUNE_LEAST) >= AI_PRUNE_LEAST else 0
    return _within_the_cap(
        reader, [(row, _reason(named[i])) for i, row in candidates.items()], refused, most
    )


def _reason(one: Nomination) -> str:
    return one.reason if one.criterion is None else f"{one.criterion}: {one.reason}"


def _mutual(pointing: Mapping[str, Collection[str]]) -> list[str]:
    """Returns one memory to keep of each set in which all go for each other's sake."""
    kept: list[str] = []
    waiting = dict(pointing)
    while waiting:
        fine = [
            one for one, others in waiting.items() if any(other not in waiting for other in others)
        ]
        if not fine:
            fine = [next(iter(waiting))]
            kept += fine
        for one in fine:
            del waiting[one]
    return kept


def _why_changed(row: Row, seen: Nominee) -> str | None:
    same = (row["version"], row["last_used_at"]) == (seen.version, seen.last_used_at)
    return None if same and row["superseded_by"] is None else CHANGED


def _within_the_cap(
    reader: Reader, candidates: list[tuple[Row, str]], refused: list[Refusal], most: int
) -> _Decision:
    """Returns as many as the cap allows, without the last evidence of anything that stays."""
    kept: dict[int, int] = {}
    while True:
        free = [one for one in candidates if one[0]["key"] not in kept]
        going = free[:most]
        keys = [row["key"] for row, _ in going]
        needed = guards.last_evidence(keys, reader.resting_on(keys, guards.EVIDENCE))
        if not needed:
            break
        kept |= needed
    needers = reader.rows([("memories", key) for key in set(kept.values())])
    rests = [
        Refusal(row["id"], f"{needers['memories', kept[row['key']]]['title']!r} rests on it alone")
        for row, _ in candidates
        if row["key"] in kept
    ]
    return _Decision(going, [*refused, *rests], len(free) - len(going))
