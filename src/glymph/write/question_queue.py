"""The queue of questions: what kinds of doubt there are, and how one is put and closed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from glymph.context import Context, OpenOperation
from glymph.moments import MICROS_PER_DAY
from glymph.store.contract import Row

MODEL, AGENT, PERSON = "language model", "agent", "person"


class Kind(NamedTuple):
    """A kind of doubt: what is asked, and who may answer."""

    asks: str
    may_answer: tuple[str, ...] = (MODEL, AGENT, PERSON)


KINDS: Mapping[str, Kind] = {
    "replaces": Kind("Does the newer one put the older one out of date?"),
    "same": Kind("Do both say the same?"),
    "contradicts": Kind("They cannot both be true. Which one is?"),
    "vital": Kind("The older one is vital to somebody. Is it out of date?", (AGENT, PERSON)),
    "pinned": Kind("The older one is pinned. Is it out of date all the same?", (AGENT, PERSON)),
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


def close(op: OpenOperation, rows: Iterable[Row], choice: str) -> None:
    """Notes how questions were answered, within an operation that does what follows."""
    for row in rows:
        op.writer.change("conflicts", {row["key"]: {"resolution": choice, "resolved_at": op.now}})
