"""Chunks: the figures of a range of rows, column by column in one BLOB.

A chunk is a cache. It shows its rows as they were right after the operation it is stamped with;
what was changed since is in the journal and read from the tables. Losing any or all of them costs
time and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glymph.store.contract import Figures
from glymph.store.statements import SpaceStatements

EVERY_KEY = 1 << 62  # above each of them
PAGE = 1 << 14  # rows read at a time
MOST_CHANGED = 0.5  # the share of changed rows, and ...
MANY_CHANGES = 1_000  # ... the number besides, above which everything is read anew
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


class ChunkReader(SpaceStatements):
    """The part of a reader about chunks; `table` is `memories` or `edges`."""

    def chunks(self, table: str) -> list[Head]:
        return [Head(*row) for row in self._tuples("chunk_heads", tbl=table)]

    def chunk_body(self, key: int) -> bytes | None:
        body: bytes | None = self._value("chunk_body", key=key)
        return body

    def changed_rows(self, table: str, since: int) -> list[int]:
        """Returns the keys of rows touched by operations after the given one; some may be gone."""
        return sorted(self._column("changed_rows", tbl=table, operation=since))

    def changes_since(self, table: str, operation: int, *, rows: int) -> list[int] | None:
        """Returns the keys of changed rows, to bring a cache of so many rows up to date.

        None if so many changed that reading everything anew is cheaper.
        """
        keys = self.changed_rows(table, operation)
        return None if len(keys) > MOST_CHANGED * rows + MANY_CHANGES else keys

    def figures(self, table: str, keys: Sequence[int]) -> list[FigureRow]:
        """Returns what chunks hold of these rows, in the order of the table's columns."""
        statement = {"memories": "memory_figures", "edges": "edge_figures"}[table]
        return self._tuples(statement, keys=list(keys))

    def figures_between(self, table: str, first: int, upto: int) -> Iterator[list[FigureRow]]:
        """Yields the same of all rows of a range of keys, a page at a time.

        The range of links is one of their sources' keys.
        """
        if table == "memories":
            for state in _STATES:
                yield from self._memories_between(state, first - 1, upto)
            return
        after: tuple[Any, ...] = (first - 1, EVERY_KEY, "")
        while True:
            place = dict(zip(("source", "target", "type"), after, strict=True))
            rows = self._tuples("edge_figures_between", **place, upto=upto, limit=PAGE)
            yield rows
            if len(rows) < PAGE:
                return
            after = rows[-1][1:4]

    def _memories_between(self, state: str, after: int, upto: int) -> Iterator[list[FigureRow]]:
        while True:
            rows = self._tuples(
                "memory_figures_between", state=state, after=after, upto=upto, limit=PAGE
            )
            yield rows
            if len(rows) < PAGE:
                return
            after = rows[-1][0]

    def bulk_figures(self, table: str, first: int, upto: int) -> Figures | None:
        """Returns the same in arrays, with the words that the codes of kinds or types stand for.

        None from a database that reads single rows as fast.
        """
        return self._session.bulk_figures(table, first, upto)


class ChunkWriter(ChunkReader):
    """The part of a writer about chunks."""

    def replace_chunks(self, table: str, replaced: Sequence[int], chunks: Sequence[Chunk]) -> bool:
        """Puts chunks that lie side by side in the place of others.

        Returns False, and does nothing, if others than those lie there by now.
        """
        between = {"first": chunks[0].first, "upto": chunks[-1].upto}
        found = self._column("overlapping_chunks", tbl=table, **between)
        if not set(found) <= set(replaced):
            return False
        self._run("drop_chunks", keys=list(replaced))
        for one in chunks:
            head = {
                name: getattr(one, name) for name in ("first", "upto", "stamp", "count", "layout")
            }
            key = self._value("insert_chunk", tbl=table, **head)
            self._run("insert_chunk_body", key=key, body=one.body)
        return True

    def restamp_chunks(self, keys: Sequence[int], stamp: int) -> None:
        """Notes that these chunks show their rows as they are after a newer operation, too."""
        self._run("restamp_chunks", keys=list(keys), stamp=stamp)

    def forget_chunks(self) -> int:
        """Removes every chunk of the space and returns the count.

        For whoever takes entries out of the journal, by which chunks tell what has changed.
        """
        return len(self._tuples("forget_chunks"))


# packing


def pack(columns: Table, words: Words) -> tuple[str, bytes]:
    """Returns layout and body of columns, each in as few bytes as its range allows."""
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
    """Returns the type that holds how far values lie above the lowest; none if all are equal."""
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
    """The places of a chunk's columns in its body."""

    columns: Sequence[tuple[str, str, int | float]]
    words: Words

    @classmethod
    def read(cls, text: str) -> Layout | None:
        """Returns the layout a chunk was packed with; None if it is of another format."""
        told = json.loads(text)
        return cls(told["columns"], told["words"]) if told.get("format") == FORMAT else None

    def size(self, count: int) -> int:
        """Returns the bytes that a body with so many rows has."""
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
