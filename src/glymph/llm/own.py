"""Models that a program brings along.

What they offer is checked when they come, and what they answer when they answer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from glymph.errors import InvalidInput, ModelFailed
from glymph.llm.contract import Model
from glymph.llm.dialogue import Message, Prices, Reply, Usage, tokens_of
from glymph.text.tokens import tokens

MOST_TOKENS = 100_000_000  # of one call; who says more is wrong
MOST_USD = 10_000.0


def check_own_model(model: object) -> Model:
    """Returns the object, if it offers what a model must.

    Else InvalidInput that says what is missing.
    """
    name, prices = getattr(model, "name", None), getattr(model, "prices", None)
    missing = [
        what
        for what, is_there in (
            ("name (a text)", isinstance(name, str) and bool(name)),
            ("prices (a glymph.llm.dialogue.Prices of at least 0)", _are_prices(prices)),
            ("complete (a method)", callable(getattr(model, "complete", None))),
        )
        if not is_there
    ]
    if missing:
        problem = f"the {type(model).__name__} given lacks {', '.join(missing)}."
        raise InvalidInput(
            "model", f"{problem} Give a text, or an object like glymph.llm.contract.Model."
        )
    return cast(Model, model)


def sound(model: str, reply: Any, messages: Sequence[Message]) -> Reply:
    """Returns the reply with a usage that can be counted: what is impossible is estimated.

    Raises ModelFailed if it is no reply at all.
    """
    if not isinstance(reply, Reply) or not isinstance(reply.text, str):
        step = "Let its method complete give back a glymph.llm.dialogue.Reply with a text."
        error = ModelFailed(model, f"it gave back a {type(reply).__name__} that is no reply", step)
        error.charged = True
        raise error
    usage = reply.usage
    if not isinstance(usage, Usage):
        usage = Usage(-1, -1)
    sent = usage.tokens_in if _is_count(usage.tokens_in) else tokens_of(messages)
    received = usage.tokens_out if _is_count(usage.tokens_out) else tokens(reply.text)
    cost = (
        float(usage.cost_usd) if usage.cost_usd is not None and _is_cost(usage.cost_usd) else None
    )
    return replace(reply, usage=Usage(sent, received, cost))


def _are_prices(value: object) -> bool:
    return isinstance(value, Prices) and _is_cost(value.tokens_in) and _is_cost(value.tokens_out)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS


def _is_cost(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and 0 <= value <= MOST_USD
