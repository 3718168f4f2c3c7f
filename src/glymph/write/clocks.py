"""What a clock that was wrong dated ahead: finding it, and dating it anew.

The order of operations is that of their numbers; what they say of the time is information. So the
record of an operation stays as it was sealed. The rows it wrote fade, expire and leave the trash by
their moments: those are set back to when the next operation with a right date was done.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from glymph.context import Context
from glymph.errors import ClockDoubtful
from glymph.model import Receipt
from glymph.moments import AHEAD, EARLIEST, MICROS_PER_DAY, iso, micros, optional_moment
from glymph.store.contract import Row
from glymph.store.reader import Reader

VERB = "redate"
REASON = "a clock that was wrong had dated it ahead"
FAR = 30 * MICROS_PER_DAY  # ahead, of what is dated anew without being asked
DATED_ANEW = "dated_anew_operation"  # the newest operation ahead whose rows were dated anew
# Moments that the clock sets. What somebody states, such as `event_at`, may lie ahead.
STAMPS: Mapping[str, tuple[str, ...]] = {
    "memories": ("created_at", "updated_at", "state_at", "last_used_at"),
    "edges": ("created_at", "last_used_at"),
    "clusters": ("created_at",),
    "memberships": ("added_at",),
    "pages": ("updated_at",),
    "conflicts": ("raised_at", "resolved_at"),
    "tombstones": ("created_at",),
}
BORN = ("created_at", "added_at", "raised_at")


@dataclass(frozen=True, slots=True)
class Ahead:
    """What lies ahead of the clock in a space: operations, and rows by table."""

    operations: int
    first: datetime | None  # the earliest of their moments
    last: datetime | None
    rows: Mapping[str, int]

    def __bool__(self) -> bool:
        return bool(self.operations or any(self.rows.values()))

    def describe(self) -> str:
        """Returns it as a sentence."""
        parts = [f"{count:,} {table}" for table, count in self.rows.items() if count]
        if self.operations:
            dates = f"{iso(self.first)} to {iso(self.last)}"
            parts.insert(0, f"{self.operations:,} operations ({dates})")
        return f"dated ahead of the clock: {', '.join(parts)}"


def find_ahead(ctx: Context) -> Ahead:
    """Returns what a wrong clock dated ahead and nobody has put right yet."""
    now = micros(ctx.now())
    with ctx.reading() as reader:
        known = reader.counter(DATED_ANEW) or 0
        count, first, last, _ = reader.operations_ahead(now + AHEAD, known)
        rows = {
            table: len(reader.rows_ahead(table, columns, now + AHEAD))
            for table, columns in STAMPS.items()
        }
    return Ahead(count, optional_moment(first), optional_moment(last), rows)


def date_anew(ctx: Context) -> Receipt | None:
    """Sets back the moments of rows that lie ahead of the clock, as one operation.

    Undo brings them back. None if there are none. ClockDoubtful while the clock itself may be the
    one that is wrong: operations lie close ahead of it, or it shows a time before any store.
    """
    now = micros(ctx.now())
    with ctx.reading() as reader:
        if now < EARLIEST or reader.is_any_dated_between(now, now + AHEAD):
            raise ClockDoubtful(ctx.now())
    return _date_anew(ctx, now)


def date_anew_if_sure(ctx: Context) -> Receipt | None:
    """Does the same unasked, where it is plain that the clock was wrong then and is right now.

    That is so if everything ahead lies more than a month ahead, and something was done since.
    """
    now = micros(ctx.now())
    with ctx.reading() as reader:
        count, first, _, _ = reader.operations_ahead(now + AHEAD, reader.counter(DATED_ANEW) or 0)
        if not count and not reader.marks_ahead(now + AHEAD):
            return None
        done_since = reader.operations(limit=1)[0]["at"] <= now
        near = first is not None and first <= now + FAR
        if now < EARLIEST or near or not done_since or reader.is_any_dated_between(now, now + FAR):
            return None
    return _date_anew(ctx, now)


def _date_anew(ctx: Context, now: int) -> Receipt | None:
    with ctx.reading() as reader:
        count, _, _, newest = reader.operations_ahead(now + AHEAD, 0)
        changes = {table: dict(_find_changes(reader, table, now)) for table in STAMPS}
        marks = reader.marks_ahead(now + AHEAD)
    if not any(changes.values()) and not marks:
        if count:
            _note(ctx, newest, now)
        return None
    receipt = None
    if any(changes.values()):
        receipt = _write(ctx, changes)
    _note(ctx, newest, now)
    return receipt


def _write(ctx: Context, changes: Mapping[str, Mapping[int, Row]]) -> Receipt:
    chunk = ctx.settings.bulk_chunk
    with ctx.bulk(VERB, reason=REASON) as parent:
        for table, found in changes.items():
            keys = sorted(found)
            for start in range(0, len(keys), chunk):
                with ctx.operation(VERB, reason=REASON, parent=parent) as op:
                    some = keys[start : start + chunk]
                    standing = op.writer.rows([(table, key) for key in some])
                    op.writer.change(
                        table, {key: found[key] for _, key in standing if key in found}
                    )
    with ctx.reading() as reader:
        row = reader.operation_by_key(parent) or {}
    return Receipt(row["id"], VERB, hash=row["hash"])


def _note(ctx: Context, newest: int | None, now: int) -> None:
    """Notes how far operations were dealt with, and sets marks of upkeep back to now."""
    with ctx.store.writing(ctx.space, None) as writer:
        writer.set_back_marks(now, ahead=now + AHEAD)
        if newest is not None:
            writer.set_counter(DATED_ANEW, max(newest, writer.counter(DATED_ANEW) or 0))


def _find_changes(reader: Reader, table: str, now: int) -> Iterator[tuple[int, Row]]:
    """Yields the columns to change of each row of a table that lies ahead, by key."""
    rows = reader.rows_ahead(table, STAMPS[table], now + AHEAD)
    writers = reader.writers_of_rows(table, [row["key"] for row in rows])
    right = _Dates(reader, now)
    for row in rows:
        first, last = writers.get(row["key"], (0, 0))
        changed: dict[str, Any] = {}
        for column in STAMPS[table]:
            if row[column] is not None and row[column] > now + AHEAD:
                changed[column] = right.after(first if column in BORN else last)
        if table == "conflicts" and "raised_at" in changed:
            changed["expires_at"] = row["expires_at"] - row["raised_at"] + changed["raised_at"]
        if table == "memories" and row["review"] is not None:
            changed |= _set_back_review(row["review"], now, right.after(last))
        yield row["key"], changed


def _set_back_review(review: str, now: int, right: int) -> dict[str, str]:
    at, rating, stability, difficulty, since = json.loads(review)
    if max(at, since) <= now + AHEAD:
        return {}
    at = min(at, right)
    return {"review": json.dumps([at, rating, stability, difficulty, min(since, at)])}


class _Dates:
    """The right dates: for each operation that of the next one with a moment not ahead."""

    def __init__(self, reader: Reader, now: int) -> None:
        self._reader, self._now = reader, now
        self._known: list[tuple[int, int, int]] = []  # from one operation to before another: when

    def after(self, operation: int) -> int:
        """Returns when an operation was done at the latest."""
        for first, upto, at in self._known:
            if first <= operation < upto:
                return at
        key, at = self._reader.next_operation_by(operation - 1, self._now) or (2**62, self._now)
        self._known.append((operation, key + 1, at))
        return at
