"""Going back in time with before-images: what a row was, and how an operation is undone.

A journal entry holds the old values of the columns it changed (all of them when the row was
deleted, none when it was inserted). Replaying entries backwards over a row gives the row as it was
before them. Undo follows from that alone: `left` is how the operation left a row, `before` how it
found it. If the row still is as it was left, it is put back; if not, it was changed since, and that
is a conflict.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

Row = Mapping[str, Any]
Place = tuple[str, int]  # table and integer key

# Columns that only reported use moves.
USE_COLUMNS: Mapping[str, frozenset[str]] = {
    "memories": frozenset({"stability", "difficulty", "last_used_at", "access_count", "review"}),
    "edges": frozenset({"weight", "last_used_at"}),
}


# In the image of a row that was removed for good: the id of the operation that did it.
PURGED = "purged"


class Entry(NamedTuple):
    """One journal row."""

    id: int
    operation: int
    table: str
    key: int
    action: str  # insert, update, delete; or rejected: a wording that was not stored
    image: Mapping[str, Any]


class Restoration(NamedTuple):
    """One row to put back: `values` of None removes it, `replaces` tells whether it exists now."""

    table: str
    key: int
    replaces: bool
    values: Row | None


class Conflict(NamedTuple):
    """A row that was changed since, and how."""

    table: str
    key: int
    reason: str


def by_place(entries: Iterable[Entry]) -> dict[Place, list[Entry]]:
    """Returns the entries of each row, in the order given."""
    places: dict[Place, list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.action != "rejected":
            places[entry.table, entry.key].append(entry)
    return places


def rewind(row: Row | None, entries: Sequence[Entry]) -> Row | None:
    """Returns the row as it was before the given entries, oldest first, changed it.

    None if it did not exist, or was removed for good since: of that no past is left.
    """
    if not entries:
        return row
    if any(PURGED in entry.image for entry in entries):
        return None
    state = dict(row) if row is not None else None
    for entry in reversed(entries):
        if entry.action == "insert":
            state = None
        elif entry.action == "delete" or state is None:
            state = dict(entry.image)
        else:
            state.update(entry.image)
    return state


def plan_undo(
    done: Iterable[Entry], later: Iterable[Entry], current: Mapping[Place, Row]
) -> tuple[list[Restoration], list[Conflict]]:
    """Returns what puts back every changed row, and which rows were changed since.

    `done` are the operation's entries, `later` those of the same rows after it, `current` the rows
    as they are now.
    """
    restorations: list[Restoration] = []
    conflicts: list[Conflict] = []
    since = by_place(later)
    for (table, key), entries in by_place(done).items():
        if any(PURGED in entry.image for entry in entries):
            kept = (table, key) in current
            conflicts.append(
                Conflict(table, key, "what it said then was purged" if kept else "it was purged")
            )
            continue
        now = current.get((table, key))
        left = rewind(now, since.get((table, key), []))
        before = rewind(left, entries)
        touched = _touched_columns(entries, left, before)
        problem = _changed_since(now, left, touched)
        if problem is None:
            restoration = _restoration(table, key, now, before, touched)
        elif touched == {"version"} and now is not None:
            # Only its links changed, then and since: they are undone by themselves, and count as a
            # change more.
            restoration = Restoration(table, key, True, {"version": now["version"] + 1})
        else:
            conflicts.append(Conflict(table, key, problem))
            continue
        if restoration is not None:
            restorations.append(restoration)
    return restorations, conflicts


def _restoration(
    table: str, key: int, now: Row | None, before: Row | None, touched: set[str]
) -> Restoration | None:
    if before is None:
        return None if now is None else Restoration(table, key, True, None)
    if now is None:
        return Restoration(table, key, False, before)
    changed = {column: before[column] for column in touched if before[column] != now[column]}
    return Restoration(table, key, True, changed) if changed else None


def _touched_columns(entries: Sequence[Entry], left: Row | None, before: Row | None) -> set[str]:
    """Returns the columns that must still be as the operation left them.

    All of them, if it made or removed the row.
    """
    if before is None or left is None:
        return set(left or before or {})
    return {column for entry in entries for column in entry.image}


def _changed_since(now: Row | None, left: Row | None, touched: set[str]) -> str | None:
    if left is None:
        return None if now is None else "it was brought back since"
    if now is None:
        return "it was removed since"
    changed = sorted(column for column in touched if now[column] != left[column])
    return f"changed since: {', '.join(changed)}" if changed else None
