"""The one thing an SQL engine supplies to the shared reader and writer: running statements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

from glymph.text.query import Words

Row = dict[str, Any]


class Session(Protocol):
    """A connection inside a transaction, scoped to one space. Statements are written as `dialect`
    says.
    """

    def rows(self, sql: str, parameters: Mapping[str, Any]) -> list[Row]:
        """The result as mappings of column names."""
        ...

    def tuples(self, sql: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]: ...

    def each(self, sql: str, parameters: Mapping[str, Any]) -> Iterator[Row]:
        """The result row by row, never held as a whole."""
        ...

    def changed(self, sql: str, parameters: Mapping[str, Any]) -> int:
        """How many rows a statement inserted, changed or removed."""
        ...

    def new_key(self, table: str) -> int:
        """A key for the next new row of a table; certain while the write lock is held."""
        ...

    def newest_key(self, table: str) -> int:
        """A key that no row of the space seen here is above, and each one that is added later."""
        ...

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Inserts rows of values in the order of the columns, in one statement."""
        ...

    def update(
        self, table: str, keys: Sequence[str], columns: Sequence[str], rows: Sequence[Sequence[Any]]
    ) -> None:
        """Sets columns of the rows found by their keys, in one statement; a row is keys, then
        values.
        """
        ...

    def remove(self, table: str, space_id: int, keys: Sequence[int]) -> None:
        """Deletes rows of a space by key."""
        ...

    def bulk_figures(
        self, table: str, first: int, upto: int
    ) -> tuple[dict[str, NDArray[Any]], list[str]] | None:
        """What chunks hold of a range of rows, in arrays; see `ChunkReader`."""
        ...

    def repeat(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Runs a statement once for each set of parameters."""
        ...

    def matching(
        self, words: Words, where: str | None, parameters: Mapping[str, Any], limit: int
    ) -> list[tuple[int, float]]:
        """Keys of memories whose text holds any of the words, best first, with a score that grows.

        `where` is a condition on the row `m` of this space; None asks the whole index, other spaces
        included.
        """
        ...

    def matching_among(
        self, rows: Iterable[Mapping[str, Any]], words: Words, limit: int
    ) -> list[tuple[int, float]]:
        """The same in a passing index over the title, text, tags and entities of the given rows."""
        ...

    def frequency(self, word: str) -> float:
        """About which part of the index's texts holds a word."""
        ...

    def occurs(self, word: str) -> bool:
        """Whether a memory of the space holds a word, in whatever state it is."""
        ...
