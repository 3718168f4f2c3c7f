"""Going back in time with before-images: what a row was, and how an operation is undone.

A journal entry holds the old values of the columns it changed (all of them when the row was deleted, none
when it was inserted). Replaying entries backwards over a row gives the row as it was before them. Undo
follows from that alone: `left` is how the operation left a row, `before` how it found it. If the row still
is as it was left, it is put back; if not, it was changed since, and that is a conflict.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]
Place = tuple[str, int]  # table and integer key

# Columns that only reported use moves. A use does not stand in the way of undoing how a row came to be.
USE_COLUMNS: Mapping[str, frozenset[str]] = {
    "memories": frozenset({"stability", "difficulty", "last_used_at", "access_count", "review"}),
    "edges": frozenset({"weight", "last_used_at"}),
}


@dataclass(frozen=True, slots=True)
class Entry:
    id: int
    operation: int
    table: str
    key: int
    action: str  # insert, update, delete; or rejected: a wording that was not stored
    image: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Restoration:
    """One row to put back: `values` of None removes it, `replaces` tells whether it exists now."""

    table: str
    key: int
    replaces: bool
    values: Row | None


@dataclass(frozen=True, slots=True)
class Conflict:
    table: str
    key: int
    reason: str


def by_place(entries: Iterable[Entry]) -> dict[Place, list[Entry]]:
    """The entries of each row, in the order given."""
    places: dict[Place, list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.action != "rejected":
            places[entry.table, entry.key].append(entry)
    return places


def rewind(row: Row | None, entries: Sequence[Entry]) -> Row | None:
    """The row as it was before the given entries, oldest first, changed it; None if it did not exist."""
    if not entries:
        return row
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
    """What puts back every row that an operation changed, and which rows were changed since.

    `done` are the operation's entries, `later` those of the same rows after it, `current` the rows as
    they are now.
    """
    restorations: list[Restoration] = []
    conflicts: list[Conflict] = []
    since = by_place(later)
    for place, entries in by_place(done).items():
        table, key = place
        now = current.get(place)
        left = rewind(now, since.get(place, []))
        before = rewind(left, entries)
        touched = _touched(table, entries, left, before)
        if (problem := _changed_since(now, left, touched)) is not None:
            conflicts.append(Conflict(table, key, problem))
        elif before is None:
            if now is not None:
                restorations.append(Restoration(table, key, True, None))
        elif now is None:
            restorations.append(Restoration(table, key, False, before))
        else:
            changed = {column: before[column] for column in touched if before[column] != now[column]}
            if changed:
                restorations.append(Restoration(table, key, True, changed))
    return restorations, conflicts


def _touched(table: str, entries: Sequence[Entry], left: Row | None, before: Row | None) -> set[str]:
    """The columns on which the row must still be as the operation left it."""
    if before is None or left is None:
        row = left or before or {}
        return set(row) - USE_COLUMNS.get(table, frozenset())
    return {column for entry in entries for column in entry.image}


def _changed_since(now: Row | None, left: Row | None, touched: set[str]) -> str | None:
    if left is None:
        return None if now is None else "it was brought back since"
    if now is None:
        return "it was removed since"
    changed = sorted(column for column in touched if now[column] != left[column])
    return f"changed since: {', '.join(changed)}" if changed else None
