"""Whether what is taken for a repetition is one: sentence and product pairs, judged as `add` would.

Only the parts of the sets that are not for fitting are scored, with the bands as shipped. What
similarity cannot decide is to be connected, never merged: both are counted, and the traps apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.harness import changes
from benchmarks.harness.changes import Pair
from benchmarks.harness.contract import Fact, Figure, Figures, Options
from benchmarks.harness.keeping import KeptVectors, local_model
from glymph.embed.contract import Embedder, Vectors
from glymph.text.bands import BANDS
from glymph.text.similarity import differences, relation

QUESTION = "Is what is merged the same, and what becomes of the rest?"

PRECISION = 95.0


@dataclass(frozen=True, slots=True)
class Judged:
    """A pair and what was made of it; `band` is what the cosine alone would say."""

    pair: Pair
    kind: str
    band: bool


def run(options: Options, embedder: Embedder | None = None) -> Figures:
    """Precision and recall of merging, by set and pooled.

    Also what is connected, and merges among the traps.
    """
    model = embedder or local_model("duplicates")
    figures: dict[str, Figure | Fact] = {"model": Fact(model.name, "made the vectors")}
    pooled: list[Judged] = []
    for name in changes.SCORED:
        pairs = changes.pairs(options, name)
        judged = _judged(pairs[: options.count(len(pairs))], model)
        figures |= _figures(f"_{name}", judged)
        pooled += judged
        figures |= _traps(options, name, model)
    if isinstance(model, KeptVectors):
        model.keep()
    return figures | _figures("", pooled)


def _judged(pairs: Sequence[Pair], model: Embedder) -> list[Judged]:
    if not pairs:
        return []
    cosines = _cosines(
        model.embed([pair.a for pair in pairs]), model.embed([pair.b for pair in pairs])
    )
    return [
        Judged(pair, relation(pair.a, pair.b, cosine)[0], cosine >= BANDS.duplicate)
        for pair, cosine in zip(pairs, cosines, strict=True)
    ]


def _cosines(one: Vectors, other: Vectors) -> list[float]:
    """As a store would compare them: in half precision."""
    a, b = (vectors.astype(np.float16).astype(np.float32) for vectors in (one, other))
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    return [float(value) for value in np.einsum("nd,nd->n", a, b) / np.maximum(lengths, 1e-12)]


def _figures(end: str, judged: Sequence[Judged]) -> dict[str, Figure]:
    """`end` names the set, and is empty for all of them together."""
    same = sum(one.pair.same for one in judged)
    merged = [one for one in judged if one.kind == "duplicate"]
    right = sum(one.pair.same for one in merged)
    band = [one for one in judged if one.band]
    connected = sum(one.pair.same and one.kind == "connect" for one in judged)
    aim = PRECISION if not end else None
    return {
        f"pairs{end}": Figure(len(judged), f"judged, {same} of them the same"),
        f"merged{end}": Figure(len(merged), f"taken for the same, {right} rightly"),
        f"precision{end}": Figure(
            _percent(right, len(merged), 100.0), "of the merged are the same", at_least=aim
        ),
        f"recall{end}": Figure(_percent(right, same), "of the same are merged"),
        f"connected{end}": Figure(_percent(connected, same), "of the same are connected instead"),
        f"unrelated_connected{end}": Figure(
            _percent(
                sum(one.kind == "connect" and not one.pair.same for one in judged),
                len(judged) - same,
            ),
            "of those that are not the same are connected",
        ),
        f"cosine_precision{end}": Figure(
            _percent(sum(one.pair.same for one in band), len(band), 100.0),
            f"what the cosine alone would give, from {BANDS.duplicate}",
        ),
        f"cosine_recall{end}": Figure(
            _percent(sum(one.pair.same for one in band), same), "and find"
        ),
    }


def _traps(options: Options, name: str, model: Embedder) -> dict[str, Figure]:
    """Of every part: SICK's contradictions, and products that differ; nothing was fitted to them."""
    found = [
        pair
        for scored in (True, False)
        for pair in changes.pairs(options, name, scored=scored)
        if pair.trap
    ]
    found = found[: options.count(len(found))]
    if not found:
        return {}
    # Without a difference that forbids it any cosine may merge, so only those have to be embedded.
    open_to_merging = [pair for pair in found if not differences(pair.a, pair.b)]
    merged = sum(one.kind == "duplicate" for one in _judged(open_to_merging, model))
    return {
        f"traps_{name}": Figure(len(found), "pairs of all parts that are near and not the same"),
        f"false_merges_{name}": Figure(merged, "of them merged", at_most=0),
    }


def _percent(part: float, whole: float, nothing: float = 0.0) -> float:
    return 100 * part / whole if whole else nothing
