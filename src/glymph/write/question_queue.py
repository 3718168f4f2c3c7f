"""The queue of questions: what kinds of doubt there are, and how one is put and closed."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from glymph.context import Context, OpenOperation
from glymph.moments import MICROS_PER_DAY
from glymph.store.contract import Row
from glymph.text.quotes import GONE

MODEL, AGENT, PERSON = "language model", "agent", "person"


ABOUT_TWO: Mapping[str, str] = {
    "new_is_current": "the older one is hidden behind the newer, and kept",
    "old_is_current": "the newer one is hidden behind the older, and kept",
    "keep_both": "both stay, as two statements of their own",
    "part_is_outdated": "both stay, the newer above the older",
    "merge": "a text that you give takes the place of both",
}
ABOUT_A_REQUEST: Mapping[str, str] = {
    "forget": "it goes to the trash, from where undo brings it back",
    "keep_both": "it stays as it is",
}
CHOICES: Mapping[str, str] = {**ABOUT_A_REQUEST, **ABOUT_TWO}
LONGEST_REQUEST = 200  # characters of a request that a question repeats
FORGET = "forget"  # the kind of a doubt about one memory, which stands on both sides of it


class Kind(NamedTuple):
    """A kind of doubt: what is asked, who may answer, and what each answer does."""

    asks: str
    may_answer: tuple[str, ...] = (MODEL, AGENT, PERSON)
    choices: Mapping[str, str] = ABOUT_TWO


KINDS: Mapping[str, Kind] = {
    "replaces": Kind("Does the newer one put the older one out of date?"),
    "same": Kind("Do both say the same?"),
    "contradicts": Kind("They cannot both be true. Which one is?"),
    "vital": Kind("The older one is vital to somebody. Is it out of date?", (AGENT, PERSON)),
    "many": Kind(
        "A model holds this and others to be put out of date by the newer one. Is it?",
        (AGENT, PERSON),
    ),
    "pinned": Kind("The older one is pinned. Is it out of date all the same?", (AGENT, PERSON)),
    FORGET: Kind("Was this meant by a request to forget?", (AGENT, PERSON), ABOUT_A_REQUEST),
}
FIRST_KIND = "contradicts"  # of questions from before there were others


def raise_question(
    ctx: Context, op: OpenOperation, kind: str, older: str, newer: str, reason: str
) -> str:
    """Puts a question to whoever may answer, and returns its id."""
    question_id = ctx.new_id(op.now)
    row = {
        "id": question_id, "kind": kind, "older": older, "newer": newer, "reason": reason,
        "raised_at": op.now,
        "expires_at": op.now + ctx.settings.question_days * MICROS_PER_DAY,
    }  # fmt: skip
    op.writer.insert("conflicts", [row])
    return question_id


def ask_whether_meant(
    ctx: Context, op: OpenOperation, request: str, memory_ids: Iterable[str]
) -> list[str]:
    """Asks of memories whether a request to forget meant them, unless that is asked already."""
    waiting = {row["older"] for row in op.writer.questions() if row["kind"] == FORGET}
    said = GONE if ctx.find_purged(op.writer, [request]) else request
    reason = f"asked to forget: {textwrap.shorten(said, LONGEST_REQUEST, placeholder=' …')}"
    return [
        raise_question(ctx, op, FORGET, one, one, reason)
        for one in memory_ids
        if one not in waiting
    ]


def close(op: OpenOperation, rows: Iterable[Row], choice: str) -> None:
    """Notes how questions were answered, within an operation that does what follows."""
    for row in rows:
        op.writer.change("conflicts", {row["key"]: {"resolution": choice, "resolved_at": op.now}})
