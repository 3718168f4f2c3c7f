"""Linking of new memories that were added before they had a vector.

They are joined to the memories near them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from glymph.context import Context
from glymph.model import DuplicatePair, DuplicateReport
from glymph.moments import micros
from glymph.store.contract import Filter
from glymph.store.reader import Reader
from glymph.store.scan import Slots
from glymph.store.view import View
from glymph.write.duplicates import connect, decide_pairs
from glymph.write.neighbours import kept_bands

COUNTER = "linked_upto"  # the newest memory that was looked at
AT_ONCE = 2_000  # memories looked at in one run
NEIGHBOURS = 5


def link_new(ctx: Context) -> DuplicateReport:
    """Links live memories that were added since the last time to their few nearest.

    Only those that are near are linked; the report says which. What has no vector yet is looked at
    when it has one. Without an embedder there is nothing to do.
    """
    model, _ = ctx.embedding.try_model()
    if model is None:
        return DuplicateReport(pairs=(), examined=0)
    with ctx.reading() as reader:
        view = ctx.embedding.mirrors.view(reader, model)
        slots, upto = _new(view, reader.counter(COUNTER) or 0)
        wanted = Filter(live_at=micros(ctx.now()))
        near = near_pairs_of(
            reader, view, slots, view.mask(wanted), least=kept_bands(ctx, reader).connect
        )
        pairs: tuple[DuplicatePair, ...] = tuple(
            decide_pairs(reader, wanted, near, kept_bands(ctx, reader), None)
        )
    report = DuplicateReport(pairs=pairs, examined=len(slots))
    linked = connect(ctx, report) if report.near else report
    with ctx.store.writing(ctx.space, None) as writer:
        writer.set_counter(COUNTER, upto)
    return linked


def _new(view: View, after: int) -> tuple[Slots, int]:
    """Returns the new slots that have vectors, and the key of the last one.

    New are those beyond the key `after`, up to the first live one without a vector.
    """
    keys: NDArray[np.int64] = view["key"]
    fresh = np.flatnonzero(keys > after)
    fresh = fresh[np.argsort(keys[fresh], kind="stable")][:AT_ONCE]
    live = view.mask(Filter(include_superseded=True))
    without = np.flatnonzero(live[fresh] & ~view["embedded"][fresh])
    if len(without):
        fresh = fresh[: without[0]]
    return fresh[live[fresh]], int(keys[fresh[-1]]) if len(fresh) else after


def near_pairs_of(
    reader: Reader, view: View, slots: Slots, passing: NDArray[np.bool_], *, least: float
) -> list[tuple[int, int, float]]:
    """Returns the nearest of these slots among those let through.

    Pairs of keys and their cosine, each pair once.
    """
    found: dict[tuple[int, int], float] = {}
    for slot in slots[passing[slots]].tolist():
        vector = view.vector_of(int(view["key"][slot]), reader=reader)
        if vector is None:
            continue
        others, cosines = view.nearest(vector, passing, limit=NEIGHBOURS + 1, reader=reader)
        for other, cosine in zip(others.tolist(), cosines.tolist(), strict=True):
            if other != slot and cosine >= least:
                a, b = sorted((int(view["key"][slot]), int(view["key"][other])))
                found[a, b] = cosine
    return [(a, b, cosine) for (a, b), cosine in found.items()]
