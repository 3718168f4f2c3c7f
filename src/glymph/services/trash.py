"""The trash: what is in it, until when it can come back, and emptying it for good."""

from __future__ import annotations

from glymph.core.model import Receipt, State, Trashed
from glymph.services.purge import remove_for_good
from glymph.services.workplace import Workplace, every_row
from glymph.store.contract import Filter, Row

CHUNK = 1_000
MOST_AT_ONCE = 10_000  # memories removed in one operation


def trash(place: Workplace) -> list[Trashed]:
    """What is in the trash, what expires first on top."""
    with place.reading() as reader:
        rows = list(every_row(reader, Filter(states=(State.TRASHED,), include_superseded=True), CHUNK))
    found = [_value(place, row) for row in rows]
    return sorted(found, key=lambda one: (one.recoverable_until, one.id))


def _value(place: Workplace, row: Row) -> Trashed:
    return Trashed(
        id=row["id"], title=row["title"], kind=row["kind"], by=row["state_by"],
        recoverable_until=place.trash_ends(row["state_at"]),
        expired=place.trash_ends(row["state_at"]) <= place.now(),
    )  # fmt: skip


def empty(place: Workplace, *, all: bool = False) -> Receipt:
    """Removes for good what has been in the trash for its time; with `all`, everything in it. There is no undo."""
    due = [one.id for one in trash(place) if all or one.expired]
    with place.operation("purge", reason="trash emptied" if all else "trash expired") as op:
        op.succeeded += remove_for_good(op, place, due[:MOST_AT_ONCE])
        for left in due[MOST_AT_ONCE:]:
            op.skip(left, f"at most {MOST_AT_ONCE:,} go in one operation; empty again")
    return place.receipt(op)
