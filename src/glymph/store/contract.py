"""What an engine must offer, and what it must guarantee.

Obligations that hold for every engine (`glymph.testing.StoreSuite` is their executable form):

* A `Writer` is one transaction and one operation: everything it did is durable when the context
ends without
  an exception, and nothing of it ever happened otherwise. A killed process counts as "otherwise".
* The engine itself, not its callers, writes a journal row with the old values for each change of a
  journalled table, refuses such a change outside an operation, refuses rows of another space, and
  refuses to move a protected or pinned memory.
* A `Reader` sees one consistent snapshot of one space and nothing of any other.
* Opening a store that exists, and reading from it, write nothing.
* Any number of threads and processes may use one store at once.

Rows travel as plain mappings of column names to stored values (times in microseconds, lists as JSON
text); `records` turns them into the values of `glymph.model`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from glymph.decay.lifecycle import Curves
from glymph.model import Problem
from glymph.store.certificate import PlaceStatus
from glymph.store.chunks import ChunkReader, ChunkWriter
from glymph.store.conversations import ConversationReader, ConversationWriter
from glymph.store.erase_places import ErasureReader, ErasureWriter
from glymph.store.journal import Entry, Place, Restoration
from glymph.store.keyring import Keyring
from glymph.store.scan import Vectors
from glymph.store.upkeep import UpkeepReader, UpkeepWriter
from glymph.text.bands import BANDS, Bands
from glymph.text.query import Words

Row = Mapping[str, Any]

# key; state, section, whether superseded and kind in one text; time, expiry, session, tags,
# entities, wording
MirroredRow = tuple[int, str, int, int | None, str | None, str, str, str]
MIRRORED = 8  # columns
MirroredColumns = Sequence[Sequence[Any]]
VectorRow = tuple[int, bytes, bytes]  # memory, wording, little-endian float16 values
NearRow = tuple[int, bytes, float]  # memory, wording, cosine

JOURNALLED = ("memories", "edges", "clusters", "memberships", "pages", "conflicts", "tombstones")


@dataclass(frozen=True, slots=True)
class Intent:
    """Who is about to change what, and why: the head of an operation."""

    id: str
    actor: str
    verb: str
    at: int
    reason: str | None = None
    session: str | None = None
    parent: int | None = None
    undoes: int | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """Whether a store was written anew, and how its files stand: as they are, and as they are if it
    was.
    """

    rewritten: bool
    as_they_are: tuple[PlaceStatus, ...]
    if_rewritten: tuple[PlaceStatus, ...]

    def places(self, *, rewritten: bool) -> tuple[PlaceStatus, ...]:
        return self.if_rewritten if rewritten else self.as_they_are


@dataclass(frozen=True, slots=True)
class Deed:
    """An operation, its journal entries as a seal takes them, and the seals of its children; keys
    as in a dump.
    """

    operation: Row
    entries: Sequence[tuple[Any, ...]]
    children: Sequence[str]


IntentOrMaker = Intent | Callable[[int], Intent]


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories a listing or a search is about. `live_at` leaves out what has expired by then."""

    states: Sequence[str] = ("LIVE",)
    kinds: Sequence[str] | None = None
    sections: Sequence[str] | None = None
    tags: Sequence[str] | None = None  # all of them
    since: int | None = None
    until: int | None = None
    session: str | None = None
    source: str | None = None
    include_superseded: bool = False
    live_at: int | None = None
    without: Sequence[int] | None = None  # keys


