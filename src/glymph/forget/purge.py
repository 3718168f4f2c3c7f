"""Removes memories for good: from rows, index, vectors and journal images, without an undo.

That a memory was there, when it went and who asked for that stays known: the journal keeps its id
and its states. The operations whose journal rows were blanked are sealed anew, and each blanked row
names the purge.

Rows go here, in the operation. Before it ends, what is left is searched for the identifiers that
the request named, however they are spelt: they are cut out of lessons drawn from what went, of
pages and of former wordings; a memory that may not be changed unasked is listed; and a rewording
that still holds one rolls everything back. `certify` says afterwards what became of each place that
may hold the text, and has stale bytes in files removed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from glymph.context import Context, OpenOperation
from glymph.decay.sections import SUMMARY_KIND
from glymph.errors import IdentifierLeft, InvalidInput, Pinned, Protected
from glymph.forget.certificate import (
    HOLDS_IT,
    QUOTES_IT,
    RESTS_ON_IT,
    Derived,
    Removal,
    certify,
    stage_certificate,
)
from glymph.forget.requests import Request
from glymph.forget.reword import (
    Held,
    cut_from_row,
    cut_out,
    find_holding,
    list_holding,
    list_spellings,
    read_identifiers,
)
from glymph.model import Receipt, State
from glymph.recall.summaries import EVER
from glymph.store.certificate import Certificate
from glymph.store.contract import Filter, Row
from glymph.store.erase import list_wordings
from glymph.store.journal import PURGED
from glymph.text.normal import STOP_WORDS
from glymph.text.query import Words
from glymph.text.quotes import SHORT, Quotes, choose_gone_name, words_of
from glymph.undo.restore import checked_ids
from glymph.write.tombstones import bury

MOST_WORDS = 5_000  # words of a removed text that are looked up, the longest first
MOST_SEARCHED = 200  # texts for which other memories that quote them are searched
MOST_QUOTING = 100  # found for each
FEWEST_QUOTED = 3  # words: a shorter text is quoted everywhere by chance
RENAMED = {"session"}  # all that is in the image of a memory whose session got another name
EVERY_STATE = Filter(states=tuple(state.value for state in State), include_superseded=True)


@dataclass(frozen=True, slots=True)
class PurgeResult:
    """A purge: what went, what is left and may repeat it, and the certificate."""

    receipt: Receipt
    derived: tuple[Derived, ...]
    certificate: Certificate


def purge(
    ctx: Context,
    ids: str | Iterable[str],
    *,
    reason: str | None = None,
    tombstone: bool = False,
    also: Sequence[str] = (),
) -> Receipt:
    """Removes memories for good like `purge_certified`; returns the receipt alone."""
    return purge_certified(ctx, ids, reason=reason, tombstone=tombstone, also=also).receipt


def purge_certified(
    ctx: Context,
    ids: str | Iterable[str],
    *,
    reason: str | None = None,
    tombstone: bool = False,
    also: Sequence[str] = (),
) -> PurgeResult:
    """Removes memories for good in one operation that has no undo.

    A protected or pinned memory among them makes the whole call fail. Memories that an undo took
    away, which the journal still holds, go as well. `tombstone` keeps them from being learnt again;
    `also` are values that nothing else may hold either, such as the identifiers of the request:
    with a tombstone, no text with one of them is taken in again.
    """
    wanted = checked_ids(ids)
    with ctx.operation("purge", reason=reason) as op:
        removal = remove_for_good(op, ctx, wanted, tombstone=tombstone, also=also)
        op.succeeded += removal
    return PurgeResult(ctx.receipt(op), removal.derived, certify(ctx, op.intent.id, removal))


def remove_for_good(
    op: OpenOperation,
    ctx: Context,
    ids: Sequence[str],
    *,
    tombstone: bool = False,
    also: Sequence[str] = (),
    staged: bool = True,
) -> Removal:
    """Removes memories for good as a part of an operation whose verb is "purge".

    When the operation has ended, call `certify` with what this returns.
    """
    rows = op.writer.memories(ids)
    for row in rows.values():
        if row["protected"]:
            raise Protected(row["id"])
        if row["pinned"]:
            raise Pinned(row["id"])
    going = {row["key"]: memory_id for memory_id, row in rows.items()} | _find_in_journal(
        op, ids, rows
    )
    if not going:
        return Removal({}, {}, Quotes(()))
    keys = list(going)
    texts = list(
        dict.fromkeys([*(row["text"] for row in rows.values()), *op.writer.past_texts(keys)])
    )
    said = [
        *(words for row in rows.values() for words in list_wordings(row)),
        *op.writer.past_words(keys),
    ]
    summaries = remove_summaries(op, keys)
    resting = op.writer.resting_directly_on(keys)
    archived = _cut_loose(op, rows)
    present = [row["key"] for row in rows.values()]
    op.writer.remove("memories", present)
    left = _Left(op, [one for one in also if one.strip() not in ids], said)
    quotes = left.quote(_join_texts(texts, also), _find_telling_words(op, said))
    _check_reason(op, left.quote([*(text for text in texts if len(text) >= SHORT), *also]))
    pages = _cut_from_pages(op, quotes, left.asked)
    cut_from_clusters(op, quotes)
    blanked = op.writer.erase(going, quotes)
    if tombstone:
        bury(op, ctx, texts, left.identifiers, by_words=True)
    edited = left.cut_from_lessons(resting, quotes)
    left.cut_from_journal(quotes)
    op.writer.rename_callers(quotes)
    gone = {key: memory_id for key, memory_id in going.items() if memory_id in set(ids)}
    op.writer.describe(
        {"purged": [one for one in ids if one in set(gone.values())], "blanked": blanked}
        | ({"archived": archived} if archived else {})
        | ({"summaries": summaries} if summaries else {})
        | ({"pages": list(pages)} if pages else {})
    )
    if staged:
        stage_certificate(op)
    derived = left.add_holding(_find_derived(op, texts, resting, going.values()))
    return Removal(gone, {}, quotes, derived, pages, tombstone or bool(also), edited)


def erase_wordings(
    op: OpenOperation,
    ctx: Context,
    ids: Sequence[str],
    *,
    tombstone: bool = False,
    also: Sequence[str] = (),
    staged: bool = True,
) -> Removal:
    """Removes for good what memories that stay said before; a part of an operation "purge".

    Call it after they were rewritten, in the same operation or a later one. Journal images, vectors
    and rejected wordings go; what they say now stays. `tombstone` keeps the former texts from being
    learnt again. A certificate is staged unless the operation completes another one.
    """
    rows = {row["key"]: row for row in op.writer.memories(ids).values()}
    for memory_id in set(ids) - {row["id"] for row in rows.values()}:
        op.fail(memory_id, "no such memory in this space")
    kept = {key: row["id"] for key, row in rows.items()}
    keys = list(kept)
    summaries = remove_summaries(op, keys)
    current = {row["text"] for row in rows.values()}
    texts = [text for text in dict.fromkeys(op.writer.past_texts(keys)) if text not in current]
    said = op.writer.past_words(keys)
    left = _Left(op, [one for one in also if one.strip() not in ids], said)
    left.check_reworded(rows.values())
    quotes = left.quote(_join_texts(texts, also), _find_telling_words(op, said))
    _check_reason(op, left.quote([*(text for text in texts if len(text) >= SHORT), *also]))
    op.writer.remove("conflicts", op.writer.conflicts_naming(kept.values()))
    pages = _cut_from_pages(op, quotes, left.asked)
    touched = cut_from_clusters(op, quotes)
    blanked = op.writer.erase_former("memories", keys, quotes, ids=list(kept.values()))
    if tombstone:
        bury(op, ctx, texts, left.identifiers, by_words=True)
    edited = left.cut_from_lessons(op.writer.resting_directly_on(keys), quotes)
    touched |= left.cut_from_journal(quotes)
    touched |= op.writer.rename_callers(quotes) or any(blanked.values())
    if kept or staged:
        op.writer.describe(
            {"rewritten": list(kept.values()), "blanked_wordings": blanked}
            | ({"summaries": summaries} if summaries else {})
        )
    if staged:
        stage_certificate(op)
    derived = left.add_holding(_find_derived(op, texts, (), kept.values()))
    return Removal({}, kept, quotes, derived, pages, tombstone or bool(also), edited, touched)


def remove_summaries(op: OpenOperation, keys: Sequence[int]) -> list[str]:
    """Removes for good what summarises these memories, or once did; returns the ids.

    Consolidation makes new ones of what stays. Pinned and protected ones stay, and are listed with
    what repeats the removed texts.
    """
    drawn = op.writer.ever_resting_on(keys) if op.writer.counter(EVER) else []
    rows = {row["id"]: row for row in op.writer.by_key(drawn, EVERY_STATE).values()}
    going = {
        row["id"]: row
        for row in rows.values()
        if row["kind"] == SUMMARY_KIND and not row["pinned"] and not row["protected"]
    }
    _cut_loose(op, going)
    op.writer.remove("memories", [row["key"] for row in going.values()])
    gone = {row["key"]: memory_id for memory_id, row in going.items()}
    there = {row["key"] for row in rows.values()}
    for entry in op.writer.entries_after([("memories", key) for key in drawn], 0):
        if entry.key not in there and entry.image.get("kind") == SUMMARY_KIND:
            gone[entry.key] = entry.image["id"]
    if gone:
        op.writer.erase(gone, Quotes(()))
    return list(gone.values())


def _join_texts(*texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for several in texts for text in several))


def _find_in_journal(
    op: OpenOperation, ids: Sequence[str], rows: Mapping[str, Row]
) -> dict[int, str]:
    """Returns ids by key of memories that an undo took away; notes on the operation the others."""
    found: dict[int, str] = {}
    lost = [one for one in ids if one not in rows]
    keys = op.writer.removed_keys(lost)
    for memory_id in lost:
        key = keys.get(memory_id)
        if key is None:
            op.fail(memory_id, "no such memory in this space")
        elif all(
            PURGED in entry.image for entry in op.writer.entries_after([("memories", key)], 0)
        ):
            op.skip(memory_id, "it was purged already")
        else:
            found[key] = memory_id
    return found


def _check_reason(op: OpenOperation, removed: Quotes) -> None:
    """Refuses a reason that says what is removed: the record of a purge stays."""
    if op.intent.reason and removed.whole(op.intent.reason):
        raise InvalidInput(
            "reason", "repeats what is to be removed, and the record of a purge stays. Reword it."
        )


def _find_telling_words(op: OpenOperation, said: Iterable[str]) -> frozenset[str]:
    """Returns the words that nothing in the space says any more, which alone would tell it."""
    words = {word for text in said for word in words_of(text)}
    words = {
        word for word in words if word not in STOP_WORDS and (len(word) > 3 or not word.isascii())
    }
    longest = sorted(words, key=lambda word: (-len(word), word))[:MOST_WORDS]
    return frozenset(word for word in longest if not op.writer.occurs(word))


def _cut_from_pages(op: OpenOperation, quotes: Quotes, asked: Sequence[Request]) -> tuple[str, ...]:
    """Cuts what pages quote whole out of them and their past; returns the names of changed ones."""
    past = op.writer.past_quoting("pages", quotes.strongly)
    changed: dict[int, str] = {}
    for page in op.writer.pages():
        cut = quotes.cut_from(page["text"]) if quotes.whole(page["text"]) else page["text"]
        if (cut := cut_out(asked, cut)) != page["text"]:
            op.writer.change("pages", {page["key"]: {"text": cut, "updated_at": op.now}})
            changed[page["key"]] = page["name"]
    op.writer.erase_former("pages", sorted({*past, *changed}), Quotes(()))
    return tuple(changed.values())


def cut_from_clusters(op: OpenOperation, quotes: Quotes) -> bool:
    """Cuts what names and rules of clusters repeat out of them and their past; tells if any did."""
    past = op.writer.past_quoting("clusters", quotes.in_json)
    rows = op.writer.clusters()
    taken = {row["name"] for row in rows}
    changed = []
    for row in rows:
        if values := clean_cluster(row, quotes.cut_out_of_name, taken):
            op.writer.change("clusters", {row["key"]: values})
            changed.append(row["key"])
    op.writer.erase_former("clusters", sorted({*past, *changed}), Quotes(()))
    return bool(past or changed)


def clean_cluster(row: Row, cut: Callable[[str], str], taken: set[str]) -> dict[str, Any]:
    """Returns the columns of a cluster that tell it, without it; its new name joins the taken."""
    values: dict[str, Any] = {}
    if (name := cut(row["name"])) != row["name"]:
        values["name"] = choose_gone_name(taken.__contains__, name)
        taken.add(values["name"])
    rule = json.loads(row["rule"] or "{}")
    kept = {part: cut(value) for part, value in rule.items()}
    if kept != rule:
        values["rule"] = json.dumps(kept, sort_keys=True)
    return values


def _find_derived(
    op: OpenOperation, texts: Sequence[str], resting: Iterable[str], without: Iterable[str]
) -> tuple[Derived, ...]:
    """Returns memories that are left and hold one of the texts, or were drawn from it."""
    found = dict.fromkeys(resting, RESTS_ON_IT)
    for text in texts[:MOST_SEARCHED]:
        if len(text.split()) < FEWEST_QUOTED:
            continue
        holds = Quotes((text,))
        # One "word" is searched as a phrase: its words in this order.
        hits = [key for key, _ in op.writer.match(Words((text,)), EVERY_STATE, limit=MOST_QUOTING)]
        rows = op.writer.by_key(hits, EVERY_STATE).values() if hits else ()
        found |= {row["id"]: QUOTES_IT for row in rows if holds.whole(row["text"])}
    gone = set(without)
    return tuple(
        Derived(memory_id, why) for memory_id, why in sorted(found.items()) if memory_id not in gone
    )


class _Left:
    """The search, inside the operation, for what is left and holds an identifier of the request."""

    def __init__(self, op: OpenOperation, identifiers: Sequence[str], said: Iterable[str]) -> None:
        self.identifiers = identifiers
        self.asked = read_identifiers(identifiers)
        self.spellings = list_spellings(self.asked, said)
        self._held = Held(self.asked) if self.asked else None
        self._op = op
        self._edited: list[str] = []

    def quote(self, texts: Iterable[str], words: frozenset[str] = frozenset()) -> Quotes:
        """Returns these texts and words with the identifiers in whatever spelling."""
        near = self._held.may_be_in if self._held else None
        return Quotes(_join_texts(texts, self.spellings), words, self._held, near)

    def check_reworded(self, rows: Iterable[Row]) -> None:
        """Raises IdentifierLeft for a rewording that still holds one: all is rolled back."""
        for row in rows if self.asked else ():
            if fields := list_holding(self.asked, row):
                raise IdentifierLeft(row["id"], fields)

    def cut_from_lessons(self, resting: Iterable[str], quotes: Quotes) -> tuple[str, ...]:
        """Cuts it out of memories drawn from what goes; returns those it was cut out of.

        Pinned and protected ones stay, as do those that would say nothing any more.
        """
        writer = self._op.writer
        found = writer.memories(list(resting)) if self.asked else {}
        for memory_id, row in found.items():
            if row["pinned"] or row["protected"] or not list_holding(self.asked, row):
                continue
            values = cut_from_row(self.asked, row)
            if values is not None:
                values |= {"updated_at": self._op.now, "version": row["version"] + 1}
                writer.change("memories", {row["key"]: values})
                self._edited.append(memory_id)
        keys = [found[one]["key"] for one in self._edited]
        if keys:
            writer.erase_former("memories", keys, quotes, ids=self._edited)
        return tuple(self._edited)

    def cut_from_journal(self, quotes: Quotes) -> bool:
        """Erases former wordings of other memories and of pages that hold one; tells if any did.

        What this operation has reworded is left to `erase_wordings`, which needs those wordings.
        """
        if not self.asked:
            return False
        writer = self._op.writer
        left = writer.left_in_journal(self.quote(()))
        rows = writer.memories(left.memories)
        own = {
            (entry.table, entry.key)
            for entry in writer.entries([writer.operation_key])
            if entry.image.keys() != RENAMED
        }
        former = {
            row["key"]: memory_id
            for memory_id, row in rows.items()
            if ("memories", row["key"]) not in own
        }
        if former:
            writer.erase_former("memories", list(former), quotes, ids=list(former.values()))
        lost = writer.removed_keys(one for one in left.memories if one not in rows)
        if undone := {key: one for one, key in lost.items()}:
            writer.erase(undone, quotes)
        return bool(former or undone)

    def add_holding(self, derived: Sequence[Derived]) -> tuple[Derived, ...]:
        """Returns the derived memories with those that still hold one and may not be changed."""
        held = find_holding(self._op.writer, self.asked, EVERY_STATE)
        found = {one.id: one for one in derived} | {one: Derived(one, HOLDS_IT) for one in held}
        return tuple(found[one] for one in sorted(found))


def _cut_loose(op: OpenOperation, rows: Mapping[str, Row]) -> list[str]:
    """Removes what names these memories; returns those archived because their successor goes.

    Versions of linked memories stay: a purge must not stand in the way of undoing what was done to
    them before.
    """
    edges, memberships = op.writer.ties([row["key"] for row in rows.values()])
    op.writer.remove("edges", edges)
    op.writer.remove("memberships", memberships)
    op.writer.remove("conflicts", op.writer.conflicts_naming(rows))
    archived: list[str] = []
    for old in op.writer.replaced_by(rows):
        if old["id"] in rows:
            continue
        values = pass_on_successor(old, rows, op.now)
        op.writer.change("memories", {old["key"]: values})
        if "state" in values:
            archived.append(old["id"])
    return archived


def pass_on_successor(old: Row, gone: Mapping[str, Row], now: int) -> dict[str, Any]:
    """Returns the new values of a replaced memory whose successor is purged: the next replaces it.

    Where there is none it is archived: it was known to be out of date, and must not pass for
    current again. A pinned one is shown again: nothing but a person's word hides it.
    """
    successor: str | None = old["superseded_by"]
    for _ in range(len(gone) + 1):
        if successor not in gone:
            break
        successor = gone[successor]["superseded_by"] if successor is not None else None
    if successor in gone or successor == old["id"] or old["pinned"]:
        successor = None
    values: dict[str, Any] = {
        "superseded_by": successor,
        "version": old["version"] + 1,
    }
    if values["superseded_by"] is None and old["state"] == State.LIVE and not old["pinned"]:
        values |= {"state": State.ARCHIVED.value, "state_at": now, "state_by": "purge"}
    return values
