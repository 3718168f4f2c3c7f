"""Batches by similarity: similar memories land in the same batch, so that duplicates meet there."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glymph.store.scan import Vectors
from glymph.text.information import rarities
from glymph.text.normal import normalise
from glymph.text.words import drop_stop_words, split_words

MOST, MOST_TOKENS = 80, 6_000
NEIGHBOURS = 16  # of each group that are asked for: those nearest to it
BLOCK = 1_024  # groups compared with all others at a time
# steps of a whole vector's length: sums of their products are exact in 32 bits, in whatever order
GRID = 2_047
DIMENSION = 512  # of a bag of words


def similar_batches(
    vectors: Vectors, costs: Sequence[int], *, most: int = MOST, most_tokens: int = MOST_TOKENS
) -> list[list[int]]:
    """Returns the places of the items in batches, each place once.

    A batch has at most `most` items and `most_tokens` tokens. Those nearest to each other are
    joined first, until half a batch is full; then the groups nearest to the first that is left fill
    up its batch. Exact copies are in one batch if they fit in one. An item that costs more than a
    batch may hold is alone in its own. Zeros stand for an item nothing is known of: it goes where
    there is room. The batches are in the order of their first items.
    """
    if not costs:
        return []
    limits = _Limits(most, most_tokens)
    points = _on_grid(np.asarray(vectors, dtype=np.float32))
    groups = _join(_copies(points, costs, limits), points, costs, limits)
    return sorted(
        (sorted(batch) for batch in _pack(groups, points, costs, limits)),
        key=lambda batch: batch[0],
    )


def bag_vectors(texts: Sequence[str], dimension: int = DIMENSION) -> Vectors:
    """Returns a vector for each text by its words alone.

    Rare words count more, and texts that share words are near. For where there is no embedder.
    Texts of the same words have the very same vector, and none has zeros only.
    """
    telling = [drop_stop_words(split_words(text)) or frozenset([normalise(text)]) for text in texts]
    rarity = rarities(telling)
    found = np.zeros((len(texts), dimension), dtype=np.float32)
    for row, own in zip(found, telling, strict=True):
        for word in sorted(own):
            row[zlib.crc32(word.encode("utf-8", "replace")) % dimension] += 1.0 + rarity(word)
    return _unit(found)


@dataclass(frozen=True, slots=True)
class _Limits:
    most: int
    tokens: int

    def allow(self, count: int, cost: int) -> bool:
        return count <= self.most and cost <= self.tokens

    def half(self) -> _Limits:
        return _Limits(self.most // 2, self.tokens // 2)


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def _on_grid(vectors: Vectors) -> Vectors:
    """Returns the directions of vectors in whole numbers.

    So the same vectors always compare the same way.
    """
    return np.round(_unit(vectors) * GRID) + np.float32(0.0)  # no zero with a sign


def _copies(points: Vectors, costs: Sequence[int], limits: _Limits) -> list[list[int]]:
    """Puts exact copies together, as many as a batch holds; every other item is alone."""
    same: dict[bytes, list[int]] = defaultdict(list)
    for place, row in enumerate(points):
        same[row.tobytes() if row.any() else b"%d" % place].append(place)
    groups: list[list[int]] = []
    for places in same.values():
        groups.append([])
        cost = 0
        for place in places:
            if groups[-1] and not limits.allow(len(groups[-1]) + 1, cost + costs[place]):
                groups.append([])
                cost = 0
            groups[-1].append(place)
            cost += costs[place]
    return groups


def _join(
    groups: list[list[int]], points: Vectors, costs: Sequence[int], limits: _Limits
) -> list[list[int]]:
    """Joins the nearest groups first, as long as they are within half a batch."""
    half = limits.half()
    parent = list(range(len(groups)))
    counts = [len(group) for group in groups]
    sums = [sum(costs[place] for place in group) for group in groups]

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    for one, other in _nearest_pairs(points[[group[0] for group in groups]]):
        a, b = sorted((root(one), root(other)))
        if a != b and half.allow(counts[a] + counts[b], sums[a] + sums[b]):
            parent[b] = a
            counts[a] += counts[b]
            sums[a] += sums[b]
    found: dict[int, list[int]] = defaultdict(list)
    for at, group in enumerate(groups):
        found[root(at)] += group
    return list(found.values())


def _nearest_pairs(points: Vectors) -> list[tuple[int, int]]:
    """Returns each point with those nearest to it, the nearest pairs first."""
    size = len(points)
    near = min(NEIGHBOURS, size - 1)
    if near < 1:
        return []
    ones: list[NDArray[np.intp]] = []
    others: list[NDArray[np.intp]] = []
    cosines: list[Vectors] = []
    for start in range(0, size, BLOCK):
        products = points[start : start + BLOCK] @ points.T
        rows = np.arange(len(products))
        products[rows, rows + start] = -np.inf  # not with itself
        best = np.sort(np.argpartition(-products, near - 1, axis=1)[:, :near], axis=1)
        ones.append(np.repeat(rows + start, near))
        others.append(best.ravel())
        cosines.append(np.take_along_axis(products, best, axis=1).ravel())
    one, other, cosine = np.concatenate(ones), np.concatenate(others), np.concatenate(cosines)
    some = cosine > 0
    order = np.argsort(-cosine[some], kind="stable")
    return list(zip(one[some][order].tolist(), other[some][order].tolist(), strict=True))


def _pack(
    groups: list[list[int]], points: Vectors, costs: Sequence[int], limits: _Limits
) -> list[list[int]]:
    """Fills batches: the first group that is left, and the nearest for which there is room."""
    centres = _on_grid(np.array([points[group].sum(axis=0) for group in groups], dtype=np.float32))
    sums = [sum(costs[place] for place in group) for group in groups]
    left = np.ones(len(groups), dtype=np.bool_)
    batches: list[list[int]] = []
    for first in range(len(groups)):
        if not left[first]:
            continue
        left[first] = False
        batch, cost = list(groups[first]), sums[first]
        among = np.flatnonzero(left)
        nearness = centres[among] @ centres[first]
        for at in among[np.argsort(-nearness, kind="stable")].tolist():
            if len(batch) >= limits.most or cost >= limits.tokens:
                break
            if limits.allow(len(batch) + len(groups[at]), cost + sums[at]):
                batch += groups[at]
                cost += sums[at]
                left[at] = False
        batches.append(batch)
    return batches
