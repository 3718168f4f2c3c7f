"""The past: the changes of a memory, the operations of a space, and its state at a moment."""

from __future__ import annotations

import heapq
import json
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Unpack

from glymph.checks import checked_id, optional_text
from glymph.context import Context
from glymph.errors import HistoryGone, MemoryNotFound, OperationNotFound
from glymph.model import Change, Memory, Operation, Page
from glymph.moments import micros
from glymph.recall.filters import Filters, check_filters, check_kinds, check_limit
from glymph.recall.touched import name_touched
from glymph.store import foresight, records
from glymph.store.contract import Filter, Row
from glymph.store.journal import Entry, Place, by_place, passes_folded_uses, rewind
from glymph.store.reader import Reader
from glymph.undo.undo import FINAL_VERBS, find_horizon, find_lost_past

# Listings, by whose names their cursors are marked.
MEMORIES, OPERATIONS = "memories", "operations"


def get(ctx: Context, memory_id: str, *, at: datetime | None = None) -> Memory:
    """Returns the memory, in whatever state it is; with `at`, as it stood then."""
    checked_id(memory_id)
    with ctx.reading() as reader:
        reader.foresee(foresight.curves())
        row = reader.memory(memory_id) if at is None else _row_at(ctx, reader, memory_id, at)
        if row is None:
            raise MemoryNotFound(memory_id, ctx.space)
        return records.memory(row, reader, at or ctx.now())


def _row_at(ctx: Context, reader: Reader, memory_id: str, at: datetime) -> Row | None:
    cut = cut_at(ctx, reader, at)
    present = reader.memory(memory_id)
    # Not there today: it may have been there then, if an undo of its creation is what removed it.
    key = reader.removed_key(memory_id) if present is None else present["key"]
    if key is None:
        return None
    entries = reader.entries_after([("memories", key)], 0)
    return _rewound(key, present, [e for e in entries if e.operation > cut])


def _rewound(key: int, present: Row | None, entries: Sequence[Entry]) -> Row | None:
    """Returns a memory's row as it was before these entries.

    It says so where uses are folded, of which the figures may leave some out.
    """
    later = [entry for entry in entries if entry.action != "rejected"]
    past = rewind(present, later)
    if past is None:
        return None
    return {"key": key, **past, "uses_folded": passes_folded_uses(later)}


def cut_at(ctx: Context, reader: Reader, at: datetime) -> int:
    """Returns the key of the last operation that belongs to the past of `at`."""
    asked = micros(at, "at")
    if at < ctx.journal_begins():
        raise HistoryGone(at, ctx.journal_begins())
    if asked >= micros(ctx.now()):
        return reader.newest_change()  # all that was done, however a wrong clock dated it
    last, folded = reader.last_operation_at_or_before(asked), reader.folded_upto()
    if last < folded:
        raise HistoryGone(at, find_horizon(ctx, reader, folded))
    return last


def list_memories(
    ctx: Context,
    *,
    limit: int = 100,
    cursor: str | None = None,
    at: datetime | None = None,
    **filters: Unpack[Filters],
) -> Page[Memory]:
    """One page of memories, newest first; with `at`, of those that stood then."""
    check_limit(ctx, limit)
    matching = check_filters(filters)
    with ctx.reading() as reader:
        before = _find_place(reader, MEMORIES, cursor)
        if at is None:
            check_kinds(reader, matching)
            rows = reader.page(matching, before=before, limit=limit + 1)
        else:
            rows = _page_at(
                reader, cut_at(ctx, reader, at), matching, before=before, limit=limit + 1
            )
        page = records.memories(rows[:limit], reader, at or ctx.now())
        return Page(tuple(page), _write_cursor(reader, MEMORIES, rows, limit))


def _page_at(
    reader: Reader, cut: int, matching: Filter, *, before: int | None, limit: int
) -> list[Row]:
    """Returns the page as it stood after operation `cut`.

    Rows untouched since, merged with the rewound other ones.
    """
    changed = by_place(reader.entries_since("memories", cut))
    untouched = _read_untouched(reader, matching, before, changed, limit)
    rewound = (
        row for row in rewound_rows(reader, changed, before, limit) if matches(row, matching)
    )
    return list(islice(heapq.merge(untouched, rewound, key=lambda row: -row["key"]), limit))


