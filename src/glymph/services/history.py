"""The past: what happened to a memory, which operations there were, how things stood at a moment."""

from __future__ import annotations

import base64
import binascii
import json
from datetime import datetime
from typing import Unpack

from glymph.core.journal import by_place, rewind
from glymph.core.model import Change, Memory, Operation, Page, State
from glymph.core.timing import micros
from glymph.errors import HistoryGone, InvalidInput, MemoryNotFound, OperationNotFound
from glymph.services.recall import Filters, check_kinds, checked_limit, wanted
from glymph.services.undo import FINAL_VERBS
from glymph.services.workplace import Workplace, every_row
from glymph.store import records
from glymph.store.contract import Filter, Reader, Row


def get(place: Workplace, memory_id: str, *, at: datetime | None = None) -> Memory:
    """The memory, in whatever state it is; with `at`, as it stood then."""
    with place.reading() as reader:
        row = reader.memory(memory_id) if at is None else _row_at(place, reader, memory_id, at)
        if row is None:
            raise MemoryNotFound(memory_id, place.space)
        return records.memory(row, place.space, at or place.now())


def _row_at(place: Workplace, reader: Reader, memory_id: str, at: datetime) -> Row | None:
    cut = _cut(place, reader, at)
    present = reader.memory(memory_id)
    if present is not None:
        entries = reader.entries_after([("memories", present["key"])], 0)
        return rewind(present, [e for e in entries if e.operation > cut and e.action != "rejected"])
    # Not there today: it may have been there then, if an undo of its creation is what removed it.
    for entries in by_place(reader.entries_since("memories", cut)).values():
        past = rewind(None, entries) if entries[-1].action == "delete" else None
        if past is not None and past["id"] == memory_id:
            return {"key": entries[0].key, **past}
    return None


def _cut(place: Workplace, reader: Reader, at: datetime) -> int:
    """The key of the last operation that belongs to the past of `at`."""
    asked = micros(at, "at")
    if at < place.journal_begins():
        raise HistoryGone(at, place.journal_begins())
    return reader.last_operation_at_or_before(asked)


def list_memories(
    place: Workplace,
    *,
    limit: int = 100,
    cursor: str | None = None,
    at: datetime | None = None,
    **filters: Unpack[Filters],
) -> Page:
    """One page of memories, newest first; with `at`, of those that stood then."""
    checked_limit(place, limit)
    matching = wanted(filters)
    before = _decode(cursor)
    with place.reading() as reader:
        check_kinds(reader, matching)
        if at is None:
            rows = reader.page(matching, before=before, limit=limit + 1)
        else:
            past = (r for r in _rows_at(place, reader, at) if _matches(r, matching))
            rows = [r for r in past if before is None or r["key"] < before][: limit + 1]
    page = records.memories(rows[:limit], place.space, at or place.now())
    return Page(tuple(page), _encode(rows[limit - 1]["key"]) if len(rows) > limit else None)


def _rows_at(place: Workplace, reader: Reader, at: datetime) -> list[Row]:
    """Every memory row as it stood at a moment, newest first: today's rows with the journal played back."""
    changed = by_place(reader.entries_since("memories", _cut(place, reader, at)))
    present = reader.rows(list(changed))
    rows = {key: rewind(present.get((table, key)), entries) for (table, key), entries in changed.items()}
    past: list[Row] = [{"key": key, **row} for key, row in rows.items() if row is not None]
    everything = Filter(states=tuple(State), include_superseded=True)
    past += [r for r in every_row(reader, everything, place.settings.max_page) if r["key"] not in rows]
    identity = reader.identity()
    if identity["key"] not in rows:
        past.append(identity)
    return sorted(past, key=lambda row: -row["key"])


def _matches(row: Row, f: Filter) -> bool:
    """Whether a past row passes a filter: the same conditions that the store puts into SQL."""
    when = row["event_at"] if row["event_at"] is not None else row["created_at"]
    return (
        row["state"] in f.states
        and (row["kind"] in f.kinds if f.kinds else row["kind"] != "self")
        and (f.sections is None or row["section"] in f.sections)
        and (f.tags is None or set(f.tags) <= set(json.loads(row["tags"])))
        and (f.since is None or when >= f.since)
        and (f.until is None or when <= f.until)
        and (f.session is None or row["session"] == f.session)
        and (f.include_superseded or row["superseded_by"] is None)
    )


def history(place: Workplace, memory_id: str) -> list[Change]:
    """Everything that ever happened to a memory, oldest first, with the values from before each change."""
    with place.reading() as reader:
        row = reader.memory(memory_id)
        if row is None:
            raise MemoryNotFound(memory_id, place.space)
        return [records.change(r) for r in reader.history(row["key"])]


def operations(
    place: Workplace,
    *,
    limit: int = 50,
    cursor: str | None = None,
    actor: str | None = None,
    session: str | None = None,
    verb: str | None = None,
) -> list[Operation]:
    """The operations of this space, newest first; chunks of a bulk operation count as one.

    `cursor` is the id of the last operation seen.
    """
    checked_limit(place, limit)
    with place.reading() as reader:
        last = reader.operation(cursor) if cursor is not None else None
        if cursor is not None and last is None:
            raise OperationNotFound(cursor, place.space)
        before = last["key"] if last else None
        rows = reader.operations(limit=limit, before=before, actor=actor, session=session, verb=verb)
        return [operation_value(place, reader, row) for row in rows]


def operation_value(place: Workplace, reader: Reader, row: Row) -> Operation:
    by = reader.undone_by(row["key"])
    undoable = row["changes"] > 0 and by is None and row["verb"] not in FINAL_VERBS
    return records.operation(row, place.space, undone_by=by["id"] if by else None, undoable=undoable)


def _encode(key: int) -> str:
    return base64.urlsafe_b64encode(str(key).encode()).decode()


def _decode(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    try:
        return int(base64.urlsafe_b64decode(cursor.encode()).decode())
    except (ValueError, binascii.Error, UnicodeDecodeError) as error:
        raise InvalidInput("cursor", f"{cursor!r} is not a cursor. Pass the one from the page before.") from error
