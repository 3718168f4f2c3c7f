"""An embedder for tests: fast, the same everywhere, and near where texts share words."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence

import numpy as np

from glymph.embed.contract import Vectors
from glymph.embed.vectors import unit


class WordEmbedder:
    """Each word adds one to a place given by its checksum, so texts that share words are near.

    `ms` is what it says a text costs, for tests of what is embedded at once and what later; without
    it, measured. `calls` holds the texts of every call, in order.
    """

    def __init__(self, dimension: int = 64, name: str = "words", ms: float | None = None) -> None:
        self.name, self.dimension, self.ms_per_text = name, dimension, ms
        self.calls: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls.append(list(texts))
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"\w+", text.casefold()):
                row[zlib.crc32(word.encode("utf-8", "replace")) % self.dimension] += 1
        return unit(rows)
