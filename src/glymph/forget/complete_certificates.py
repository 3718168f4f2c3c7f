"""Completes erase certificates: does what could not be done when the purge ended."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from glymph.context import Context
from glymph.forget.certificate import (
    BY_KEY,
    DERIVED,
    REWRITTEN_AT_ONCE,
    UNCHECKED,
    Record,
    check_derived,
    list_statuses,
    read_record,
    reclaim_bytes,
    replace_statuses,
    report_unchecked,
    save_record,
)
from glymph.forget.purge import erase_wordings, remove_for_good
from glymph.store.certificate import PENDING, Certificate
from glymph.store.erase_places import PAGES, Removed
from glymph.store.reader import Reader
from glymph.text.quotes import Quotes

REASON = "completing a certificate: former wordings that repeated what was purged"


def complete_certificates(ctx: Context, *, compact: bool = False) -> list[Certificate]:
    """Brings the pending certificates of the space as far as they can be now, oldest first.

    Former wordings that repeated what was purged are erased, the store is rewritten if it is small
    or if `compact` says so, and its log is emptied unless a reader that began before still needs
    it.
    """
    with ctx.reading() as reader:
        records = [read_record(row) for row in reader.pending_certificates()]
    if not records:
        return []
    records = [_follow_up(ctx, record) for record in records]
    small = compact or ctx.store.size() <= REWRITTEN_AT_ONCE
    return [save_record(ctx, record).value for record in reclaim_bytes(ctx, records, rewrite=small)]


def _follow_up(ctx: Context, record: Record) -> Record:
    """Erases former wordings of what was edited since, then looks for what is left by key."""
    with ctx.reading() as reader:
        rows = reader.memories([*record.quoting, *record.held])
        edited = [
            one for one in record.quoting if one in rows and rows[one]["updated_at"] > record.at
        ]
        held = [
            one for one in record.held if one in rows and reader.former_left([rows[one]["key"]])
        ]
        undone = [one for one in record.held if one not in rows]  # only the journal has them
        found = (reader.page_text(name) for name in record.pages)
        pages = [page for page in found if page is not None]
        rewritten = [page for page in pages if page["updated_at"] > record.at]
    if edited or held or undone or rewritten:
        with ctx.operation("purge", reason=REASON) as op:
            if edited or held:
                erase_wordings(op, ctx, [*edited, *held], staged=False)
            if undone:
                remove_for_good(op, ctx, undone, staged=False)
            op.writer.erase_former("pages", [page["key"] for page in rewritten], Quotes(()))
    waiting = [page["name"] for page in pages if page not in rewritten]
    quoting = [one for one in record.quoting if one in rows and one not in edited]
    with ctx.reading() as reader:
        left = replace(record, quoting=tuple(quoting), held=(), pages=tuple(waiting))
        return _check_by_key(ctx, reader, left)


def _check_by_key(ctx: Context, reader: Reader, record: Record) -> Record:
    """Returns the record with what is left of the removed memories, looked for by key."""
    row = reader.operation(record.operation)
    details = json.loads(row["details"]) if row else {}
    gone = _find_removed_keys(reader, row["key"] if row else 0, details.get("purged", []))
    former = [found["key"] for found in reader.memories(details.get("rewritten", [])).values()]
    left = reader.leftovers(Removed(row["key"] if row else 0, gone, former))
    unchecked = any(one.how == UNCHECKED for one in record.places)
    pending = {one.name for one in record.places if one.status == PENDING}
    anew = [one for one in list_statuses(left, BY_KEY) if unchecked or one.name in pending]
    if record.pages:
        said = f"{', '.join(record.pages)} repeats it: rewrite it"
        anew = [
            replace(one, status=PENDING, detail=said) if one.name == PAGES else one for one in anew
        ]
    if unchecked or DERIVED in pending:
        anew.append(check_derived(record.quoting, ()))
    return replace_statuses(record, [*anew, *(report_unchecked(ctx) if unchecked else [])])


def _find_removed_keys(reader: Reader, operation: int, ids: Sequence[str]) -> dict[int, str]:
    """Returns ids by key of what a purge removed: those in its own journal, or undone before it."""
    removed = [
        entry
        for entry in reader.entries([operation])
        if (entry.table, entry.action) == ("memories", "delete")
    ]
    found = {entry.key: str(entry.image["id"]) for entry in removed}
    others = reader.removed_keys(set(ids) - set(found.values()))
    return found | {key: memory_id for memory_id, key in others.items()}
