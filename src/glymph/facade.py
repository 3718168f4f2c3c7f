"""Glymph, the handle a program holds: methods of a few lines that call services."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack, overload

from glymph import services
from glymph.config import Settings
from glymph.core.certificate import Certificate
from glymph.core.draft import checked_space, checked_text, optional_text
from glymph.core.model import (
    Added,
    Change,
    Cluster,
    Conflict,
    Costs,
    DuplicateReport,
    Edge,
    Graph,
    Health,
    Hit,
    MeaningStatus,
    Memory,
    Operation,
    Page,
    Recall,
    Receipt,
    Space,
    Tombstone,
    Trashed,
    Verdict,
)  # fmt: skip
from glymph.core.mutation.value import ForgetPlan, Forgotten
from glymph.core.plan import Candidates, Plan, Pruned
from glymph.embed.contract import Embedder
from glymph.errors import InvalidInput, SpaceNotFound
from glymph.llm import open_model
from glymph.llm.contract import Model
from glymph.services.backfill import Background
from glymph.services.meaning import open_meaning
from glymph.services.workplace import Workplace
from glymph.store import open_store

if TYPE_CHECKING:  # what services take and give; each service is loaded when it is first called
    from glymph.core.draft import NewMemory
    from glymph.core.fitting import Fit
    from glymph.services.edit import MemoryChanges
    from glymph.services.exchange import Imported
    from glymph.services.filters import Filters
    from glymph.services.restoring import Restored
    from glymph.services.search import SearchOptions

DEFAULT_URL = "sqlite:///~/.glymph/memory.db"
LAST_EMBEDDINGS = 5.0  # seconds a closing handle gives to memories that wait for their vectors

# The class has a method `list`, which would shadow the type inside its body.
AddedList = list[Added]
HitList = list[Hit]
ChangeList = list[Change]
OperationList = list[Operation]
EdgeList = list[Edge]
ClusterList = list[Cluster]
SpaceList = list[Space]
ConflictList = list[Conflict]
PlanList = list[Plan]
CertificateList = list[Certificate]
TrashedList = list[Trashed]


def _now() -> datetime:
    return datetime.now(UTC)


class Glymph:
    """The long-term memory of one agent, user or project: one space of a store."""

    def __init__(self, place: Workplace) -> None:
        self._move_into(place)

    def _move_into(self, place: Workplace) -> None:
        self._background = Background(place)
        self._place = replace(place, embed_soon=self._background.take)

    @classmethod
    def open(
        cls,
        url: str = DEFAULT_URL,
        *,
        space: str = "default",
        actor: str = "user",
        settings: Settings | Mapping[str, Any] | None = None,
        clock: Callable[[], datetime] | None = None,
        embedder: str | Embedder = "auto",
        model: str | Model | None = None,
        session: str | None = None,
        create: bool = True,
    ) -> Self:
        """Opens a store. A store or space that does not exist is made, unless `create` is False.

        `embedder` is "auto", "none", "local", "onnx:FOLDER", "openai:MODEL" or an object with the methods of
        `glymph.embed.contract.Embedder`; for "auto" the setting of that name decides. `model` is the language
        model for upkeep, by the same rules: a text such as "openai:gpt-4o-mini", an object with the methods of
        `glymph.llm.contract.Model`, or None for what the setting says.
        """
        if not isinstance(settings, Settings):
            settings = Settings.parse(settings or {})
        if not isinstance(url, str):
            raise InvalidInput("url", f"expected a text such as {DEFAULT_URL}, got {type(url).__name__}.")
        checked_space(space)
        checked_text("actor", actor, 200)
        optional_text("session", session)
        store = open_store(url, settings, create=create)
        meaning = open_meaning(settings, embedder)
        place = Workplace(
            store, space, actor, settings, clock or _now, session, meaning, model=_model(settings, model)
        )
        if all(known["name"] != space for known in store.spaces()):
            if not (create and store.writable):
                store.close()
                raise SpaceNotFound(space)
            services.spaces.create_space(place)
        return cls(place)

    def close(self) -> None:
        """Ends the handle. Memories it added are embedded first, for a few seconds at most."""
        self._background.finish(LAST_EMBEDDINGS)
        if self._place.model is not None:
            self._place.model.close()
        self._place.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def url(self) -> str:
        return self._place.store.url

    @property
    def space(self) -> str:
        return self._place.space

    @property
    def actor(self) -> str:
        return self._place.actor

    @property
    def settings(self) -> Settings:
        return self._place.settings

    # remembering

    def add(self, text: str, *, revive: bool = False, **fields: Unpack[NewMemory]) -> Added:
        """Stores one memory, or reinforces the live one that says the same; what it replaces steps back.

        The answer says what was done. `revive` takes in what was removed on request.
        """
        return services.remember.add(self._place, text, revive=revive, **fields)

    def add_many(self, items: Iterable[str | Mapping[str, Any]]) -> AddedList:
        """Stores many memories under one operation. An item is a text, or a mapping of `text` and fields."""
        return services.remember.add_many(self._place, items)

    def update(self, memory_id: str, *, reason: str | None = None, **changes: Unpack[MemoryChanges]) -> Receipt:
        """Changes the given fields of a memory; the old ones stay in its history."""
        return services.edit.update(self._place, memory_id, reason=reason, **changes)

    def supersede(self, old: str, new_text: str) -> Receipt:
        """Makes a new statement take an older one's place; `old` is an id, or describes the belief.

        `succeeded` names the older memory and the newer one.
        """
        return services.supersede.supersede(self._place, old, new_text)

    def pin(self, memory_id: str, *, reason: str | None = None) -> Receipt:
        """Keeps a memory from being archived, trashed, superseded or merged away until it is unpinned."""
        return services.edit.pin(self._place, memory_id, reason=reason)

    def unpin(self, memory_id: str, *, reason: str | None = None) -> Receipt:
        return services.edit.unpin(self._place, memory_id, reason=reason)

    def link(
        self,
        a: str,
        b: str,
        type: str = "user_linked",
        weight: float | None = None,
        *,
        reason: str | None = None,
    ) -> Receipt:
        """Links memory a to memory b."""
        return services.link.link(self._place, a, b, type=type, weight=weight, reason=reason)

    def unlink(self, a: str, b: str, type: str = "user_linked", *, reason: str | None = None) -> Receipt:
        return services.link.unlink(self._place, a, b, type=type, reason=reason)

    def edges(self, memory_id: str) -> EdgeList:
        """The links of a memory to and from live ones."""
        return services.link.edges_of(self._place, memory_id)

    def write(self, text: str, mode: str = "replace") -> Receipt:
        """Replaces or extends the page an agent keeps about itself: its part of memory.md."""
        return services.edit.write_page(self._place, text, mode)

    def page(self) -> str:
        """The agent's own page; empty if it never wrote one."""
        return services.edit.read_page(self._place)

    # finding

    def get(self, memory_id: str, *, at: datetime | None = None) -> Memory:
        """The memory, in whatever state it is; with `at`, as it stood then."""
        return services.history.get(self._place, memory_id, at=at)

    def list(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        at: datetime | None = None,
        **filters: Unpack[Filters],
    ) -> Page:
        """One page of memories, newest first; with `at`, of those that stood then."""
        return services.history.list_memories(self._place, limit=limit, cursor=cursor, at=at, **filters)

    def search(self, query: str, **options: Unpack[SearchOptions]) -> HitList:
        """The memories that match, best first. Looking never reinforces."""
        return services.search.search(self._place, query, **options)

    def recall(self, query: str, *, reinforce: bool = False, **options: Unpack[SearchOptions]) -> Recall:
        """A search whose hits are logged under an id, so that `report` can say which were used."""
        return services.recall.recall(self._place, query, reinforce=reinforce, **options)

    def report(
        self, recall_id: str, *, used: Iterable[str] = (), confirmed: Iterable[str] = (),
        contradicted: Iterable[str] = (),
    ) -> Receipt:  # fmt: skip
        """Says which recalled memories were used, confirmed or contradicted; this alone reinforces."""
        return services.recall.report(
            self._place, recall_id, used=used, confirmed=confirmed, contradicted=contradicted
        )

    def graph(self) -> Graph:
        """Every live memory with its links and clusters, as plain data."""
        return services.overview.graph(self._place)

    def health(self) -> Health:
        """Counts by lifecycle, state, section and kind."""
        return services.overview.health(self._place)

    def fit(self, *, apply: bool = False, reset: bool = False) -> Fit:
        """How much better other forgetting curves would have foretold which of the shown memories are used.

        `apply` adopts those that are better on days they were not fitted to; `reset` takes adopted ones back.
        """
        return services.fit.fit(self._place, apply=apply, reset=reset)

    def find_duplicates(
        self, *, apply: bool = False, progress: Callable[[int, int], None] | None = None
    ) -> DuplicateReport:
        """Every pair of live memories that says the same or nearly so. `apply` links those merely near."""
        return services.dedup.sweep(self._place, apply=apply, progress=progress)

    def meaning(self) -> MeaningStatus:
        """Which embedder the handle uses, or why none, and how many memories wait for their vectors."""
        return services.backfill.meaning(self._place, self._background.failure)

    def embed(self, *, tidy: bool = False, progress: Callable[[int], None] | None = None) -> int:
        """Gives a vector to every memory that waits for one; gives back how many. Cut short, it can be repeated.

        `tidy` also removes the vectors of other models, which this handle never compares.
        """
        done = _exhaust(services.backfill.backfill(self._place), progress)
        if tidy:
            _exhaust(services.backfill.tidy(self._place), None)
        return done

    # forgetting, and the way back

    def archive(self, ids: str | Iterable[str], *, reason: str | None = None, dry_run: bool = False) -> Receipt:
        """Hides memories from recall; they are kept and come back whenever asked.

        Of more than five, those much used or younger than three days are skipped.
        """
        return services.prune.put_away(self._place, ids, "archive", reason=reason, dry_run=dry_run)

    def delete(self, ids: str | Iterable[str], *, reason: str | None = None, dry_run: bool = False) -> Receipt:
        """Puts memories into the trash, recoverable for 30 days; with the same guards as `archive`."""
        return services.prune.put_away(self._place, ids, "delete", reason=reason, dry_run=dry_run)

    def analyze(
        self, min_staleness: float = 0.3, max_groups: int = 20, include_isolated: bool = False,
        *, grouping: str = "community",
    ) -> Plan:  # fmt: skip
        """The groups of memories that have gone stale together, as a stored plan with reasons and impact."""
        return services.analyze.analyze(
            self._place, min_staleness=min_staleness, max_groups=max_groups, include_isolated=include_isolated,
            grouping=grouping,
        )  # fmt: skip

    def plans(self) -> PlanList:
        """The plans that have not expired, newest first."""
        return services.plans.plans(self._place)

    def plan(self, plan_id: str) -> Plan:
        """A plan by its id."""
        return services.plans.stored_plan(self._place, plan_id)

    def prune(
        self, plan: Plan | str, *, groups: Iterable[int] | None = None, ids: Iterable[str] | None = None,
        action: str = "archive", cascade: bool = False, confirm_large: bool = False,
        reason: str | None = None, dry_run: bool = False,
    ) -> Receipt:  # fmt: skip
        """Archives or trashes exactly what a plan shows: all of it, some groups, or some ids.

        What was changed or used since is skipped and named. `cascade` takes along what only exists through it.
        """
        return services.prune.prune(
            self._place, plan, groups=groups, ids=ids, action=action, cascade=cascade,
            confirm_large=confirm_large, reason=reason, dry_run=dry_run,
        )  # fmt: skip

    def batch_prune(
        self, node_ids: Iterable[str], action: str, *, confirm_large: bool = False, reason: str | None = None,
        dry_run: bool = False,
    ) -> Receipt:  # fmt: skip
        """Archives or trashes memories by id, behind the guards of a prune."""
        return services.prune.batch_prune(
            self._place, node_ids, action, confirm_large=confirm_large, reason=reason, dry_run=dry_run
        )

    def execute_prune(
        self, node_ids: Iterable[str], reason: str, *, cascade: bool = False, dry_run: bool = False
    ) -> Pruned:
        """Trashes memories for one of four reasons; what cannot go is named among the errors."""
        return services.prune.execute_prune(self._place, node_ids, reason, cascade=cascade, dry_run=dry_run)

    def candidates(
        self, limit: int = 20, min_staleness_days: float = 30, min_alignment: float = 0.4
    ) -> Candidates:
        """Single memories that may go, each with one reason, the first to go first."""
        return services.prunable.candidates(
            self._place, limit=limit, min_staleness_days=min_staleness_days, min_alignment=min_alignment
        )

    def merge(
        self, ids: Iterable[str], text: str | None = None, *, title: str | None = None, reason: str | None = None
    ) -> Receipt:
        """Makes one memory of several; `succeeded` names them, and last the one they became."""
        return services.merge.merge(self._place, ids, text, title=title, reason=reason)

    def trash(self) -> TrashedList:
        """What is in the trash, what expires first on top."""
        return services.trash.trash(self._place)

    def empty_trash(self, *, all: bool = False) -> Receipt:
        """Removes for good what has been in the trash for its time; with `all`, everything. There is no undo."""
        return services.trash.empty(self._place, all=all)

    def restore_from_hash(self, hash: str) -> Receipt:
        """Restores what is archived or trashed under a receipt's hash, or under a content hash."""
        return services.rescue.restore_from_hash(self._place, hash)

    def restore(self, ids: str | Iterable[str], *, reason: str | None = None) -> Receipt:
        """Brings archived and trashed memories back to life."""
        return services.states.restore(self._place, ids, reason=reason)

    def undo(self, operation_id: str | None = None, *, reason: str | None = None) -> Receipt:
        """Takes an operation back; without an id, this actor's newest one that still stands."""
        return services.undo.undo(self._place, operation_id, reason=reason)

    @overload
    def forget(
        self, request: str | ForgetPlan, *, mode: str = ..., reason: str = ..., apply: Literal[False] = ...
    ) -> ForgetPlan: ...
    @overload
    def forget(
        self, request: str | ForgetPlan, *, mode: str = ..., reason: str = ..., apply: Literal[True]
    ) -> Forgotten: ...
    def forget(
        self, request: str | ForgetPlan, *, mode: str = "release", reason: str = "user_requested",
        apply: bool = False,
    ) -> ForgetPlan | Forgotten:  # fmt: skip
        """What forgetting a description, identifier, subject or memory would do, as a plan; with `apply`, does it.

        `release` moves to the trash and rewords, which undo reverts; `purge` removes for good and certifies it.
        What is not certain is named among the candidates and left alone. `apply` also takes a plan that was shown.
        """
        return services.forget.forget(self._place, request, mode=mode, reason=reason, apply=apply)

    def forget_plan(self, plan_id: str) -> ForgetPlan:
        """A plan to forget by its id."""
        return services.forget.forget_plan(self._place, plan_id)

    def certificates(self, *, pending: bool = False) -> CertificateList:
        """What was removed for good, and for each place whether it is clean, newest first."""
        return services.certificate.certificates(self._place, pending=pending)

    def compact(self) -> CertificateList:
        """Writes the store's file anew, without what was removed, and completes the certificates that waited."""
        return services.completing.complete_certificates(self._place, compact=True)

    def tombstones(self, *, text: str | None = None) -> tuple[Tombstone, ...]:
        """What keeps facts removed for good from being learnt again; with `text`, just what keeps out that one."""
        return services.tombstones.tombstones(self._place, text=text)

    def lift_tombstones(
        self, numbers: int | Iterable[int] = (), *, text: str | None = None, all: bool = False,
        reason: str | None = None,
    ) -> Receipt:  # fmt: skip
        """Lets facts be learnt again: those of these tombstones, this text, or all. What was removed stays so."""
        return services.tombstones.lift(self._place, numbers, text=text, all=all, reason=reason)

    def history(self, memory_id: str) -> ChangeList:
        """Everything that ever happened to a memory, oldest first."""
        return services.history.history(self._place, memory_id)

    def operations(
        self, *, limit: int = 50, cursor: str | None = None, actor: str | None = None,
        session: str | None = None, verb: str | None = None,
    ) -> OperationList:  # fmt: skip
        """The operations of this space, newest first. `cursor` is the id of the last one seen."""
        return services.history.operations(
            self._place, limit=limit, cursor=cursor, actor=actor, session=session, verb=verb
        )

    def conflicts(self) -> ConflictList:
        """Statements that cannot both be current and wait for a decision."""
        return services.conflicts.conflicts(self._place)

    def resolve(self, conflict_ids: str | Iterable[str], resolution: str, *, text: str | None = None) -> Receipt:
        """Settles conflicts: new_is_current, old_is_current, keep_both, or merge with a text for both."""
        return services.conflicts.resolve(self._place, conflict_ids, resolution, text=text)

    # clusters and spaces

    def clusters(self) -> ClusterList:
        """Every cluster with its live members and their health."""
        return services.clusters.clusters(self._place)

    def create_cluster(self, name: str, *, rule: Mapping[str, str] | None = None) -> Receipt:
        return services.clusters.create(self._place, name, rule=rule)

    def delete_cluster(self, name: str) -> Receipt:
        return services.clusters.drop(self._place, name)

    def add_to_cluster(self, name: str, ids: str | Iterable[str]) -> Receipt:
        return services.clusters.put(self._place, name, ids)

    def remove_from_cluster(self, name: str, ids: str | Iterable[str]) -> Receipt:
        return services.clusters.take_out(self._place, name, ids)

    def spaces(self) -> SpaceList:
        return services.spaces.spaces(self._place.store)

    def rename_space(self, old: str, new: str) -> None:
        """Gives a space another name; a handle on it goes on under the new one."""
        services.spaces.rename_space(self._place.store, old, new)
        if old == self.space:
            self._background.finish(LAST_EMBEDDINGS)
            self._move_into(replace(self._place, space=new))

    def delete_space(self, name: str, *, progress: Callable[[int], None] | None = None) -> int:
        """Removes a space for good, its identity memory included; gives back the rows removed."""
        return _exhaust(services.spaces.delete_space(self._place.store, name), progress)

    # keeping

    def export(self, path: str | Path) -> int:
        """Writes the whole space, journal included, as JSON Lines into a new file; gives back the rows."""
        return services.exchange.export(self._place, path)

    def import_(
        self, path: str | Path, *, space: str | None = None, tombstones: bool = True,
        progress: Callable[[int], None] | None = None,
    ) -> Imported:  # fmt: skip
        """Loads an export into a space that is new or untouched, without what was removed for good in this store.

        `tombstones=False` gives up the export's own, whose key may be lost.
        """
        return _told(services.exchange.import_(self._place, path, space=space, tombstones=tombstones), progress)

    def backup(self, path: str | Path) -> Path:
        """A consistent copy of the whole store in a new file."""
        return services.exchange.backup(self._place, path)

    def costs(self, *, days: int = 30) -> Costs:
        """What language models have cost in these days, by job, model and day, and what may still be spent."""
        return services.costs.costs(self._place, days=days)

    def verify(self) -> Verdict:
        """Checks every invariant of the store and names what is wrong."""
        return services.verify.verify(self._place)


