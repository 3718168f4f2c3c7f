"""Erasing from conversations in a store: messages and notes say something else from one operation
on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from glymph.context import Context
from glymph.history import state
from glymph.history.cut import Cutter, Sieve, cleaned, repeats, rewritten
from glymph.history.stored import NEW, conversations, messages
from glymph.store.contract import Row
from glymph.store.conversations import Rewording
from glymph.store.erase_journal import Quotes

REASON = "cut out of conversations"


@dataclass(frozen=True, slots=True)
class _Change:
    """What has to become of one conversation: of some messages, and of its state."""

    conversation: int
    name: str
    messages: Sequence[Rewording]
    notes: bool

    @property
    def texts(self) -> int:
        return len(self.messages) + self.notes


def erase(ctx: Context, cut: Cutter, *, dry_run: bool = False) -> tuple[int, int]:
    """How many conversations there are, and how many texts of them were written anew, or would be."""
    if not dry_run:
        with ctx.store.writing(ctx.space, None) as writer:
            writer.revoke_claims()  # notes that are being made now may tell it
    looked_at = [_change(ctx, row, cut) for row in conversations(ctx)]
    found = [one for one in looked_at if one.texts]
    if found and not dry_run:
        with ctx.operation("purge", reason=REASON) as op:
            for one in found:
                op.writer.reword_messages(one.conversation, one.messages)
                now = op.writer.conversation(one.name) or {"state": NEW}
                op.writer.keep_conversation_state(one.conversation, restated(now["state"], cut))
    return len(looked_at), sum(one.texts for one in found)


def _change(ctx: Context, row: Row, cut: Cutter) -> _Change:
    rewordings = [
        Rewording(message.number, message.body, anew)
        for message in messages(ctx, row["name"])
        if (anew := reworded(message.body, cut)) != message.body
    ]
    return _Change(row["key"], row["name"], rewordings, restated(row["state"], cut) != row["state"])


def repeating(ctx: Context, sieve: Sieve, quotes: Quotes) -> list[str]:
    """The names of the conversations in which something still repeats it, be it their name."""
    return [
        row["name"]
        for row in conversations(ctx)
        if sieve(row["name"]) != row["name"]
        or restated(row["state"], sieve) != row["state"]
        or any(
            repeats(message.body.encode(), sieve, quotes) for message in messages(ctx, row["name"])
        )
    ]


def count(ctx: Context) -> int:
    """How many conversations lie in the store, as far as it matters whether there are any."""
    with ctx.reading() as reader:
        return len(reader.conversations(limit=1))


def cut_rows(tables: dict[str, list[Row]], cut: Cutter) -> None:
    """The same for rows that are about to come in."""
    tables["messages"] = [{**row, "body": reworded(row["body"], cut)} for row in tables["messages"]]
    tables["conversations"] = [
        {**row, "state": restated(row["state"], cut)} for row in tables["conversations"]
    ]


def reworded(body: str, cut: Cutter) -> str:
    """A message without it."""
    return rewritten(body.encode(), cut).decode()


def restated(text: str, cut: Cutter) -> str:
    """A state without it; the very same if it says nothing of it."""
    if text == NEW:
        return text
    try:
        found = state.read(text)
    except state.Unreadable:
        return reworded(text, cut)
    clean = cleaned(found, cut)
    return text if clean == found else state.told(clean)
