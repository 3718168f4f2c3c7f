"""The nearest of many vectors: all of them compared, or the signs of all and then the best.

Beside its signs a vector may be kept in bytes: they tell its products to about a thousandth, for a
quarter of the memory and of the time that whole numbers take.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Slots = NDArray[np.intp]
Bits = NDArray[np.uint64]
Codes = NDArray[np.int8]
Stored = NDArray[np.float16]

FEW = 0.3  # of the rows: fewer are gathered first, more are all multiplied
BLOCK = 1 << 14  # columns of signs at a time, so that the counts stay in the processor's cache
ROWS = 1 << 8  # of those gathered at a time, for the same reason


def exact_nearest(
    matrix: Vectors, query: Vectors, passing: NDArray[np.bool_], limit: int
) -> tuple[Slots, Vectors]:
    """Returns the rows let through with the largest products, best first, and these products."""
    among = np.flatnonzero(passing)
    if len(among) < FEW * len(matrix):
        return nearest_among(matrix, query, among, limit)
    products = (matrix @ query)[among]
    best = _largest(products, limit)
    return among[best], products[best]


def nearest_among(
    matrix: Vectors, query: Vectors, among: Slots, limit: int
) -> tuple[Slots, Vectors]:
    """Does the same for these rows, given in their order."""
    products = np.empty(len(among), dtype=np.float32)
    for at in range(0, len(among), ROWS):
        # `take` copies whole rows; an index of numbers costs a sixth more.
        products[at : at + ROWS] = matrix.take(among[at : at + ROWS], axis=0) @ query
    best = _largest(products, limit)
    return among[best], products[best]


def _largest(values: Vectors, limit: int) -> Slots:
    """Returns the places of the largest values, best first; of equal ones the first."""
    if len(values) > limit:
        best = np.argpartition(-values, limit - 1)[:limit]
        best.sort()
    else:
        best = np.arange(len(values))
    return best[np.argsort(-values[best], kind="stable")]


# Of a number of four bytes that was one of two: its sign, exponent and mantissa, and how much
# larger it is meant to be.
KEPT_BITS, MORE_BITS, LARGER = np.int32(-0x70002000), 13, np.float32(2.0**112)


def widen(stored: Stored) -> Vectors:
    """Returns vectors of two bytes a number in four, in less than half of numpy's own time.

    They hold no infinities, which would come out finite.
    """
    bits = stored.view(np.int16).astype(np.int32)
    bits <<= MORE_BITS
    bits &= KEPT_BITS
    vectors = bits.view(np.float32)
    vectors *= LARGER
    return vectors


def sign_bits(vectors: Vectors, pivot: Vectors | float = 0.0) -> Bits:
    """Returns a column of 64-bit words per vector: a bit per dimension, set where above a pivot."""
    count, dimension = vectors.shape
    packed = np.packbits(vectors > pivot, axis=1)
    words = -(-dimension // 64)
    if packed.shape[1] == 8 * words:
        return np.ascontiguousarray(packed.view(np.uint64).T)
    whole = np.zeros((count, words * 8), dtype=np.uint8)
    whole[:, : packed.shape[1]] = packed
    return np.ascontiguousarray(whole.view(np.uint64).T)


LARGEST = 127  # of a byte with a sign
TINY = np.float32(1e-30)  # instead of 0, by which nothing can be divided
UNSIGNED = np.uint32(0x7FFFFFFF)  # all bits but the sign: read as integers, numbers order the same


def in_steps(vectors: Vectors) -> tuple[Vectors, Vectors]:
    """Returns each vector in whole steps, which a byte has room for, and what one stands for.

    Whoever keeps them in bytes has them made so on the way.
    """
    largest = (vectors.view(np.uint32) & UNSIGNED).max(axis=1).view(np.float32)
    steps = vectors * (LARGEST / np.maximum(largest, TINY))[:, None]
    return np.rint(steps, out=steps), largest / np.float32(LARGEST)


def estimate_products(codes: Codes, steps: Vectors, query: Vectors) -> Vectors:
    """Returns about what the products of such vectors with a query are."""
    products: Vectors = codes.astype(np.float32) @ query
    return products * steps


def hamming_nearest(bits: Bits, query: Bits, passing: NDArray[np.bool_], limit: int) -> Slots:
    """Returns the columns let through that differ in the fewest bits, in no particular order."""
    size = bits.shape[1]
    distances = np.empty(size, dtype=np.uint16)
    for at in range(0, size, BLOCK):
        differing = np.bitwise_count(bits[:, at : at + BLOCK] ^ query[:, None])
        distances[at : at + BLOCK] = differing.sum(axis=0, dtype=np.uint16)
    among = np.flatnonzero(passing)
    if len(among) <= limit:
        return among
    if len(among) < size:
        distances = distances[among]
    # Distances are small numbers: counting them finds the cut four times faster than a partial
    # sort.
    cut = int(np.searchsorted(np.cumsum(np.bincount(distances)), limit))
    nearer = np.flatnonzero(distances < cut)
    best: Slots = among[
        np.concatenate([nearer, np.flatnonzero(distances == cut)[: limit - len(nearer)]])
    ]
    return best
