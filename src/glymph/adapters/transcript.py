"""The messages of one session, for frameworks that keep a conversation: a transcript of Glymph's.

It lies where `memory.conversations()` keeps conversations, so that `glymph memory history` shows it
and a purge reaches it. It only grows: what a framework pops or clears is taken back by a further
line, and no longer read. `History.remove` removes a conversation for good.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from glymph.client import Glymph
from glymph.errors import InvalidInput
from glymph.history.messages import check_message

TAKES_BACK = "glymph_takes_back"  # the number of messages before it that no longer count
WRAPPED = "glymph_item"  # a message in a shape that conversations do not know


class Transcript:
    """The messages of a session, in order, without those that were taken back."""

    def __init__(self, glymph: Glymph, session: str) -> None:
        self.session = session
        self._history = glymph.conversations()

    def read(self) -> list[dict[str, Any]]:
        """Returns the messages that count, oldest first."""
        found: list[dict[str, Any]] = []
        for one in self._history.messages(self.session):
            if TAKES_BACK in one:
                del found[max(0, len(found) - int(one[TAKES_BACK])) :]
            else:
                found.append(dict(one.get(WRAPPED, one)))
        return found

    def append(self, messages: Sequence[Mapping[str, Any]]) -> None:
        """Adds messages, durably."""
        if messages:
            self._history.append(self.session, *map(_wrap, messages))

    def take_back(self, choose: Callable[[int], int]) -> list[dict[str, Any]]:
        """Takes back as many of the newest messages as is chosen by their number; returns them."""
        standing = self.read()
        count = choose(len(standing))
        if count:
            many = "message is" if count == 1 else f"{count} messages are"
            told = f"The last {many} taken back."
            self._history.append(
                self.session, {"role": "system", "content": told, TAKES_BACK: count}
            )
        return standing[len(standing) - count :]


def _wrap(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns a message as conversations take it; one of an unknown shape in words, and whole."""
    try:
        return check_message(message)
    except InvalidInput:
        words = json.dumps(message, ensure_ascii=False)
        return {"role": "assistant", "content": words, WRAPPED: dict(message)}
