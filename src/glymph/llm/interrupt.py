"""A context whose language model can be interrupted.

What runs in the background must be able to end at once.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace

from glymph.context import Context
from glymph.llm.contract import TIMEOUT, Model
from glymph.llm.dialogue import Message, Prices, Reply, Schema


def stoppable(ctx: Context, stop: threading.Event) -> Context:
    """Returns the context with a model whose calls end within a moment once `stop` is set."""
    return ctx if ctx.model is None else replace(ctx, model=_Stoppable(ctx.model, stop))


@dataclass(frozen=True, slots=True)
class _Stoppable:
    model: Model
    stop: threading.Event

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def prices(self) -> Prices:
        return self.model.prices

    def complete(
        self, messages: Sequence[Message], schema: Schema | None = None, *, max_tokens: int = 1024,
        timeout: float = TIMEOUT, cancel: threading.Event | None = None,
    ) -> Reply:  # fmt: skip
        return self.model.complete(
            messages, schema, max_tokens=max_tokens, timeout=timeout, cancel=self.stop
        )

    def close(self) -> None:
        self.model.close()
