"""Going back in time with before-images: what a row was, and how an operation is undone.

A journal entry holds the old values of the columns it changed (all of them when the row was
deleted, none when it was inserted). Replaying entries backwards over a row gives the row as it was
before them. Undo follows from that alone: `left` is how the operation left a row, `before` how it
found it. If the row still is as it was left, it is put back; if not, it was changed since, and that
is a conflict.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import groupby
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
# In an image: how many earlier changes of the row are folded into this one.
FOLDED = "folded"


class Entry(NamedTuple):
    """One journal row."""

    id: int
    operation: int
    table: str
    key: int
    action: str  # insert, update, delete; or rejected: a wording that was not stored
    image: Mapping[str, Any]


class WholeEntry(NamedTuple):
    """One journal row with both its images."""

    id: int
    operation: int
    table: str
    key: int
    action: str
    image: Mapping[str, Any]
    after: Mapping[str, Any]


class Folding(NamedTuple):
    """What becomes of journal rows: new images of those that stay changed, and those that go."""

    kept: Mapping[int, tuple[Row, Row]]
    gone: Sequence[int]


class Restoration(NamedTuple):
    """One row to put back: `values` of None removes it, `replaces` tells whether it exists now."""

    table: str
    key: int
    replaces: bool
    values: Row | None


PURGED_WORDS, PURGED_ROW = "what it said then was purged", "it was purged"


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
    if state is not None:
        state.pop(FOLDED, None)
    return state


def passes_folded_uses(entries: Iterable[Entry]) -> bool:
    """Tells whether rewinding these entries skips uses of which only the first figures are left."""
    return any(entry.action == "update" and FOLDED in entry.image for entry in entries)


def fold_life(entries: Sequence[WholeEntry], purges: Container[str]) -> Folding:
    """Folds all entries of one row, oldest first, into what it was after the last of them.

    The entry by which it came into being stays, and with it who made it and when. Of a row that was
    gone by then nothing stays. `purges` are the ids of purges that are themselves not folded: what
    they blanked goes on naming them.
    """
    born: WholeEntry | None = None
    values: dict[str, Any] = {}
    for entry in entries:
        if entry.action == "insert":
            born, values = entry, dict(entry.after)
        elif entry.action == "update":
            values.update(entry.after)
        elif entry.action == "delete":
            born = None
    if born is not None and len(entries) == 1:
        return Folding({}, ())
    gone = [entry.id for entry in entries if entry is not born]
    if born is None:
        return Folding({}, gone)
    if born.table == "memories":
        values.pop("text", None)  # as in the journal of every new memory, its hash vouches for it
    image: dict[str, Any] = {FOLDED: _count(entries) - 1}
    by = [entry.image[PURGED] for entry in entries if entry.image.get(PURGED, "") in purges]
    if by:
        image[PURGED] = by[0]
    return Folding({born.id: (image, values)}, gone)


def fold_uses(entries: Sequence[WholeEntry], foldable: Container[int]) -> Folding:
    """Folds uses of one row that follow one another, oldest first, into the last of them.

    `foldable` are operations that did nothing but report uses.
    """
    kept: dict[int, tuple[Row, Row]] = {}
    gone: list[int] = []
    for used, run in groupby(entries, lambda entry: _is_use(entry) and entry.operation in foldable):
        uses = list(run)
        if not used or len(uses) < 2:
            continue
        image: dict[str, Any] = {}
        after: dict[str, Any] = {}
        for entry in uses:
            image = {**entry.image, **image}
            after.update(entry.after)
        kept[uses[-1].id] = ({**image, FOLDED: _count(uses) - 1}, after)
        gone += [entry.id for entry in uses[:-1]]
    return Folding(kept, gone)


def _is_use(entry: WholeEntry) -> bool:
    columns = entry.image.keys() - {FOLDED}
    return entry.action == "update" and columns <= USE_COLUMNS.get(entry.table, frozenset())


def _count(entries: Iterable[WholeEntry]) -> int:
    """Returns how many changes these entries stand for."""
    return sum(1 + entry.image.get(FOLDED, 0) for entry in entries)


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
            conflicts.append(Conflict(table, key, PURGED_WORDS if kept else PURGED_ROW))
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
