"""Erase certificates: what became of each place that may hold what a purge removed.

A certificate is staged in the purge's own transaction, so that a killed process leaves one that is
pending, not none. `certify` looks through the rows while the removed texts are still in hand. They
are kept nowhere, nor is a fingerprint of them: what is left to do then needs none. The store is
rewritten, which copies rows and no stale bytes, its log is emptied once no reader needs it, and
memories or pages that still quote are known by name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from glymph.context import Context, OpenOperation
from glymph.errors import OperationNotFound
from glymph.moments import micros, moment
from glymph.store.certificate import (
    CLEAN,
    PENDING,
    Certificate,
    PlaceStatus,
    is_complete,
    is_settled,
)
from glymph.store.contract import Row
from glymph.store.erase import choose_names
from glymph.store.erase_places import (
    CALLERS,
    IN_TRANSACTION,
    JOURNAL,
    PAGES,
    PLACES,
    Leftover,
    Removed,
)
from glymph.text.quotes import Quotes

# Bytes up to which a store is rewritten at once: others cannot write meanwhile, for under a second
# here.
REWRITTEN_AT_ONCE = 64 * 1024 * 1024
SAID_AGAIN = {
    "operations", "plans", "recall log", "conflicts", "job queue", "session digests", CALLERS,
}  # fmt: skip
DERIVED = "derived memories"
UNCHECKED = "not checked yet"
NO_KEEPER = "no part that keeps it is registered: open the store with Glymph.open"
BY_KEY = f"{IN_TRANSACTION}; looked for by key only, for the text is not kept"
RESTS_ON_IT, QUOTES_IT, HOLDS_IT = "rests on it", "quotes it", "holds the identifier"


@dataclass(frozen=True, slots=True)
class Derived:
    """A memory that is left and may repeat what was removed."""

    id: str
    why: str  # RESTS_ON_IT, QUOTES_IT or HOLDS_IT


@dataclass(frozen=True, slots=True)
class Removal:
    """The memories and texts that a part of a purge took away.

    As an iterable, it is the ids of the memories that went. It holds the removed texts (`quotes`)
    for as long as it lives and is never stored.
    """

    memories: Mapping[int, str]  # ids by key
    former: Mapping[int, str]  # kept memories whose former wordings went, ids by key
    quotes: Quotes
    derived: tuple[Derived, ...] = ()
    pages: tuple[str, ...] = ()  # from which it was cut out
    on_request: bool = False  # by somebody who wants what it says gone
    edited: tuple[str, ...] = ()  # memories drawn from it, from which it was cut out
    touched: bool = False  # something else in the store held it

    @property
    def found(self) -> bool:
        """Whether anything in the store held what was to go."""
        told = (self.memories, self.former, self.derived, self.pages, self.edited, self.touched)
        return any(told)

    def __iter__(self) -> Iterator[str]:
        return iter(self.memories.values())

    def __len__(self) -> int:
        return len(self.memories)


@dataclass(frozen=True, slots=True)
class Record:
    """A certificate as it is stored: the status of each place, and what still has to change.

    `quoting` are memories that repeat what was removed, `held` those that did once, `pages` the
    names of pages that do.
    """

    operation: str
    at: int
    places: tuple[PlaceStatus, ...] = ()
    rewritten: bool = False
    quoting: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    completed_at: int | None = None
    found: bool = True

    @property
    def value(self) -> Certificate:
        done = None if self.completed_at is None else moment(self.completed_at)
        whole = self.found and is_complete(self.places)
        places = self.places if self.found else ()
        return Certificate(self.operation, moment(self.at), places, whole, done, self.found)


def stage_certificate(op: OpenOperation) -> None:
    """Leaves a pending certificate with the purge, whatever becomes of the process."""
    waiting = PlaceStatus("every place", PENDING, UNCHECKED)
    record = Record(op.intent.id, op.intent.at, (waiting,))
    op.writer.save_certificate(
        record.operation, at=record.at, body=_write_body(record), completed_at=None
    )


def certify(
    ctx: Context, operation_id: str, *parts: Removal, rewrite: bool | None = None
) -> Certificate:
    """Looks through every place after a purge has ended, and records the outcome.

    `parts` are what `remove_for_good` and `erase_wordings` returned. `rewrite` has the store
    rewritten, which removes stale bytes and keeps other writers waiting; by default a small one is.
    """
    if not any(part.memories or part.former or part.quotes for part in parts):
        return Certificate(operation_id, ctx.now(), (), complete=False, found=False)
    removal = _join(parts)
    ctx = _sign_anew(ctx, removal.quotes)
    with ctx.reading() as reader:
        row = reader.operation(operation_id)
        if row is None:
            raise OperationNotFound(operation_id, ctx.space)
        words = removal.quotes.words
        rare = frozenset(word for word in words if not reader.occurs(word))  # not said again since
    quotes = replace(removal.quotes, words=rare)
    left = _find_leftovers(
        ctx, Removed(row["key"], removal.memories, list(removal.former), quotes), quotes
    )
    with ctx.reading() as reader:
        derived = reader.memories([one.id for one in removal.derived])
    held = {one.id for one in removal.derived if one.why == HOLDS_IT}
    quoting = tuple(
        one for one, found in derived.items() if one in held or removal.quotes.whole(found["text"])
    )
    if removal.edited:
        ctx.settle_soon(removal.edited)
    resting = [one.id for one in removal.derived if one.why == RESTS_ON_IT and one.id in derived]
    in_journal = left.get(JOURNAL, Leftover(0)).without(quoting)  # those are named by themselves
    apart = _erase_apart(ctx, removal.quotes, on_request=removal.on_request)
    statuses = (
        *list_statuses({**left, JOURNAL: in_journal}), check_derived(quoting, resting), *apart,
    )  # fmt: skip
    found = removal.found or any(one.detail for one in apart) or not is_complete(statuses)
    pages = tuple({*left.get(PAGES, Leftover(0)).pages, *in_journal.pages})
    record = Record(
        operation_id, row["at"], statuses, False, quoting, in_journal.memories, pages, found=found
    )
    small = ctx.store.size() <= REWRITTEN_AT_ONCE if rewrite is None else rewrite
    return save_record(ctx, reclaim_bytes(ctx, [record], rewrite=small)[0]).value


def _sign_anew(ctx: Context, quotes: Quotes) -> Context:
    """Returns the context without names that repeat what was removed: it will write, too."""
    known = choose_names([ctx.session] if ctx.session else (), [ctx.actor], quotes.strongly)
    return replace(
        ctx,
        actor=known.actors.get(ctx.actor, ctx.actor),
        session=None if ctx.session in known.sessions else ctx.session,
    )


def _join(parts: Sequence[Removal]) -> Removal:
    """Returns the parts of a purge as one."""
    memories = {key: one for part in parts for key, one in part.memories.items()}
    former = {key: one for part in parts for key, one in part.former.items()}
    derived = {one.id: one for part in parts for one in part.derived}
    return Removal(
        memories,
        {key: one for key, one in former.items() if key not in memories},
        Quotes(
            tuple(dict.fromkeys(text for part in parts for text in part.quotes.texts)),
            frozenset(word for part in parts for word in part.quotes.words),
            _any_of([part.quotes.also for part in parts if part.quotes.also]),
            _any_of([near for part in parts if (near := part.quotes.perhaps or part.quotes.also)]),
        ),
        tuple(derived.values()),
        on_request=any(part.on_request for part in parts),
        edited=tuple(dict.fromkeys(one for part in parts for one in part.edited)),
        touched=any(part.found for part in parts),
    )


def _any_of(tests: Sequence[Callable[[str], bool]]) -> Callable[[str], bool] | None:
    """Returns what tells whether one of the tests holds."""
    return (lambda text: any(test(text) for test in tests)) if tests else None


def _find_leftovers(ctx: Context, removed: Removed, quotes: Quotes) -> dict[str, Leftover]:
    """Returns what is left in the store, after erasing what was said again since the purge."""
    with ctx.reading() as reader:
        left = reader.leftovers(removed)
    if SAID_AGAIN.isdisjoint(left):
        return left
    # Somebody who had just read it repeated it in a query, a reason or a plan.
    with ctx.operation("purge", reason="said again while it was purged") as op:
        op.writer.erase_former("memories", (), quotes)
        op.writer.rename_callers(quotes)
    with ctx.reading() as reader:
        return reader.leftovers(removed)


def list_statuses(left: Mapping[str, Leftover], how: str | None = None) -> list[PlaceStatus]:
    """Returns the status of each declared place in the store, given what is left there."""
    statuses = []
    for place in PLACES:
        if place.apart:
            continue
        said = how if how and (place.left or place.quoted) else f"{place.erased}; {place.checked}"
        statuses.append(_check_place(place.name, left.get(place.name, Leftover(0)), said))
    return statuses


def _check_place(name: str, left: Leftover, how: str) -> PlaceStatus:
    if not left.rows:
        alike = ", ".join(left.similar)
        detail = f"former wordings of {alike} share words with it: erase them if they tell it"
        return PlaceStatus(name, CLEAN, how, detail if alike else "")
    if left.memories:
        detail = f"former wordings of {', '.join(left.memories)} repeat it"
    elif left.pages:
        detail = f"{', '.join(left.pages)} repeats it: rewrite it"
    else:
        detail = f"{left.rows} rows are left"
    return PlaceStatus(name, PENDING, how, detail)


def check_derived(quoting: Sequence[str], resting: Sequence[str]) -> PlaceStatus:
    """Returns the status of the memories that may repeat what was removed."""
    how = "found by the text index and by links"
    listed = f"drawn from it: {', '.join(resting)}" if resting else ""
    if not quoting:
        return PlaceStatus(DERIVED, CLEAN, how, listed)
    detail = "; ".join(filter(None, [f"edit or forget {', '.join(quoting)}: holds it", listed]))
    return PlaceStatus(DERIVED, PENDING, how, detail)


def _erase_apart(ctx: Context, quotes: Quotes, *, on_request: bool) -> list[PlaceStatus]:
    """Has every part that keeps texts of its own erase them, and returns what each reports."""
    keepers = ctx.text_keepers()
    reported = [
        one for keeper in keepers for one in keeper.erase(ctx, quotes, on_request=on_request)
    ]
    return [*reported, *_name_missing(reported)]


def report_unchecked(ctx: Context) -> list[PlaceStatus]:
    """Returns what those parts report of a purge that was killed before they were asked."""
    reported = [one for keeper in ctx.text_keepers() for one in keeper.report_unchecked(ctx)]
    return [*reported, *_name_missing(reported)]


def _name_missing(reported: Iterable[PlaceStatus]) -> list[PlaceStatus]:
    """Names the places that a text keeper should have reported and none did."""
    known = {one.name for one in reported}
    missing = (place for place in PLACES if place.apart and place.name not in known)
    return [PlaceStatus(place.name, PENDING, NO_KEEPER) for place in missing]


def reclaim_bytes(ctx: Context, records: Sequence[Record], *, rewrite: bool) -> list[Record]:
    """Removes stale bytes from the store's files as far as others let it; notes that in records."""
    needed = [record for record in records if not record.rewritten]
    outcome = ctx.store.settle(rewrite=bool(needed) and rewrite)
    result = []
    for record in records:
        rewritten = record.rewritten or outcome.rewritten
        files = outcome.places(rewritten=rewritten)
        names = {one.name for one in files}
        others = tuple(one for one in record.places if one.name not in names)
        result.append(replace(record, places=others + files, rewritten=rewritten))
    return result


