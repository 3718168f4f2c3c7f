"""A space in arrays: what the columns of analysis and the mirror of search have in common.

`Columns` are the figures by which memories and links are judged, and none of their words; `columns`
reads them. A mirror (`mirror`) is what searching needs of every memory. Both hold a slot for each
memory in the order of keys, codes for words, and are brought up to date by the keys of rows that
operations have changed since (`ChunkReader.changes_since`).
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
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


class Codes(dict[Any, int]):
    """A small number for each distinct value, given out as values appear."""

    def __missing__(self, value: Any) -> int:
        self[value] = code = len(self)
        return code


def encode(codes: Mapping[Any, int], values: Sequence[Any], kind: Any = np.int32) -> NDArray[Any]:
    """Returns the code of each value."""
    return np.fromiter(map(codes.__getitem__, values), dtype=kind, count=len(values))


def find_slots(own: NDArray[np.int64], keys: Sequence[int] | NDArray[np.int64]) -> NDArray[np.intp]:
    """Returns the place of each key among the sorted ones, -1 where it is not."""
    if not len(own) or not len(keys):
        return np.full(len(keys), -1, dtype=np.intp)
    wanted = np.asarray(keys, dtype=np.int64)
    first, last = int(own[0]), int(own[-1])
    if last - first + 1 == len(own):  # without gaps, a key tells its place
        return np.where((wanted >= first) & (wanted <= last), wanted - first, -1)
    found = np.minimum(np.searchsorted(own, wanted), len(own) - 1)
    return np.where(own[found] == wanted, found, -1)


def transpose(rows: Sequence[tuple[Any, ...]], columns: int) -> list[Sequence[Any]]:
    """Returns rows as so many columns."""
    return list(zip(*rows, strict=True)) or [()] * columns


def fill_moments(values: Sequence[int | None], missing: int = FOR_EVER) -> list[int]:
    """Returns moments with one for those that never come, or never came."""
    return [missing if value is None else value for value in values]


@contextmanager
def quiet_collector() -> Iterator[None]:
    """Keeps Python from looking for garbage among many new rows, which is half of their cost."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


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
        """Returns what gives the places of memories by their keys, all of which must be there."""
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
        """Returns which memories are of a kind."""
        code = self.kinds.index(kind) if kind in self.kinds else -1
        return np.asarray(self.memories["kind"] == code)
