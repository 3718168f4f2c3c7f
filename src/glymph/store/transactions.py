"""Transactions on one space, written once for every SQL engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

from glymph.store.contract import IntentOrMaker
from glymph.store.fenced import held_under
from glymph.store.reader import SqlReader
from glymph.store.snapshots import SpaceSession
from glymph.store.writer import SqlWriter


class SqlTransactions(ABC):
    """Reading and writing a space. The engine supplies connections, and how a space is found and
    shown.
    """

    @abstractmethod
    def _writing_connection(self) -> AbstractContextManager[SpaceSession]:
        """A session whose transaction may write, committed at the end; its errors are Glymph's."""

    @abstractmethod
    def _reading_connection(self) -> AbstractContextManager[SpaceSession]:
        """A session whose transaction sees one moment; its errors are Glymph's."""

    @abstractmethod
    def _entered(
        self, session: SpaceSession, space: str, *, writes: bool
    ) -> tuple[int, Mapping[str, int]]:
        """Shows a space to a session, and keeps other writers of it away from one that writes: its
        key, and how far a load moved its keys. SpaceNotFound if there is none."""

    def _reader(self, session: SpaceSession, space: str, space_id: int) -> SqlReader:
        return SqlReader(session, space, space_id)

    def _writer(
        self, session: SpaceSession, space: str, space_id: int, offsets: Mapping[str, int]
    ) -> SqlWriter:
        return SqlWriter(session, space, space_id, offsets)

    @contextmanager
    def reading(self, space: str) -> Iterator[SqlReader]:
        with self._reading_connection() as session:
            space_id, _ = self._entered(session, space, writes=False)
            yield self._reader(session, space, space_id)

    @contextmanager
    def writing(
        self, space: str, intent: IntentOrMaker | None, *, fence: int | None = None
    ) -> Iterator[SqlWriter]:
        with self._writing_connection() as session:
            space_id, offsets = self._entered(session, space, writes=True)
            writer = self._writer(session, space, space_id, offsets)
            if fence is not None:
                held_under(fence, writer)
            if intent is not None:
                writer.open(intent)
            yield writer
            if intent is not None:
                writer.close()

    def open_parent(self, space: str, intent: IntentOrMaker, *, fence: int | None = None) -> int:
        with self.writing(space, None, fence=fence) as writer:
            writer.open(intent)
            writer.pause()
            return writer.operation_key

    def close_parent(self, space: str, key: int, *, fence: int | None = None) -> None:
        with self.writing(space, None, fence=fence) as writer:
            writer.resume(key, "close")
            writer.close()
