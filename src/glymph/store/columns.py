"""A whole space in columns, read from chunks where they are kept and from rows where they are not.

Chunks may be missing, behind or of an older make: what they do not show is read from the tables, so
the columns are always those of the reader's own snapshot. `keep` writes what was read for the next
one, in short transactions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glymph.store.arrays import (
    FOR_EVER,
    NEVER,
    SECTIONS,
    STATES,
    Codes,
    Columns,
    encode,
    fill_moments,
    quiet_collector,
    transpose,
)
from glymph.store.chunks import EVERY_KEY, Chunk, FigureRow, Head, Layout, Table, pack
from glymph.store.reader import Reader
from glymph.store.store import Store

ROWS = 1 << 14  # in a chunk
BATCH = 16 * ROWS  # rows written in one transaction: some ten megabytes
PAGE = 1 << 14  # changed rows read at a time
WORTH = 0.01  # the share of rows not read from chunks from which keeping pays, and ...
LEAST = 1_000  # ... the number of rows below which it never does

_TYPES: Mapping[str, Mapping[str, Any]] = {  # in the order in which a reader gives them
    "memories": {
        "key": np.int64, "kind": np.int32, "section": np.uint8, "state": np.uint8,
        "pinned": np.bool_, "protected": np.bool_, "superseded": np.bool_, "created_at": np.int64,
        "last_used_at": np.int64, "expires_at": np.int64, "stability": np.float64,
        "access_count": np.int64, "size": np.int64,
    },
    "edges": {
        "key": np.int64, "source": np.int64, "target": np.int64, "type": np.int32,
        "weight": np.float64, "since": np.int64,
    },
}  # fmt: skip
_PLACE = {"memories": "key", "edges": "source"}  # the column that says which chunk a row belongs to
_CODED = {"memories": "kind", "edges": "type"}  # words with codes that are given out as they appear
_FIXED: Mapping[str, Mapping[str, int]] = {
    "state": {name: code for code, name in enumerate(STATES)},
    "section": {name: code for code, name in enumerate(SECTIONS)},
}
_MISSING = {"last_used_at": NEVER, "expires_at": FOR_EVER}


@dataclass(slots=True)
class Segment:
    """A range of keys and what is known of it: a chunk, or nothing but the rows themselves."""

    first: int
    upto: int
    replaced: list[int] = field(default_factory=list)  # chunks that lie here
    stale: bool = False  # whether they do not show the rows as they are


@dataclass(frozen=True, slots=True)
class Part:
    """One table: its columns, sorted by place, the codes of its words, and where they came from."""

    columns: Table
    words: Codes
    segments: list[Segment]
    behind: bool  # whether a chunk is stamped with an older operation
    fresh: int  # rows that had to be read from the table


@dataclass(frozen=True, slots=True)
class Reading:
    """A space as a reader saw it after its newest operation."""

    space: str
    space_key: int
    change: int
    parts: Mapping[str, Part]

    @property
    def columns(self) -> Columns:
        memories, edges = self.parts["memories"], self.parts["edges"]
        return Columns(memories.columns, edges.columns, list(memories.words), list(edges.words))

    @property
    def worth_keeping(self) -> bool:
        """Tells whether so much came from the tables that the next reader should find chunks."""
        rows = sum(len(part.columns[_PLACE[table]]) for table, part in self.parts.items())
        fresh = sum(part.fresh for part in self.parts.values())
        return fresh >= max(LEAST, WORTH * rows)


def read(reader: Reader) -> Reading:
    """Returns the reader's space in columns."""
    change = reader.newest_change()
    parts = {table: _Assembly(reader, table, change).part() for table in _TYPES}
    return Reading(reader.space, reader.space_key, change, parts)


