"""One vector per slot of a mirror: whole while they are few, their signs alone when they are many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glymph.core.scan import Bits, Slots, Vectors, sign_bits

EXACT_UP_TO = 100_000  # memories; above that, signs are scanned and the best compared exactly
CENTRED_ON = 4_096  # vectors whose mean stands for that of all
CENTRED_FROM = 20  # fewer say nothing about all
BLOCK = 1 << 14

Stored = NDArray[np.float16]


@dataclass(frozen=True, slots=True)
class Planes:
    """The vectors of a view: whole ones, or signs around a pivot."""

    matrix: Vectors | None
    bits: Bits | None
    pivot: Vectors
    centre: Vectors | None

    def unrelated(self, query: Vectors) -> float:
        """About what cosine a memory has that has nothing to do with the query."""
        return 0.0 if self.centre is None else float(self.centre @ query)


class VectorColumn:
    """The vectors of an embedding model, in arrays with room for so many slots."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._count = self._centred_at = 0
        self.matrix: Vectors | None = None
        self.bits: Bits | None = None
        self.pivot: Vectors = np.zeros(dimension, dtype=np.float32)  # signs are taken from here
        self.centre: Vectors | None = None  # about the mean of all, once there are enough to tell

    def view(self, size: int) -> Planes:
        """What the first slots hold now."""
        matrix = None if self.matrix is None else self.matrix[:size]
        bits = None if self.bits is None else self.bits[:, :size]
        return Planes(matrix, bits, self.pivot, self.centre)

    def grow(self, size: int, room: int) -> None:
        """Makes room, keeping what the first slots hold."""
        if room <= EXACT_UP_TO:
            matrix = np.zeros((room, self._dimension), dtype=np.float32)
            if self.matrix is not None:
                matrix[:size] = self.matrix[:size]
            self.matrix = matrix
            return
        bits = np.zeros((-(-self._dimension // 64), room), dtype=np.uint64)
        if self.bits is not None:
            bits[:, :size] = self.bits[:, :size]
        elif self.matrix is not None:
            if self.centre is not None:
                self.pivot = self.centre
            bits[:, :size] = sign_bits(self.matrix[:size] - self.pivot)
        self.matrix, self.bits = None, bits

    def put(self, slots: Slots, vectors: Stored) -> None:
        """Fills slots."""
        if (self.bits is None and self.matrix is None) or not len(slots):
            return
        if self.matrix is not None:
            self.matrix[slots] = vectors
        self._centre_on(vectors)
        if self.bits is not None:
            for at in range(0, len(slots), BLOCK):
                part = slice(at, at + BLOCK)
                self.bits[:, slots[part]] = sign_bits(vectors[part].astype(np.float32) - self.pivot)
        self._count += len(slots)

    def _centre_on(self, vectors: Stored) -> None:
        """Notes the mean of what is known whenever that has doubled. Signs keep their pivot: all share one."""
        known = self._count + len(vectors)
        if known < max(CENTRED_FROM, 2 * self._centred_at) or self._centred_at >= CENTRED_ON:
            return
        sample = self.matrix[:known] if self.matrix is not None else vectors
        self.centre = sample[:: -(-len(sample) // CENTRED_ON)].astype(np.float32).mean(axis=0)
        self._centred_at = known
        if self.bits is not None and self._count == 0:
            self.pivot = self.centre