class Reader(ChunkReader, ConversationReader, ErasureReader, UpkeepReader, Protocol):
    """One consistent view of one space."""

    @property
    def space(self) -> str: ...

    # memories
    def memory(self, memory_id: str) -> Row | None: ...
    def memories(self, ids: Iterable[str]) -> dict[str, Row]: ...
    def standing(self, ids: Iterable[str]) -> dict[str, Row]:
        """Key, state, pin and protection of these memories, and no more."""
        ...

    def page(self, wanted: Filter, *, before: int | None, limit: int) -> list[Row]: ...
    def by_key(self, keys: Iterable[int], wanted: Filter) -> dict[int, Row]:
        """Of these memories those that pass the filter."""
        ...

    def matching(
        self, words: Words, wanted: Filter | None, *, limit: int
    ) -> list[tuple[int, float]]:
        """Keys of memories whose text holds any of the words, best first, with a score that grows
        with the match.

        Without a filter the keys may be those of other spaces: they are for a mirror to sort out.
        """
        ...

    def matching_among(
        self, rows: Iterable[Row], words: Words, *, limit: int
    ) -> list[tuple[int, float]]:
        """The same among the given rows, which need not be what is stored now: in an index of their
        own.
        """
        ...

    def holding(
        self, pieces: Sequence[str], wanted: Filter, *, limit: int
    ) -> list[tuple[int, float]]:
        """Keys of memories whose text holds some of the pieces anywhere, with the share of them it
        holds.
        """
        ...

    def frequency(self, word: str) -> float:
        """About which part of the store's texts holds a word."""
        ...

    def neighbours(self, keys: Sequence[int]) -> list[tuple[int, int | None, int | None]]:
        """For each memory of a session its key and those before and after it there."""
        ...

    def by_content(self, hashes: Iterable[str], *, live_at: int | None = None) -> dict[str, Row]:
        """The oldest live memory of each content hash; `live_at` leaves out what has expired by
        then.
        """
        ...

    def removed_key(self, memory_id: str) -> int | None:
        """The key of a memory that is no longer there, as long as the journal remembers its
        removal.
        """
        ...

    def from_source(self, source: str) -> list[int]:
        """The keys of the memories that a source told."""
        ...

    def identity(self) -> Row: ...
    def kinds(self) -> list[str]: ...
    def summary(self) -> list[Row]: ...

    # columns and vectors, for a mirror
    @property
    def space_key(self) -> int: ...
    def alone(self) -> bool:
        """Whether there is no other space in the store."""
        ...

    def newest_change(self) -> int:
        """The newest operation that changed a row of this space."""
        ...

    def changed_memories(self, since: int) -> list[int]:
        """Keys of memories touched by operations after the given one."""
        ...

    def mirrored(self, keys: Sequence[int]) -> list[MirroredRow]:
        """What a mirror keeps of these memories, in the order of keys."""
        ...

    def mirrored_columns(self) -> MirroredColumns:
        """The same of all memories, a sequence for each column."""
        ...

    def model_key(self, name: str, dimension: int) -> int | None: ...
    def bands(self, model: int) -> Bands:
        """From which cosine on two texts are the same or near, by this model."""
        ...

    def models(self) -> list[Row]: ...
    def newest_vector(self) -> int: ...
    def vectors_after(
        self, model: int, memory: int, *, wording: bytes | None = None, limit: int
    ) -> list[VectorRow]:
        """Vectors beyond those of a memory, or beyond one wording of it, in the order of keys and
        wordings.
        """
        ...

    def vectors_between(self, model: int, after: int, upto: int) -> list[VectorRow]:
        """Vectors with keys above the first and not above the second, as they lie."""
        ...

    def vectors_of(self, model: int, keys: Sequence[int]) -> list[VectorRow]: ...
    def nearest(
        self,
        model: int,
        query: Vectors,
        wanted: Filter | None,
        *,
        limit: int,
        among: Sequence[int] | None = None,
    ) -> list[NearRow] | None:
        """What is nearest to a vector, best first: wordings that memories have now and that pass
        the filter.

        Without a filter former wordings are among them, for a mirror to sort out. `among` limits it
        to some memories. None where the engine compares no vectors: a mirror does it.
        """
        ...

    def embedded(
        self, model: int, *, after: int = 0, memories: Sequence[int] | None = None
    ) -> tuple[bytes, bytes] | None:
        """Memory and wording of each vector, eight big-endian bytes for each; None where there is
        no `nearest`.

        Of all, or of those with keys above `after`, or of some memories.
        """
        ...

    def unembedded(self, model: int | None, *, state: str, before: int, limit: int) -> list[Row]:
        """Key, text and content hash of memories without a vector for their wording, newest first."""
        ...

    def unembedded_count(self, model: int | None) -> int: ...

    # links and clusters
    def edges_touching(
        self, keys: Sequence[int]
    ) -> list[tuple[int, int, str, float, int, int | None]]:
        """Source, target, type, weight, creation and last use of the links that end at these
        memories.
        """
        ...

    def edges(self, *, of: str | None = None, states: Sequence[str] = ("LIVE",)) -> list[Row]: ...
    def edge(self, source: int, target: int, edge_type: str) -> Row | None: ...
    def clusters(self) -> list[Row]: ...
    def memberships(self) -> list[Row]: ...
    def members(self, cluster: int, *, of: Iterable[int] | None = None) -> list[Row]:
        """The memberships of a cluster, or just those of the given memories."""
        ...

    def page_text(self, name: str) -> Row | None: ...

    # operations and journal
    def operation(self, operation_id: str) -> Row | None: ...
    def operation_by_key(self, key: int) -> Row | None: ...
    def operations(
        self, *, limit: int, before: int | None = None, actor: str | None = None,
        session: str | None = None, verb: str | None = None, children_of: int | None = None,
    ) -> list[Row]: ...  # fmt: skip
    def operation_count(self) -> int: ...
    def newest_undoable(self, actor: str) -> Row | None:
        """The actor's newest operation that changed content, state or links and still stands."""
        ...

    def undone_by(self, key: int) -> Row | None:
        """The undo of this operation that still stands, if any."""
        ...

    def last_operation_at_or_before(self, at: int) -> int:
        """The key of the newest operation not after a moment; 0 if there is none."""
        ...

    def entries(self, operations: Sequence[int]) -> list[Entry]: ...
    def entries_after(
        self, places: Sequence[Place], entry: int, *, without: Sequence[int] = ()
    ) -> list[Entry]:
        """Entries of these rows with an id above `entry`, oldest first, without those of some
        operations.
        """
        ...

    def entries_since(self, table: str, operation: int) -> list[Entry]:
        """Entries of a table by operations after the given one, oldest first."""
        ...

    def history(self, memory_key: int) -> list[Row]: ...
    def rows(self, places: Sequence[Place]) -> dict[Place, Row]: ...

    # recall log and upkeep
    def recall(self, recall_id: str) -> Row | None: ...
    def recalls(self, *, limit: int) -> list[Row]: ...
    def curves(self) -> Curves:
        """How each section of the space fades: its own curve, or the one the space has adopted for
        it.
        """
        ...

    def tombstones(self) -> list[Row]: ...
    def has_tombstones(self) -> bool: ...
    def tombstones_with(self, fingerprints: Iterable[str]) -> list[Row]:
        """The tombstones that have one of these fingerprints."""
        ...

    def conflicts(self) -> list[Row]:
        """Those that nobody has resolved, oldest first."""
        ...

    def conflict(self, conflict_id: str) -> Row | None: ...
    def plan(self, plan_id: str) -> Row | None: ...
    def plans(self, *, limit: int) -> list[Row]:
        """Plans, newest first."""
        ...

    # pruning
    def resting_on(self, keys: Sequence[int], types: Sequence[str]) -> list[tuple[int, int]]:
        """For each live memory that hangs on one of these by such links, all that it hangs on and
        is live.
        """
        ...

    def live_count(self) -> int:
        """Live memories, the identity apart."""
        ...

    def changed_by(self, verb: str, since: int) -> int:
        """How many memories operations of a verb moved to another state since a moment, those apart
        that an undo brought back."""
        ...

    def operations_by_hash(self, hash: str) -> list[Row]: ...
    def memories_by_hash(self, hash: str) -> list[Row]:
        """Memories of a content, in whatever state, oldest first."""
        ...


