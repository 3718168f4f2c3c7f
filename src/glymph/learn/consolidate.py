"""Consolidation: what many episodes have in common becomes a lesson.

Every claim of a lesson is counted again. Episodes of the last two weeks are grouped; a group in
which nothing is new costs nothing. With a language model each group is asked about and its answer
verified; without one, and when the budget is spent, statistics speak. An episode is never changed.
What is known rather than happened is summarised: see `summarize`.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from glymph import telemetry
from glymph.checks import checked_list
from glymph.context import Context, every_row
from glymph.decay.sections import SECTIONS
from glymph.errors import (
    BudgetSpent,
    InvalidInput,
    LeaseLost,
    MalformedReply,
    ModelCancelled,
    ModelFailed,
    Refused,
)
from glymph.learn import consolidate_prompt as prompt
from glymph.learn import translate_prompt
from glymph.learn.consolidate_result import By, Consolidated, Learnt, Summarised
from glymph.learn.derive_lessons import (
    Conclusion,
    Keeper,
    by_statistics,
    conclude,
    count_judged,
    is_telling,
)
from glymph.learn.episodes import (
    LEAST,
    MOST_GROUPS,
    Episode,
    Group,
    choose_shown,
    chosen,
    group_episodes,
    read_episode,
)
from glymph.learn.evidence import list_sentences
from glymph.learn.evidence.by_statements import Statements
from glymph.learn.evidence.statement import Statement
from glymph.learn.known_lessons import list_lessons
from glymph.learn.lesson import Pattern
from glymph.learn.playbooks import count_on
from glymph.learn.summarize import Due, Summarizer, find_due, list_waiting
from glymph.llm.ledger import Run
from glymph.model import State
from glymph.moments import micros, shift
from glymph.prune.material import load_material
from glymph.prune.schedule import consolidation_due
from glymph.store import records
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader

JOB = VERB = "consolidate"
RAN = "consolidation_ran_at"
LEARNT = (
    "last_consolidation_at"  # what was told before then has been looked at: lifecycle waits for it
)
LOOK_BACK = timedelta(days=14)
STATISTICS_LOOK_BACK = timedelta(
    days=180
)  # counting costs no tokens, and small numbers prove nothing
WAYS = ("symbol", "entity", "tag")
SOURCES = tuple(section.value for section, profile in SECTIONS.items() if profile.role == "source")
TRUSTED = 0.3  # episodes from a source trusted less are not learnt from
CHUNK = 2_000
WHOLE = "_all"
# times as many episodes ended before statistics look at a group again in which they found nothing
GROWN = 1.5
MARKS: dict[By, str] = {"model": "consolidated", "statistics": "counted"}

Progress = Callable[[int, int], None]


def consolidate(
    ctx: Context, *, if_needed: bool = False, dry_run: bool = False,
    ways: Sequence[str] | None = None, progress: Progress | None = None,
    cancel: threading.Event | None = None, most: int = MOST_GROUPS,
) -> Consolidated:  # fmt: skip
    """Learns from what happened.

    With `if_needed` it runs once in `consolidation_hours`; a dry run only names the groups. `ways`
    are tried in turn to group episodes, else `WAYS`: see `prune.groupings`. At most so many groups
    are shown to a model; counting is free, so without one all are looked at. What fails is counted
    and tried again the next time. Everything that was stored undoes as one operation; the groups
    still count as looked at then, for who took a lesson back does not want it again until something
    new has happened.
    """
    now = ctx.now()
    wanted_ways = checked_list("grouping", ways or WAYS)
    with ctx.reading() as reader:
        last = reader.counter(RAN)
        due = consolidation_due(
            last_at=last, now=micros(now), hours=ctx.settings.consolidation_hours
        )
        if if_needed and due is None:
            return Consolidated(
                False, f"less than {ctx.settings.consolidation_hours:g} hours have passed"
            )
        by: By = "statistics" if ctx.model is None else "model"
        look_back = LOOK_BACK if by == "model" else STATISTICS_LOOK_BACK
        episodes, rows = _episodes(reader, since=shift(now, days=-look_back.days), at=now)
        material = load_material(ctx, reader, list(rows.values()), wanted_ways)
        groups = group_episodes(episodes, wanted_ways, material=material)
        found = len(groups)
        whole = _whole(
            groups, least=1
        )  # playbooks of it are counted on whoever looks at the groups
        groups += _whole(groups) if by == "statistics" else []
        marks = {group.key: reader.counter(_mark(group, by)) or 0 for group in groups}
        fresh = [group for group in groups if _newest(group, rows) > marks[group.key]]
        known = list_lessons(reader, micros(now)) if fresh and not dry_run else []
        judged = {one.id for one in episodes if one.outcome is not None}
        due_summaries = find_due(ctx, reader, now=micros(now), ended=judged, ways=ways)
    wanted = _first(fresh, rows, marks)[: most if by == "model" else None]
    result = Consolidated(
        ran=True, why=due or "it was asked for", dry_run=dry_run, episodes_reviewed=len(episodes),
        groups_found=found,
    )  # fmt: skip
    if dry_run:
        waiting = tuple(Learnt(group.label, len(group.episodes), "waiting", by) for group in wanted)
        return replace(result, groups=waiting, summaries=list_waiting(due_summaries))
    working = _Working(ctx, rows, micros(now), wanted, progress, cancel or threading.Event(), known)
    with telemetry.observe("consolidation") as seen:
        told = tuple(working.run([*fresh, *whole], due_summaries))
        ended = replace(result, groups=told, summaries=tuple(working.summaries))
        left = [
            group
            for group in fresh
            if group.key not in working.done and len(group.episodes) >= LEAST
        ]
        done = _count_figures(working, ended, _learnt_up_to(left, rows, marks, micros(now)))
        seen.note(**done.stats)
    return done


def _whole(groups: Sequence[Group], least: int = 2) -> list[Group]:
    """Returns one more group of all episodes that tell how they ended, if enough groups have some.

    What holds across groups shows in no single one.
    """
    told = [group for group in groups if any(one.outcome is not None for one in group.episodes)]
    ended = [one for group in told for one in group.episodes if one.outcome is not None]
    return [Group(WHOLE, "all that ended", tuple(ended))] if len(told) >= least else []


def _first(fresh: Sequence[Group], rows: dict[str, Row], marks: dict[str, int]) -> list[Group]:
    """Returns the groups that are large enough, those with most unseen episodes first.

    So each group has its turn.
    """
    unseen = {
        group.key: sum(_last_change(rows[one.id]) > marks[group.key] for one in group.episodes)
        for group in fresh
    }
    return sorted(chosen(fresh, most=len(fresh)), key=lambda group: -unseen[group.key])


def _learnt_up_to(
    left: Sequence[Group], rows: dict[str, Row], marks: dict[str, int], now: int
) -> int:
    """The moment before which nothing was told that still waits to be looked at."""
    waiting = [
        int(rows[one.id]["created_at"])
        for group in left
        for one in group.episodes
        if _last_change(rows[one.id]) > marks[group.key]
    ]
    return min([now, *waiting])


def _count_figures(working: _Working, result: Consolidated, up_to: int) -> Consolidated:
    """The result with its figures, when all is done."""
    ctx, run, told = working.ctx, working.asked, result.groups
    with ctx.store.writing(ctx.space, None) as writer:
        if not working.cancel.is_set():
            writer.set_counter(RAN, working.now)
        writer.set_counter(LEARNT, max(up_to, min(writer.counter(LEARNT) or 0, working.now)))
    return replace(
        result,
        groups_analyzed=len(working.done - {WHOLE}),
        patterns_created=sum(one.ending in ("created", "connected") for one in told),
        patterns_strengthened=sum(one.ending == "strengthened" for one in told),
        errors=[one.ending for one in told].count("failed")
        + [one.ending for one in result.summaries].count("failed"),
        playbooks_updated=working.updated,
        calls=run.calls, tokens_in=run.tokens_in, tokens_out=run.tokens_out, cost_usd=run.cost_usd,
        operation_id=working.operation_id(),
    )  # fmt: skip


# what is looked at


def _episodes(
    reader: Reader, *, since: datetime, at: datetime
) -> tuple[list[Episode], dict[str, Row]]:
    """Returns the live episodes since a moment, and their rows by id.

    Any lifecycle counts, but little trusted episodes are left out.
    """
    wanted = Filter(states=(State.LIVE,), sections=SOURCES, since=micros(since), live_at=micros(at))
    rows = {row["id"]: row for row in every_row(reader, wanted, CHUNK) if row["trust"] >= TRUSTED}
    return [read_episode(row) for row in rows.values()], rows


def _newest(group: Group, rows: dict[str, Row]) -> int:
    """When something of a group was last told, changed or brought back."""
    return max(_last_change(rows[one.id]) for one in group.episodes)


def _last_change(row: Row) -> int:
    return max(int(row["updated_at"]), int(row["state_at"]))


def _mark(group: Group, by: By) -> str:
    """Returns the name of the counter that says how far a group was consolidated.

    Model and statistics have one each: a group that was only counted may still be asked about.
    """
    return f"{MARKS[by]}:{hashlib.sha256(group.key.encode()).hexdigest()[:16]}"


# what is done


@dataclass(slots=True)
class _Working:
    """A run under way: group after group, each in a transaction of its own under one operation."""

    ctx: Context
    rows: dict[str, Row]
    now: int
    groups: Sequence[Group]
    progress: Progress | None
    cancel: threading.Event
    known: Sequence[Row]  # lessons and playbooks
    asked: Run = field(init=False)
    keeper: Keeper = field(init=False)
    parent: int | None = None
    poor: str = ""  # why no model is asked any more
    updated: int = 0  # playbooks
    done: set[str] = field(default_factory=set)  # keys of groups that were looked at
    summaries: list[Summarised] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.asked = Run(self.ctx, JOB, cancel=self.cancel)
        self.keeper = Keeper(self.ctx, self._parent, self.known)

    def run(self, fresh: Sequence[Group], due: Due) -> list[Learnt]:
        told: list[Learnt] = []
        try:
            self.updated = count_on(self.ctx, self.known, fresh, self.rows, self._parent)
            if self.updated:
                with self.ctx.reading() as reader:
                    self.known = self.keeper.known = list_lessons(reader, self.now)
            for number, group in enumerate(self.groups, start=1):
                told += self._group(group)
                if self.progress is not None:
                    self.progress(number, len(self.groups))
            summarizer = Summarizer(self.ctx, self.asked, self._parent, self.poor)
            self.summaries = summarizer.write_all(due)
        finally:
            if self.parent is not None:
                self.ctx.store.close_parent(self.ctx.space, self.parent)
        return told

    def _group(self, group: Group) -> Iterator[Learnt]:
        size = len(group.episodes)
        if self.cancel.is_set():
            yield Learnt(group.label, size, "waiting", why="it was stopped")
            return
        before = (self.asked.tokens_in, self.asked.tokens_out, self.asked.cost_usd)
        try:
            by, conclusions = self._conclusions(group)
        except ModelCancelled as error:
            self.cancel.set()
            yield self._add_costs(before, Learnt(group.label, size, "waiting", why=str(error)))
            return
        except (ModelFailed, MalformedReply) as error:
            yield self._add_costs(before, Learnt(group.label, size, "failed", why=str(error)))
            return
        if not conclusions:
            yield Learnt(group.label, size, "waiting", why=self.poor)
            return
        mark = (_mark(group, by), _newest(group, self.rows))
        for number, conclusion in enumerate(conclusions, start=1):
            learnt = self._keep(group, conclusion, mark if number == len(conclusions) else None)
            yield self._add_costs(before, learnt)
            before = (self.asked.tokens_in, self.asked.tokens_out, self.asked.cost_usd)
        if learnt.lesson is None:  # else it was set with the lesson
            with self.ctx.store.writing(self.ctx.space, None) as writer:
                writer.set_counter(*mark)
        self.done.add(group.key)

    def _conclusions(self, group: Group) -> tuple[By, list[Conclusion]]:
        """Returns what a group teaches, by the model or by counting.

        Counting is for where there is no model or its budget is spent. Nothing if the budget is
        spent and all was counted before: it waits for the model then.
        """
        if self.ctx.model is None:
            return "statistics", self._find_by_counting(group)
        if not self.poor:
            try:
                return "model", [self._ask(group)]
            except BudgetSpent as error:
                self.poor = str(error)
        with self.ctx.reading() as reader:
            known = reader.counter(_mark(group, "statistics")) or 0
        return "statistics", self._find_by_counting(group) if _newest(
            group, self.rows
        ) > known else []

    def _ask(self, group: Group) -> Conclusion:
        """Asks a model about a group, and once more with the reason if its answer is no lesson."""
        looked_at = choose_shown(group)
        found = self._conclude(group, looked_at)
        if found.refused is None:
            return found
        told = "; ".join([found.refused, *found.dropped])
        try:
            return self._conclude(group, looked_at, told)
        except (BudgetSpent, MalformedReply):
            return found

    def _conclude(
        self, group: Group, looked_at: Sequence[Episode], refused: str | None = None
    ) -> Conclusion:
        asked = prompt.question(group.label, looked_at, nonce=os.urandom(6).hex(), refused=refused)
        pattern = self.asked.ask(asked)
        statements = None if pattern is None else self._translate(pattern, looked_at)
        return conclude(pattern, group, looked_at, statements, self.ctx.settings.lesson_readings)

    def _translate(self, pattern: Pattern, looked_at: Sequence[Episode]) -> Statements | None:
        """Returns what the sentences of a pattern state, or None if the model cannot say it."""
        sentences = list_sentences(pattern)[: translate_prompt.MOST_SENTENCES]
        asked = translate_prompt.question(sentences, looked_at, nonce=os.urandom(6).hex())
        try:
            said: tuple[tuple[Statement, ...], ...] = self.asked.ask(asked)
        except MalformedReply:
            return None
        return dict(zip(sentences, said, strict=True))

    def _find_by_counting(self, group: Group) -> list[Conclusion]:
        """Returns what statistics find in a group, but does not look again too soon.

        Who looks again and again finds something by chance. So a group is looked at again only
        where something had been found, or where much has been added.
        """
        name, ended = f"looked:{_mark(group, 'statistics')}", count_judged(group)
        with self.ctx.reading() as reader:
            before = reader.counter(name) or 0
        if (
            is_telling(group)
            and before
            and ended < GROWN * before
            and group.key not in self._read_found()
        ):
            return [Conclusion("statistics", empty=True)]
        if is_telling(group):
            with self.ctx.store.writing(self.ctx.space, None) as writer:
                writer.set_counter(name, ended)
        return by_statistics(group, sum(map(is_telling, self.groups)))

    def _read_found(self) -> set[str]:
        """The keys of groups in which statistics found something before."""
        told = [records.attributes(row) for row in self.known]
        return {str(one.get("group")) for one in told if "finding" in one}

    def _keep(self, group: Group, conclusion: Conclusion, mark: tuple[str, int] | None) -> Learnt:
        try:
            return self.keeper.keep(group, conclusion, mark)
        except LeaseLost:
            raise
        except (InvalidInput, Refused) as error:
            size = len(group.episodes)
            return Learnt(
                group.label, size, "refused", conclusion.by, title=conclusion.title, why=str(error)
            )

    def _parent(self) -> int:
        """Returns the operation that everything stored belongs to.

        It is made when there is something to store.
        """
        if self.parent is None:
            self.parent = self.ctx.open_parent(VERB, reason="learn from what happened")
        return self.parent

    def _add_costs(self, before: tuple[int, int, float], learnt: Learnt) -> Learnt:
        return replace(
            learnt, tokens_in=self.asked.tokens_in - before[0],
            tokens_out=self.asked.tokens_out - before[1], cost_usd=self.asked.cost_usd - before[2],
        )  # fmt: skip

    def operation_id(self) -> str | None:
        if self.parent is None:
            return None
        with self.ctx.reading() as reader:
            row = reader.operation_by_key(self.parent)
        return None if row is None else str(row["id"])
