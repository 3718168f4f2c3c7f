"""Chunks: the figures of a range of rows, column by column in one BLOB, and what a store must offer
to keep them.

A chunk is a cache. It shows its rows as they were right after the operation it is stamped with;
what was changed since is in the journal and read from the tables. Losing any or all of them costs
time and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from glymph.store.session import Session
from glymph.store.statements import statements

EVERY_KEY = 1 << 62  # above each of them
PAGE = 1 << 14  # rows read at a time
ALIGNED = 8  # bytes: where each column of a body begins
FORMAT = 1  # of `layout` and `body`; a chunk of another one is as good as none

FigureRow = tuple[Any, ...]
Table = dict[str, NDArray[Any]]
Words = Mapping[str, Sequence[str]]  # for a column of codes, what they stand for

_STATES = ("LIVE", "ARCHIVED", "TRASHED")


@dataclass(frozen=True, slots=True)
class Head:
    """A kept chunk without its body. It covers the keys from `first` to just before `upto`."""

    key: int
    first: int
    upto: int
    stamp: int
    count: int
    layout: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk to be kept."""

    first: int
    upto: int
    stamp: int
    count: int
    layout: str
    body: bytes


class ChunkReader(Protocol):
    """What a reader offers besides rows; `table` is `memories` or `edges`."""

    def chunks(self, table: str) -> list[Head]: ...
    def chunk_body(self, key: int) -> bytes | None: ...
    def changed_rows(self, table: str, since: int) -> list[int]:
        """Keys of rows touched by operations after the given one; some may be gone."""
        ...

    def figures(self, table: str, keys: Sequence[int]) -> list[FigureRow]:
        """What chunks hold of these rows, in the order of the table's columns."""
        ...

    def figures_between(self, table: str, first: int, upto: int) -> Iterator[list[FigureRow]]:
        """The same of all rows of a range of keys, for links of their sources' keys, a page at a
        time.
        """
        ...

    def bulk_figures(self, table: str, first: int, upto: int) -> tuple[Table, Sequence[str]] | None:
        """The same in arrays, with the words that the codes of kinds or types stand for; None from
        an engine that reads single rows as fast."""
        ...


class ChunkWriter(Protocol):
    """What a writer offers besides."""

    def replace_chunks(self, table: str, replaced: Sequence[int], chunks: Sequence[Chunk]) -> bool:
        """Puts chunks that lie side by side in the place of others.

        False, and nothing done, if others than those lie there by now.
        """
        ...

    def restamp_chunks(self, keys: Sequence[int], stamp: int) -> None:
        """Notes that these chunks show their rows as they are after a newer operation, too."""
        ...

    def forget_chunks(self) -> int:
        """Removes every chunk of the space; the count. For whoever takes entries out of the
        journal, which chunks rely on to tell what has changed."""
        ...


