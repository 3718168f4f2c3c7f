"""Every pair of near vectors among many, without comparing each with each.

Vectors are hashed by the signs of their projections: near ones agree in most of them. In each of
some dozens of tables they are sorted by other signs, and only those that agree in the first of
these stand side by side and are compared; what is given back is compared exactly. A pair can be
missed, none is invented.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from glymph.store.scan import Slots, Vectors

Pairs = tuple[Slots, Slots, Vectors]
Halves = NDArray[np.float16]
Words = NDArray[np.uint64]

COMPARED_UP_TO = 2_048  # vectors: so few are compared each with each
PLANES = 384  # signs of each vector
SOUGHT = 0.95  # the chance that a pair as far apart as allowed meets in some table
FEWEST_TABLES, MOST_TABLES = 8, 40
# of those that follow in the same bucket: ten thousand equal vectors make a chain, not n² pairs
WINDOW = 32
ENOUGH = 32  # who has met so many is left out of further tables
MOST = 8  # of its nearest that each vector keeps
DEVIATIONS = 3.0  # of the number of differing signs, beyond which a pair is not compared exactly
POINTLESS = 0.9  # a mean so long says that all are nearly the same: nothing is left without it
BLOCK = 1 << 14
# Pairs for each vector, before those met twice are dropped and who met enough is told.
MERGED_FROM = 4


def near_pairs(vectors: Vectors | Halves, *, least: float, seed: int = 0) -> Pairs:
    """Returns pairs i < j with a cosine of at least that, in order; each vector keeps a few.

    Vectors need not have length one; those of length zero are near to nothing.
    """
    if len(vectors) < 2:
        return _none()
    if len(vectors) <= COMPARED_UP_TO:
        first, second = _compare_all(vectors, least)
    else:
        first, second = _find_met(vectors, least, np.random.default_rng(seed))
    cosines = _cosines(vectors, first, second)
    near = cosines >= least
    return _nearest_of_each(first[near], second[near], cosines[near])


def _none() -> Pairs:
    nothing = np.zeros(0, dtype=np.intp)
    return nothing, nothing, np.zeros(0, dtype=np.float32)


def _unit(vectors: Vectors | Halves) -> Vectors:
    """Returns the vectors with length one; those without a length stay as they are."""
    whole = vectors.astype(np.float32)
    lengths = np.sqrt(np.einsum("nd,nd->n", whole, whole))
    whole /= np.where(lengths > 0, lengths, np.float32(1))[:, None]
    return whole


def _compare_all(vectors: Vectors | Halves, least: float) -> tuple[Slots, Slots]:
    """Returns pairs found by comparing each with each."""
    unit = _unit(vectors)
    first, second = np.nonzero(np.triu(unit @ unit.T >= least - 1e-4, k=1))
    return first, second


def _cosines(vectors: Vectors | Halves, first: Slots, second: Slots) -> Vectors:
    found = np.empty(len(first), dtype=np.float32)
    for at in range(0, len(first), BLOCK):
        part = slice(at, at + BLOCK)
        found[part] = np.einsum(
            "nd,nd->n", _unit(vectors[first[part]]), _unit(vectors[second[part]])
        )
    return found


def _nearest_of_each(first: Slots, second: Slots, cosines: Vectors) -> Pairs:
    """Returns the pairs that are among the nearest of one of their two.

    Of equally near ones the next by number.
    """
    owner, other = np.concatenate([first, second]), np.concatenate([second, first])
    order = np.lexsort((np.abs(owner - other), -np.tile(cosines, 2), owner))
    _, starts, sizes = np.unique(owner[order], return_index=True, return_counts=True)
    rank = np.arange(len(order)) - np.repeat(starts, sizes)
    kept = np.unique(order[rank < MOST] % max(len(first), 1))
    kept = kept[np.lexsort((second[kept], first[kept]))]
    return first[kept], second[kept], cosines[kept]


# by signs


def _find_met(
    vectors: Vectors | Halves, least: float, random: np.random.Generator
) -> tuple[Slots, Slots]:
    """Pairs that stand side by side in a table and differ in few signs."""
    count = len(vectors)
    pivot = _pivot(vectors)
    differing = _share_of_differing(least, pivot)
    signs = _signs(vectors, pivot, random)
    columns, rows = np.ascontiguousarray(signs.T), signs.view(np.uint64)
    agreed = min(max(int(math.log2(count)), 8), 20)
    low = np.uint64(count.bit_length())
    free = np.ones(count, dtype=np.bool_)
    met, fresh = np.zeros(0, dtype=np.uint64), list[Words]()
    for chosen in _tables(agreed, differing, random):
        table = _sort_by_signs(columns, chosen, low, free)
        fresh += _side_by_side(table, rows, agreed=agreed, low=low, differing=differing)
        if sum(map(len, fresh)) > MERGED_FROM * count:
            met, fresh = np.unique(np.concatenate([met, *fresh])), []
            ends = np.concatenate([met >> np.uint64(32), met & np.uint64(0xFFFFFFFF)]).astype(
                np.intp
            )
            free = np.bincount(ends, minlength=count) < ENOUGH
    met = np.unique(np.concatenate([met, *fresh]))
    return (met >> np.uint64(32)).astype(np.intp), (met & np.uint64(0xFFFFFFFF)).astype(np.intp)


def _pivot(vectors: Vectors | Halves) -> Vectors:
    """Returns the mean of all, from where directions differ most; embeddings crowd around it."""
    total = np.zeros(vectors.shape[1], dtype=np.float64)
    for at in range(0, len(vectors), BLOCK):
        total += _unit(vectors[at : at + BLOCK]).sum(axis=0)
    mean: Vectors = (total / len(vectors)).astype(np.float32)
    return np.zeros_like(mean) if float(mean @ mean) > POINTLESS else mean


def _share_of_differing(least: float, pivot: Vectors) -> float:
    """Returns the share of signs in which two vectors of that cosine differ, from the pivot."""
    shift = float(pivot @ pivot)
    return math.acos(max((least - shift) / (1 - shift), 0.0)) / math.pi


def _signs(
    vectors: Vectors | Halves, pivot: Vectors, random: np.random.Generator
) -> NDArray[np.uint8]:
    """Returns the signs of each vector's projections, as bytes.

    Without a rotation some dimensions would say little.
    """
    planes = random.standard_normal((len(pivot), PLANES), dtype=np.float32)
    if len(pivot) >= PLANES:
        planes = np.linalg.qr(planes)[0]
    offset = pivot @ planes
    signs = np.empty((len(vectors), PLANES // 8), dtype=np.uint8)
    for at in range(0, len(vectors), BLOCK):
        projected = _unit(vectors[at : at + BLOCK]) @ planes
        signs[at : at + BLOCK] = np.packbits(projected > offset, axis=1)
    return signs


def _tables(
    agreed: int, differing: float, random: np.random.Generator
) -> Iterator[NDArray[np.intp]]:
    """Yields the eight bytes of signs each table is sorted by; the first have to agree."""
    chance = (1 - differing) ** agreed
    tables = math.ceil(math.log(1 - SOUGHT) / math.log(1 - chance)) if chance < 1 else 1
    width, size = -(-agreed // 8), PLANES // 8
    order, at = random.permutation(size), 0
    for _ in range(min(max(tables, FEWEST_TABLES), MOST_TABLES)):
        if at + width > size:
            order, at = random.permutation(size), 0
        yield np.roll(order, -at)[:8]
        at += width


def _sort_by_signs(
    columns: NDArray[np.uint8], chosen: NDArray[np.intp], low: np.uint64, free: NDArray[np.bool_]
) -> Words:
    """Signs in the upper bits, the vector's number in the lower: sorting these sorts both, fast."""
    words = np.zeros(columns.shape[1], dtype=np.uint64)
    for place, column in enumerate(chosen):
        words |= columns[column].astype(np.uint64) << np.uint64(56 - 8 * place)
    words = words >> low << low | np.arange(len(words), dtype=np.uint64)
    words = words[free]
    words.sort()
    return words