# the stored record


def list_certificates(
    ctx: Context, *, pending: bool = False, limit: int = 100
) -> list[Certificate]:
    """Returns the certificates of the space, newest first; with `pending`, the incomplete ones."""
    with ctx.reading() as reader:
        if pending:
            rows = list(reversed(reader.pending_certificates()))
        else:
            rows = reader.certificates(limit=limit)
        return [read_record(row).value for row in rows[:limit]]


def save_record(ctx: Context, record: Record) -> Record:
    """Stores the record; it is settled now if no place is pending, or if nothing was found."""
    if is_settled(record.places) or not record.found:
        record = replace(record, completed_at=micros(ctx.now()))
    with ctx.store.writing(ctx.space, None) as writer:
        writer.save_certificate(
            record.operation,
            at=record.at,
            body=_write_body(record),
            completed_at=record.completed_at,
        )
    return record


def read_record(row: Row) -> Record:
    """Returns the record in a row."""
    body = json.loads(row["body"])
    return Record(
        operation=row["operation"],
        at=row["at"],
        places=tuple(PlaceStatus(*one) for one in body["places"]),
        rewritten=body["rewritten"],
        quoting=tuple(body["quoting"]),
        held=tuple(body["held"]),
        pages=tuple(body["pages"]),
        completed_at=row["completed_at"],
        found=body.get("found", True),
    )


def _write_body(record: Record) -> str:
    body = {
        "places": [[one.name, one.status, one.how, one.detail] for one in record.places],
        "rewritten": record.rewritten,
        "quoting": record.quoting,
        "held": record.held,
        "pages": record.pages,
        "found": record.found,
    }
    return json.dumps(body, ensure_ascii=False)


def replace_statuses(record: Record, anew: Iterable[PlaceStatus]) -> Record:
    """Returns the record with these statuses in the place of those of the same names."""
    by_name = {one.name: one for one in anew}
    kept = [by_name.pop(one.name, one) for one in record.places if one.how != UNCHECKED]
    return replace(record, places=(*kept, *by_name.values()))
