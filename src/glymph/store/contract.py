"""The contract of a database: its members, and what it must guarantee.

A `Store` (store/store.py), its `Reader` and its `Writer` are written once, in portable SQL; they
run it through a `Session` of a `Database`. These two protocols are all that SQLite and PostgreSQL
differ in, and all that another database has to implement: opening is the `open_store` of its
module, which returns `Store(its database)`.

Obligations that hold for every database (`glymph.testing.StoreSuite` is their executable form):

* A writing session is one transaction: everything it did is durable when its context ends without
  an exception, and nothing of it ever happened otherwise. A killed process counts as "otherwise".
* The database itself, not its callers, writes a journal row with the old values for each change of
  a journalled table, refuses such a change outside an operation, refuses rows of another space, and
  refuses to move a protected or pinned memory.
* A reading session sees one consistent snapshot, and after `show` the rows of one space alone.
* Opening a store that exists, and reading from it, write nothing.
* Any number of threads and processes may use one store at once.

Statements are templates: `:name` is a parameter, `{…}` is what databases write differently (see
`dialect`). A list given as a parameter is the set that `{keys:name}` or `{texts:name}` stands for.
Rows travel as plain mappings of column names to stored values (times in microseconds, lists as JSON
text); `records` turns them into the values of `glymph.model`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from glymph.model import Problem
from glymph.store.certificate import PlaceStatus
from glymph.store.keyring import Keyring
from glymph.text.query import Words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from glymph.store.scan import Vectors

Row = Mapping[str, Any]

VectorRow = tuple[int, bytes, bytes]  # memory, wording, little-endian float16 values
NearRow = tuple[int, bytes, float]  # memory, wording, cosine
IndexedText = tuple[int, tuple[str, ...]]  # memory, and a text for each column of the index
Scored = list[tuple[int, float]]  # keys of memories with a score, best first
Figures = tuple[Mapping[str, "NDArray[Any]"], Sequence[str]]  # arrays by column, words of codes
ColumnTypes = Mapping[str, Mapping[str, tuple[type, ...]]]  # by table and column

JOURNALLED = ("memories", "edges", "clusters", "memberships", "pages", "conflicts", "tombstones")


@dataclass(frozen=True, slots=True)
class Intent:
    """The head of an operation: who is about to change what, and why."""

    id: str
    actor: str
    verb: str
    at: int
    reason: str | None = None
    session: str | None = None
    parent: int | None = None
    undoes: int | None = None


# An intent, or what makes one, given a function from the clock's moment to the operation's.
IntentOrMaker = Intent | Callable[[Callable[[int], int]], Intent]

# The key of a space, or what tells it: a server has not been asked before the first statement.
SpaceKey = int | Callable[[], int]


class Lookup(NamedTuple):
    """A statement that reads, with its parameters; a `single` one brings one value or no row."""

    sql: str
    parameters: Row
    single: bool = False


@dataclass(frozen=True, slots=True)
class NewKeys:
    """So many keys for new rows of a table."""

    table: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class NewestKey:
    """An upper bound of the keys of a table."""

    table: str


Ask = Lookup | NewKeys | NewestKey  # what will be asked for


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter of memories; `live_at` leaves out those expired by then."""

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


@dataclass(frozen=True, slots=True)
class Settled:
    """The places of a store's files: as they are, and as they are if it was written anew."""

    rewritten: bool
    as_they_are: tuple[PlaceStatus, ...]
    if_rewritten: tuple[PlaceStatus, ...]

    def places(self, *, rewritten: bool) -> tuple[PlaceStatus, ...]:
        return self.if_rewritten if rewritten else self.as_they_are


class TextIndex(Protocol):
    """The words of a store's texts, other spaces' included, as its index writes them.

    A mark is where a word stands, in one number: the key of the memory, then the column in 4 bits,
    then the number of the word in its column in 20.
    """

    def split(self, text: str) -> list[str]:
        """Returns the words of a text in order."""
        ...

    def find_marks(self, words: Collection[str]) -> dict[str, NDArray[np.int64]]:
        """Returns every mark of each word, in their order."""
        ...

    def read_texts(self, keys: Sequence[int]) -> list[IndexedText]:
        """Returns what the index holds of memories."""
        ...


