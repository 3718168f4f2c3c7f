"""Language models. `open_model(spec)` picks one; nothing is loaded or asked before the first question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from glymph.errors import InvalidInput

if TYPE_CHECKING:
    from glymph.llm.contract import Model

KNOWN = "none, openai:MODEL, anthropic:MODEL, gguf:FILE, command:COMMAND"


def open_model(spec: str, *, url: str = "", key: str = "", prices: str = "") -> Model | None:
    """The language model that a text names; "none" gives None."""
    if spec == "none":
        return None
    raise InvalidInput("model", f"{spec!r} is not known. Use one of: {KNOWN}.")
