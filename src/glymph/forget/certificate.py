"""Erase certificates: what became of each place that may hold what a purge removed.

A certificate is staged in the purge's own transaction, so that a killed process leaves one that is
pending, not none. `certify` looks through the rows while the removed texts are still in hand. They
are kept nowhere, nor is a fingerprint of them: what is left to do then needs none. The store is
written anew, which copies rows and no stale bytes, its log is emptied once no reader needs it, and
memories or pages that still quote are known by name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from glymph.context import Context, Operating
from glymph.errors import OperationNotFound
from glymph.moments import micros, moment
from glymph.store.certificate import (
    CLEAN,
    OUT_OF_REACH,
    PENDING,
    Certificate,
    PlaceStatus,
    is_complete,
)
from glymph.store.contract import Row
from glymph.store.erase_places import IN_TRANSACTION, JOURNAL, PAGES, PLACES, Leftover, Removed
from glymph.store.reader import Reader
from glymph.text.quotes import Quotes

if TYPE_CHECKING:
    from glymph.forget.purge import Erased

# Bytes up to which a store is written anew at once: others cannot write meanwhile, for under a
# second here.
REWRITTEN_AT_ONCE = 64 * 1024 * 1024
QUOTED_ANEW = {"operations", "plans", "recall log", "conflicts", "job queue", "session digests"}
DERIVED = "derived memories"
UNCHECKED = "not checked yet"
NO_KEEPER = "no part that keeps it is registered: open the store with Glymph.open"
BY_KEY = f"{IN_TRANSACTION}; looked for by key only, for the text is not kept"


@dataclass(frozen=True, slots=True)
class Record:
    """A certificate as it is stored: the status of each place, and by name what still has to
    change.

    `quoting` are memories that repeat what was removed, `held` those that did once, `pages`
    likewise by name.
    """

    operation: str
    at: int
    places: tuple[PlaceStatus, ...] = ()
    rewritten: bool = False
    quoting: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    completed_at: int | None = None

    @property
    def value(self) -> Certificate:
        done = None if self.completed_at is None else moment(self.completed_at)
        return Certificate(
            self.operation, moment(self.at), self.places, is_complete(self.places), done
        )


def stage(op: Operating) -> None:
    """Leaves a pending certificate with the purge, whatever becomes of the process."""
    waiting = PlaceStatus("every place", PENDING, UNCHECKED)
    record = Record(op.intent.id, op.intent.at, (waiting,))
    op.writer.save_certificate(
        record.operation, at=record.at, body=_body(record), completed_at=None
    )


def certify(
    ctx: Context, operation_id: str, *erased: Erased, rewrite: bool | None = None
) -> Certificate:
    """Looks through every place after a purge has ended, with what its parts gave back, and records
    the outcome.

    `rewrite` has the store written anew, which removes stale bytes and keeps other writers waiting
    meanwhile; left out, a small store is.
    """
    if not any(part.memories or part.former for part in erased):
        return Certificate(operation_id, ctx.now(), (), True)
    memories = {key: one for part in erased for key, one in part.memories.items()}
    former = {
        key: one for part in erased for key, one in part.former.items() if key not in memories
    }
    quotes = Quotes(
        tuple(dict.fromkeys(text for part in erased for text in part.quotes.texts)),
        frozenset(word for part in erased for word in part.quotes.words),
    )
    derived = {one.id: one.why for part in erased for one in part.derived}
    with ctx.reading() as reader:
        row = reader.operation(operation_id)
        if row is None:
            raise OperationNotFound(operation_id, ctx.space)
        removed = Removed(row["key"], memories, list(former), _still_rare(reader, quotes))
        left = reader.leftovers(removed)
    if (
        QUOTED_ANEW & left.keys() and removed.quotes is not None
    ):  # since the purge ended, by somebody who had just read it
        with ctx.operation("purge", reason="said again while it was purged") as op:
            op.writer.erase_former("memories", (), removed.quotes)
    with ctx.reading() as reader:
        left = reader.leftovers(removed) if QUOTED_ANEW & left.keys() else left
        rows = reader.memories(derived)
        quoting = tuple(one for one, found in rows.items() if quotes.whole(found["text"]))
    others = left.get(JOURNAL, Leftover(0)).without(quoting)  # those are named by themselves
    left = {**left, JOURNAL: others}
    resting = [one for one in rows if derived[one] == "rests on it"]
    kept_apart = _erase_apart(ctx, quotes, on_request=any(part.on_request for part in erased))
    statuses = [*checked(left), derived_status(quoting, resting), *kept_apart]
    pages = tuple({*left.get(PAGES, Leftover(0)).pages, *others.pages})
    record = Record(
        operation_id, row["at"], tuple(statuses), False, quoting, others.memories, pages
    )
    small = ctx.store.size() <= REWRITTEN_AT_ONCE if rewrite is None else rewrite
    return save(ctx, settled(ctx, [record], rewrite=small)[0]).value


def certificates(ctx: Context, *, pending: bool = False, limit: int = 100) -> list[Certificate]:
    """The certificates of the space, newest first; with `pending`, just those that are not
    complete.
    """
    with ctx.reading() as reader:
        rows = (
            list(reversed(reader.pending_certificates()))
            if pending
            else reader.certificates(limit=limit)
        )
    return [record_of(row).value for row in rows[:limit]]


def _erase_apart(ctx: Context, quotes: Quotes, *, on_request: bool) -> list[PlaceStatus]:
    """Has every part that keeps texts of its own erase them, and returns what each reports."""
    keepers = ctx.text_keepers()
    reported = [
        one for keeper in keepers for one in keeper.erase(ctx, quotes, on_request=on_request)
    ]
    return [*reported, *_unreported(reported)]


def report_unchecked(ctx: Context) -> list[PlaceStatus]:
    """Returns what those parts report of a purge that was killed before they were asked."""
    reported = [one for keeper in ctx.text_keepers() for one in keeper.report_unchecked(ctx)]
    return [*reported, *_unreported(reported)]


def _unreported(reported: Iterable[PlaceStatus]) -> list[PlaceStatus]:
    """Names the places that a text keeper should have reported and none did."""
    known = {one.name for one in reported}
    missing = (place for place in PLACES if place.apart and place.name not in known)
    return [PlaceStatus(place.name, PENDING, NO_KEEPER) for place in missing]


def _still_rare(reader: Reader, quotes: Quotes) -> Quotes:
    """Of the telling words those that nobody has said again since."""
    return Quotes(quotes.texts, frozenset(word for word in quotes.words if not reader.occurs(word)))


def checked(left: Mapping[str, Leftover], how: str | None = None) -> list[PlaceStatus]:
    """The status of each registered place, given what is left there."""
    statuses = []
    for place in PLACES:
        if place.apart:
            continue
        found = left.get(place.name)
        said = how if how and (place.left or place.quoted) else f"{place.erased}; {place.checked}"
        if found is None or not found.rows:
            alike = ", ".join(found.similar) if found else ""
            detail = (
                f"former wordings of {alike} share words with it: erase them if they tell it"
                if alike
                else ""
            )
            statuses.append(PlaceStatus(place.name, CLEAN, said, detail))
        elif place.name == "clusters":
            detail = f"the name or rule of {found.rows} repeats it: rename it"
            statuses.append(PlaceStatus(place.name, OUT_OF_REACH, said, detail))
        else:
            statuses.append(PlaceStatus(place.name, PENDING, said, _left(found)))
    return statuses


def _left(found: Leftover) -> str:
    if found.memories:
        return f"former wordings of {', '.join(found.memories)} repeat it"
    return (
        f"{', '.join(found.pages)} repeats it: rewrite it"
        if found.pages
        else f"{found.rows} rows are left"
    )


def derived_status(quoting: Sequence[str], resting: Sequence[str]) -> PlaceStatus:
    """The status of the memories that may repeat what was removed."""
    how = "found by the text index and by links"
    listed = f"drawn from it: {', '.join(resting)}" if resting else ""
    if not quoting:
        return PlaceStatus(DERIVED, CLEAN, how, listed)
    detail = "; ".join(filter(None, [f"edit or forget {', '.join(quoting)}: quotes it", listed]))
    return PlaceStatus(DERIVED, PENDING, how, detail)


def settled(ctx: Context, records: Sequence[Record], *, rewrite: bool) -> list[Record]:
    """The records with the store's files as they are now, after removing stale bytes as far as
    others let it.
    """
    needed = [record for record in records if not record.rewritten]
    outcome = ctx.store.settle(rewrite=bool(needed) and rewrite)
    result = []
    for record in records:
        rewritten = record.rewritten or outcome.rewritten
        own = {one.name for one in outcome.places(rewritten=rewritten)}
        others = tuple(one for one in record.places if one.name not in own)
        result.append(
            replace(
                record, places=others + outcome.places(rewritten=rewritten), rewritten=rewritten
            )
        )
    return result


def save(ctx: Context, record: Record) -> Record:
    """Stores the record; it is completed now if no place is pending any more."""
    if is_complete(record.places):
        record = replace(record, completed_at=micros(ctx.now()))
    with ctx.store.writing(ctx.space, None) as writer:
        writer.save_certificate(
            record.operation, at=record.at, body=_body(record), completed_at=record.completed_at
        )
    return record


def record_of(row: Row) -> Record:
    """The record in a row."""
    body = json.loads(row["body"])
    return Record(
        operation=row["operation"], at=row["at"], places=tuple(PlaceStatus(*one) for one in body["places"]),
        rewritten=body["rewritten"], quoting=tuple(body["quoting"]), held=tuple(body["held"]),
        pages=tuple(body["pages"]), completed_at=row["completed_at"],
    )  # fmt: skip


def _body(record: Record) -> str:
    body: dict[str, Any] = {
        "places": [[one.name, one.status, one.how, one.detail] for one in record.places],
        "rewritten": record.rewritten, "quoting": record.quoting, "held": record.held, "pages": record.pages,
    }  # fmt: skip
    return json.dumps(body, ensure_ascii=False)


def with_statuses(record: Record, anew: Iterable[PlaceStatus]) -> Record:
    """The record with these statuses in the place of those of the same names."""
    by_name = {one.name: one for one in anew}
    kept = [by_name.pop(one.name, one) for one in record.places if one.how != UNCHECKED]
    return replace(record, places=(*kept, *by_name.values()))