def _side_by_side(
    table: Words, rows: Words, *, agreed: int, low: np.uint64, differing: float
) -> Iterator[Words]:
    """Yields neighbours of a table that differ in few signs, as i · 2³² + j.

    They agree in the first signs.
    """
    numbers = (table & ((np.uint64(1) << low) - np.uint64(1))).astype(np.intp)
    signs = table >> low
    rest = 64 - int(low) - agreed
    same, few, cut = (
        np.uint64(1 << rest),
        _most_differing(rest, differing),
        _most_differing(PLANES, differing),
    )
    at = np.arange(len(table))
    for distance in range(1, WINDOW + 1):
        at = at[: np.searchsorted(at, len(table) - distance)]
        apart = signs[at] ^ signs[at + distance]
        at, apart = at[apart < same], apart[apart < same]
        if not len(at):
            return
        # The signs at hand lie side by side; those elsewhere are looked at only where these do not
        # rule it out.
        likely = at[np.bitwise_count(apart) <= few]
        a, b = numbers[likely], numbers[likely + distance]
        near = np.flatnonzero(_count_differing(rows, a, b) <= cut)
        a, b = a[near], b[near]
        yield np.minimum(a, b).astype(np.uint64) << np.uint64(32) | np.maximum(a, b).astype(
            np.uint64
        )


def _most_differing(signs: int, share: float) -> int:
    """Returns in how many of so many signs a near pair may well differ."""
    return int(signs * share + DEVIATIONS * math.sqrt(signs * share * (1 - share)))


def _count_differing(rows: Words, a: Slots, b: Slots) -> NDArray[np.uint16]:
    found = np.empty(len(a), dtype=np.uint16)
    for at in range(0, len(a), BLOCK):
        part = slice(at, at + BLOCK)
        differing = np.bitwise_count(rows[a[part]] ^ rows[b[part]])
        found[part] = differing.sum(axis=1, dtype=np.uint16)
    return found
