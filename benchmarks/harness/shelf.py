"""Large stores with prepared vectors, and queries whose truly nearest memories are known.

They are built once and kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import keeping, prose
from glymph import Glymph
from glymph.embed.contract import Vectors
from glymph.embed.providers.local import LocalEmbedder
from glymph.errors import EmbedderFailed

VERSION = 1  # of what is built here; the engine's schema is part of a shelf's name by itself
DIMENSION = 384
CHUNK = 20_000
SPARE = 1  # queries before the measured ones, to warm up with
DEPTH = 250  # of the exactly nearest that are noted
KINDS = "event fact preference decision note lesson signal goal thesis trade_entry".split()
NAMES = 2_000
CLUSTERS, LATENT = 2_000, 64
SPREAD, NOISE = 0.7, 0.3  # of a cluster, and outside the latent space
SINCE = datetime(2024, 1, 1, tzinfo=UTC)

Batch = tuple[list[str], Vectors]


class PreparedVectors:
    """An embedder that knows the vectors of some texts beforehand; asking costs nothing."""

    name, dimension, ms_per_text = "prepared", DIMENSION, 0.0

    def __init__(self, known: Mapping[str, Vectors]) -> None:
        self.known = known

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self.known[text] for text in texts])


@dataclass(frozen=True, slots=True)
class Shelf:
    """A store and its queries. Exact answers are numbers of memories in the order they were added."""

    folder: Path
    texts: list[str]
    kinds: list[str]  # each query's filter
    vectors: Vectors
    exact: NDArray[np.int64]
    exact_filtered: NDArray[np.int64]
    real: bool  # whether a model made the vectors

    @property
    def url(self) -> str:
        return f"sqlite:///{self.folder / 'memory.db'}"

    def embedder(self) -> PreparedVectors:
        return PreparedVectors(dict(zip(self.texts, self.vectors, strict=True)))


def real(count: int, *, queries: int, seed: int) -> Shelf:
    """English sentences with the vectors of the local model.

    Made-up ones where the model is not installed.
    """
    try:
        LocalEmbedder().embed(["Is it there?"])
    except EmbedderFailed:
        return made_up(count, queries=queries, seed=seed)

    def build(folder: Path) -> None:
        model = keeping.KeptVectors(LocalEmbedder(), name="sentences")
        random = np.random.default_rng(seed)
        texts = prose.sentences(count + queries)
        random.shuffle(texts)
        asked = [prose.words_of(text, random) for text in texts[:queries]]
        told = texts[queries:]
        batches = (
            (told[at : at + CHUNK], model.embed(told[at : at + CHUNK]))
            for at in range(0, len(told), CHUNK)
        )
        _fill(folder, batches, lambda: (asked, model.embed(asked)), random, real=True)
        model.keep()

    return _kept(f"real-{count}-{queries}-{seed}", build)


def made_up(count: int, *, queries: int, seed: int) -> Shelf:
    """Texts by Zipf's law, vectors in clusters."""

    def build(folder: Path) -> None:
        random = np.random.default_rng(seed)
        told, cloud = prose.Prose(seed), Cloud(random)
        basis = told.texts(queries)
        asked = [prose.words_of(text, random) for text in basis]
        vectors = cloud.points(queries)

        def batches() -> Iterator[Batch]:
            for at in range(0, count, CHUNK):
                size = min(CHUNK, count - at)
                first = basis[: size // 2] if at == 0 else []
                yield [*first, *told.texts(size - len(first))], cloud.points(size)

        _fill(folder, batches(), lambda: (asked, vectors), random, real=False)

    return _kept(f"made-up-{count}-{queries}-{seed}", build)


class Cloud:
    """Points of length one in clusters of a latent space, seen through a projection with noise."""

    def __init__(self, random: np.random.Generator) -> None:
        self._random = random
        self._centres = self._normal(CLUSTERS, LATENT)
        self._projection = self._normal(LATENT, DIMENSION) / np.float32(np.sqrt(LATENT))

    def points(self, count: int) -> Vectors:
        """The next points, of clusters drawn at random."""
        centres = self._centres[self._random.integers(CLUSTERS, size=count)]
        latent = centres + np.float32(SPREAD) * self._normal(count, LATENT)
        seen = latent @ self._projection + np.float32(NOISE) * self._normal(count, DIMENSION)
        unit: Vectors = seen / np.linalg.norm(seen, axis=1, keepdims=True)
        return unit

    def _normal(self, *shape: int) -> Vectors:
        return self._random.standard_normal(shape, dtype=np.float32)


def _kept(name: str, build: Callable[[Path], None]) -> Shelf:
    """The shelf of that name, built if it is not there yet."""
    folder = keeping.folder() / f"shelf-{name}-{VERSION}-{_schema()}"
    if not folder.exists():
        unfinished = folder.with_name(f"{folder.name}.{os.getpid()}")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        build(unfinished)
        unfinished.rename(folder)
    return opened(folder)


def opened(folder: Path) -> Shelf:
    """The shelf in a folder."""
    told = json.loads((folder / "queries.json").read_text(encoding="utf-8"))
    with np.load(folder / "queries.npz") as arrays:
        return Shelf(folder, **told, **arrays)


def _schema() -> str:
    """Changes with the schema of the engine, so that no store is kept from an older one."""
    digest = hashlib.sha256()
    for file in sorted(
        resources.files("glymph.store.backends.sqlite").iterdir(), key=lambda f: f.name
    ):
        if file.name.endswith(".sql"):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:8]