class SqlChunks:
    """Reading and keeping chunks, written once for every SQL engine."""

    _session: Session
    _space_id: int

    def chunks(self, table: str) -> list[Head]:
        return [Head(*row) for row in self._asked("chunk_heads", tbl=table)]

    def chunk_body(self, key: int) -> bytes | None:
        found = self._asked("chunk_body", key=key)
        return found[0][0] if found else None

    def changed_rows(self, table: str, since: int) -> list[int]:
        found = self._session.tuples(
            statements()["changed_rows"], {"tbl": table, "operation": since}
        )
        return sorted(key for (key,) in found)

    def figures(self, table: str, keys: Sequence[int]) -> list[FigureRow]:
        statement = {"memories": "memory_figures", "edges": "edge_figures"}[table]
        return self._session.tuples(statements()[statement], {"keys": json.dumps(list(keys))})

    def figures_between(self, table: str, first: int, upto: int) -> Iterator[list[FigureRow]]:
        if table == "memories":
            for state in _STATES:
                yield from self._memories_between(state, first - 1, upto)
            return
        after: tuple[Any, ...] = (first - 1, EVERY_KEY, "")
        while True:
            place = dict(zip(("source", "target", "type"), after, strict=True))
            sql = statements()["edge_figures_between"]
            rows = self._session.tuples(sql, {**place, "upto": upto, "limit": PAGE})
            yield rows
            if len(rows) < PAGE:
                return
            after = rows[-1][1:4]

    def bulk_figures(self, table: str, first: int, upto: int) -> tuple[Table, Sequence[str]] | None:
        return self._session.bulk_figures(table, first, upto)

    def _memories_between(self, state: str, after: int, upto: int) -> Iterator[list[FigureRow]]:
        sql = statements()["memory_figures_between"]
        while True:
            asked = {"state": state, "after": after, "upto": upto, "limit": PAGE}
            rows = self._session.tuples(sql, asked)
            yield rows
            if len(rows) < PAGE:
                return
            after = rows[-1][0]

    def replace_chunks(self, table: str, replaced: Sequence[int], chunks: Sequence[Chunk]) -> bool:
        # Only a writer's transaction holds the lock that this needs.
        between = {"first": chunks[0].first, "upto": chunks[-1].upto}
        found = {key for (key,) in self._asked("overlapping_chunks", tbl=table, **between)}
        if not found <= set(replaced):
            return False
        self._asked("drop_chunks", keys=json.dumps(list(replaced)))
        for one in chunks:
            head = {
                name: getattr(one, name) for name in ("first", "upto", "stamp", "count", "layout")
            }
            ((key,),) = self._asked("insert_chunk", tbl=table, **head)
            self._session.tuples(statements()["insert_chunk_body"], {"key": key, "body": one.body})
        return True

    def restamp_chunks(self, keys: Sequence[int], stamp: int) -> None:
        self._asked("restamp_chunks", keys=json.dumps(list(keys)), stamp=stamp)

    def forget_chunks(self) -> int:
        return len(self._asked("forget_chunks"))

    def _asked(self, statement: str, /, **parameters: Any) -> list[tuple[Any, ...]]:
        return self._session.tuples(
            statements()[statement], {"space_id": self._space_id, **parameters}
        )


# packing


def packed(columns: Table, words: Words) -> tuple[str, bytes]:
    """The layout and the body of columns of equal length, each in as few bytes as its range allows."""
    parts: list[NDArray[Any]] = []
    told: list[tuple[str, str, int | float]] = []
    for name, column in columns.items():
        low = column.min().item() if len(column) else 0
        kind = _smallest(column, low)
        told.append((name, kind, low if kind != "<f8" else 0))
        if kind == "<f8":
            parts.append(column.astype(kind))
        elif kind:
            parts.append((column.astype(np.int64) - low).astype(kind))
    body = b"".join(part.tobytes() + b"\0" * (-part.nbytes % ALIGNED) for part in parts)
    return json.dumps({"format": FORMAT, "columns": told, "words": words}), body


def _smallest(column: NDArray[Any], low: float) -> str:
    """The type that holds how far values lie above the lowest; none if all are the same."""
    if not len(column) or column.max() == low:
        return ""
    if column.dtype.kind == "f":
        return "<f8"
    far = int(column.max()) - int(low)
    return next(
        (kind for kind, bits in (("<u1", 8), ("<u2", 16), ("<u4", 32)) if far < 1 << bits), "<i8"
    )


@dataclass(frozen=True, slots=True)
class Layout:
    """How the columns of a chunk lie in its body."""

    columns: Sequence[tuple[str, str, int | float]]
    words: Words

    @classmethod
    def read(cls, text: str) -> Layout | None:
        """The layout a chunk was packed with; None if it is of another format."""
        told = json.loads(text)
        return cls(told["columns"], told["words"]) if told.get("format") == FORMAT else None

    def size(self, count: int) -> int:
        """The bytes that a body with so many rows has."""
        return sum(_room(kind, count) for _, kind, _ in self.columns)

    def unpack(self, body: bytes, into: Mapping[str, NDArray[Any]], rows: slice) -> None:
        """Puts the columns that are asked for into their places among others."""
        count, at = rows.stop - rows.start, 0
        for name, kind, low in self.columns:
            place = into[name][rows] if name in into else None
            if place is not None and not kind:
                place[:] = low
            elif place is not None:
                found = np.frombuffer(body, dtype=kind, count=count, offset=at)
                place[:] = found
                if low:
                    place += low
            at += _room(kind, count)


def _room(kind: str, count: int) -> int:
    taken = count * np.dtype(kind).itemsize if kind else 0
    return taken + -taken % ALIGNED
