"""An embedder behind an OpenAI-compatible `/embeddings` address, such as OpenAI, Ollama or vLLM.

Blank texts are not sent. How requests are repeated, and how the key is kept, is said in
`glymph.http`.
"""

from __future__ import annotations

import base64
import binascii
import random
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from glymph.embed.contract import EmbedderProvider, Vectors
from glymph.embed.vectors import readable, unit
from glymph.errors import EmbedderFailed
from glymph.http import LONGEST_WAIT, RemoteFailed, Service
from glymph.text.secrets import mask_secrets

MOST_TEXTS = 64  # in one request
MOST_CHARACTERS = 8000  # of one text; within the limits of the models in use


def from_spec(detail: str, *, url: str, key: str) -> OpenAIEmbedder:
    return OpenAIEmbedder(detail, url=url, key=key)


PROVIDER = EmbedderProvider("openai:MODEL", from_spec)


class OpenAIEmbedder:
    """A remote service. Opening it makes no request; asking for its dimension makes one."""

    def __init__(
        self,
        model: str,
        *,
        url: str,
        key: str = "",
        timeout: float = 120.0,  # seconds for one request, all its attempts and waits included
        sleep: Callable[[float], None] | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._service = Service(
            url, "/embeddings", setting="embedder", key=key, headers=headers,
            longest_wait=LONGEST_WAIT, sleep=sleep, jitter=jitter,
            mask=lambda text: mask_secrets(text)[0],
        )  # fmt: skip
        self._model, self._timeout = model, timeout
        self.name = f"openai:{model}@{self._service.host}"
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
            found = [
                self._batch([readable(texts[at])[:MOST_CHARACTERS] for at in batch])
                for batch in batches
            ]
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for batch, vectors in zip(batches, found, strict=True):
            rows[batch] = vectors
        return rows

    def _batch(self, texts: list[str]) -> Vectors:
        try:
            answer = self._service.post(
                {"model": self._model, "input": texts}, timeout=self._timeout
            )
        except RemoteFailed as error:
            raise EmbedderFailed(self.name, str(error), error.next_step) from error
        try:
            rows = _rows(answer, len(texts))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            step = (
                "Check that embedder_url is an OpenAI-compatible service and the model makes "
                "embeddings."
            )
            raise self._fail(f"the answer cannot be used ({error})", step) from error
        if self._dimension not in (None, rows.shape[1]):
            step = "Restart Glymph: the model behind the address seems to have been replaced."
            raise self._fail(
                f"vectors had {self._dimension} numbers and now have {rows.shape[1]}", step
            )
        self._dimension = rows.shape[1]
        return unit(rows)

    def _fail(self, problem: str, step: str) -> EmbedderFailed:
        return EmbedderFailed(self.name, self._service.hide(problem), step)


def _rows(answer: Any, count: int) -> Vectors:
    """Returns the vectors of an answer in the order of the texts; raises ValueError if unusable."""
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
