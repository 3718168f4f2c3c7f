"""A space in columns: the figures by which memories and links are judged, in arrays, and none of
their words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glymph.decay.sections import Section
from glymph.model import State

Slots = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

STATES = tuple(State)  # the codes of states and sections are places in these
SECTIONS = tuple(Section)
NEVER = -(1 << 62)  # the last use of what was never used
FOR_EVER = 1 << 62  # the expiry of what does not expire

DENSE = 4  # keys per memory up to which a table of slots by key is made


@dataclass(frozen=True, slots=True)
class Columns:
    """Memories of every state in the order of their keys, and all links between them.

    memories: key, kind and section and state (codes), pinned, protected, superseded, created_at,
    last_used_at, expires_at, stability, access_count, size (bytes of the text). edges: source and
    target (keys), type (code), weight, since (the last use together, or the making).
    """

    memories: Mapping[str, NDArray[Any]]
    edges: Mapping[str, NDArray[Any]]
    kinds: Sequence[str]
    types: Sequence[str]

    @property
    def size(self) -> int:
        return len(self.memories["key"])

    def finder(self) -> Callable[[NDArray[np.int64]], Slots]:
        """Gives the places of memories among the columns by their keys, all of which must be there."""
        own = self.memories["key"]
        if not len(own):
            return lambda keys: np.zeros(len(keys), dtype=np.int64)
        first, last = int(own[0]), int(own[-1])
        if last - first + 1 == len(own):
            return lambda keys: keys - first
        if last - first >= DENSE * len(own) + 1024:
            return lambda keys: np.searchsorted(own, keys)
        table = np.zeros(last - first + 1, dtype=np.int64)
        table[own - first] = np.arange(len(own))
        return lambda keys: table[keys - first]

    def of_kind(self, kind: str) -> Flags:
        """Which memories are of a kind."""
        code = self.kinds.index(kind) if kind in self.kinds else -1
        return np.asarray(self.memories["kind"] == code)
