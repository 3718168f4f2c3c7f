"""What stands in the way of an undo: the operation that has to be undone first."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from glymph.store.journal import (
    PURGED_ROW,
    PURGED_WORDS,
    USE_COLUMNS,
    Conflict,
    Entry,
    by_place,
)
from glymph.store.reader import Reader


def name_obstacles(
    reader: Reader, conflicts: Sequence[Conflict], later: Sequence[Entry], *, final: Collection[str]
) -> list[Conflict]:
    """Adds to each conflict the newest operation since that stands: undone first, it clears it.

    Nothing clears what was purged.
    """
    in_the_way = by_place(later) if conflicts else {}
    since = {entry.operation for c in conflicts for entry in in_the_way.get((c.table, c.key), ())}
    rows = {key: row for key in since if (row := reader.operation_by_key(key)) is not None}
    standing = {
        key: row["parent_id"] or row["id"]
        for key, row in rows.items()
        if row["verb"] not in final
        and row["undoes"] not in since
        and reader.undone_by(row["parent"] or key) is None
    }
    named: list[Conflict] = []
    for conflict in conflicts:
        entries = in_the_way.get((conflict.table, conflict.key), [])
        newest = max((e.operation for e in entries if e.operation in standing), default=None)
        columns = {column for entry in entries for column in entry.image}
        used = columns <= USE_COLUMNS.get(conflict.table, frozenset())
        reason = "it was used since" if used else conflict.reason
        if newest is not None and conflict.reason not in (PURGED_WORDS, PURGED_ROW):
            told = f"{reason}, by operation {standing[newest]}: undo that one first"
            conflict = conflict._replace(reason=told)
        named.append(conflict)
    return named
