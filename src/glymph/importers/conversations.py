"""Finds in a conversation of another program what is worth keeping, like `sleep extract`."""

from __future__ import annotations

from collections.abc import Iterator

from glymph.importers.contract import Conversation, Item
from glymph.importers.values import name_by_text
from glymph.learn.extract_rules import find_kind, find_noteworthy
from glymph.learn.sift import sift_turns
from glymph.learn.transcript import Turn
from glymph.reader.contract import Reader
from glymph.reader.no_reader import NoReader
from glymph.text.injection import find_order

TRUST = 0.5  # as in what extraction finds without a language model


def keep_worth(reader: Reader, talk: Conversation) -> Iterator[Item]:
    """Yields the statements of a conversation that the reader would keep.

    Without a reader, plain English rules find them in what the user said. Nothing is learnt from a
    turn that tries to steer the agent.
    """
    for text, kind, turn in _find(reader, [one for one in talk.turns if not find_order(one.text)]):
        yield Item(
            text, f"{talk.id}/{name_by_text(text)}", talk.place, kind=kind, created_at=turn.at,
            trust=TRUST, session=talk.id,
        )  # fmt: skip


def _find(reader: Reader, turns: list[Turn]) -> Iterator[tuple[str, str, Turn]]:
    if reader.name != NoReader.name:
        for one in sift_turns(reader, turns, {}):
            yield one.text, find_kind(one.text) or "fact", one.turn
        if reader.name != NoReader.name:
            return  # else its weights could not be read, and it judged nothing
    for turn in turns:
        for each in find_noteworthy(turn.text) if turn.role == "user" else ():
            yield each.text, each.kind, turn
