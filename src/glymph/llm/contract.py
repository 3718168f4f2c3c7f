"""The contract of a language model, and what it must guarantee.

* `complete` gives one reply or raises one of ModelFailed, ModelTimedOut, ModelCancelled: nothing
  else, and never after more than `timeout` seconds in all, retries and their waits included. Nobody
  else ends a call: a model that ignores `timeout` holds up whoever asks it for as long as it likes.
* A refusal that may pass (no connection, rate limit, an overloaded server) is tried again, each
  wait longer and with jitter, or as long as the server asks for; any other is raised at once. What
  was sent whole and got no answer may have been processed: it is not sent again, and the error says
  that it may be billed.
* `schema` is sent to providers that can hold the model to it. The caller checks what comes back all
  the same.
* `cancel`, once set, ends the call within a moment.
* A key appears in no message, log or representation.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from glymph.llm.dialogue import Message, Prices, Reply, Schema

TIMEOUT = 60.0  # seconds


class Model(Protocol):
    @property
    def name(self) -> str:
        """Provider and model, such as openai:gpt-4o-mini; it stands in the ledger."""
        ...

    @property
    def prices(self) -> Prices:
        """Returns its token prices: `FREE` if it runs here, `UNKNOWN` if nobody knows."""
        ...

    def complete(
        self, messages: Sequence[Message], schema: Schema | None = None, *, max_tokens: int = 1024,
        timeout: float = TIMEOUT, cancel: threading.Event | None = None,
    ) -> Reply: ...  # fmt: skip

    def close(self) -> None:
        """Ends what it started. An object of a program's own may leave it out."""
        ...


@dataclass(frozen=True, slots=True)
class ModelProvider:
    """Opens the models of one scheme; a member of `glymph.llm.providers`."""

    form: str  # how its specs are written, such as openai:MODEL
    # Takes what follows the colon, and `url`, `key` and `prices` of the settings, by name.
    from_spec: Callable[..., Model]
