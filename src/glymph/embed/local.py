"""The embedder that works offline right after `pip install 'glymph[local]'`: all-MiniLM-L6-v2."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from glymph.embed.contract import Vectors

if TYPE_CHECKING:
    from glymph.embed.packaged import Packaged

NAME = "all-MiniLM-L6-v2-int8@8199be6f"  # the model and the start of its weights' sha256
DIMENSION = 384


class LocalEmbedder:
    """384 numbers per text, computed on this machine. Nothing is imported or loaded before the
    first text.
    """

    def __init__(self, *, threads: int = 1, weights: Path | None = None) -> None:
        self.name, self.dimension = NAME, DIMENSION
        self._threads, self._weights = threads, weights
        self._lock = threading.Lock()
        self._model: Packaged | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Bit for bit the same vector for the same text on one machine, whatever else is in the
        call.
        """
        from glymph.embed.vectors import one_by_one

        return one_by_one(texts, DIMENSION, self._one)

    def _one(self, text: str) -> Vectors:
        from glymph.embed.packaged import Packaged

        with self._lock:
            if self._model is None:
                self._model = Packaged(NAME, weights=self._weights, threads=self._threads)
        return self._model(text)
