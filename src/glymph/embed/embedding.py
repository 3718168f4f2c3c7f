"""The embedding model of a handle: the vectors of queries, those to store, and what they cost."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeVar

from glymph.config import Settings
from glymph.embed import absence, open_embedder
from glymph.embed.contract import Embedder, Vectors
from glymph.errors import EmbedderFailed
from glymph.store.locks import ProcessLock
from glymph.store.mirror import Mirrors
from glymph.text.bands import BANDS, Bands

INLINE_MS = 5.0  # a text that costs more is not embedded while somebody waits for `add`
QUERIES_KEPT = 64
MOST = 65_504  # the largest number that two bytes hold: vectors are stored so
MENDING = "Fix the embedder, or open the store with embedder='none'."
PATIENCE = 30.0  # seconds before a model that failed is asked again on behalf of a search

Result = TypeVar("Result")


class Embedding:
    """Embeds for one handle and keeps its mirrors of stored vectors; it may have no embedder."""

    def __init__(self, embedder: Embedder | None = None, absence: str = "") -> None:
        self.embedder = embedder
        self.absence = absence  # why there is none
        self.mirrors = Mirrors()
        self._lock = ProcessLock()
        self._ms: float | None = None
        self._failure = (0.0, "")
        self._model: tuple[str, int] | None = None
        self._queries: OrderedDict[str, Vectors] = OrderedDict()

    @property
    def model(self) -> tuple[str, int] | None:
        """Name and dimension: the version of every vector this handle makes or compares."""
        if self._model is None and self.embedder is not None:
            self._model = (self.embedder.name, self.embedder.dimension)
        return self._model

    @property
    def bands(self) -> Bands:
        """The cosines from which two texts are the same or near, if the embedder says."""
        found: Bands = getattr(self.embedder, "bands", BANDS)
        return found

    @property
    def inline(self) -> bool:
        """True if a text is quick enough to embed while somebody waits for `add`, as measured."""
        if self.embedder is None:
            return False
        if self._ms is None:
            from glymph.embed.costs import ms_per_text

            with self._lock:
                self._ms = ms_per_text(self.embedder)
        return self._ms <= INLINE_MS

    def query(self, text: str) -> Vectors | None:
        """Returns the vector of a query; the last ones are remembered."""
        if self.embedder is None or not text:
            return None
        with self._lock:
            if text in self._queries:
                self._queries.move_to_end(text)
                return self._queries[text]
        vector: Vectors = self._embed([text])[0]  # without the lock: another query need not wait
        with self._lock:
            self._queries[text] = vector
            if len(self._queries) > QUERIES_KEPT:
                self._queries.popitem(last=False)
        return vector

    def _embed(self, texts: Sequence[str]) -> Vectors:
        assert self.embedder is not None
        vectors = self.embedder.embed(texts)
        name, wanted = self.embedder.name, (len(texts), self.embedder.dimension)
        if vectors.shape != wanted:
            problem = f"it gave vectors of the shape {vectors.shape} instead of {wanted}"
            raise EmbedderFailed(name, problem, MENDING)
        if vectors.size and not abs(vectors).max() <= MOST:  # no comparison with NaN holds
            problem = f"it gave a number that is not finite, or beyond {MOST:,}"
            raise EmbedderFailed(name, problem, MENDING)
        return vectors

    # A model that is out of reach must not keep memories from being found, nor hold up each search.

    def try_model(self) -> tuple[tuple[str, int] | None, str]:
        """Returns the model, or None and why: a remote one may be asked for its dimension."""
        return (self._model, "") if self._model is not None else self._attempt(lambda: self.model)

    def try_query(self, text: str) -> tuple[Vectors | None, str]:
        """Returns the vector of a query, or None and why."""
        known = self._queries.get(text)
        return (known, "") if known is not None else self._attempt(lambda: self.query(text))

    def _attempt(self, act: Callable[[], Result]) -> tuple[Result | None, str]:
        failed_at, reason = self._failure
        if reason and time.monotonic() - failed_at < PATIENCE:
            return None, reason
        try:
            return act(), ""
        except EmbedderFailed as error:
            self._failure = (time.monotonic(), str(error))
            return None, str(error)

    def encode(self, texts: Sequence[str]) -> list[bytes]:
        """Returns the vector of each text as a store keeps it."""
        if self.embedder is None or not texts:
            return []
        return [row.tobytes() for row in self._embed(texts).astype("<f2")]


def wording(content_hash: str) -> bytes:
    """Returns the first bytes of a content hash: they tie a vector to its wording."""
    return bytes.fromhex(content_hash[:16])


def open_embedding(settings: Settings, embedder: str | Embedder) -> Embedding:
    """Opens the embedding model asked for; for "auto" the one the settings name."""
    if not isinstance(embedder, str):
        return Embedding(embedder)
    spec = settings.embedder if embedder == "auto" else embedder
    found = open_embedder(spec, url=settings.embedder_url, key=settings.embedder_key)
    if found is not None or spec == "none":
        return Embedding(found)
    lacking = absence()
    _say_once(lacking)
    return Embedding(None, lacking)


@cache
def _say_once(lacking: str) -> None:
    """Logs that recall goes by text only: once, however many handles a program opens."""
    import logging

    logging.getLogger("glymph").info("%s Until then recall goes by text only.", lacking)