def _read_untouched(
    reader: Reader, matching: Filter, before: int | None, changed: Container[Place], chunk: int
) -> Iterator[Row]:
    """Yields today's matching rows without the changed ones, newest first.

    They are read as far as they are asked for.
    """
    while batch := reader.page(matching, before=before, limit=chunk):
        yield from (row for row in batch if ("memories", row["key"]) not in changed)
        before = batch[-1]["key"]


def rewound_rows(
    reader: Reader,
    changed: Mapping[Place, Sequence[Entry]],
    before: int | None = None,
    chunk: int = 1000,
) -> Iterator[Row]:
    """Yields the changed rows as they were, newest first, read as far as they are asked for."""
    places = sorted(
        (place for place in changed if before is None or place[1] < before), reverse=True
    )
    for start in range(0, len(places), chunk):
        batch = places[start : start + chunk]
        present = reader.rows(batch)
        for place in batch:
            past = _rewound(place[1], present.get(place), changed[place])
            if past is not None:
                yield past


def matches(row: Row, f: Filter) -> bool:
    """Tells whether a past row passes a filter, by the conditions that the store puts into SQL."""
    when = row["event_at"] if row["event_at"] is not None else row["created_at"]
    return (
        row["state"] in f.states
        and (row["kind"] in f.kinds if f.kinds else row["kind"] != "self")
        and (f.sections is None or row["section"] in f.sections)
        and (f.tags is None or set(f.tags) <= set(json.loads(row["tags"])))
        and (f.since is None or when >= f.since)
        and (f.until is None or when <= f.until)
        and (f.session is None or row["session"] == f.session)
        and (f.source is None or row["source"] == f.source)
        and (f.include_superseded or row["superseded_by"] is None)
        and (
            f.live_at is None
            or row["expires_at"] is None
            or row["expires_at"] > f.live_at
            or bool(row["pinned"])
        )
    )


def history(ctx: Context, memory_id: str) -> list[Change]:
    """Returns everything that ever happened to a memory, oldest first.

    Each change comes with the values from before it. A memory that is gone because its addition was
    undone still has its history.
    """
    checked_id(memory_id)
    with ctx.reading() as reader:
        row = reader.memory(memory_id)
        key = reader.removed_key(memory_id) if row is None else row["key"]
        if key is None:
            raise MemoryNotFound(memory_id, ctx.space)
        return [records.change(r, memory_id) for r in reader.history(key)]


def operations(
    ctx: Context,
    *,
    limit: int = 50,
    cursor: str | None = None,
    actor: str | None = None,
    session: str | None = None,
    verb: str | None = None,
) -> Page[Operation]:
    """One page of the operations of this space, newest first; a bulk operation counts as one."""
    check_limit(ctx, limit)
    for field, value in (("actor", actor), ("session", session), ("verb", verb)):
        optional_text(field, value)
    with ctx.reading() as reader:
        before = _find_place(reader, OPERATIONS, cursor)
        rows = reader.operations(
            limit=limit + 1, before=before, actor=actor, session=session, verb=verb
        )
        named = name_touched(reader, [row["key"] for row in rows[:limit]])
        page = [
            replace(operation_value(ctx, reader, row), touched=touched, links=links)
            for row in rows[:limit]
            for touched, links in [named[row["key"]]]
        ]
        return Page(tuple(page), _write_cursor(reader, OPERATIONS, rows, limit))


def cursor_behind(ctx: Context, operation: str) -> str:
    """Returns the cursor of the page of operations that begins behind one of them."""
    checked_id(operation, "operation")
    with ctx.reading() as reader:
        row = reader.operation(operation)
        if row is None:
            raise OperationNotFound(operation, ctx.space)
        return reader.cursors().write_key(OPERATIONS, row["key"])


def operation_value(ctx: Context, reader: Reader, row: Row) -> Operation:
    by = reader.undone_by(row["key"])
    changed = row["changes"] > 0 or not row["hash"]
    within_reach = find_lost_past(ctx, reader, row) is None
    undoable = changed and within_reach and by is None and row["verb"] not in FINAL_VERBS
    return records.operation(row, ctx.space, undone_by=by["id"] if by else None, undoable=undoable)


def _find_place(reader: Reader, listing: str, cursor: str | None) -> int | None:
    """Returns the key of the row that the page before ended with; None at the beginning."""
    return None if cursor is None else reader.cursors().read_key(listing, cursor)


def _write_cursor(reader: Reader, listing: str, rows: Sequence[Row], limit: int) -> str | None:
    """Returns the cursor of the page behind these rows, of which one more was read than shown."""
    if len(rows) <= limit:
        return None
    return reader.cursors().write_key(listing, rows[limit - 1]["key"])
