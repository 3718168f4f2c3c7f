"""Opens a shelf's store, searches it once and ends: `python -m benchmarks.harness.first_answer FOLDER`.

It imports nothing else of the benchmarks: what is measured is Glymph's start, not theirs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from glymph import Glymph
from glymph.embed.contract import Vectors


class OneVector:
    """An embedder that knows the vector of a single text beforehand."""

    name, ms_per_text = "prepared", 0.0

    def __init__(self, vector: Vectors) -> None:
        self.dimension = len(vector)
        self._vector = vector

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self._vector for _ in texts])


def main() -> None:
    folder = Path(sys.argv[1])
    text = json.loads((folder / "queries.json").read_text(encoding="utf-8"))["texts"][0]
    with np.load(folder / "queries.npz") as arrays:
        embedder = OneVector(arrays["vectors"][0])
    url = f"sqlite:///{folder / 'memory.db'}"
    with Glymph.open(url, embedder=embedder, reader="none", create=False) as glymph:
        if not glymph.search(text):
            sys.exit("nothing was found on the shelf")


if __name__ == "__main__":
    main()
