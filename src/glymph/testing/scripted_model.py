"""A language model that answers what it was told to, so that tests can script every fault."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from glymph.llm.contract import TIMEOUT
from glymph.llm.dialogue import FREE, Message, Prices, Reply, Schema, Usage, tokens_of
from glymph.text.tokens import tokens

Answer = Reply | Exception | str | dict[str, Any] | list[Any]
Script = Callable[[Sequence[Message], Schema | None], Answer]


class ScriptedModel:
    """Gives one answer after the other, or what a function makes of the question.

    A question beyond the last answer is an AssertionError.
    An answer is a text, a value to be sent as JSON, a whole Reply, or an exception to be raised.
    `asked` holds the messages of every call.
    """

    def __init__(
        self, answers: Script | Iterable[Answer], *, name: str = "scripted", prices: Prices = FREE
    ) -> None:
        self.name, self.prices = name, prices
        self.asked: list[Sequence[Message]] = []
        self.closed = False
        self._script = answers if callable(answers) else _in_turn(list(answers))

    def complete(
        self, messages: Sequence[Message], schema: Schema | None = None, *, max_tokens: int = 1024,
        timeout: float = TIMEOUT, cancel: threading.Event | None = None,
    ) -> Reply:  # fmt: skip
        self.asked.append(messages)
        answer = self._script(messages, schema)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Reply):
            return answer
        text = answer if isinstance(answer, str) else json.dumps(answer)
        return Reply(text, Usage(tokens_of(messages), tokens(text)))

    def close(self) -> None:
        self.closed = True


def _in_turn(answers: list[Answer]) -> Script:
    left = iter(answers)

    def script(messages: Sequence[Message], schema: Schema | None) -> Answer:
        for answer in left:
            return answer
        raise AssertionError(f"the script has {len(answers)} answers and was asked for one more")

    return script