class Session(Protocol):
    """A connection inside a transaction that shows the rows of one space at a time."""

    def show(self, space_id: int) -> None:
        """Limits the `scoped_` views to one space."""
        ...

    # statements

    def rows(self, sql: str, parameters: Mapping[str, Any]) -> list[Row]:
        """Returns the result as mappings of column names."""
        ...

    def tuples(self, sql: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]: ...
    def each(self, sql: str, parameters: Mapping[str, Any]) -> Iterator[Row]:
        """Yields the result row by row; it is never held as a whole."""
        ...

    def execute(self, sql: str, parameters: Mapping[str, Any]) -> int:
        """Returns how many rows a statement inserted, changed or removed."""
        ...

    def run(self, sql: str, parameters: Mapping[str, Any]) -> None:
        """Runs a statement of which nothing comes back.

        It may wait for the next that is asked something: a refusal is raised by that one, or at the
        end of the transaction. So may the statements for many rows below.
        """
        ...

    def repeat(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Runs a statement once for each set of parameters."""
        ...

    def foresee(self, asks: Iterable[Ask]) -> None:
        """Hears what will be asked for before something is written that would change the answer.

        A server brings the answers along with the next statement; a file does nothing.
        """
        ...

    def foreseen(self, lookup: Lookup) -> list[tuple[Any, ...]] | None:
        """Returns what was foreseen and holds still; None if it was not, as over a file."""
        ...

    def recognise(self, foreseen: Lookup, as_: Lookup) -> None:
        """Lets what was foreseen answer another statement as well, which says the same."""
        ...

    # many rows at once

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Inserts rows of values in the order of the columns, in one statement."""
        ...

    def update(
        self, table: str, keys: Sequence[str], columns: Sequence[str],
        rows: Sequence[Sequence[Any]], *, for_good: bool = False,
    ) -> None:  # fmt: skip
        """Sets columns of the rows found by their keys, in one statement.

        A row is keys, then values. Unless it is `for_good`, words that memories say no longer may
        stay where `clear_words` takes them out.
        """
        ...

    def remove(
        self, table: str, space_id: int, keys: Sequence[int], *, for_good: bool = False
    ) -> None:
        """Deletes rows of a space by key; `for_good` as in `update`."""
        ...

    def clear_words(self, space_id: int, keys: Sequence[int] | None = None) -> None:
        """Takes out of the text index what it holds of former words of these memories, or of all.

        No search finds those; they lie in pages of the file.
        """
        ...

    def new_key(self, table: str) -> int:
        """Returns a key for the next new row of a table; certain while the write lock is held."""
        ...

    def new_keys(self, table: str, count: int) -> list[int]:
        """Returns keys for so many new rows, in their order."""
        ...

    def newest_key(self, table: str) -> int:
        """Returns an upper bound of the keys of the shown space; later rows lie above it."""
        ...

    def bulk_figures(self, table: str, first: int, upto: int) -> Figures | None:
        """Returns the figures of a range of rows in arrays, with the words of their codes.

        None where single rows are read as fast; see `chunks`.
        """
        ...

    def record(self, key: int, head: Mapping[str, Any]) -> Callable[[], str] | None:
        """Counts, seals and records the operation under way, and ends its writing.

        Returns what gives its seal once the transaction has ended. None where the caller is to do
        it: over a file, and after a change of many rows.
        """
        ...

    # text

    @property
    def text_index(self) -> TextIndex | None:
        """Where words stand, for mirrors to weigh; None if the store weighs them itself."""
        ...

    def match(self, words: Words, where: str, parameters: Mapping[str, Any], limit: int) -> Scored:
        """Returns memories whose text holds any of the words, best first.

        `where` is a condition on the row `m` of this space.
        """
        ...

    def hold(
        self, phrases: Sequence[str], where: str, parameters: Mapping[str, Any], limit: int
    ) -> list[int]:
        """Returns the first memories whose text holds any of the phrases, in no order of merit."""
        ...

    def match_among(self, rows: Iterable[Row], words: Words, limit: int) -> Scored:
        """Ranks by words in a passing index over title, text, tags, entities of the given rows."""
        ...

    def frequency(self, word: str, *, most: float = 1.0) -> float:
        """Returns about which part of the space's texts holds a word.

        Counts no further than to tell that it is more than `most`.
        """
        ...

    def occurs(self, word: str) -> bool:
        """Tells whether a memory of the space holds a word, in whatever state it is."""
        ...

    # vectors

    def add_vectors(self, space_id: int, model: int, rows: Iterable[VectorRow]) -> None:
        """Stores vectors of what memories say now; one that is there already stays."""
        ...

    def nearest(
        self,
        model: int,
        query: Vectors,
        where: str | None,
        parameters: Mapping[str, Any],
        *,
        among: Sequence[int] | None,
        limit: int,
    ) -> list[NearRow] | None:
        """Returns what is nearest to a vector, best first; None where vectors are not compared.

        `where` is a condition on the row `m` and asks for present wordings; None leaves former
        wordings among them. `among` limits it to some memories.
        """
        ...

    def embedded_keys(
        self, model: int, *, after: int, memories: Sequence[int] | None
    ) -> tuple[bytes, bytes] | None:
        """Returns memory and wording of each vector, eight big-endian bytes for each.

        Of those with keys above `after`, or of some memories. None where there is no `nearest`.
        """
        ...


class Database(Protocol):
    """A file or a server that holds the rows of a store."""

    @property
    def url(self) -> str: ...

    @property
    def writable(self) -> bool: ...

    @property
    def in_one_file(self) -> bool:
        """Tells whether `backup` can copy it as it lies."""
        ...

    @property
    def keyring(self) -> Keyring:
        """The secret keys of its spaces, kept outside of what holds their rows."""
        ...

    # transactions

    def reading(self) -> AbstractContextManager[Session]:
        """Opens a session that sees one moment; its errors are Glymph's."""
        ...

    def writing(self) -> AbstractContextManager[Session]:
        """Opens a session that may write, committed at the end; its errors are Glymph's."""
        ...

    def look_into(self, session: Session, space: str) -> SpaceKey:
        """Shows a space to a session that reads.

        Raises SpaceNotFound if there is none of that name, or lets the first statement raise it.
        """
        ...

    def enter(
        self, session: Session, space: str, *, ahead: Sequence[Ask] = ()
    ) -> tuple[int, str] | None:
        """Shows a space to a session that writes, and keeps other writers away from it.

        Returns its key and its `offsets`; None if there is no space of that name. What is asked for
        `ahead` is asked once nobody else writes.
        """
        ...

    def hold(self, session: Session, space_id: int, name: str) -> None:
        """Shows a space and keeps others from writing to it until the transaction ends.

        Raises SpaceNotFound if it lost its name meanwhile.
        """
        ...

    # whole spaces

    def reserve_keys(self, session: Session, table: str, count: int) -> int:
        """Sets aside the keys 1 to `count` for a new space; returns how far they must be moved."""
        ...

    def batch_size(self, table: str) -> int:
        """Returns how many rows of a table may be removed in one short transaction."""
        ...

    def order_hint(self, rows: int) -> str:
        """Returns what to write behind a table's name to read rows by key without sorting."""
        ...

    def column_types(self) -> ColumnTypes:
        """Returns, for each table of a dump, its columns and the types their values may have."""
        ...

    # the database as a whole

    def backup(self, path: str) -> None:
        """Copies it into a new file, which appears under its name only when it is whole.

        Its keys go into a folder of their own beside that file, where the copy looks for them.
        """
        ...

    def compact(self) -> None:
        """Writes it anew: of what was removed, no byte is left between its rows."""
        ...

    def size(self) -> int:
        """Returns about how many bytes it takes."""
        ...

    def settle(self, *, rewrite: bool) -> Settled:
        """Removes stale bytes as far as others let it, without waiting long.

        With `rewrite`, also by writing it anew. Returns how the places stand that are files or
        parts of them.
        """
        ...

    def check(self) -> list[Problem]:
        """Returns what is wrong with pages, references, index and triggers."""
        ...

    def close(self) -> None: ...
