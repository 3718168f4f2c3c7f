"""Replacement of a belief by hand.

The older memory is named by its id or described, and the newer one is told in full.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from glymph.checks import checked_text
from glymph.context import Context, OpenOperation
from glymph.errors import Ambiguous, InvalidInput, MemoryNotFound, Pinned, Refused
from glymph.forget.lookup import LIVE, find_statements
from glymph.forget.requests import Belief, belief, read_request
from glymph.forget.reword import reword
from glymph.model import Receipt, State
from glymph.recall.history import get
from glymph.recall.search import MAX_QUERY_CHARS, search
from glymph.store.contract import Row
from glymph.write.add import embed_drafts, get_or_create
from glymph.write.draft import draft
from glymph.write.replace import join
from glymph.write.replace import supersede as take_the_place

RANKED = 20  # hits by which several statements of one subject are ranked


def supersede(ctx: Context, old: str, new_text: str) -> Receipt:
    """Makes a new statement take an older one's place.

    `succeeded` names the older memories and the newer one. A description means every current
    statement of the belief; where one says other things, too, only what is replaced is cut out of
    it. The newer memory inherits what the older one was: kind, section, tags and entities.
    """
    meant = _find_meant(ctx, old, new_text)
    was = get(ctx, meant[0].id)
    new = draft(
        new_text,
        ctx.settings,
        kind=was.kind,
        section=was.section,
        tags=was.tags,
        entities=was.entities,
    )
    vectors = embed_drafts(ctx, [new])
    with ctx.operation("supersede", reason=f"replaces {was.id}") as op:
        older = [_current(op, one.id) for one in meant]
        newer = get_or_create(ctx, op, new, vectors, by="supersede")
        if any(newer["id"] == row["id"] for row in older):
            raise InvalidInput(
                "new_text", "says what the older memory says already. Say what is true now."
            )
        for row, one in zip(older, meant, strict=True):
            _step_back(op, row, newer, one)
            op.succeeded.append(row["id"])
        op.succeeded.append(newer["id"])
    ctx.embed_soon([*([] if vectors else [newer["id"]]), *(one.id for one in meant if one.rest)])
    return ctx.receipt(op)


def _step_back(op: OpenOperation, row: Row, newer: Row, one: Belief) -> None:
    """Replaces an older statement whole, or cuts out of it what is replaced."""
    if not one.rest:
        take_the_place(op, row, newer)
        return
    if row["version"] != one.version:
        raise Refused(f"{row['id']} was changed by somebody else meanwhile. Repeat the call.")
    reword(op, row, one.rest)
    join(op, newer, {**row, "version": row["version"] + 1}, "supersedes")


def _current(op: OpenOperation, memory_id: str) -> Row:
    row = op.row(memory_id)
    if row["state"] != State.LIVE or row["superseded_by"] is not None:
        raise Refused(
            f"{memory_id} is no longer current. Name the memory that is: list() shows it."
        )
    if row["pinned"]:
        raise Pinned(memory_id)
    return row


def _find_meant(ctx: Context, old: str, new_text: str) -> Sequence[Belief]:
    """Returns the memory of this id, or the current statements of what is described."""
    checked_text("old", old, MAX_QUERY_CHARS)
    with ctx.reading() as reader:
        if named := reader.memory(old):
            return [Belief(old, named["version"], "", "named by its id")]
        said, _ = find_statements(reader, read_request(old), LIVE)
    found = belief(old, new_text, said)
    if not found and ctx.embedding.model is not None:
        likeness = {
            hit.memory.id: hit.score
            for hit in search(ctx, f"{old} {new_text}"[:MAX_QUERY_CHARS], limit=RANKED)
        }
        found = belief(old, new_text, said, likeness=likeness)
    if not found:
        raise MemoryNotFound(old, ctx.space)
    asked = read_request(old)
    if len(found) > 1 and not (asked.words or asked.strong):
        titles = {statement.id: statement.text for statement in said}
        raise Ambiguous(repr(old), [(one.id, titles.get(one.id, "")) for one in found])
    return [replace(one) for one in found]
