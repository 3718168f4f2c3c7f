"""The same space on both engines, and what working on it costs.

It is put there through the contract of a store.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import grown
from benchmarks.harness.clocks import running_cpu
from benchmarks.harness.corpus import Corpus
from glymph import Glymph
from glymph.decay.sections import kind_profile
from glymph.ids import uuid7
from glymph.store.contract import Intent
from glymph.testing.postgres import Server
from glymph.text.normal import content_hash, derive_title

DIMENSION = 384
CHUNK = 5_000
MODEL = "bench"


@dataclass(frozen=True, slots=True)
class Cost:
    """What a call took: on the wall, and of processors on both sides of the connection."""

    wall_s: float
    cpu_s: float


class Engine:
    """A store of one engine. `server` is None for an embedded one."""

    def __init__(self, name: str, url: str, server: Server | None) -> None:
        self.name, self.url, self._server = name, url, server

    def opened(self, space: str = "default", *, url: str | None = None) -> Glymph:
        return Glymph.open(
            url or self.url,
            space=space,
            embedder=Vectors(),
            reader="none",
            settings={"compare": "off"},
        )

    def costs(self, call: Callable[[], Any]) -> Cost:
        served, own, wall = self._served(), time.process_time(), time.perf_counter()
        call()
        took, own = time.perf_counter() - wall, time.process_time() - own
        return Cost(took, own + self._served() - served)

    def _served(self) -> float:
        """CPU seconds of the server's processes so far; those that have ended take theirs along."""
        if self._server is None:
            return 0.0
        spent = 0.0
        for process in self._server.processes():
            with suppress(OSError):  # it ended since they were listed
                spent += running_cpu(process)
        return spent


class Vectors:
    """An embedding model that costs nothing: the vector of a text follows from its hash."""

    name, dimension = MODEL, DIMENSION

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        seeds = [int(content_hash(text, "note", None)[:8], 16) for text in texts]
        return np.stack(
            [_unit(np.random.default_rng(seed).standard_normal(DIMENSION)) for seed in seeds]
        )


def _unit(vector: NDArray[Any]) -> NDArray[np.float32]:
    unit: NDArray[np.float32] = (vector / np.linalg.norm(vector)).astype(np.float32)
    return unit


@contextmanager
def engines(folder: Path) -> Iterator[list[Engine]]:
    """Both engines with an empty store each.

    The server keeps its promises about power loss, as SQLite does.
    """
    with Server(folder / "server", settings={"fsync": "on", "shared_buffers": "256MB"}) as server:
        yield [
            Engine("sqlite", f"sqlite:///{folder}/engines.db", None),
            Engine("postgresql", server.database(), server),
        ]


def fill(glymph: Glymph, count: int, seed: int) -> None:
    """Puts so many memories with links and vectors into the space.

    It does so in transactions of some thousand rows.
    """
    space, store = grown.grow(count, seed), glymph.context.store
    texts = Corpus(seed).texts(count)
    keys: list[int] = []
    vectors = np.random.default_rng(seed).standard_normal((count, DIMENSION))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype("<f2")
    with store.writing(glymph.space, None) as writer:
        model = writer.add_model(MODEL, DIMENSION, at=1)
    for first in range(0, count, CHUNK):
        part = range(first, min(first + CHUNK, count))
        rows = [_memory(space, number, texts[number]) for number in part]
        with store.writing(glymph.space, _intent(first)) as writer:
            writer.insert("memories", rows)
            by_id = writer.standing_of([row["id"] for row in rows])
            own = [by_id[row["id"]]["key"] for row in rows]
            writer.add_vectors(
                model,
                [
                    (key, bytes.fromhex(row["content_hash"][:16]), vectors[number].tobytes())
                    for key, row, number in zip(own, rows, part, strict=True)
                ],
            )
        keys += own
    for first in range(0, len(space.edges["source"]), CHUNK):
        part = range(first, min(first + CHUNK, len(space.edges["source"])))
        with store.writing(glymph.space, _intent(count + first)) as writer:
            writer.insert("edges", [_edge(space, number, keys) for number in part])


def _intent(number: int) -> Intent:
    at = grown.NOW + number
    return Intent(id=uuid7(at, number.to_bytes(8, "big")), actor="bench", verb="fill", at=at)


def _memory(space: grown.Grown, number: int, text: str) -> dict[str, Any]:
    columns = {name: column[number].item() for name, column in space.memories.items()}
    kind, created = grown.KINDS[columns["kind"]], columns["created_at"]
    return {
        "id": uuid7(created, number.to_bytes(8, "big")), "kind": kind,
        "section": kind_profile(kind).section.value, "title": derive_title(text), "text": text, "state": "LIVE",
        "state_at": created, "state_by": "fill", "salience": 0.5, "trust": 1.0, "created_at": created,
        "updated_at": created, "last_used_at": None if columns["last_used_at"] < 0 else columns["last_used_at"],
        "access_count": columns["access_count"], "stability": columns["stability"], "difficulty": 5.0,
        "content_hash": content_hash(text, kind, None),
    }  # fmt: skip


def _edge(space: grown.Grown, number: int, keys: Sequence[int]) -> dict[str, Any]:
    columns = {name: column[number].item() for name, column in space.edges.items()}
    return {
        "source": keys[columns["source"]], "target": keys[columns["target"]],
        "type": grown.TYPES[columns["type"]], "weight": columns["weight"], "created_at": columns["created_at"],
        "last_used_at": None if columns["last_used_at"] < 0 else columns["last_used_at"],
    }  # fmt: skip