class Writer(Reader, ChunkWriter, ConversationWriter, ErasureWriter, UpkeepWriter, Protocol):
    """One transaction; with an Intent, one operation. Without one, journalled tables cannot be
    touched.
    """

    @property
    def intent(self) -> Intent: ...

    @property
    def operation_key(self) -> int: ...

    @property
    def seal(self) -> str:
        """SHA-256 over the operation's journal rows, once it is closed."""
        ...

    def insert(self, table: str, rows: Sequence[Row]) -> None: ...
    def change(self, table: str, values: Mapping[int, Row]) -> None:
        """Sets the given columns of each row, by key."""
        ...

    def remove(self, table: str, keys: Sequence[int]) -> None: ...
    def set_state(self, keys: Sequence[int], *, state: str, at: int, by: str) -> None: ...
    def bump(self, keys: Iterable[int]) -> None:
        """Lets the version of these memories grow: their links changed."""
        ...

    def reject(self, memory_key: int, wording: Mapping[str, Any]) -> None:
        """Keeps a wording that was not stored because this memory says it already."""
        ...

    def put_back(self, restorations: Sequence[Restoration]) -> None: ...
    def describe(self, details: Mapping[str, Any]) -> None:
        """Attaches details to the operation."""
        ...

    def log_recall(self, row: Row, *, keep: int) -> None: ...
    def add_model(self, name: str, dimension: int, *, at: int, bands: Bands = BANDS) -> int:
        """The key of a model, made with these bands if there is none of this name and dimension."""
        ...

    def add_vectors(self, model: int, rows: Iterable[VectorRow]) -> None:
        """Keeps vectors; one that is there already stays."""
        ...

    def forget_model(self, model: int, *, limit: int) -> int:
        """Removes vectors of a model, at most `limit`; the count. The model goes with the last of
        them.
        """
        ...

    def set_reported(self, recall_key: int, reported: str) -> None: ...
    def adopt_curves(self, curves: Curves, *, at: int) -> None:
        """Lets these sections of the space fade by other curves than their own."""
        ...

    def drop_curves(self) -> None:
        """Lets every section of the space fade by its own curve again."""
        ...

    def save_plan(self, row: Row) -> None:
        """Keeps a plan; one of the same id is what it was, made anew."""
        ...

    def drop_expired_plans(self, now: int) -> None: ...
    def bury(self, fingerprints: Iterable[str], *, at: int) -> None:
        """Sets tombstones in the name of the operation; one that stands already stays."""
        ...


