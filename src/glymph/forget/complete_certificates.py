"""The job that completes erase certificates: it does what could not be done when the purge ended."""

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
    checked,
    derived_status,
    record_of,
    report_unchecked,
    save,
    settled,
    with_statuses,
)
from glymph.forget.purge import erase_wordings, remove_for_good
from glymph.store.certificate import PENDING, Certificate
from glymph.store.erase_places import PAGES, Removed
from glymph.store.reader import Reader
from glymph.text.quotes import Quotes

REASON = "completing a certificate: former wordings that repeated what was purged"


def complete_certificates(ctx: Context, *, compact: bool = False) -> list[Certificate]:
    """Brings the pending certificates of the space as far as they can be now, and gives them back,
    oldest first.

    Former wordings that repeated what was purged are erased, the store is written anew if it is
    small or if `compact` says so, and its log is emptied unless a reader that began before still
    needs it.
    """
    with ctx.reading() as reader:
        records = [record_of(row) for row in reader.pending_certificates()]
    if not records:
        return []
    records = [_followed(ctx, record) for record in records]
    small = compact or ctx.store.size() <= REWRITTEN_AT_ONCE
    return [save(ctx, record).value for record in settled(ctx, records, rewrite=small)]


def _followed(ctx: Context, record: Record) -> Record:
    """The record after what was edited since has lost its former wordings, and keys were looked for
    again.
    """
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
        return _checked_by_key(ctx, reader, left)


def _checked_by_key(ctx: Context, reader: Reader, record: Record) -> Record:
    """Looks again for what belongs to the removed memories by key; names what is left."""
    row = reader.operation(record.operation)
    details = json.loads(row["details"]) if row else {}
    gone = _keys(reader, row["key"] if row else 0, details.get("purged", []))
    former = [found["key"] for found in reader.memories(details.get("rewritten", [])).values()]
    left = reader.leftovers(Removed(row["key"] if row else 0, gone, former))
    unchecked = any(one.how == UNCHECKED for one in record.places)
    pending = {one.name for one in record.places if one.status == PENDING}
    anew = [one for one in checked(left, BY_KEY) if unchecked or one.name in pending]
    if record.pages:
        said = f"{', '.join(record.pages)} repeats it: rewrite it"
        anew = [
            replace(one, status=PENDING, detail=said) if one.name == PAGES else one for one in anew
        ]
    if unchecked or DERIVED in pending:
        anew.append(derived_status(record.quoting, ()))
    return with_statuses(record, [*anew, *(report_unchecked(ctx) if unchecked else [])])


def _keys(reader: Reader, operation: int, ids: Sequence[str]) -> dict[int, str]:
    """The ids by key of what a purge removed: its own journal has those, but not what an undo had
    taken before.
    """
    removed = [
        entry
        for entry in reader.entries([operation])
        if (entry.table, entry.action) == ("memories", "delete")
    ]
    found = {entry.key: str(entry.image["id"]) for entry in removed}
    for memory_id in set(ids) - set(found.values()):
        if (key := reader.removed_key(memory_id)) is not None:
            found[key] = memory_id
    return found