def _fill(
    folder: Path,
    batches: Iterator[Batch],
    asked: Callable[[], Batch],
    random: np.random.Generator,
    *,
    real: bool,
) -> None:
    """Stores everything by `add_many` and writes down the queries with their exact answers."""
    texts, vectors = asked()
    kinds = list(islice(KINDS * len(texts), len(texts)))
    of_kind = np.array([KINDS.index(kind) for kind in kinds])
    nearest, nearest_filtered = Nearest(vectors), Nearest(vectors)
    embedder = PreparedVectors({})
    stored = 0
    # Every text counts, whatever it is like: queries and their exact answers are numbered by it.
    settings = {"compare": "off", "junk_gate": "off"}
    url = f"sqlite:///{folder / 'memory.db'}"
    with Glymph.open(url, embedder=embedder, settings=settings) as glymph:
        for told, points in batches:
            embedder.known = dict(zip(told, points, strict=True))
            codes = random.integers(len(KINDS), size=len(told))
            added = glymph.add_many(list(_items(told, codes, random, stored)))
            if not all(one.created for one in added):
                raise RuntimeError(
                    "two texts are the same: the exact answers would be numbered wrongly"
                )
            nearest.see(points, stored)
            nearest_filtered.see(points, stored, passing=codes[None] == of_kind[:, None])
            stored += len(told)
    np.savez(
        folder / "queries.npz",
        vectors=vectors,
        exact=nearest.found,
        exact_filtered=nearest_filtered.found,
    )
    told_json = json.dumps({"texts": texts, "kinds": kinds, "real": real})
    (folder / "queries.json").write_text(told_json, encoding="utf-8")


def _items(
    texts: Sequence[str], codes: NDArray[np.int64], random: np.random.Generator, stored: int
) -> Iterator[dict[str, Any]]:
    """Memories of ten kinds in sessions of twenty; every third is about somebody."""
    names = random.integers(3 * NAMES, size=len(texts))
    for number, (text, code, name) in enumerate(zip(texts, codes, names, strict=True), stored):
        yield {
            "text": text, "kind": KINDS[code], "session": f"s{number // 20}",
            "entities": [f"Person{name}"] if name < NAMES else [], "event_at": SINCE + timedelta(minutes=number),
        }  # fmt: skip


class Nearest:
    """The numbers of the points with the largest products with each query.

    Best first, seen batch by batch.
    """

    def __init__(self, queries: Vectors) -> None:
        self._queries = queries
        self._products = np.full((len(queries), DEPTH), -np.inf, dtype=np.float32)
        self.found = np.full((len(queries), DEPTH), -1, dtype=np.int64)

    def see(self, points: Vectors, first: int, *, passing: NDArray[np.bool_] | None = None) -> None:
        """Takes in the next points, numbered from `first`.

        Those that do not pass count for nothing.
        """
        products = self._queries @ points.T
        if passing is not None:
            products = np.where(passing, products, np.float32(-np.inf))
        numbers = np.broadcast_to(np.arange(first, first + len(points)), products.shape)
        products = np.hstack([self._products, products])
        numbers = np.hstack([self.found, np.where(np.isneginf(products[:, DEPTH:]), -1, numbers)])
        best = np.argsort(-products, axis=1, kind="stable")[:, :DEPTH]
        self._products = np.take_along_axis(products, best, axis=1)
        self.found = np.take_along_axis(numbers, best, axis=1)
