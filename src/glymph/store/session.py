"""The one thing an SQL engine supplies to the shared reader and writer: running statements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

Row = dict[str, Any]


class Session(Protocol):
    """A connection inside a transaction, scoped to one space."""

    def rows(self, sql: str, parameters: Mapping[str, Any]) -> list[Row]:
        """The result as mappings of column names."""
        ...

    def tuples(self, sql: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]: ...

    def many(self, sql: str, parameters: Iterable[Sequence[Any]]) -> None:
        """Runs one statement once per row of positional parameters."""
        ...

    def matching(self, words: Sequence[str], where: str, parameters: Mapping[str, Any], limit: int) -> list[Row]:
        """Memory rows whose text holds any of the words, best first, with a `score` that grows."""
        ...
