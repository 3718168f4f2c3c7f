"""One vector per slot of a mirror.

Whole while they are few; in bytes beside their signs when they are more; their signs alone when
they are very many. Or none at all, where the store can tell by itself what is nearest. What is not
whole here is whole in the store.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glymph.store.scan import (
    Bits,
    Codes,
    Slots,
    Stored,
    Vectors,
    estimate_products,
    in_steps,
    sign_bits,
    widen,
)

EXACT_UP_TO = 12_288  # memories: 19 MB; above that, signs are scanned, the best compared
# Memories, a million and some: 460 MB of bytes. Above that, the best are read from the store.
KEPT_UP_TO = 1_200_000
SIGNED_FROM = 4_096  # whole ones whose signs tell which to compare: fewer cost no more
SIGNED_AFTER = 2  # views: to make the signs costs what some ten searches save
CENTRED_ON = 4_096  # vectors whose mean stands for that of all
CENTRED_FROM = 20  # fewer say nothing about all
# Of the vectors: as many came or went that the mean of distant ones is asked for again.
CENTRED_ANEW = 0.01
BLOCK = 1 << 8  # vectors at a time, so that they stay in the cache of the processor


@dataclass(frozen=True, slots=True)
class Planes:
    """The vectors of a view: whole ones, signs around a pivot, or both.

    Neither while they are left in the store.
    """

    matrix: Vectors | None
    bits: Bits | None
    codes: Codes | None  # beside the signs
    steps: Vectors | None  # of the codes
    pivot: Vectors
    centre: Vectors | None

    def read(self, slots: Slots) -> Vectors | None:
        """Returns the vectors of some slots; None where they are whole in the store alone."""
        return None if self.matrix is None else self.matrix[slots]

    def estimate(self, query: Vectors, slots: Slots) -> Vectors | None:
        """Returns about what the cosines of some slots are; None where none are kept here."""
        if self.matrix is not None:
            return self.matrix[slots] @ query
        if self.codes is None or self.steps is None:
            return None
        found = np.empty(len(slots), dtype=np.float32)
        for at in range(0, len(slots), BLOCK):
            some = slots[at : at + BLOCK]
            found[at : at + BLOCK] = estimate_products(self.codes[some], self.steps[some], query)
        return found

    def unrelated_cosine(self, query: Vectors) -> float:
        """Returns about what cosine a memory has that has nothing to do with the query."""
        return 0.0 if self.centre is None else float(self.centre @ query)


class VectorColumn:
    """The vectors of a model, in arrays with room for so many slots; `distant` ones have none."""

    def __init__(self, dimension: int, *, distant: bool = False) -> None:
        self._dimension = dimension
        self.distant = distant
        self._centred_for: NDArray[np.bool_] | None = None  # the slots that were filled then
        self.matrix: Vectors | None = None
        self.bits: Bits | None = None
        self.codes: Codes | None = None
        self.steps: Vectors | None = None
        self.pivot: Vectors = np.zeros(dimension, dtype=np.float32)  # signs are taken from here
        self._views = 0
        self._told = 0  # vectors whose mean is ...
        self.centre: Vectors | None = (
            None  # ... about the mean of all, once there are enough to tell
        )

    def view(self, filled: NDArray[np.bool_]) -> Planes:
        """Returns what the first slots hold now, given which of them are filled."""
        size = len(filled)
        settled = self._centred_for is not None and np.array_equal(filled, self._centred_for)
        if self.matrix is not None and not settled:
            self.centre_distant(self.matrix[_sample(np.flatnonzero(filled))], filled)
        elif self.codes is not None and self.steps is not None and not settled:
            slots = self.lacks_centre(filled)
            if slots is not None:
                told = self.codes[slots].astype(np.float32) * self.steps[slots, None]
                self.centre_distant(told, filled)
        self._views += 1
        if self.matrix is not None and self._views > SIGNED_AFTER:
            self._sign_whole(size)
        matrix = None if self.matrix is None else self.matrix[:size]
        bits = None if self.bits is None else self.bits[:, :size]
        codes = None if self.codes is None else self.codes[:size]
        steps = None if self.steps is None else self.steps[:size]
        return Planes(matrix, bits, codes, steps, self.pivot, self.centre)

    def _sign_whole(self, size: int) -> None:
        """Gives whole vectors signs, if there are many and they have none."""
        if self.bits is not None or self.centre is None or size < SIGNED_FROM:
            return
        assert self.matrix is not None
        self.pivot = self.centre
        self.bits = np.zeros((-(-self._dimension // 64), len(self.matrix)), dtype=np.uint64)
        for at in range(0, size, BLOCK):
            part = slice(at, min(at + BLOCK, size))
            self.bits[:, part] = sign_bits(self.matrix[part], self.pivot)

    def grow(self, size: int, room: int) -> None:
        """Makes room, keeping what the first slots hold."""
        if self.distant:
            return
        if room <= EXACT_UP_TO:
            matrix = np.zeros((room, self._dimension), dtype=np.float32)
            if self.matrix is not None:
                matrix[:size] = self.matrix[:size]
            self.matrix, self.bits = matrix, None
            return
        bits = np.zeros((-(-self._dimension // 64), room), dtype=np.uint64)
        if self.matrix is not None:
            if self.centre is not None:
                self.pivot = self.centre
            bits[:, :size] = sign_bits(self.matrix[:size], self.pivot)
        elif self.bits is not None:
            bits[:, :size] = self.bits[:, :size]
        codes = steps = None
        if room <= KEPT_UP_TO:
            codes = np.zeros((room, self._dimension), dtype=np.int8)
            steps = np.zeros(room, dtype=np.float32)
            if self.matrix is not None:
                codes[:size], steps[:size] = in_steps(self.matrix[:size])
            elif self.codes is not None and self.steps is not None:
                codes[:size], steps[:size] = self.codes[:size], self.steps[:size]
        self.matrix, self.bits, self.codes, self.steps = None, bits, codes, steps

    def put(self, slots: Slots, vectors: Stored) -> None:
        """Fills slots."""
        if (self.bits is None and self.matrix is None) or not len(slots):
            return
        if self.matrix is not None:
            self.matrix[_side_by_side(slots)] = widen(vectors)
            self._centred_for = None
        if self.bits is not None:
            if self.matrix is None and (self.codes is None or self.centre is None):
                self._move_centre(vectors)
                if self.centre is not None and not self.bits.any():  # all signs share one pivot
                    self.pivot = self.centre
            for at in range(0, len(slots), BLOCK):
                part = slice(at, at + BLOCK)
                self._put_packed(_side_by_side(slots[part]), widen(vectors[part]))

    def _put_packed(self, slots: Slots | slice, vectors: Vectors) -> None:
        """Fills slots with signs, and with bytes where they are kept."""
        assert self.bits is not None
        if self.codes is not None and self.steps is not None:
            self.codes[slots], self.steps[slots] = in_steps(vectors)
        self.bits[:, slots] = sign_bits(vectors, self.pivot)

    def lacks_centre(self, filled: NDArray[np.bool_]) -> Slots | None:
        """Returns the slots to tell the mean of distant vectors by; None if it is known."""
        known = self._centred_for
        if known is not None:
            shared = min(len(known), len(filled))
            changed = np.count_nonzero(known[:shared] != filled[:shared]) + abs(
                len(known) - len(filled)
            )
            if changed <= CENTRED_ANEW * np.count_nonzero(filled):
                return None
        return _sample(np.flatnonzero(filled))

    def _move_centre(self, vectors: Stored) -> None:
        """Lets vectors that came have their share in the mean of those that are not kept."""
        some = widen(vectors[_sample(np.arange(len(vectors)))])
        if self.centre is None:
            self._centre_on(some)
        elif len(some):
            share = len(vectors) / (self._told + len(vectors))
            self.centre = (1 - share) * self.centre + share * some.mean(axis=0)
        self._told += len(vectors)

    def centre_distant(self, vectors: Vectors, filled: NDArray[np.bool_]) -> None:
        """Takes the mean of such vectors for that of all."""
        self._centre_on(vectors)
        self._centred_for, self._told = filled.copy(), int(np.count_nonzero(filled))

    def _centre_on(self, sample: Vectors) -> None:
        """Takes the mean of some vectors for that of all, if they are enough to tell."""
        self.centre = sample.mean(axis=0) if len(sample) >= CENTRED_FROM else None


def _sample(slots: Slots) -> Slots:
    """Returns some of many, the same whenever they are the same."""
    return slots[:: max(1, -(-len(slots) // CENTRED_ON))]


def _side_by_side(slots: Slots) -> Slots | slice:
    """Returns slots as a slice if each follows the one before: values are put there far faster."""
    first, count = int(slots[0]), len(slots)
    if int(slots[-1]) - first + 1 == count and bool((slots[1:] > slots[:-1]).all()):
        return slice(first, first + count)
    return slots