class _Assembly:
    """Puts one table together."""

    def __init__(self, reader: Reader, table: str, change: int) -> None:
        self.reader, self.table, self.change = reader, table, change
        self.words = Codes()
        self.heads = reader.chunks(table)
        self.behind = any(head.stamp < change for head in self.heads)
        self.layouts = {head.key: Layout.read(head.layout) for head in self.heads}
        self.changed = self._find_changed()
        self.segments = self._segments()

    def part(self) -> Part:
        while (columns := self._unpack()) is None:
            pass  # a chunk turned out broken and is out of the way now
        gaps = [segment for segment in self.segments if segment.stale]
        if not gaps and not self.changed:
            return Part(columns, self.words, self.segments, self.behind, 0)
        with quiet_collector():
            rows = [table for gap in gaps for table in self._between(gap)]
            touched = [self._in_columns(rows) for rows in self._current()]
        fresh = sum(len(one["key"]) for one in rows) + len(self.changed)
        if rows:
            columns = _in_order(_join([columns, *rows]), _PLACE[self.table])
        if self.changed:
            columns = self._patch(columns, _join(touched))
        return Part(columns, self.words, self.segments, self.behind, fresh)

    # what there is

    def _find_changed(self) -> list[int]:
        """Keys of rows that some chunk does not show as they are."""
        if not self.behind:
            return []
        oldest, rows = min(head.stamp for head in self.heads), sum(one.count for one in self.heads)
        changed = self.reader.changes_since(self.table, oldest, rows=rows)
        if changed is None:
            self.layouts = dict.fromkeys(self.layouts)  # as good as none
        return changed or []

    def _useless(self, head: Head) -> bool:
        layout = self.layouts[head.key]
        return (
            layout is None or {name for name, _, _ in layout.columns} != _TYPES[self.table].keys()
        )

    def _segments(self) -> list[Segment]:
        """Ranges that together cover every key."""
        if any(one.upto > other.first for one, other in pairwise(self.heads)):
            self.layouts = dict.fromkeys(self.layouts)
            return [Segment(0, EVERY_KEY, [head.key for head in self.heads], stale=True)]
        found: list[Segment] = []
        at = 0
        for head in self.heads:
            if head.first > at:
                found.append(Segment(at, head.first, stale=True))
            found.append(Segment(head.first, head.upto, [head.key], stale=self._useless(head)))
            at = head.upto
        if at < EVERY_KEY:
            found.append(Segment(at, EVERY_KEY, stale=True))
        return found

    # from chunks

    def _unpack(self) -> Table | None:
        """Returns the columns of the chunks in a row; None if one is not what its head says."""
        kept = [head for head in self.heads if not self._useless(head)]
        # The keys of links are for telling which have changed: a quarter of the reading.
        whole = (
            self.table == "memories"
            or bool(self.changed)
            or any(one.stale for one in self.segments)
        )
        total = sum(head.count for head in kept)
        columns: Table = {
            name: np.empty(total, dtype=kind)
            for name, kind in _TYPES[self.table].items()
            if whole or name != "key"
        }
        at = 0
        for head in kept:
            rows = slice(at, at + head.count)
            layout, body = self.layouts[head.key], self.reader.chunk_body(head.key)
            if layout is None or body is None or len(body) != layout.size(head.count):
                self.layouts[head.key] = None
                self.segments = self._segments()
                return None
            layout.unpack(body, columns, rows)
            self._recode(columns[_CODED[self.table]][rows], layout.words[_CODED[self.table]])
            at = rows.stop
        return columns

    def _recode(self, codes: NDArray[Any], words: Sequence[str]) -> None:
        """Turns the codes of a chunk into those that are given out here."""
        own = [self.words[word] for word in words]
        if own != list(range(len(own))):
            codes[:] = np.array(own, dtype=codes.dtype)[codes]

    # from rows

    def _between(self, gap: Segment) -> Iterator[Table]:
        bulk = self.reader.bulk_figures(self.table, gap.first, gap.upto)
        if bulk is None:
            yield from map(
                self._in_columns, self.reader.figures_between(self.table, gap.first, gap.upto)
            )
            return
        columns = {name: bulk[0][name].astype(kind) for name, kind in _TYPES[self.table].items()}
        self._recode(columns[_CODED[self.table]], bulk[1])
        yield columns

    def _current(self) -> Iterator[list[FigureRow]]:
        """Yields the changed rows as they are now."""
        for at in range(0, len(self.changed), PAGE):
            yield self.reader.figures(self.table, self.changed[at : at + PAGE])

    def _in_columns(self, rows: Sequence[FigureRow]) -> Table:
        types = _TYPES[self.table]
        values = transpose(rows, len(types))
        return {
            name: self._as_array(name, column, kind)
            for (name, kind), column in zip(types.items(), values, strict=True)
        }

    def _as_array(self, name: str, values: Sequence[Any], kind: Any) -> NDArray[Any]:
        codes: Mapping[str, int] | None = (
            self.words if name == _CODED[self.table] else _FIXED.get(name)
        )
        if codes is not None:
            return encode(codes, values, kind)
        if (missing := _MISSING.get(name)) is not None:
            values = fill_moments(values, missing)
        return np.array(values, dtype=kind)

    def _patch(self, columns: Table, now: Table) -> Table:
        """Returns the columns with the changed rows as they are now: replaced, put in or out."""
        place = _PLACE[self.table]
        at = np.flatnonzero(np.isin(columns["key"], np.array(self.changed, dtype=np.int64)))
        self._mark(columns[place][at], now[place])
        at = at[np.argsort(columns["key"][at], kind="stable")]
        now = _in_order(now, "key")
        old = columns["key"][at]
        stays, known = np.isin(old, now["key"]), np.isin(now["key"], old)
        for name, column in columns.items():
            column[at[stays]] = now[name][known]
        if not stays.all():
            left = np.ones(len(columns["key"]), dtype=np.bool_)
            left[at[~stays]] = False
            columns = {name: column[left] for name, column in columns.items()}
        if not known.all():
            new = _in_order({name: column[~known] for name, column in now.items()}, place)
            before = np.searchsorted(columns[place], new[place], side="right")
            columns = {
                name: np.insert(column, before, new[name]) for name, column in columns.items()
            }
        return columns

    def _mark(self, *places: NDArray[np.int64]) -> None:
        """Notes which segments are no longer what their chunks show."""
        firsts = np.array([segment.first for segment in self.segments])
        for some in places:
            for number in np.unique(np.searchsorted(firsts, some, side="right") - 1).tolist():
                self.segments[number].stale = True


