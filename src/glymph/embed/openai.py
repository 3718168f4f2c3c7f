"""An embedder behind an OpenAI-compatible `/embeddings` address: OpenAI, Ollama, vLLM, LiteLLM and others.

Blank texts are not sent. A refusal that may pass (429, 5xx, no connection) is tried again, after the wait the
server asks for; any other is raised at once. The key goes into one header of requests to that address only:
redirects are not followed, and it is cut from every message.
"""

from __future__ import annotations

import base64
import binascii
import json
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import numpy as np

from glymph.embed.contract import Vectors
from glymph.embed.vectors import readable, unit
from glymph.errors import EmbedderFailed, InvalidInput

MOST_TEXTS = 64  # in one request
MOST_CHARACTERS = 8000  # of one text; within the limits of the models in use
MOST_BYTES = 64_000_000  # of one answer
ATTEMPTS = 4
FIRST_WAIT, LONGEST_WAIT = 0.5, 20.0  # seconds between attempts
PASSING = {408, 429, 500, 502, 503, 504, 529}
NEXT_STEPS = {
    401: "Check the setting embedder_key.",
    403: "Check the setting embedder_key and what it may do.",
    404: "Check the setting embedder_url and the name of the model.",
    429: "Wait, or ask the service for a higher limit; what is not embedded yet is taken up later.",
}


class OpenAIEmbedder:
    """Texts through a remote service. Opening it makes no request; asking for its dimension makes one."""

    def __init__(
        self,
        model: str,
        *,
        url: str,
        key: str = "",
        timeout: float = 30.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidInput(
                "embedder_url", f"{url!r} is not an address. Write it like https://api.openai.com/v1."
            )
        if not key.isascii() or not key.isprintable():
            raise InvalidInput("embedder_key", "has a character no key has. Copy it again, without a line break.")
        self._model, self._key, self._timeout, self._sleep = model, key, timeout, sleep
        self._url = url.rstrip("/").removesuffix("/embeddings") + "/embeddings"
        host = parts.hostname + (f":{parts.port}" if parts.port else "")
        self.name = f"openai:{model}@{host}"
        self._opener = build_opener(_NoRedirects())
        self._lock = threading.Lock()
        self._dimension: int | None = None

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self.name!r})"

    @property
    def dimension(self) -> int:
        if self._dimension is None:
            self.embed(["How many numbers?"])
        assert self._dimension is not None
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        sent = [at for at, text in enumerate(texts) if text.strip()]
        batches = [sent[start : start + MOST_TEXTS] for start in range(0, len(sent), MOST_TEXTS)]
        with self._lock:
            found = [self._batch([readable(texts[at])[:MOST_CHARACTERS] for at in batch]) for batch in batches]
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for batch, vectors in zip(batches, found, strict=True):
            rows[batch] = vectors
        return rows

    def _batch(self, texts: list[str]) -> Vectors:
        answer = self._answer(json.dumps({"model": self._model, "input": texts}).encode())
        try:
            rows = _rows(json.loads(answer), len(texts))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            step = "Check that embedder_url is an OpenAI-compatible service and the model makes embeddings."
            raise self._failed(f"the answer cannot be used ({error})", step) from error
        if self._dimension not in (None, rows.shape[1]):
            step = "Restart Glymph: the model behind the address seems to have been replaced."
            raise self._failed(f"vectors had {self._dimension} numbers and now have {rows.shape[1]}", step)
        self._dimension = rows.shape[1]
        return unit(rows)

    def _answer(self, body: bytes) -> bytes:
        """The answer's bytes, after as many attempts as it takes and is allowed."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._request(body)
            except HTTPError as error:
                with error:
                    said = _said(error)
                if error.code not in PASSING or attempt == ATTEMPTS:
                    step = NEXT_STEPS.get(error.code, "Try again later, or ask who runs the service.")
                    raise self._failed(f"{error.code} {error.reason} {said}".strip(), step) from error
                wait = _asked_wait(error.headers)
            except (URLError, HTTPException, OSError) as error:
                if attempt == ATTEMPTS:
                    step = "Check the setting embedder_url and the network."
                    raise self._failed(f"no answer from {self._url} ({error})", step) from error
                wait = None
            own = FIRST_WAIT * 2 ** (attempt - 1)
            self._sleep(min(LONGEST_WAIT, own if wait is None else max(wait, 0.0)))
        raise AssertionError("the last attempt returns or raises")

    def _request(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "glymph"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        with self._opener.open(Request(self._url, body, headers), timeout=self._timeout) as response:
            answer: bytes = response.read(MOST_BYTES)
            return answer

    def _failed(self, problem: str, step: str) -> EmbedderFailed:
        safe = problem.replace(self._key, "[key]") if self._key else problem
        return EmbedderFailed(self.name, safe, step)


class _NoRedirects(HTTPRedirectHandler):
    """A redirect is an error: following it would hand the key to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _rows(answer: Any, count: int) -> Vectors:
    """The vectors of an answer in the order of the texts. Raises ValueError if they are not what was asked for."""
    items = answer["data"]
    if len(items) != count:
        raise ValueError(f"{len(items)} vectors for {count} texts")
    by_index = {item.get("index", at): item["embedding"] for at, item in enumerate(items)}
    if set(by_index) != set(range(count)):
        raise ValueError("the indexes of its vectors are not 0, 1, 2 …")
    vectors = [_vector(by_index[at]) for at in range(count)]
    if len({len(vector) for vector in vectors}) != 1 or not len(vectors[0]):
        raise ValueError("its vectors differ in length or are empty")
    rows = np.stack(vectors)
    if not np.isfinite(rows).all():
        raise ValueError("a vector holds something that is not a finite number")
    return rows


def _vector(value: Any) -> Vectors:
    if isinstance(value, str):
        try:
            return np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4")
        except binascii.Error as error:
            raise ValueError("a vector is neither numbers nor base64") from error
    vector = np.asarray(value, dtype=np.float32)
    if vector.ndim != 1:
        raise ValueError("a vector is not a list of numbers")
    return vector


def _said(error: HTTPError) -> str:
    """The start of what the server says about a refusal."""
    try:
        return " ".join(error.read(2000).decode("utf-8", "replace").split())[:300]
    except (HTTPException, OSError) as problem:
        return f"({problem})"


def _asked_wait(headers: Message) -> float | None:
    """The seconds of a Retry-After header, which holds seconds or a date; None if there is none."""
    value = str(headers.get("Retry-After", "")).strip()
    if value.isdigit():
        return float(value)
    try:
        return (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError):
        return None
