"""What each part of a reader runs its named statements by."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from glymph.store.session import Row


class RunsStatements:
    """Statements of one space by their names."""

    @abstractmethod
    def _rows(self, statement: str, /, **parameters: Any) -> list[Row]: ...
    @abstractmethod
    def _tuples(self, statement: str, /, **parameters: Any) -> list[tuple[Any, ...]]: ...
    @abstractmethod
    def _one(self, statement: str, /, **parameters: Any) -> Row | None: ...
    @abstractmethod
    def _value(self, statement: str, /, **parameters: Any) -> Any: ...
