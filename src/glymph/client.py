"""Glymph, the handle a program holds: methods of a few lines, each calling a room.

A room is a folder beside this file that holds one capability: write, recall, forget, prune, …
"""

from __future__ import annotations

import builtins
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack, overload

from glymph import forget, history, learn, prune, recall, transfer, undo, upkeep, wire, write
from glymph.accessors import Accessor, Clusters, Conversations, OlderName, Tombstones, Trash
from glymph.config import Settings
from glymph.context import Context
from glymph.embed.contract import Embedder
from glymph.llm import interrupt
from glymph.llm.contract import Model
from glymph.reader.contract import Reader
from glymph.signatures import spell_out_fields
from glymph.stores import DEFAULT_URL, count_steps, open_context, run_steps
from glymph.write.background import Background

if TYPE_CHECKING:  # what the rooms take and give; a room is loaded when it is first used
    from glymph import model as m
    from glymph.decay.fit import Fit
    from glymph.forget.plan import ForgetPlan, Forgotten
    from glymph.learn.consolidate_result import Consolidated
    from glymph.learn.extract_result import Extraction
    from glymph.learn.memetic_figures import MemeticStatus
    from glymph.learn.playbooks import PlaybookMatch
    from glymph.llm.cost_report import Costs
    from glymph.prune.plan import Candidates, Plan, Pruned
    from glymph.prune.results import AiPruned, Fading, Gardened, LifecycleRun
    from glymph.recall.filters import Filters
    from glymph.recall.search import SearchOptions
    from glymph.store.certificate import Certificate
    from glymph.transfer.export import Imported
    from glymph.upkeep.status_result import AutonomousStatus
    from glymph.write.draft import NewMemory
    from glymph.write.edit import MemoryChanges

LAST_EMBEDDINGS = 5.0  # seconds a closing handle gives to memories that wait for their vectors
Ids = str | Iterable[str]
Count = Callable[[int], None]  # told how much is done
Progress = Callable[[int, int], None]  # told how much is done, and of how much


