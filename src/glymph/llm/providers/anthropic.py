"""A model behind Anthropic's Messages API.

The form of an answer is held by a tool that the model must call.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Sequence
from typing import Any, Literal

from glymph.errors import ModelFailed
from glymph.http import RemoteFailed, Service
from glymph.llm.contract import TIMEOUT, ModelProvider
from glymph.llm.dialogue import Message, Prices, Reply, Schema, Usage, tokens_of
from glymph.llm.failures import make_failure, translate_failure, without_secrets
from glymph.llm.prices import prices_of
from glymph.text.tokens import tokens

OWN_URL, OWN_HOST = "https://api.anthropic.com/v1", "api.anthropic.com"
VERSION = "2023-06-01"
MOST_BYTES = 16_000_000  # of one answer
TOOL = "answer"
COUNTS_IN = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
ENDS: dict[Any, Literal["length", "refused"]] = {
    "max_tokens": "length", "model_context_window_exceeded": "length", "refusal": "refused",
}  # fmt: skip


def from_spec(detail: str, *, url: str, key: str, prices: str) -> AnthropicModel:
    return AnthropicModel(detail, url=url, key=key, prices=prices)


PROVIDER = ModelProvider("anthropic:MODEL", from_spec)


class AnthropicModel:
    """A model by its name. Opening it makes no request."""

    def __init__(
        self,
        model: str,
        *,
        url: str = "",
        key: str = "",
        prices: str = "",
        service: Service | None = None,
    ) -> None:
        headers = {"anthropic-version": VERSION} | ({"x-api-key": key} if key else {})
        base = re.sub(
            r"\A(https?://[^/?#]+)/?\Z", r"\1/v1", url or OWN_URL
        )  # it is often given without
        self._service = service or Service(
            base,
            "/messages",
            setting="model",
            key=key,
            headers=headers,
            most_bytes=MOST_BYTES,
            mask=without_secrets,
        )
        host = self._service.host
        self._model = model
        self.name = f"anthropic:{model}" + ("" if host == OWN_HOST else f"@{host}")
        self.prices: Prices = prices_of(
            model, stated=prices, is_here=self._service.is_here, provider="anthropic",
            url="" if host == OWN_HOST else url,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"AnthropicModel({self.name!r})"

    def complete(
        self, messages: Sequence[Message], schema: Schema | None = None, *, max_tokens: int = 1024,
        timeout: float = TIMEOUT, cancel: threading.Event | None = None,
    ) -> Reply:  # fmt: skip
        system = "\n\n".join(message.content for message in messages if message.role == "system")
        said = [{"role": m.role, "content": m.content} for m in messages if m.role != "system"]
        body: dict[str, Any] = {"model": self._model, "max_tokens": max_tokens, "messages": said}
        if system:
            body["system"] = system
        if schema is not None:
            tool = {"name": TOOL, "description": "Takes the whole answer.", "input_schema": schema}
            body |= {"tools": [tool], "tool_choice": {"type": "tool", "name": TOOL}}
        try:
            answer = self._service.post(body, timeout=timeout, cancel=cancel, once=True)
        except RemoteFailed as error:
            raise translate_failure(self.name, error, timeout) from error
        return self._reply(answer, messages)

    def close(self) -> None:
        """Nothing is held open."""

    def _reply(self, answer: Any, messages: Sequence[Message]) -> Reply:
        try:
            blocks, ended = answer["content"], answer.get("stop_reason")
            called = [block["input"] for block in blocks if block["type"] == "tool_use"]
            text = "".join(block["text"] for block in blocks if block["type"] == "text")
        except (TypeError, KeyError, AttributeError) as error:
            raise self._unusable(answer) from error
        if called:
            text = json.dumps(called[0], ensure_ascii=False)
        usage = _usage(answer) or Usage(tokens_of(messages), tokens(text))
        return Reply(text, usage, ENDS.get(ended, "done"))

    def _unusable(self, answer: Any) -> ModelFailed:
        said = self._service.hide(str(answer))[:300]
        step = "Check that the setting model_url is a service that speaks Anthropic's Messages API."
        return make_failure(self.name, f"the answer cannot be used ({said})", step, charged=True)


def _usage(answer: dict[str, Any]) -> Usage | None:
    """Returns the usage that the service reports, cached tokens included; None if it does not."""
    said = answer.get("usage")
    if not isinstance(said, dict):
        return None
    counts = [said.get(name) or 0 for name in (*COUNTS_IN, "output_tokens")]
    if not all(isinstance(count, int) and count >= 0 for count in counts) or not sum(counts):
        return None
    return Usage(sum(counts[:-1]), counts[-1])
