"""Stored vectors of memories, and how near they are to the goals of their space."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from glymph.context import Context
from glymph.embed.embedding import wording
from glymph.model import State
from glymph.prune.marks import is_live
from glymph.store.arrays import Columns, Flags, Floats, Slots
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader
from glymph.store.scan import Vectors

MOST_COMPARED = 20_000  # memories compared with the goals where their vectors are not at hand
CHUNK = 1_000
EVERY_LIVE = Filter(states=(State.LIVE,), include_superseded=True)


def load_vectors(ctx: Context, reader: Reader, rows: Sequence[Row]) -> Vectors | None:
    """Returns the vectors of these wordings, with zeros for those without one.

    Returns None if the handle has no embedder or none was stored.
    """
    model, _ = ctx.embedding.try_model()
    key = None if model is None else reader.model_key(*model)
    if model is None or key is None:
        return None
    found = np.zeros((len(rows), model[1]), dtype=np.float32)
    places: dict[tuple[int, bytes], list[int]] = defaultdict(list)  # a row may come more than once
    for at, row in enumerate(rows):
        places[row["key"], wording(row["content_hash"])].append(at)
    for start in range(0, len(rows), CHUNK):
        keys = [row["key"] for row in rows[start : start + CHUNK]]
        for memory, said, vector in reader.vectors_of(key, keys):
            if (memory, said) in places:  # older wordings keep theirs
                found[places[memory, said]] = np.frombuffer(vector, dtype="<f2")
    return found


def align_rows(ctx: Context, reader: Reader, columns: Columns, rows: Sequence[Row]) -> Floats:
    """Returns the cosine of each memory with its nearest goal; NaN without goals or vectors."""
    found = np.full(len(rows), np.nan)
    aims = _load_goals(ctx, reader, columns)
    own = load_vectors(ctx, reader, rows) if len(aims) else None
    if own is None:
        return found
    known = own.any(axis=1)
    found[known] = (own[known] @ aims.T).max(axis=1)
    found[[row["kind"] == "goal" and row["superseded_by"] is None for row in rows]] = 1.0
    return np.asarray(np.clip(found, 0.0, 1.0))


def align_all(ctx: Context, reader: Reader, columns: Columns, slots: Slots) -> Floats:
    """Returns the same for memories in columns; of very many only the oldest are compared."""
    found = np.full(len(slots), np.nan)
    aims = _load_goals(ctx, reader, columns)
    if not len(aims) or not len(slots):
        return found
    view = ctx.embedding.mirrors.view(reader, ctx.embedding.try_model()[0], whole=True)
    if view.model_key is None or view.vectors is None:
        return found
    own = view.slots(columns.memories["key"][slots].tolist())
    some = np.flatnonzero(own >= 0)
    if view.vectors.matrix is None and view.vectors.codes is None:
        oldest = np.argsort(columns.memories["created_at"][slots[some]], kind="stable")
        some = some[oldest[:MOST_COMPARED]]
    for aim in aims:
        cosines = view.cosines_about(aim, own[some], reader=reader)
        found[some] = np.fmax(found[some], cosines)
    found[_is_goal(columns)[slots]] = 1.0
    return np.asarray(np.clip(found, 0.0, 1.0))


def _is_goal(columns: Columns) -> Flags:
    goal = columns.of_kind("goal") & is_live(columns) & ~columns.memories["superseded"]
    return np.asarray(goal)


def _load_goals(ctx: Context, reader: Reader, columns: Columns) -> Vectors:
    """Returns the vectors of the current goals, none where there are none."""
    nothing = np.zeros((0, 0), dtype=np.float32)
    keys = columns.memories["key"][_is_goal(columns)].tolist()
    # Asked in this order: a look at the columns is cheap, one at an embedder less, rows least.
    if not keys or ctx.embedding.try_model()[0] is None:
        return nothing
    found = load_vectors(ctx, reader, list(reader.by_key(keys, EVERY_LIVE).values()))
    return nothing if found is None else found[found.any(axis=1)]
