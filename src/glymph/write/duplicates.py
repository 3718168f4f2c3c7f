"""The sweep for duplicates in a space.

It finds every pair of memories that say the same, or nearly so, at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glymph.context import Context
from glymph.decay.edges import DEFAULT_WEIGHTS
from glymph.decay.sections import SECTIONS, Section
from glymph.errors import GlymphError
from glymph.model import DuplicatePair, DuplicateReport
from glymph.moments import micros
from glymph.store import records
from glymph.store.arrays import quiet_collector
from glymph.store.contract import Filter, Row
from glymph.store.lsh import Halves, near_pairs
from glymph.store.mirror import PAGE
from glymph.store.reader import Reader
from glymph.store.scan import Slots, Vectors
from glymph.store.view import View
from glymph.text.bands import Bands
from glymph.text.similarity import relation
from glymph.write.neighbours import kept_bands

PAIRS_AT_ONCE = 2_000  # whose memories are read together
EDGES_AT_ONCE = 1_000  # in one transaction, so that other writers never wait long
LINK = "similar_to"

Progress = Callable[[int, int], None]


def sweep(
    ctx: Context, *, apply: bool = False, progress: Progress | None = None
) -> DuplicateReport:
    """Returns every pair of live, current memories that say the same or nearly so.

    The nearest pairs come first. Only vectors of the handle's own model are compared. Each memory
    is shown with a few of its nearest, so thousands that say the same are a chain. `apply` links
    the pairs that are merely near, as one bulk operation. Duplicates are never merged here: that
    takes a plan somebody has looked at. `progress` is told how many of the near pairs were read,
    and how many there are.
    """
    with ctx.reading() as reader:
        wanted = Filter(live_at=micros(ctx.now()))
        keys, vectors = stored_vectors(ctx, reader, wanted)
        bands = kept_bands(ctx, reader)
        first, second, cosines = near_pairs(vectors, least=bands.connect)
        nearest = np.argsort(-cosines, kind="stable")
        ends = keys[first[nearest]].tolist(), keys[second[nearest]].tolist()
        near = list(zip(*ends, cosines[nearest].tolist(), strict=True))
        pairs = tuple(decide_pairs(reader, wanted, near, bands, progress))
    report = DuplicateReport(pairs=pairs, examined=len(keys))
    return connect(ctx, report) if apply and report.near else report


# reading


def stored_vectors(
    ctx: Context, reader: Reader, wanted: Filter
) -> tuple[NDArray[np.int64], Vectors | Halves]:
    """Returns the keys and the vectors of the memories that pass the filter.

    Only memories that have a vector of the handle's model are among them.
    """
    model, lacking = ctx.embedding.try_model()
    if model is None:
        told = lacking or ctx.embedding.absence or "The handle has no embedder."
        raise GlymphError(
            f"{told} Duplicates are found by meaning: open the store with an embedder."
        )
    view = ctx.embedding.mirrors.view(reader, model)
    slots = np.flatnonzero(view.mask(wanted) & view["embedded"])
    keys = view["key"][slots]
    if view.vectors is None or view.model_key is None:
        return keys, np.zeros((0, model[1]), dtype=np.float32)
    here = view.vectors.read(slots)
    if here is not None:
        return keys, here
    return keys, _read_vectors(reader, view, slots, model[1])


def _read_vectors(reader: Reader, view: View, slots: Slots, dimension: int) -> Halves:
    """Returns the vectors as the store keeps them, read page by page.

    Whole ones of a large space are not mirrored.
    """
    assert view.model_key is not None
    found = np.zeros((len(slots), dimension), dtype=np.float16)
    places = np.full(view.size, -1, dtype=np.intp)
    places[slots] = np.arange(len(slots))
    after, wording = 0, None
    while True:
        with quiet_collector():
            rows = reader.vectors_after(view.model_key, after, wording=wording, limit=PAGE)
        if not rows:
            return found
        own = view.slots([row[0] for row in rows])
        at = np.where(own >= 0, places[own], -1)
        wordings = np.frombuffer(b"".join([row[1] for row in rows]), dtype=">u8")
        current = (at >= 0) & (wordings == view["wording"][own])
        page = np.frombuffer(b"".join([row[2] for row in rows]), dtype="<f2").reshape(
            len(rows), dimension
        )
        found[at[current]] = page[current]
        after, wording, _ = rows[-1]


def decide_pairs(
    reader: Reader,
    wanted: Filter,
    near: Sequence[tuple[int, int, float]],
    bands: Bands,
    progress: Progress | None,
) -> Iterator[DuplicatePair]:
    """Yields what each near pair is, by its texts."""
    for at in range(0, len(near), PAIRS_AT_ONCE):
        some = near[at : at + PAIRS_AT_ONCE]
        rows = reader.by_key({key for a, b, _ in some for key in (a, b)}, wanted)
        for a, b, cosine in some:
            if (
                a in rows
                and b in rows
                and (pair := _pair(rows[a], rows[b], cosine, bands)) is not None
            ):
                yield pair
        if progress is not None:
            progress(at + len(some), len(near))


def _pair(a: Row, b: Row, cosine: float, bands: Bands) -> DuplicatePair | None:
    names = (records.words(a["entities"]), records.words(b["entities"]))
    verdict, reason = relation(a["text"], b["text"], min(cosine, 1.0), bands=bands, names=names)
    if verdict == "nothing":
        return None
    if verdict == "duplicate" and (sources := _sources(a, b)):
        verdict, reason = (
            "connect",
            f"{reason}, but {' and '.join(sources)} keeps what happened each time",
        )
    titles = (a["title"], b["title"])
    return DuplicatePair(
        a["id"], b["id"], titles=titles, cosine=cosine, verdict=verdict, reason=reason
    )


def _sources(*rows: Row) -> list[str]:
    """Returns the sections among theirs whose memories are episodes.

    Two alike are two, and only ever connected.
    """
    return sorted(
        {row["section"] for row in rows if SECTIONS[Section(row["section"])].role == "source"}
    )


# linking


def connect(ctx: Context, report: DuplicateReport) -> DuplicateReport:
    """Links the near pairs that are not linked yet, in short transactions under one operation."""
    made, operation = 0, None
    missing = _find_missing(ctx, report.near)
    if not missing:
        return report
    with ctx.bulk("dedup", reason="link memories that are near") as parent:
        for some in _chunks(missing, EDGES_AT_ONCE):
            made += _link(ctx, some, parent)
    with ctx.reading() as reader:
        row = reader.operation_by_key(parent)
        operation = row["id"] if row else None
    return replace(report, linked=made, operation_id=operation)


def _chunks(pairs: Sequence[DuplicatePair], size: int) -> Iterator[Sequence[DuplicatePair]]:
    return (pairs[at : at + size] for at in range(0, len(pairs), size))


def _find_missing(ctx: Context, pairs: Sequence[DuplicatePair]) -> list[DuplicatePair]:
    with ctx.reading() as reader:
        return [
            pair
            for some in _chunks(pairs, EDGES_AT_ONCE)
            for pair, _, _ in _find_unlinked(reader, reader.standing_of(_ends(some)), some)
        ]


def _ends(pairs: Iterable[DuplicatePair]) -> set[str]:
    return {end for pair in pairs for end in (pair.a, pair.b)}


def _find_unlinked(
    reader: Reader, rows: dict[str, Row], pairs: Iterable[DuplicatePair]
) -> list[tuple[DuplicatePair, int, int]]:
    """Returns the living pairs that no such link joins in either direction, with their keys."""
    keys = {memory_id: row["key"] for memory_id, row in rows.items() if row["state"] == "LIVE"}
    edges = reader.edges_touching(list(keys.values()))
    linked = {(source, target) for source, target, kind, *_ in edges if kind == LINK}
    found = [
        (pair, keys[pair.a], keys[pair.b]) for pair in pairs if pair.a in keys and pair.b in keys
    ]
    return [(pair, a, b) for pair, a, b in found if (a, b) not in linked and (b, a) not in linked]


def _link(ctx: Context, pairs: Sequence[DuplicatePair], parent: int) -> int:
    with ctx.operation("link", parent=parent) as op:
        fresh = _find_unlinked(op.writer, op.writer.standing_of(_ends(pairs)), pairs)
        edges: list[dict[str, Any]] = [
            {
                "source": a,
                "target": b,
                "type": LINK,
                "weight": DEFAULT_WEIGHTS[LINK],
                "created_at": op.now,
            }
            for _, a, b in fresh
        ]
        op.writer.insert("edges", edges)
        op.writer.bump({end for _, a, b in fresh for end in (a, b)})
    return len(fresh)
