"""The trash: what is in it, until when it can come back, and emptying it for good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from glymph.core.model import Receipt, State, Trashed
from glymph.services.certificate import certify
from glymph.services.completing import complete_certificates
from glymph.services.purge import remove_for_good
from glymph.services.workplace import Workplace, every_row
from glymph.store.contract import Filter, Row

CHUNK = 1_000
MOST_AT_ONCE = 500  # memories removed in one transaction: about a second


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
    """Removes for good what has been in the trash for its time; with `all`, everything in it. There is no undo.

    Leaves a certificate for each part, and completes those that are pending.
    """
    due = [one.id for one in trash(place) if all or one.expired]
    reason = "trash emptied" if all else "trash expired"
    if len(due) <= MOST_AT_ONCE:
        receipt = _remove(place, due, reason=reason)
    else:
        with place.bulk("purge", reason=reason) as parent:
            starts = range(0, len(due), MOST_AT_ONCE)
            parts = [_remove(place, due[start : start + MOST_AT_ONCE], parent=parent) for start in starts]
        receipt = _whole(place, parent, parts)
    complete_certificates(place)
    return receipt


def _remove(
    place: Workplace, ids: Sequence[str], *, reason: str | None = None, parent: int | None = None
) -> Receipt:
    with place.operation("purge", reason=reason, parent=parent) as op:
        erased = remove_for_good(op, place, ids)
        op.succeeded += erased
    certify(place, op.intent.id, erased, rewrite=False)  # once, when all are gone
    return place.receipt(op)


def _whole(place: Workplace, parent: int, parts: Sequence[Receipt]) -> Receipt:
    """The receipt of an operation in several transactions."""
    with place.reading() as reader:
        row = reader.operation_by_key(parent) or {}
    return replace(
        parts[0],
        operation_id=row["id"],
        hash=row["hash"],
        succeeded=tuple(one for part in parts for one in part.succeeded),
        skipped=tuple(one for part in parts for one in part.skipped),
        failed=tuple(one for part in parts for one in part.failed),
    )