class Snapshot(Protocol):
    """A whole space at one moment, read row by row; keys are what they were before a load moved
    them.
    """

    arrived: str | None  # the mark it was given when it came from another store

    def counts(self) -> Mapping[str, int]: ...
    def highest(self) -> Mapping[str, int]:
        """The highest key of each table, those of rows that exist only in the journal included."""
        ...

    def stamp(self) -> str:
        """A text that differs as soon as anything of the space does that a move takes along."""
        ...

    def identity(self) -> str:
        """The id of its identity memory."""
        ...

    def unsettled(self) -> int:
        """How many erase certificates are not complete; those never leave their store."""
        ...

    def rows(
        self, *, tables: Collection[str] = ..., skip: Mapping[str, int] | None = None
    ) -> Iterator[tuple[str, Row]]:
        """The rows of `dump`, or those of some tables, without as many of a table's first as `skip`
        says.

        Their order is the same as long as the stamp is.
        """
        ...

    def matching(self, words: Words, *, limit: int) -> set[int]: ...
    def deeds(self) -> Iterator[Deed]: ...


class Arrival(Protocol):
    """A space that is being filled, out of everybody's sight until it is published."""

    @property
    def note(self) -> str:
        """What the last `add` left."""
        ...

    def add(self, rows: Sequence[tuple[str, Row]], *, note: str = "") -> None:
        """Puts in more dumped rows, in their order, in one transaction with the note."""
        ...

    def snapshot(self) -> AbstractContextManager[Snapshot]: ...
    def publish(
        self, space: str, *, mark: str | None = None, instead_of: str | None = None
    ) -> Iterator[int]:
        """Gives it its name, at once; what it replaces is then removed, and the rows of that are
        counted.

        It replaces a space that is untouched since its birth, or the one whose stamp is
        `instead_of`.
        """
        ...

    def discard(self) -> Iterator[int]:
        """Removes it with everything in it."""
        ...