def _model(settings: Settings, model: str | Model | None) -> Model | None:
    """The language model asked for, or the one the settings name."""
    spec = settings.model if model is None else model
    if not isinstance(spec, str):
        return spec
    return open_model(spec, url=settings.model_url, key=settings.model_key, prices=settings.model_prices)


def spaces_at(url: str, *, create: bool = False) -> SpaceList:
    """The spaces of a store, without opening one of them. A store that is missing is made only if asked for."""
    store = open_store(url, Settings(), create=create)
    try:
        return services.spaces.spaces(store)
    finally:
        store.close()


def restore_backup(
    source: str | Path, target: str | Path, *, in_use: str | None = None,
    settings: Settings | Mapping[str, Any] | None = None, actor: str = "user",
    clock: Callable[[], datetime] | None = None, apply: bool = True,
) -> Restored:  # fmt: skip
    """Makes a new store of a backup, without what was removed for good since from the store in use."""
    if not isinstance(settings, Settings):
        settings = Settings.parse(settings or {})
    return services.restoring.restore_backup(
        Path(source), Path(target), in_use=in_use or DEFAULT_URL, actor=actor, settings=settings,
        clock=clock or _now, apply=apply,
    )  # fmt: skip


def _told(counts: Generator[int, None, Imported], progress: Callable[[int], None] | None) -> Imported:
    """What an import says at its end, its progress told meanwhile."""
    while True:
        try:
            done = next(counts)
        except StopIteration as end:
            outcome: Imported = end.value
            return outcome
        if progress is not None:
            progress(done)


def _exhaust(counts: Iterable[int], progress: Callable[[int], None] | None) -> int:
    total = 0
    for total in counts:
        if progress is not None:
            progress(total)
    return total
