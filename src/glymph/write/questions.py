"""Questions: one queue for every doubt about memories, and what each answer does.

Most are about two of them; one kind asks whether a memory was meant by a request to forget. While a
question waits, all stay, of two the newer above the older. A person answers, the agent,
a language model while the agent sleeps (second_opinion.py), or what is said later
(reconcile.py); one that nobody answers in time ends with everything kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from glymph.checks import checked_id, checked_list, show
from glymph.context import Context, OpenOperation
from glymph.errors import (
    GlymphError,
    InvalidInput,
    Pinned,
    Protected,
    QuestionNotFound,
    Refused,
)
from glymph.model import Question, Receipt, State
from glymph.moments import micros, moment
from glymph.store.contract import Row
from glymph.store.reader import Reader
from glymph.undo.restore import MAX_BATCH
from glymph.write.add import embed_drafts, get_or_create
from glymph.write.draft import Draft, draft
from glymph.write.question_queue import CHOICES, FIRST_KIND, FORGET, KINDS, close
from glymph.write.replace import join, supersede, unflag


def questions(ctx: Context) -> list[Question]:
    """Returns the questions that still wait for an answer, oldest first.

    One that has expired, or of which a side is gone or no longer current, waits no more: both stay
    as they are.
    """
    now = micros(ctx.now())
    with ctx.reading() as reader:
        waiting = [row for row in reader.questions() if row["expires_at"] > now]
        rows = reader.memories({row[side] for row in waiting for side in ("older", "newer")})
        return [_value(row, rows) for row in waiting if _stands(row, rows)]


def list_expired(ctx: Context) -> list[str]:
    """Returns the ids of questions that nobody answered in time, of memories that are current."""
    now = micros(ctx.now())
    with ctx.reading() as reader:
        late = [row for row in reader.questions() if row["expires_at"] <= now]
        rows = reader.memories({row[side] for row in late for side in ("older", "newer")})
    return [row["id"] for row in late if _stands(row, rows)]


def _stands(row: Row, rows: Mapping[str, Row]) -> bool:
    sides = [rows.get(row["older"]), rows.get(row["newer"])]
    return all(
        m is not None and m["state"] == State.LIVE and m["superseded_by"] is None for m in sides
    )


def _value(row: Row, rows: Mapping[str, Row]) -> Question:
    kind = row["kind"] or FIRST_KIND
    older, newer = rows[row["older"]], rows[row["newer"]]
    return Question(
        id=row["id"],
        kind=kind,
        asks=KINDS[kind].asks,
        older=older["id"],
        newer=newer["id"],
        older_text=older["text"],
        newer_text=newer["text"],
        older_at=moment(older["created_at"]),
        newer_at=moment(newer["created_at"]),
        reason=row["reason"],
        choices=KINDS[kind].choices,
        may_answer=KINDS[kind].may_answer,
        raised_at=moment(row["raised_at"]),
        expires_at=moment(row["expires_at"]),
    )


def answer(
    ctx: Context, question_ids: str | Iterable[str], choice: str, *, text: str | None = None
) -> Receipt:
    """Answers questions as one operation; undo opens them again.

    `merge` takes one question and the text that takes the place of both its statements. Of several
    questions, those that cannot be answered are named and left.
    """
    several = not isinstance(question_ids, str)
    ids = (
        [checked_id(one, "question_id") for one in checked_list("question_ids", question_ids)]
        if several
        else []
    )
    wanted = list(dict.fromkeys(ids)) if several else [str(question_ids)]
    _check(choice, text, wanted)
    with ctx.reading() as reader:
        merged = None if text is None else _draft(ctx, reader, wanted[0], text)
    vectors = embed_drafts(ctx, [merged]) if merged else {}
    with ctx.operation("answer", reason=f"{choice}: {', '.join(wanted[:5])}") as op:
        for question_id in wanted:
            try:
                row = _read_waiting(op.writer, question_id)
                _carry_out(ctx, op, row, choice, merged, vectors)
            except GlymphError as error:
                if not several:
                    raise
                op.fail(question_id, str(error))
                continue
            close(op, [row], choice)
            op.succeeded.append(question_id)
    return ctx.receipt(op)


def _check(choice: str, text: str | None, wanted: Sequence[str]) -> None:
    if not isinstance(choice, str) or choice not in CHOICES:
        raise InvalidInput(
            "choice", f"{show(choice)} is not known. Use one of {', '.join(CHOICES)}."
        )
    if (text is not None) != (choice == "merge"):
        raise InvalidInput("text", "is what a merge says, and belongs to no other answer.")
    if choice == "merge" and len(wanted) != 1:
        raise InvalidInput(
            "question_ids", "a merge answers one question at a time. Name one, with its text."
        )
    if len(wanted) > MAX_BATCH:
        raise InvalidInput(
            "question_ids", f"{len(wanted):,} given; at most {MAX_BATCH:,}. Split them."
        )


def _carry_out(
    ctx: Context,
    op: OpenOperation,
    row: Row,
    choice: str,
    merged: Draft | None,
    vectors: Mapping[str, bytes],
) -> None:
    older, newer = op.row(row["older"]), op.row(row["newer"])
    allowed = KINDS[row["kind"] or FIRST_KIND].choices
    if choice not in allowed:
        raise InvalidInput(
            "choice", f"{choice!r} answers another kind of question. Use {' or '.join(allowed)}."
        )
    if choice == "forget":
        _put_in_trash(ctx, op, older)
    elif row["kind"] == FORGET:
        return
    elif merged is not None:
        both = get_or_create(ctx, op, merged, vectors, by="merge")
        for side in (older, newer):
            if side["id"] != both["id"]:
                supersede(op, side, both)
    elif choice == "new_is_current":
        supersede(op, older, newer)
    elif choice == "part_is_outdated":
        join(op, newer, older, "supersedes")
    else:
        unflag(op, newer, older)
        if choice == "old_is_current":
            supersede(op, newer, older)


def _put_in_trash(ctx: Context, op: OpenOperation, row: Row) -> None:
    if row["pinned"]:
        raise Pinned(row["id"])
    if row["protected"]:
        raise Protected(row["id"])
    op.writer.set_state([row["key"]], state=State.TRASHED, at=op.now, by="forget")
    op.recoverable_until = ctx.trash_ends(op.now)


def _draft(ctx: Context, reader: Reader, question_id: str, text: str) -> Draft:
    """Returns what a merge says; it is of the newer statement's kind."""
    row = _read_waiting(reader, question_id)
    newer = reader.memories([row["newer"]])[row["newer"]]
    return draft(text, ctx.settings, kind=newer["kind"], section=newer["section"])


def _read_waiting(reader: Reader, question_id: str) -> Row:
    row = reader.question(question_id)
    if row is None:
        raise QuestionNotFound(question_id, reader.space)
    if row["resolution"] is not None:
        raise Refused(
            f"This question was answered already ({row['resolution']}). Undo that to decide anew."
        )
    if not _stands(row, reader.memories([row["older"], row["newer"]])):
        raise Refused(
            "One of its two memories is gone or replaced: there is nothing left to decide."
        )
    return row
