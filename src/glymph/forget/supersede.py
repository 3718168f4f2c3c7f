"""Replacement of a belief by hand.

The older memory is named by its id or described, and the newer one is told in full.
"""

from __future__ import annotations

from collections.abc import Sequence

from glymph.checks import checked_id, checked_text
from glymph.context import Context, OpenOperation
from glymph.errors import InvalidInput
from glymph.forget.judge import find_judges
from glymph.forget.lookup import LIVE, find_candidates
from glymph.forget.request import read_checked
from glymph.forget.requests import Belief, find_beliefs
from glymph.forget.reword import reword
from glymph.model import Receipt, State
from glymph.recall.history import get
from glymph.recall.search import MAX_QUERY_CHARS
from glymph.store.contract import Row
from glymph.store.reader import Reader
from glymph.write.add import embed_drafts, get_or_create
from glymph.write.draft import Draft, draft
from glymph.write.question_queue import raise_question
from glymph.write.replace import join, show_again, unflag
from glymph.write.replace import supersede as take_the_place

LONGEST_CHAIN = 1_000  # memories, each in the place of the one before


def supersede(ctx: Context, old: str, new_text: str) -> Receipt:
    """Makes a new statement take an older one's place.

    `succeeded` names the older memories and the newer one. A description means every current
    statement of the belief; where one says other things, too, only what is replaced is cut out of
    it. The newer memory inherits what the older one was: kind, section, tags and entities. It is
    kept whatever becomes of the older one; what was left alone is named with the reason.
    """
    meant, unsure = _find_meant(ctx, old, new_text)
    new = _draft(ctx, new_text, meant)
    vectors = embed_drafts(ctx, [new])
    replaced = f"replaces {meant[0].id}" if meant else "nothing older was found"
    with ctx.operation("supersede", reason=replaced) as op:
        newer = get_or_create(ctx, op, new, vectors, by="supersede")
        for one in meant:
            if problem := _find_obstacle(op, one, newer):
                op.skip(one.id, problem)
                continue
            _step_back(op, op.row(one.id), newer, one)
            op.succeeded.append(one.id)
        alone = len(meant) + len(unsure) == 1
        doubt = "it may be meant" if alone else "several may be meant"
        which = "this one" if alone else "this one or another"
        for one in unsure:
            raise_question(ctx, op, "replaces", one.id, newer["id"], doubt)
            op.skip(one.id, f"{old!r} may mean {which}: answer the question about it")
        if not meant and not unsure:
            op.skip(old, "nothing here says that; the new statement is kept")
        op.succeeded.append(newer["id"])
    changed = [one.id for one in meant if one.rest and one.id in op.succeeded]
    ctx.settle_soon([*([] if vectors else [newer["id"]]), *changed])
    return ctx.receipt(op)


def _draft(ctx: Context, new_text: str, meant: Sequence[Belief]) -> Draft:
    """Returns the new statement, of the same kind as the one it replaces."""
    if not meant:
        return draft(new_text, ctx.settings)
    was = get(ctx, meant[0].id)
    return draft(
        new_text,
        ctx.settings,
        kind=was.kind,
        section=was.section,
        tags=was.tags,
        entities=was.entities,
    )


def unsupersede(ctx: Context, memory_id: str, *, reason: str | None = None) -> Receipt:
    """Shows an older statement again; what replaced it stays as it is."""
    with ctx.operation("unsupersede", reason=reason) as op:
        row = op.row(checked_id(memory_id))
        if row["superseded_by"] is None:
            op.skip(memory_id, "nothing has replaced it")
            return ctx.receipt(op)
        heir = op.writer.memory(row["superseded_by"])
        show_again(op, row)
        if heir is not None:
            unflag(op, heir, row)
        op.succeeded.append(memory_id)
    return ctx.receipt(op)


def _step_back(op: OpenOperation, row: Row, newer: Row, one: Belief) -> None:
    """Replaces an older statement whole, or cuts out of it what is replaced."""
    if not one.rest:
        take_the_place(op, row, newer)
        return
    reword(op, row, one.rest)
    join(op, newer, {**row, "version": row["version"] + 1}, "supersedes")


def _find_obstacle(op: OpenOperation, one: Belief, newer: Row) -> str | None:
    """Returns why an older statement is left as it is; None if it may be replaced."""
    row = op.row(one.id)
    if row["id"] == newer["id"]:
        return "it says this already"
    if row["state"] != State.LIVE or row["superseded_by"] is not None:
        return "it is no longer current"
    if row["pinned"]:
        return "it is pinned: unpin it first"
    if one.rest and row["version"] != one.version:
        return "somebody has changed it meanwhile: repeat the call"
    return None


def _find_meant(
    ctx: Context, old: str | None, new_text: str
) -> tuple[Sequence[Belief], Sequence[Belief]]:
    """Returns the statements that are meant, and those of which one may be.

    An id means its memory, or the current one in its place; a description every current statement.
    """
    if old is None:
        raise InvalidInput(
            "old", "is None. If it is the `id` of an `add`, that one was refused: its `refused` "
            "says why.",
        )  # fmt: skip
    checked_text("old", old, MAX_QUERY_CHARS)
    with ctx.reading() as reader:
        if named := reader.memory(old):
            current = _follow(reader, named)
            return [Belief(current["id"], current["version"], "", "named by its id")], ()
        near = find_candidates(ctx, reader, read_checked(old), LIVE)
    return find_beliefs(
        old,
        new_text,
        near.statements,
        likeness=near.likeness,
        judges=find_judges(ctx, "supersede", old, near.rows, new_text),
    )


def _follow(reader: Reader, row: Row) -> Row:
    """Returns the memory that stands in the place of one: itself, or what replaced it."""
    for _ in range(LONGEST_CHAIN):
        heir = reader.memory(row["superseded_by"]) if row["superseded_by"] else None
        if heir is None:
            return row
        row = heir
    return row