class Store(Protocol):
    """A place that holds spaces."""

    @property
    def url(self) -> str: ...

    @property
    def writable(self) -> bool: ...

    @property
    def in_one_file(self) -> bool:
        """Whether `backup` can copy it as it lies; else its spaces are moved into a file one by
        one.
        """
        ...

    @property
    def keyring(self) -> Keyring:
        """The secret keys of its spaces, kept outside of what holds their rows."""
        ...

    def parts(self) -> list[str]:
        """The URLs of the stores it is made of, each with upkeep of its own; mostly it is one
        itself.
        """
        ...

    def spaces(self) -> list[Row]: ...
    def has_space(self, name: str) -> bool:
        """Whether there is a space of this name, without going through the others."""
        ...

    def due_spaces(
        self, now: int, *, beyond: int | None = None, limit: int | None = None
    ) -> list[str]:
        """The spaces somebody has to look at, without going through the others: those with a
        schedule that is due, with a job that may run, or without schedules yet; the longest due
        first.

        With `beyond` also those with nothing until that moment: theirs was kept under a clock set
        back since.
        """
        ...

    def next_due(self) -> int | None:
        """The earliest moment at which a space with schedules has something to do; it may have
        passed.
        """
        ...

    def reading(self, space: str) -> AbstractContextManager[Reader]: ...
    def writing(
        self, space: str, intent: IntentOrMaker | None, *, fence: int | None = None
    ) -> AbstractContextManager[Writer]:
        """One transaction. An intent that is still to be made is asked for once the write lock is
        held, with the moment of the space's newest operation. With the number of a lease it is
        refused, LeaseLost, when a later one was given out."""
        ...

    def open_parent(self, space: str, intent: IntentOrMaker, *, fence: int | None = None) -> int:
        """The key of an operation that stays open for children in transactions of their own."""
        ...

    def close_parent(self, space: str, key: int, *, fence: int | None = None) -> None: ...
    def create_space(self, name: str, intent: Intent, identity: Row) -> None:
        """Makes a space with its protected identity memory; does nothing if it exists."""
        ...

    def rename_space(self, old: str, new: str) -> None: ...
    def delete_space(self, name: str) -> Iterator[int]:
        """Removes a space with everything in it, in short transactions; yields rows removed so far."""
        ...

    def columns(self) -> Mapping[str, Mapping[str, tuple[type, ...]]]:
        """For each table of `dump`, its columns and the types their values may have."""
        ...

    def dump(self, space: str) -> Iterator[tuple[str, Row]]:
        """Every row of a space as (table, row), parents before children, from one snapshot."""
        ...

    def snapshot(self, space: str) -> AbstractContextManager[Snapshot]: ...
    def arrival(
        self,
        space: str,
        *,
        highest: Mapping[str, int],
        token: str | None = None,
        replacing: bool = False,
    ) -> Generator[int, None, Arrival]:
        """A space to fill with dumped rows; yields while leftovers are swept.

        With a token, 32 hexadecimal digits for what is to be loaded, the one that was begun under
        the same token and left is taken up again, and what was begun under another is removed.
        `replacing` says that a space of that name may be there and hold something.
        """
        ...

    def left_off(self, space: str, token: str) -> str | None:
        """The note of an arrival that was begun under a token and left; None if there is none."""
        ...

    def load(
        self, space: str, rows: Iterable[tuple[str, Row]], *, highest: Mapping[str, int], chunk: int
    ) -> Iterator[int]:
        """Puts dumped rows into a space that is new or untouched since its birth; it appears when
        all are there.

        Whether the space is untouched is decided in the transaction that replaces it. `highest` is
        the highest key of each table among the rows, set aside while the load goes on. The rows
        must have been checked with `portable.flaw`.
        """
        ...

    def backup(self, path: str) -> None:
        """Copies the whole store into a new file, which appears under its name only when it is
        whole.

        Its keys go into a folder of their own beside that file, where the copy looks for them.
        """
        ...

    def compact(self) -> None:
        """Writes the whole store anew: of what was removed, no byte is left between its rows."""
        ...

    def size(self) -> int:
        """About how many bytes the store takes."""
        ...

    def settle(self, *, rewrite: bool) -> Settled:
        """Removes stale bytes as far as others let it, without waiting long; with `rewrite`, also
        by writing the store anew. How the places stand that are files or parts of them."""
        ...

    def check(self) -> list[Problem]:
        """What is wrong with the store as an engine sees it: pages, references, index, triggers."""
        ...

    def close(self) -> None: ...
