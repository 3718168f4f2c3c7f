"""A model behind an OpenAI-compatible `/chat/completions` address.

OpenAI, Ollama, vLLM, llama.cpp and others have one. The form of the answer is asked for as strictly
as the server allows. What it says it cannot do is not asked of it again, so that only the first
call pays for finding out.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Sequence
from typing import Any, Literal

from glymph.errors import ModelFailed
from glymph.http import Rejected, RemoteFailed, Service
from glymph.llm.contract import TIMEOUT, ModelProvider
from glymph.llm.dialogue import Message, Prices, Reply, Schema, Usage, tokens_of
from glymph.llm.failures import make_failure, translate_failure, without_secrets
from glymph.llm.prices import prices_of
from glymph.text.tokens import tokens

OWN_URL, OWN_HOST = "https://api.openai.com/v1", "api.openai.com"
MOST_BYTES = 16_000_000  # of one answer
FORMATS = ("json_schema", "json_object", "text")  # from the strictest
REFUSALS = {400, 415, 422, 500, 501}  # with which servers answer a parameter they do not know
ABOUT_FORMAT = re.compile(r"response_format|json_schema|json_object", re.I)
ABOUT_LIMIT = re.compile(r"max_(completion_)?tokens", re.I)
CANNOT = re.compile(
    r"support|unrecogni[sz]ed|unknown|unexpected|extra|permitted|should be|must be", re.I
)
ENDS: dict[Any, Literal["length", "refused"]] = {"length": "length", "content_filter": "refused"}


def from_spec(detail: str, *, url: str, key: str, prices: str) -> OpenAIModel:
    return OpenAIModel(detail, url=url, key=key, prices=prices)


PROVIDER = ModelProvider("openai:MODEL", from_spec)


class OpenAIModel:
    """A model by its name. Opening it makes no request."""

    def __init__(
        self, model: str, *, url: str = "", key: str = "", prices: str = "", name: str = "",
        service: Service | None = None,
    ) -> None:  # fmt: skip
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._service = service or Service(
            url or OWN_URL,
            "/chat/completions",
            setting="model",
            key=key,
            headers=headers,
            most_bytes=MOST_BYTES,
            mask=without_secrets,
        )
        host = self._service.host
        self._model, self._lock = model, threading.Lock()
        self.name = name or f"openai:{model}" + ("" if host == OWN_HOST else f"@{host}")
        self.prices: Prices = prices_of(
            model, stated=prices, is_here=self._service.is_here, provider="openai",
            url="" if host == OWN_HOST else url,
        )  # fmt: skip
        self._format = FORMATS[0]
        self._limit = "max_completion_tokens" if host == OWN_HOST else "max_tokens"
        self._limit_is_sure = False

    def __repr__(self) -> str:
        return f"OpenAIModel({self.name!r})"

    def complete(
        self, messages: Sequence[Message], schema: Schema | None = None, *, max_tokens: int = 1024,
        timeout: float = TIMEOUT, cancel: threading.Event | None = None,
    ) -> Reply:  # fmt: skip
        deadline = time.monotonic() + timeout
        form = self._format if schema is not None else FORMATS[-1]
        while True:
            body = self._body(messages, schema, form, max_tokens)
            try:
                left = deadline - time.monotonic()
                answer = self._service.post(body, timeout=left, cancel=cancel, once=True)
            except Rejected as error:
                form = self._gives_way(error, body, form)
                continue
            except RemoteFailed as error:
                raise translate_failure(self.name, error, timeout) from error
            return self._reply(answer, messages)

    def close(self) -> None:
        """Nothing is held open."""

    def _body(
        self, messages: Sequence[Message], schema: Schema | None, form: str, most: int
    ) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [
                {"role": message.role, "content": message.content} for message in messages
            ],
            self._limit: most,
        }
        if form == "json_schema":
            held = {"name": "answer", "schema": schema, "strict": True}
            body["response_format"] = {"type": form, "json_schema": held}
        elif form == "json_object":
            body["response_format"] = {"type": form}
        return body

    def _gives_way(self, error: Rejected, body: dict[str, Any], form: str) -> str:
        """Returns the form to ask for next; raises if the refusal is not about the form."""
        cannot = bool(CANNOT.search(error.said))
        if (
            error.status in REFUSALS
            and "response_format" in body
            and ABOUT_FORMAT.search(error.said)
        ):
            looser = FORMATS[FORMATS.index(form) + 1]
            if cannot and "invalid schema" not in error.said.lower():
                self._format = looser  # for good: it is the server that cannot, not this schema
            return looser
        with self._lock:
            about_limit = error.status in REFUSALS and cannot and ABOUT_LIMIT.search(error.said)
            if about_limit and not self._limit_is_sure:
                self._limit = (
                    "max_tokens" if "max_completion_tokens" in body else "max_completion_tokens"
                )
                self._limit_is_sure = True
                return form
        raise translate_failure(self.name, error, 0.0) from error

    def _reply(self, answer: Any, messages: Sequence[Message]) -> Reply:
        try:
            choice = answer["choices"][0]
            message = choice["message"]
            text, refusal, ended = (
                message.get("content"),
                message.get("refusal"),
                choice.get("finish_reason"),
            )
        except (TypeError, KeyError, IndexError, AttributeError) as error:
            raise self._unusable(answer) from error
        if not isinstance(text, str | None):
            raise self._unusable(answer)
        text = text or (refusal if isinstance(refusal, str) else "")
        usage = _usage(answer) or Usage(tokens_of(messages), tokens(text))
        return Reply(text, usage, "refused" if refusal else ENDS.get(ended, "done"))

    def _unusable(self, answer: Any) -> ModelFailed:
        step = (
            "Check that the setting model_url is an OpenAI-compatible service and the model is one "
            "to chat with."
        )
        said = self._service.hide(str(answer))[:300]
        return make_failure(self.name, f"the answer cannot be used ({said})", step, charged=True)


def _usage(answer: dict[str, Any]) -> Usage | None:
    """Returns the usage that the server reports; None if it does not."""
    said = answer.get("usage")
    if not isinstance(said, dict):
        return None
    sent, received = said.get("prompt_tokens"), said.get("completion_tokens")
    if not isinstance(sent, int) or not isinstance(received, int) or sent < 0 or received < 0:
        return None
    return Usage(sent, received)
