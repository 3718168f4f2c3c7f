"""What is dear to make and the same in every run: vectors, grades and stores.

They are kept in a folder that git does not see.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.harness.contract import Unavailable
from glymph.embed.contract import Embedder, Vectors
from glymph.errors import EmbedderFailed
from glymph.reader.contract import Reader

REPOSITORY = Path(__file__).parents[2]


def folder() -> Path:
    """Where benchmarks keep things: GLYMPH_BENCH_CACHE, or .cache/benchmarks in the repository."""
    chosen = os.environ.get("GLYMPH_BENCH_CACHE")
    found = Path(chosen) if chosen else REPOSITORY / ".cache" / "benchmarks"
    found.mkdir(parents=True, exist_ok=True)
    return found


class KeptVectors:
    """An embedder that has each text embedded once and keeps the vector for later runs.

    It embeds at once when asked to (`ms_per_text`), so that nothing runs in the background while
    others measure. `cpu_s` and `embedded` tell what this run had to embed itself.
    """

    ms_per_text = 0.0

    def __init__(self, inner: Embedder, *, name: str) -> None:
        self.name, self.dimension = inner.name, inner.dimension
        self.cpu_s, self.embedded = 0.0, 0
        self._inner = inner
        self._path = folder() / f"vectors-{name}-{_digest([inner.name])}.npz"
        self._vectors: dict[str, Vectors] = {}
        if self._path.exists():
            with np.load(self._path) as kept:
                self._vectors = dict(zip(kept["texts"].tolist(), kept["vectors"], strict=True))

    def embed(self, texts: Sequence[str]) -> Vectors:
        digests = [_digest([text]) for text in texts]
        for digest, text in zip(digests, texts, strict=True):
            if digest not in self._vectors:
                before = time.process_time()
                self._vectors[digest] = self._inner.embed([text])[0]
                self.cpu_s += time.process_time() - before
                self.embedded += 1
        return np.stack([self._vectors[digest] for digest in digests])

    def keep(self) -> None:
        """Writes down what is new."""
        if self.embedded:
            unfinished = self._path.with_suffix(f".{os.getpid()}.npz")
            np.savez(
                unfinished,
                texts=np.array(list(self._vectors)),
                vectors=np.stack(list(self._vectors.values())),
            )
            unfinished.replace(self._path)


class _Grades:
    """A reader's grades of texts, as an embedder gives vectors."""

    dimension = 4

    def __init__(self, reader: Reader) -> None:
        self.name = reader.name
        self._reader = reader

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.array([one.shares for one in self._reader.grade(texts)], dtype=np.float32)


def _digest(texts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:24]


def local_model(name: str) -> KeptVectors:
    """The local embedding model with its vectors kept under a name, or Unavailable."""
    from glymph.embed.providers.local import LocalEmbedder

    try:
        LocalEmbedder().embed(["Is it there?"])
    except EmbedderFailed as error:
        raise Unavailable(f"needs the local embedding model. {error}") from error
    return KeptVectors(LocalEmbedder(), name=name)


def local_grades(name: str) -> KeptVectors:
    """The grades of the local reader, kept under a name, or Unavailable."""
    from glymph.reader.local_reader import LocalReader
    from glymph.reader.weights import explain_absence

    if missing := explain_absence():
        raise Unavailable(missing)
    return KeptVectors(_Grades(LocalReader()), name=f"{name}-grades")