@spell_out_fields
class Glymph:
    """The long-term memory of one agent, user or project: one space of a store."""

    def __init__(self, ctx: Context) -> None:
        self._use(ctx)

    def _use(self, ctx: Context) -> None:
        self._background = Background(ctx)
        self._ctx = replace(
            ctx, settle_soon=self._background.take, settle_few=self._background.settle_few
        )

    @classmethod
    def open(
        cls, url: str = DEFAULT_URL, *, space: str = "default", actor: str = "user",
        settings: Settings | Mapping[str, Any] | None = None,
        clock: Callable[[], datetime] | None = None,
        embedder: str | Embedder = "auto", model: str | Model | None = None,
        reader: str | Reader = "auto", session: str | None = None, create: bool = True,
        token: str | None = None,
    ) -> Self:  # fmt: skip
        """Opens a store, made if it is missing and `create` says so; or a server's, by a token.

        `embedder` makes vectors, `reader` judges texts, `model` is the language model for upkeep:
        each a text as in the setting of that name, which decides by default, or an own object.
        """
        chosen: dict[str, Any] = {
            "space": space, "actor": actor, "settings": settings, "clock": clock, "model": model,
            "embedder": embedder, "reader": reader, "session": session, "create": create,
        }  # fmt: skip
        if str(url).startswith(("http://", "https://")):
            return wire.remote.connect(cls, url, token=token, **chosen)
        return cls(open_context(url, token=token, **chosen))

    def close(self) -> None:
        """Ends the handle. Memories it added are embedded first, for a few seconds at most."""
        self._background.finish(LAST_EMBEDDINGS)
        if self._ctx.model is not None and hasattr(self._ctx.model, "close"):
            self._ctx.model.close()
        self._ctx.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if KeyboardInterrupt in error[:1]:
            self._background.finish(0)  # whoever says stop does not wait
        self.close()

    @property
    def context(self) -> Context:
        """The store, space, actor and clock that rooms and jobs work with."""
        return self._ctx

    @property
    def url(self) -> str:  # with a password, if that was in it
        return self._ctx.store.url

    @property
    def shown_url(self) -> str:  # without
        return self._ctx.shown_url

    @property
    def space(self) -> str:
        return self._ctx.space

    @property
    def actor(self) -> str:
        return self._ctx.actor

    @property
    def settings(self) -> Settings:
        return self._ctx.settings

    # ── remember ──────────────────────────────────────────────────────────────────────────────

    def add(
        self, text: str, *, revive: bool = False, wait: bool = False, **fields: Unpack[NewMemory]
    ) -> m.Added:
        """Stores one memory, or reinforces the live one of the same words.

        What it does to older memories is found out in the background, or with `wait` before this
        returns; the answer then says so. `revive` takes in what was removed on request.
        """
        if not wait:
            return write.add.add(self._ctx, text, revive=revive, **fields)
        with self._background.resting() as ctx:
            added = write.add.add(ctx, text, revive=revive, **fields)
            return write.reconcile.explain([added], self._background.settle())[0]

    def add_many(
        self, items: Iterable[str | Mapping[str, Any]], *,
        wait: bool = False, imported: bool = False,
    ) -> builtins.list[m.Added]:  # fmt: skip
        """Stores many memories in one operation: texts, or `text` and fields, imported: a past."""
        if not wait:
            return write.add.add_many(self._ctx, items, imported=imported)
        with self._background.resting() as ctx:
            added = write.add.add_many(ctx, items, imported=imported)
            return write.reconcile.explain(added, self._background.settle())

    def settle(self, *, progress: Count | None = None) -> dict[str, write.reconcile.Effects]:
        """Finishes what waits, vectors and verdicts; returns by id what was done for each."""
        write.link_by_names.link_without_vectors(self._ctx)
        return self._background.settle(progress)

    def update(
        self, memory_id: str, *, reason: str | None = None, **changes: Unpack[MemoryChanges]
    ) -> m.Receipt:
        """Changes the given fields of a memory; the old ones stay in its history."""
        return write.edit.update(self._ctx, memory_id, reason=reason, **changes)

    def supersede(self, old: str, new_text: str) -> m.Receipt:
        """Makes a new statement take an older one's place; `old` is an id, or describes the belief.

        `succeeded` names the older memory and the newer one. The new statement is kept in any case;
        where it takes the place of nothing, `skipped` says why.
        """
        return forget.supersede.supersede(self._ctx, old, new_text)

    def unsupersede(self, memory_id: str, *, reason: str | None = None) -> m.Receipt:
        """Shows an older statement again; what replaced it stays as it is."""
        return forget.supersede.unsupersede(self._ctx, memory_id, reason=reason)

    def merge(
        self, ids: Iterable[str], text: str | None = None, *, title: str | None = None,
        reason: str | None = None,
    ) -> m.Receipt:  # fmt: skip
        """Makes one memory of several; `succeeded` names them, and last the one they became."""
        return write.merge.merge(self._ctx, ids, text, title=title, reason=reason)

    def reinforce(self, ids: Ids) -> m.Receipt:
        """Counts one use of each memory: what somebody wants to keep stays."""
        return prune.fading_alerts.reinforce(self._ctx, ids)

    def pin(self, memory_id: str, *, reason: str | None = None) -> m.Receipt:
        """Protects a memory from archive, trash, supersede and merge until it is unpinned."""
        return write.edit.pin(self._ctx, memory_id, reason=reason)

    def unpin(self, memory_id: str, *, reason: str | None = None) -> m.Receipt:
        return write.edit.unpin(self._ctx, memory_id, reason=reason)

    def link(
        self, a: str, b: str, type: str = "user_linked", weight: float | None = None, *,
        reason: str | None = None,
    ) -> m.Receipt:  # fmt: skip
        """Links memory a to memory b; a link `supersedes` hides b behind a."""
        return write.link.link(self._ctx, a, b, type=type, weight=weight, reason=reason)

    def unlink(
        self, a: str, b: str, type: str = "user_linked", *, reason: str | None = None
    ) -> m.Receipt:
        return write.link.unlink(self._ctx, a, b, type=type, reason=reason)

    def edges(self, memory_id: str) -> builtins.list[m.Edge]:
        """Returns the links of a memory to and from live ones."""
        return write.link.edges_of(self._ctx, memory_id)

    def questions(self) -> builtins.list[m.Question]:
        """Returns the doubts about two memories that wait for an answer, oldest first."""
        return write.questions.questions(self._ctx)

    def answer(self, question_ids: Ids, choice: str, *, text: str | None = None) -> m.Receipt:
        """Answers questions with one of their choices; a merge takes the text for both."""
        return write.questions.answer(self._ctx, question_ids, choice, text=text)

    conflicts = questions  # what it was called before

    def resolve(self, conflict_ids: Ids, resolution: str, *, text: str | None = None) -> m.Receipt:
        """Answers questions: what `answer` was called before."""
        return self.answer(conflict_ids, resolution, text=text)

    def find_duplicates(
        self, *, apply: bool = False, progress: Progress | None = None
    ) -> m.DuplicateReport:
        """Returns pairs of live memories that say the same or nearly; `apply` links the near."""
        return write.duplicates.sweep(self._ctx, apply=apply, progress=progress)

    clusters = Accessor(Clusters)

    # ── find ──────────────────────────────────────────────────────────────────────────────────

    def get(self, memory_id: str, *, at: datetime | None = None) -> m.Memory:
        """Returns the memory in whatever state it is; with `at`, as it stood then."""
        return recall.history.get(self._ctx, memory_id, at=at)

    def list(
        self, *, limit: int = 100, cursor: str | None = None, at: datetime | None = None,
        **filters: Unpack[Filters],
    ) -> m.Page[m.Memory]:  # fmt: skip
        """Returns one page of memories, newest first; with `at`, of those that stood then."""
        return recall.history.list_memories(self._ctx, limit=limit, cursor=cursor, at=at, **filters)

    def search(self, query: str, **options: Unpack[SearchOptions]) -> builtins.list[m.Hit]:
        """Returns the memories that match, best first. Looking never reinforces."""
        return recall.search.search(self._ctx, query, **options)

    def recall(
        self, query: str, *, reinforce: bool = False, **options: Unpack[SearchOptions]
    ) -> m.Recall:
        """Searches and logs the hits under an id, so that `report` can say which were used."""
        return recall.recall.recall(self._ctx, query, reinforce=reinforce, **options)

    def report(
        self, recall_id: str, *, used: Iterable[str] = (), confirmed: Iterable[str] = (),
        contradicted: Iterable[str] = (),
    ) -> m.Receipt:  # fmt: skip
        """Says which hits were used, confirmed or contradicted; only this reinforces."""
        told: dict[str, Any] = {"used": used, "confirmed": confirmed, "contradicted": contradicted}
        return recall.recall.report(self._ctx, recall_id, **told)

    def nearest(self, memory_id: str, *, limit: int = 5) -> builtins.list[m.Memory]:
        """Returns the older current memories nearest to one, by words and by meaning."""
        found = write.neighbours.list_nearest(self._ctx, memory_id, most=limit)
        return [self.get(one) for one in found]

    def history(self, memory_id: str) -> builtins.list[m.Change]:
        """Returns everything that ever happened to a memory, oldest first."""
        return recall.history.history(self._ctx, memory_id)

    def graph(self) -> m.Graph:
        """Returns every live memory with its links and clusters, as plain data."""
        return upkeep.overview.graph(self._ctx)

    def health(self) -> m.Health:
        """Returns counts by lifecycle, state, section and kind."""
        return upkeep.overview.health(self._ctx)

    # ── forget and back ───────────────────────────────────────────────────────────────────────

    @overload
    def forget(
        self, request: str | ForgetPlan, *, mode: str = ..., reason: str = ...,
        apply: Literal[False] = ...,
    ) -> ForgetPlan: ...  # fmt: skip
    @overload
    def forget(
        self, request: str | ForgetPlan, *, mode: str = ..., reason: str = ...,
        apply: Literal[True],
    ) -> Forgotten: ...  # fmt: skip
    def forget(
        self, request: str | ForgetPlan, *, mode: str = "release", reason: str = "user_requested",
        apply: bool = False,
    ) -> ForgetPlan | Forgotten:  # fmt: skip
        """Plans to forget a description, identifier, subject or memory; with `apply`, does it.

        `release`, the usual, moves to the trash, which undo reverts; `purge` removes for good. What
        is not certain is left alone. `apply` also takes a plan that was shown, in its own mode.
        """
        return forget.forget.forget(self._ctx, request, mode=mode, reason=reason, apply=apply)

    def forget_plan(self, plan_id: str) -> ForgetPlan:
        """Returns a plan to forget by its id."""
        return forget.forget.forget_plan(self._ctx, plan_id)

    def archive(self, ids: Ids, *, reason: str | None = None, dry_run: bool = False) -> m.Receipt:
        """Hides memories from recall; they are kept and come back whenever asked.

        Of more than five, those much used or younger than three days are skipped.
        """
        return prune.execute.put_away(self._ctx, ids, "archive", reason=reason, dry_run=dry_run)

    def delete(self, ids: Ids, *, reason: str | None = None, dry_run: bool = False) -> m.Receipt:
        """Trashes memories, recoverable for 30 days; with the same guards as `archive`."""
        return prune.execute.put_away(self._ctx, ids, "delete", reason=reason, dry_run=dry_run)

    def restore(self, ids: Ids, *, reason: str | None = None) -> m.Receipt:
        """Brings archived and trashed memories back to life."""
        return undo.restore.restore(self._ctx, ids, reason=reason)

    def restore_from_hash(self, hash: str) -> m.Receipt:
        """Restores what is archived or trashed under a receipt's hash, or under a content hash."""
        return undo.restore_by_hash.restore_from_hash(self._ctx, hash)

    def undo(self, operation_id: str | None = None, *, reason: str | None = None) -> m.Receipt:
        """Takes an operation back; without an id, this actor's newest one that still stands."""
        return undo.undo.undo(self._ctx, operation_id, reason=reason)

    def operations(
        self, *, limit: int = 50, cursor: str | None = None, actor: str | None = None,
        session: str | None = None, verb: str | None = None,
    ) -> m.Page[m.Operation]:  # fmt: skip
        """Returns one page of operations, newest first."""
        return recall.history.operations(
            self._ctx, limit=limit, cursor=cursor, actor=actor, session=session, verb=verb
        )

    def audit(self, operation_id: str, *, limit: int = 100) -> m.Audit:
        """Returns one operation with the memories it touched, before and after, and its links."""
        return recall.audit.audit(self._ctx, operation_id, limit=limit)

    def certificates(self, *, pending: bool = False) -> builtins.list[Certificate]:
        """Returns what was removed for good and which places are clean of it, newest first."""
        return forget.certificate.list_certificates(self._ctx, pending=pending)

    def compact(self) -> upkeep.fold.Compacted:
        """Folds the journal's end, rewrites the store without what was removed; says the gain."""
        return upkeep.fold.compact(self._ctx)

    tombstones = Accessor(Tombstones)
    trash = Accessor(Trash)

    # ── prune ─────────────────────────────────────────────────────────────────────────────────

    def analyze(
        self, min_staleness: float = 0.3, max_groups: int = 20, include_isolated: bool = False, *,
        grouping: str = "community",
    ) -> Plan:  # fmt: skip
        """Stores and returns a plan: groups gone stale together, with reasons and impact."""
        return prune.analyze.analyze(
            self._ctx, min_staleness=min_staleness, max_groups=max_groups,
            include_isolated=include_isolated, grouping=grouping,
        )  # fmt: skip

    def plans(self) -> builtins.list[Plan]:
        """Returns the plans that have not expired, newest first."""
        return prune.plans.list_plans(self._ctx)

    def plan(self, plan_id: str) -> Plan:
        """Returns a plan by its id."""
        return prune.plans.load_plan(self._ctx, plan_id)

    def prune(
        self, plan: Plan | str, *, groups: Iterable[int] | None = None,
        ids: Iterable[str] | None = None, action: str = "archive", cascade: bool = False,
        confirm_large: bool = False, reason: str | None = None, dry_run: bool = False,
    ) -> m.Receipt:  # fmt: skip
        """Archives or trashes exactly what a plan shows: all of it, some groups, or some ids.

        What was changed or used since is skipped and named. `cascade` takes along what only exists
        through it.
        """
        return prune.execute.prune(
            self._ctx, plan, groups=groups, ids=ids, action=action, cascade=cascade,
            confirm_large=confirm_large, reason=reason, dry_run=dry_run,
        )  # fmt: skip

    def batch_prune(
        self, node_ids: Iterable[str], action: str, *, confirm_large: bool = False,
        reason: str | None = None, dry_run: bool = False,
    ) -> m.Receipt:  # fmt: skip
        """Archives or trashes memories by id, behind the guards of a prune."""
        return prune.execute.batch_prune(
            self._ctx, node_ids, action, confirm_large=confirm_large, reason=reason, dry_run=dry_run
        )

    def execute_prune(
        self, node_ids: Iterable[str], reason: str, *, cascade: bool = False, dry_run: bool = False
    ) -> Pruned:
        """Trashes memories for one of four reasons; what cannot go is named among the errors."""
        return prune.execute.execute_prune(
            self._ctx, node_ids, reason, cascade=cascade, dry_run=dry_run
        )

    def candidates(
        self, limit: int = 20, min_staleness_days: float | None = None, min_alignment: float = 0.4
    ) -> Candidates:
        """Returns single memories that may go, each with one reason, the first to go first."""
        return prune.select.candidates(
            self._ctx, limit=limit, min_staleness_days=min_staleness_days,
            min_alignment=min_alignment,
        )  # fmt: skip

    # ── while the agent sleeps ────────────────────────────────────────────────────────────────

    def extract(
        self, transcript: str | Path | Iterable[Mapping[str, Any] | str], *,
        session: str | None = None, dry_run: bool = False, again: bool = False,
        progress: Progress | None = None,
    ) -> Extraction:  # fmt: skip
        """Remembers what matters of a transcript; a file is read from where it was left.

        `again` reads it from its beginning: after an undo, or with another model. With a language
        model, or by rules without one. Secrets are masked before anything leaves the machine.
        """
        return learn.extract.extract(
            self._ctx, transcript, session=session, dry_run=dry_run, again=again, progress=progress
        )

    def lifecycle(self, *, if_needed: bool = False, dry_run: bool = False) -> LifecycleRun:
        """Archives what faded and may go, trashes what it archived long ago, empties the trash."""
        return prune.lifecycle.lifecycle(self._ctx, if_needed=if_needed, dry_run=dry_run)

    def ai_prune(
        self, *, if_needed: bool = False, dry_run: bool = False, progress: Progress | None = None
    ) -> AiPruned:
        """Lets the language model nominate what may go, in batches; code decides and archives.

        A dry run asks nothing: it tells what would be shown and what it may cost at most.
        """
        return prune.ai_prune.ai_prune(
            self._ctx, if_needed=if_needed, dry_run=dry_run, progress=progress
        )

    def consolidate(
        self, *, if_needed: bool = False, dry_run: bool = False,
        grouping: Sequence[str] | None = None, progress: Progress | None = None,
    ) -> Consolidated:  # fmt: skip
        """Makes few lessons of many episodes, every claim counted again; without a model, too.

        `grouping` are ways to group episodes, tried in turn: symbol, entity, tag, session, cluster,
        community, similarity, attribute:NAME.
        """
        return learn.consolidate.consolidate(
            self._ctx, if_needed=if_needed, dry_run=dry_run, ways=grouping, progress=progress
        )

    def garden(self, *, dry_run: bool = False) -> Gardened:
        """Drops faded links, merges duplicates and lists orphans; one undo takes it all back.

        Without an embedder duplicates are not looked for. A dry run tells what would be done.
        """
        return prune.garden.garden(self._ctx, dry_run=dry_run)

    def fit(self, *, apply: bool = False, reset: bool = False) -> Fit:
        """Returns how much better other forgetting curves would have foretold what is used.

        `apply` adopts those that are better on days they were not fitted to; `reset` takes adopted
        ones back.
        """
        return learn.fit.fit(self._ctx, apply=apply, reset=reset)

    def match_playbooks(
        self, situation: str, *, attributes: Mapping[str, Any] | None = None, limit: int = 5
    ) -> builtins.list[PlaybookMatch]:
        """Returns playbooks that fit, by success rate × fit × min(1, outcomes / 10), best first."""
        return learn.playbooks.match_playbooks(
            self._ctx, situation, attributes=attributes, limit=limit
        )

    def fading(self, *, announce: bool = False) -> tuple[Fading, ...]:
        """Returns lessons, theses and playbooks that are WEAK; announced once a day at most."""
        return prune.fading_alerts.find_fading(self._ctx, announce=announce)

    def surface(self, budget_tokens: int | None = None) -> str:
        """Returns a Markdown digest for the start of a session; goals and fading lessons first.

        It stands between marks by which extraction knows it, to learn nothing from it again.
        """
        return learn.surface.surface(self._ctx, budget_tokens)

    # ── conversations and the agent's page ────────────────────────────────────────────────────

    conversations = Accessor(Conversations)

    def page(self) -> str:
        """Returns the agent's own page; empty if it never wrote one."""
        return write.edit.read_page(self._ctx)

    def write(self, text: str, mode: str = "replace") -> m.Receipt:
        """Replaces or extends the page an agent keeps about itself: its part of memory.md."""
        return write.edit.write_page(self._ctx, text, mode)

    # ── spaces and files ──────────────────────────────────────────────────────────────────────

    def spaces(self) -> builtins.list[m.Space]:
        """Returns the spaces of the store."""
        return write.spaces.spaces(self._ctx.store)

    def rename_space(self, old: str, new: str) -> None:
        """Gives a space another name; a handle on it goes on under the new one."""
        write.spaces.rename_space(self._ctx.store, old, new)
        if old == self.space:
            self._background.finish(LAST_EMBEDDINGS)
            self._use(replace(self._ctx, space=new))

    def delete_space(self, name: str, *, progress: Count | None = None) -> int:
        """Removes a space with its conversations for good; returns the number of rows."""
        write.spaces.check_may_delete(self._ctx)
        if self._ctx.store.writable and self._ctx.store.has_space(name):
            history.places.remove_folders(self._ctx, name)  # first: the name may be used again
        return count_steps(write.spaces.delete_space(self._ctx.store, name), progress)

    def export(self, path: str | Path) -> int:
        """Writes the space and its journal into a new JSON Lines file; returns the rows."""
        return transfer.export.export(self._ctx, path)

    def import_(
        self, path: str | Path, *, space: str | None = None, tombstones: bool = True,
        progress: Count | None = None,
    ) -> Imported:  # fmt: skip
        """Loads an export into a new or untouched space, without what this store has purged.

        `tombstones=False` gives up the export's own, whose key may be lost.
        """
        steps = transfer.export.import_(self._ctx, path, space=space, tombstones=tombstones)
        return run_steps(steps, progress)

    def backup(self, path: str | Path) -> Path:
        """Writes a consistent copy of the whole store into a new file."""
        return transfer.export.backup(self._ctx, path)

    # ── look after ────────────────────────────────────────────────────────────────────────────

    def verify(self) -> m.Verdict:
        """Checks every invariant of the store and names what is wrong."""
        return transfer.verify.verify(self._ctx)

    def meaning(self) -> m.MeaningStatus:
        """Returns which embedder is used, or why none, and how many memories wait for vectors."""
        return write.backfill.meaning(self._ctx, self._background.failure)

    def embed(self, *, tidy: bool = False, progress: Count | None = None) -> int:
        """Gives vectors to memories that wait, and says to how many; `tidy` drops unused ones."""
        done = count_steps(write.backfill.backfill(self._ctx), progress)
        if tidy:
            count_steps(write.backfill.tidy(self._ctx), None)
        return done

    def costs(self, *, days: int = 30) -> Costs:
        """Returns the cost of language models by job, model and day, and what is left to spend."""
        from glymph.llm.cost_report import costs

        return costs(self._ctx, days=days)

    def memetic_status(self) -> MemeticStatus:
        """Returns entropy, coherence, stage, what to do next, and which tool does it."""
        return learn.memetics.memetic_status(self._ctx)

    def autonomous_status(self) -> AutonomousStatus:
        """Returns what upkeep did, when it is due again, what waits, and what it may still do."""
        return upkeep.status.autonomous_status(self._ctx)

    def unfinished(self) -> int:
        """Returns how many jobs of this space wait for a worker."""
        return len(upkeep.queue.find_waiting(self._ctx))

    # ── older names of what is in a group now ─────────────────────────────────────────────────

    create_cluster = OlderName("clusters.create")
    delete_cluster = OlderName("clusters.delete")
    add_to_cluster = OlderName("clusters.add")
    remove_from_cluster = OlderName("clusters.remove")
    empty_trash = OlderName("trash.empty")
    lift_tombstones = OlderName("tombstones.lift")
    every_conversation = OlderName("conversations.every")
    conversations_with = OlderName("conversations.with_session")
    conversation_folders = OlderName("conversations.folders")
    memories_saying = OlderName("conversations.memories_saying")
    carried_over = OlderName("conversations.carry_over")
    erase_from_conversations = OlderName("conversations.erase")


def stoppable(glymph: Glymph, stop: threading.Event) -> Glymph:
    """Returns a handle in place of this one whose language model stops once `stop` is set."""
    return Glymph(interrupt.stoppable(glymph.context, stop))
