"""What operations touched, by name: memories with their states before and after, and links."""

from __future__ import annotations

from collections import Counter, defaultdict

from glymph.checks import checked_id
from glymph.context import Context
from glymph.errors import OperationNotFound
from glymph.model import Audit, Touched
from glymph.recall.filters import check_limit
from glymph.recall.history import operation_value
from glymph.store.contract import Row
from glymph.store.journal import Entry, rewind
from glymph.store.reader import Reader

BOOKKEEPING = ("content_hash", "updated_at", "version", "state_at", "state_by")


def audit(ctx: Context, operation_id: str, *, limit: int = 100) -> Audit:
    """Returns one operation with what it touched, its chunks included, the first `limit` by name.

    What was removed for good since is only counted.
    """
    checked_id(operation_id, "operation_id")
    check_limit(ctx, limit)
    with ctx.reading() as reader:
        row = reader.operation(operation_id)
        if row is None:
            raise OperationNotFound(operation_id, ctx.space)
        chunks = reader.operations(limit=ctx.settings.max_page, children_of=row["key"])
        done = reader.entries([row["key"], *(chunk["key"] for chunk in chunks)])
        of_memories: dict[int, list[Entry]] = defaultdict(list)
        for entry in done:
            if entry.table == "memories" and entry.action != "rejected":
                of_memories[entry.key].append(entry)
        some = list(of_memories)[:limit]
        touched = _describe(reader, {key: of_memories[key] for key in some})
        links = Counter(entry.action for entry in done if entry.table == "edges")
        operation = operation_value(ctx, reader, row)
    return Audit(
        operation=operation,
        memories=tuple(touched),
        total=len(of_memories),
        links_made=links["insert"],
        links_changed=links["update"],
        links_dropped=links["delete"],
    )


def _describe(reader: Reader, done: dict[int, list[Entry]]) -> list[Touched]:
    """Returns memories as they stood before and after some entries."""
    places = [("memories", key) for key in done]
    rows, later = reader.rows(places), defaultdict(list)
    last = max((entries[-1].id for entries in done.values()), default=0)
    for entry in reader.entries_after(places, 0) if last else []:
        if entry.action != "rejected" and entry.id > done[entry.key][-1].id:
            later[entry.key].append(entry)
    found = []
    for key, entries in done.items():
        after = rewind(rows.get(("memories", key)), later[key])
        before = rewind(after, entries)
        known = after or before
        if known is None:
            continue  # removed for good since: nothing of it is left
        found.append(
            Touched(
                id=known["id"],
                title=known["title"],
                before=None if before is None else before["state"],
                after=None if after is None else after["state"],
                changed=_list_changed(before, after),
            )
        )
    return found


def _list_changed(before: Row | None, after: Row | None) -> tuple[str, ...]:
    """Returns the columns in which two images of a memory differ, besides the bookkeeping."""
    if before is None or after is None:
        return ()
    return tuple(
        name
        for name, value in after.items()
        if name in before and before[name] != value and name not in BOOKKEEPING
    )
