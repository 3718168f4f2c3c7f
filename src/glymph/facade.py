"""Glymph, the handle a program holds: methods of a few lines that call services."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, Unpack

from glymph.config import Settings
from glymph.core.draft import NewMemory, checked_space, checked_text, optional_text
from glymph.core.fitting import Fit
from glymph.core.model import (
    Added,
    Change,
    Cluster,
    Conflict,
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
    Verdict,
)  # fmt: skip
from glymph.embed.contract import Embedder
from glymph.errors import InvalidInput, SpaceNotFound
from glymph.services import (
    backfill,
    clusters,
    conflicts,
    dedup,
    edit,
    exchange,
    fit,
    history,
    link,
    overview,
    recall,
    remember,
    restoring,
    search,
    spaces,
    states,
    supersede,
    tombstones,
    undo,
    verify,
)  # fmt: skip
from glymph.services.backfill import Background
from glymph.services.edit import MemoryChanges
from glymph.services.exchange import Imported
from glymph.services.filters import Filters
from glymph.services.meaning import open_meaning
from glymph.services.restoring import Restored
from glymph.services.search import SearchOptions
from glymph.services.workplace import Workplace
from glymph.store import open_store

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
        session: str | None = None,
        create: bool = True,
    ) -> Self:
        """Opens a store. A store or space that does not exist is made, unless `create` is False.

        `embedder` is "auto", "none", "local", "onnx:FOLDER", "openai:MODEL" or an object with the methods of
        `glymph.embed.contract.Embedder`; for "auto" the setting of that name decides.
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
        place = Workplace(store, space, actor, settings, clock or _now, session, meaning)
        if all(known["name"] != space for known in store.spaces()):
            if not (create and store.writable):
                store.close()
                raise SpaceNotFound(space)
            spaces.create_space(place)
        return cls(place)

    def close(self) -> None:
        """Ends the handle. Memories it added are embedded first, for a few seconds at most."""
        self._background.finish(LAST_EMBEDDINGS)
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
        return remember.add(self._place, text, revive=revive, **fields)

    def add_many(self, items: Iterable[str | Mapping[str, Any]]) -> AddedList:
        """Stores many memories under one operation. An item is a text, or a mapping of `text` and fields."""
        return remember.add_many(self._place, items)

    def update(self, memory_id: str, *, reason: str | None = None, **changes: Unpack[MemoryChanges]) -> Receipt:
        """Changes the given fields of a memory; the old ones stay in its history."""
        return edit.update(self._place, memory_id, reason=reason, **changes)

    def supersede(self, old: str, new_text: str) -> Receipt:
        """Makes a new statement take an older one's place; `old` is an id, or describes the belief.

        `succeeded` names the older memory and the newer one.
        """
        return supersede.supersede(self._place, old, new_text)

    def pin(self, memory_id: str, *, reason: str | None = None) -> Receipt:
        """Keeps a memory from being archived, trashed, superseded or merged away until it is unpinned."""
        return edit.pin(self._place, memory_id, reason=reason)

    def unpin(self, memory_id: str, *, reason: str | None = None) -> Receipt:
        return edit.unpin(self._place, memory_id, reason=reason)

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
        return link.link(self._place, a, b, type=type, weight=weight, reason=reason)

    def unlink(self, a: str, b: str, type: str = "user_linked", *, reason: str | None = None) -> Receipt:
        return link.unlink(self._place, a, b, type=type, reason=reason)

    def edges(self, memory_id: str) -> EdgeList:
        """The links of a memory to and from live ones."""
        return link.edges_of(self._place, memory_id)

    def write(self, text: str, mode: str = "replace") -> Receipt:
        """Replaces or extends the page an agent keeps about itself: its part of memory.md."""
        return edit.write_page(self._place, text, mode)

    def page(self) -> str:
        """The agent's own page; empty if it never wrote one."""
        return edit.read_page(self._place)

    # finding

    def get(self, memory_id: str, *, at: datetime | None = None) -> Memory:
        """The memory, in whatever state it is; with `at`, as it stood then."""
        return history.get(self._place, memory_id, at=at)

    def list(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        at: datetime | None = None,
        **filters: Unpack[Filters],
    ) -> Page:
        """One page of memories, newest first; with `at`, of those that stood then."""
        return history.list_memories(self._place, limit=limit, cursor=cursor, at=at, **filters)

    def search(self, query: str, **options: Unpack[SearchOptions]) -> HitList:
        """The memories that match, best first. Looking never reinforces."""
        return search.search(self._place, query, **options)

    def recall(self, query: str, *, reinforce: bool = False, **options: Unpack[SearchOptions]) -> Recall:
        """A search whose hits are logged under an id, so that `report` can say which were used."""
        return recall.recall(self._place, query, reinforce=reinforce, **options)

    def report(
        self, recall_id: str, *, used: Iterable[str] = (), confirmed: Iterable[str] = (),
        contradicted: Iterable[str] = (),
    ) -> Receipt:  # fmt: skip
        """Says which recalled memories were used, confirmed or contradicted; this alone reinforces."""
        return recall.report(self._place, recall_id, used=used, confirmed=confirmed, contradicted=contradicted)

    def graph(self) -> Graph:
        """Every live memory with its links and clusters, as plain data."""
        return overview.graph(self._place)

    def health(self) -> Health:
        """Counts by lifecycle, state, section and kind."""
        return overview.health(self._place)

    def fit(self, *, apply: bool = False, reset: bool = False) -> Fit:
        """How much better other forgetting curves would have foretold which of the shown memories are used.

        `apply` adopts those that are better on days they were not fitted to; `reset` takes adopted ones back.
        """
        return fit.fit(self._place, apply=apply, reset=reset)

    def find_duplicates(
        self, *, apply: bool = False, progress: Callable[[int, int], None] | None = None
    ) -> DuplicateReport:
        """Every pair of live memories that says the same or nearly so. `apply` links those merely near."""
        return dedup.sweep(self._place, apply=apply, progress=progress)

    def meaning(self) -> MeaningStatus:
        """Which embedder the handle uses, or why none, and how many memories wait for their vectors."""
        return backfill.meaning(self._place, self._background.failure)

    def embed(self, *, tidy: bool = False, progress: Callable[[int], None] | None = None) -> int:
        """Gives a vector to every memory that waits for one; gives back how many. Cut short, it can be repeated.

        `tidy` also removes the vectors of other models, which this handle never compares.
        """
        done = _exhaust(backfill.backfill(self._place), progress)
        if tidy:
            _exhaust(backfill.tidy(self._place), None)
        return done

    # forgetting, and the way back

    def archive(self, ids: str | Iterable[str], *, reason: str | None = None) -> Receipt:
        """Hides memories from recall; they are kept and come back whenever asked."""
        return states.archive(self._place, ids, reason=reason)

    def delete(self, ids: str | Iterable[str], *, reason: str | None = None) -> Receipt:
        """Puts memories into the trash, recoverable for 30 days."""
        return states.delete(self._place, ids, reason=reason)

    def restore(self, ids: str | Iterable[str], *, reason: str | None = None) -> Receipt:
        """Brings archived and trashed memories back to life."""
        return states.restore(self._place, ids, reason=reason)

    def undo(self, operation_id: str | None = None, *, reason: str | None = None) -> Receipt:
        """Takes an operation back; without an id, this actor's newest one that still stands."""
        return undo.undo(self._place, operation_id, reason=reason)

    def tombstones(self, *, text: str | None = None) -> tuple[Tombstone, ...]:
        """What keeps facts removed for good from being learnt again; with `text`, just what keeps out that one."""
        return tombstones.tombstones(self._place, text=text)

    def lift_tombstones(
        self, numbers: int | Iterable[int] = (), *, text: str | None = None, all: bool = False,
        reason: str | None = None,
    ) -> Receipt:  # fmt: skip
        """Lets facts be learnt again: those of these tombstones, this text, or all. What was removed stays so."""
        return tombstones.lift(self._place, numbers, text=text, all=all, reason=reason)

    def history(self, memory_id: str) -> ChangeList:
        """Everything that ever happened to a memory, oldest first."""
        return history.history(self._place, memory_id)

    def operations(
        self, *, limit: int = 50, cursor: str | None = None, actor: str | None = None,
        session: str | None = None, verb: str | None = None,
    ) -> OperationList:  # fmt: skip
        """The operations of this space, newest first. `cursor` is the id of the last one seen."""
        return history.operations(self._place, limit=limit, cursor=cursor, actor=actor, session=session, verb=verb)

    def conflicts(self) -> ConflictList:
        """Statements that cannot both be current and wait for a decision."""
        return conflicts.conflicts(self._place)

    def resolve(self, conflict_ids: str | Iterable[str], resolution: str, *, text: str | None = None) -> Receipt:
        """Settles conflicts: new_is_current, old_is_current, keep_both, or merge with a text for both."""
        return conflicts.resolve(self._place, conflict_ids, resolution, text=text)

    # clusters and spaces

    def clusters(self) -> ClusterList:
        """Every cluster with its live members and their health."""
        return clusters.clusters(self._place)

    def create_cluster(self, name: str, *, rule: Mapping[str, str] | None = None) -> Receipt:
        return clusters.create(self._place, name, rule=rule)

    def delete_cluster(self, name: str) -> Receipt:
        return clusters.drop(self._place, name)

    def add_to_cluster(self, name: str, ids: str | Iterable[str]) -> Receipt:
        return clusters.put(self._place, name, ids)

    def remove_from_cluster(self, name: str, ids: str | Iterable[str]) -> Receipt:
        return clusters.take_out(self._place, name, ids)

    def spaces(self) -> SpaceList:
        return spaces.spaces(self._place.store)

    def rename_space(self, old: str, new: str) -> None:
        """Gives a space another name; a handle on it goes on under the new one."""
        spaces.rename_space(self._place.store, old, new)
        if old == self.space:
            self._background.finish(LAST_EMBEDDINGS)
            self._move_into(replace(self._place, space=new))

    def delete_space(self, name: str, *, progress: Callable[[int], None] | None = None) -> int:
        """Removes a space for good, its identity memory included; gives back the rows removed."""
        return _exhaust(spaces.delete_space(self._place.store, name), progress)

    # keeping

    def export(self, path: str | Path) -> int:
        """Writes the whole space, journal included, as JSON Lines into a new file; gives back the rows."""
        return exchange.export(self._place, path)

    def import_(
        self, path: str | Path, *, space: str | None = None, tombstones: bool = True,
        progress: Callable[[int], None] | None = None,
    ) -> Imported:  # fmt: skip
        """Loads an export into a space that is new or untouched, without what was removed for good in this store.

        `tombstones=False` gives up the export's own, whose key may be lost.
        """
        return _told(exchange.import_(self._place, path, space=space, tombstones=tombstones), progress)

    def backup(self, path: str | Path) -> Path:
        """A consistent copy of the whole store in a new file."""
        return exchange.backup(self._place, path)

    def verify(self) -> Verdict:
        """Checks every invariant of the store and names what is wrong."""
        return verify.verify(self._place)


def spaces_at(url: str, *, create: bool = False) -> SpaceList:
    """The spaces of a store, without opening one of them. A store that is missing is made only if asked for."""
    store = open_store(url, Settings(), create=create)
    try:
        return spaces.spaces(store)
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
    return restoring.restore_backup(
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