def _join(tables: Sequence[Table]) -> Table:
    return {name: np.concatenate([one[name] for one in tables]) for name in tables[0]}


def _in_order(columns: Table, by: str) -> Table:
    order = np.argsort(columns[by], kind="stable")
    return {name: column[order] for name, column in columns.items()}


# keeping


def keep(store: Store, reading: Reading) -> int:
    """Writes what was read for those who come later; the number of chunks written.

    Each transaction is short and leaves chunks that are right by themselves. Where somebody else
    has kept chunks meanwhile, theirs stay. A store that cannot be written to is left as it is.
    """
    if not store.writable:
        return 0
    written = 0
    for table, part in reading.parts.items():
        fine = [key for segment in part.segments if not segment.stale for key in segment.replaced]
        if fine and part.behind:
            with store.writing(reading.space, None) as writer:
                if writer.space_key == reading.space_key:
                    writer.restamp_chunks(fine, reading.change)
        for replaced, chunks in _batches(part, table, reading.change):
            with store.writing(reading.space, None) as writer:
                if writer.space_key != reading.space_key:  # another space has this name by now
                    return written
                written += len(chunks) if writer.replace_chunks(table, replaced, chunks) else 0
    return written


def refresh(store: Store, space: str) -> int:
    """Brings the chunks of a space up to date if that pays; returns the chunks written."""
    with store.reading(space) as reader:
        reading = read(reader)
    return keep(store, reading) if reading.worth_keeping else 0


def _batches(part: Part, table: str, stamp: int) -> Iterator[tuple[list[int], list[Chunk]]]:
    """Yields chunks for the ranges that need them, with those they replace.

    Each batch is as many as one transaction takes.
    """
    place = part.columns[_PLACE[table]]
    words = {_CODED[table]: list(part.words)}
    for run in _runs(part.segments, place):
        replaced = [key for segment in run for key in segment.replaced]
        chunks: list[Chunk] = []
        for first, upto, rows in _cuts(place, run[0].first, run[-1].upto):
            columns = {name: part.columns[name][rows] for name in _TYPES[table]}
            chunks.append(Chunk(first, upto, stamp, rows.stop - rows.start, *pack(columns, words)))
            if len(chunks) * ROWS >= BATCH:
                yield replaced, chunks
                replaced, chunks = [], []
        if chunks:
            yield replaced, chunks


def _runs(segments: Sequence[Segment], place: NDArray[np.int64]) -> Iterator[list[Segment]]:
    """Yields stale segments that lie side by side, about as many as one transaction takes."""
    run: list[Segment] = []
    rows = 0
    for segment in segments:
        begins, ends = np.searchsorted(place, (segment.first, segment.upto)).tolist()
        if run and (not segment.stale or rows + ends - begins > BATCH):
            yield run
            run, rows = [], 0
        if segment.stale:
            run.append(segment)
            rows += ends - begins
    if run:
        yield run


def _cuts(place: NDArray[np.int64], first: int, upto: int) -> Iterator[tuple[int, int, slice]]:
    """Ranges of about as many rows as a chunk takes; rows of one place stay together."""
    begin, end = np.searchsorted(place, (first, upto)).tolist()
    while True:
        cut = min(begin + ROWS, end)
        cut = int(np.searchsorted(place, place[cut])) if cut < end else end
        if cut <= begin < end:  # more rows of one place than a chunk takes
            cut = int(np.searchsorted(place, place[begin], side="right"))
        beyond = int(place[cut]) if cut < end else upto
        yield first, beyond, slice(begin, cut)
        if cut >= end:
            return
        first, begin = beyond, cut
