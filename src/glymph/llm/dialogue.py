"""Messages to and replies from a language model, what they use and what that costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from glymph.text.tokens import tokens

Verdict = TypeVar("Verdict")

Role = Literal["system", "user", "assistant"]
Schema = Mapping[str, Any]  # JSON Schema of an object


@dataclass(frozen=True, slots=True)
class Message:
    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens and cost of a call; `cost_usd` is known only where the provider itself says it."""

    tokens_in: int
    tokens_out: int
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer. Why it ended: it was done, it ran out of tokens, or it would not answer."""

    text: str
    usage: Usage
    ended: Literal["done", "length", "refused"] = "done"


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of a model in USD per million tokens.

    `assumed` ones are not the provider's: they are deliberately dear, so that caps hold.
    """

    tokens_in: float
    tokens_out: float
    assumed: bool = False

    def cost(self, usage: Usage) -> float:
        if usage.cost_usd is not None:
            return usage.cost_usd
        return (usage.tokens_in * self.tokens_in + usage.tokens_out * self.tokens_out) / 1_000_000


FREE = Prices(0.0, 0.0)
UNKNOWN = Prices(10.0, 50.0, assumed=True)


@dataclass(frozen=True, slots=True)
class Question(Generic[Verdict]):
    """One thing to ask a model: what to send, the form of the answer, and how to read it.

    `parse` gives the typed answer, or raises MalformedReply: an answer that cannot be read is never
    "nothing".
    """

    messages: Sequence[Message]
    schema: Schema
    parse: Callable[[str], Verdict]
    max_tokens: int = 1024


PER_MESSAGE = 4  # what a message's frame takes


def tokens_of(messages: Iterable[Message]) -> int:
    return sum(PER_MESSAGE + tokens(message.content) for message in messages)
