"""A mirror at one moment: arrays that answer which memories pass a filter or are nearest."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glymph.model import State
from glymph.store.arrays import Codes, find_slots
from glymph.store.contract import Filter
from glymph.store.postings import Postings
from glymph.store.reader import Reader
from glymph.store.scan import (
    Slots,
    Vectors,
    exact_nearest,
    hamming_nearest,
    nearest_among,
    sign_bits,
)
from glymph.store.vector_column import Planes
from glymph.text.query import name_words

SCAN_DEPTH = 1_000  # of the sign bits' best that are compared; fewer lose recall
WHOLE_DEPTH = 2_000  # of them where vectors are whole: all of 400 questions have the same first ten
# A cosine told by bytes is off by less than this: six times its usual error in 384 dimensions.
BLUR = 0.003
# Of the memories with a vector: the store is told which may be found if they are fewer.
NAMED = 0.25
# more than would do if those let through were spread evenly, when the store is asked for the
# nearest
SPARE = 50
WIDER = 4  # times as many, when too few of the nearest were let through


SLOT_BITS = 32  # for a slot beside the number of its session


class Classes(Codes):
    """A number for each combination of state, section, being superseded and kind."""

    def __init__(self, codes: Mapping[str, Codes]) -> None:
        super().__init__()
        self._codes = codes
        self.columns: dict[str, list[int]] = {
            "state": [],
            "section": [],
            "superseded": [],
            "kind": [],
        }

    def __missing__(self, text: str) -> int:
        state, section, superseded, kind = text.split(" ", 3)
        for name, value in (("state", state), ("section", section), ("kind", kind)):
            self.columns[name].append(self._codes[name][value])
        self.columns["superseded"].append(int(superseded))
        self[text] = code = len(self)
        return code


class Lists(Codes):
    """A number for each distinct list of words, 0 for the empty one, which comes as None."""

    def __init__(self) -> None:
        super().__init__({None: 0})
        self._holding: dict[str, list[int]] = {}
        self.starting: dict[str, list[str]] = {}  # the distinct words by the first of their parts

    def __missing__(self, text: str) -> int:
        code = len(self)
        for word in json.loads(text):
            if word not in self._holding:
                self._holding[word] = []
                self.starting.setdefault(next(iter(name_words(word)), ""), []).append(word)
            self._holding[word].append(code)
        self[text] = code
        return code

    def find_holding(self, word: str) -> NDArray[np.bool_]:
        """Returns, for each number given out, whether its list holds the word."""
        found = np.zeros(len(self), dtype=np.bool_)
        found[[code for code in self._holding.get(word, ()) if code < len(found)]] = True
        return found


@dataclass(frozen=True, slots=True)
class View:
    """Arrays of equal length, one slot per memory, in the order of keys; never written."""

    columns: Mapping[str, NDArray[Any]]
    codes: Mapping[str, Codes]
    tags: Lists
    entities: Lists
    # Of words in the text index, with the size they were counted at.
    frequencies: dict[str, tuple[float, int]]
    model_key: int | None
    vectors: Planes | None
    # Asks for vectors that were left in the store.
    fetched: Callable[[Reader, View], Planes | None] | None = None
    postings: Postings | None = None  # None where the store weighs words itself

    def __getitem__(self, column: str) -> NDArray[Any]:
        return self.columns[column]

    @property
    def size(self) -> int:
        return len(self.columns["key"])

    def slots(self, keys: Sequence[int]) -> Slots:
        """Returns the slot of each key, -1 where there is none."""
        return find_slots(self["key"], keys)

    def find_in_sessions(self, slots: Sequence[int]) -> Slots:
        """Returns those of the slots whose memories were told in a session."""
        some = np.asarray(slots, dtype=np.intp)
        outside = self.codes["session"].get(None, -1)
        found: Slots = some[self["session"][some] != outside]
        return found

    def find_beside(self, slots: Slots) -> tuple[Slots, Slots]:
        """Returns the live memory before each of these and after it in its session; -1 for none."""
        sessions = self["session"].astype(np.int64)  # a copy: they may change while we look
        asked = np.zeros(len(self.codes["session"]), dtype=np.bool_)
        asked[sessions[slots]] = True
        live = self.codes["state"].get(State.LIVE, -1)
        others = np.flatnonzero(asked[sessions])
        others = others[self["state"][others] == live]
        told = np.sort(sessions[others] << SLOT_BITS | others)
        own = sessions[slots] << SLOT_BITS | slots
        ends = np.concatenate([[-1], told, [-1]])  # of no session
        sides = (
            ends[np.searchsorted(told, own)],
            ends[np.searchsorted(told, own, side="right") + 1],
        )
        before, after = (
            np.where(side >> SLOT_BITS == sessions[slots], side & ((1 << SLOT_BITS) - 1), -1)
            for side in sides
        )
        return before, after

    def mask(self, wanted: Filter) -> NDArray[np.bool_]:
        """Returns which slots a filter lets through."""
        passing = self._among("state", wanted.states)
        for column, values in (("kind", wanted.kinds), ("section", wanted.sections)):
            if values is not None:
                passing &= self._among(column, values)
        if wanted.kinds is None and (code := self.codes["kind"].get("self")) is not None:
            passing &= self["kind"] != code
        if not wanted.include_superseded:
            passing &= ~self["superseded"]
        if wanted.since is not None:
            passing &= self["time"] >= wanted.since
        if wanted.until is not None:
            passing &= self["time"] <= wanted.until
        if wanted.live_at is not None:
            passing &= self["expires"] > wanted.live_at
        if wanted.session is not None:
            passing &= self._among("session", [wanted.session])
        for tag in wanted.tags or ():
            passing &= _find_carrying(self.tags, self["tags"], tag)
        return passing

    def find_naming(self, name: str, slots: Slots | slice = slice(None)) -> NDArray[np.bool_]:
        """Returns which of the given slots carry an entity."""
        return _find_carrying(self.entities, self["entities"][slots], name)

    def share(self, name: str) -> float:
        """Returns the part of the memories that carries an entity."""
        there = int(np.count_nonzero(self["state"] >= 0))
        return int(np.count_nonzero(self.find_naming(name))) / max(there, 1)

    def _among(self, column: str, values: Sequence[str]) -> NDArray[np.bool_]:
        codes = [
            code for value in values if (code := self.codes[column].get(str(value))) is not None
        ]
        column_values = self[column]
        found = np.zeros(self.size, dtype=np.bool_)
        for code in codes:
            found |= column_values == code
        return found

    def nearest(
        self, query: Vectors, passing: NDArray[np.bool_], *, limit: int, reader: Reader
    ) -> tuple[Slots, Vectors]:
        """Returns the nearest of the slots let through, best first, with their cosines."""
        slots, cosines, exact = self._scan(query, passing, limit, reader, spare=2 * BLUR)
        if not exact:
            cosines = np.nan_to_num(self.cosines(query, slots, reader=reader), nan=-1.0)
            best = np.argsort(-cosines, kind="stable")
            slots, cosines = slots[best], cosines[best]
        return slots[:limit], cosines[:limit]

    def nearest_about(
        self, query: Vectors, passing: NDArray[np.bool_], *, limit: int, reader: Reader
    ) -> tuple[Slots, Vectors, bool]:
        """Returns about the nearest, best first, their cosines, and whether these are exact."""
        return self._scan(query, passing, limit, reader, spare=0.0)

    def _scan(
        self, query: Vectors, passing: NDArray[np.bool_], limit: int, reader: Reader, *,
        spare: float,
    ) -> tuple[Slots, Vectors, bool]:  # fmt: skip
        """Returns the nearest, their cosines, and whether these are exact.

        If they are not, all others follow that are no further than the last by so much. Without
        anything to spare, signs say which are compared as soon as there are any.
        """
        passing = passing & self["embedded"]
        planes = self.vectors
        if planes is None or not passing.any():
            return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.float32), True
        if self.fetched is not None:
            planes = self.fetched(reader, self)
            if planes is None:
                return *self._nearest_there(query, passing, limit=limit, reader=reader), True
        if planes.matrix is not None and (planes.bits is None or spare):
            return *exact_nearest(planes.matrix, query, passing, limit), True
        assert planes.bits is not None
        signs = sign_bits(query[None], planes.pivot)[:, 0]
        depth = SCAN_DEPTH if planes.matrix is None else WHOLE_DEPTH
        slots = hamming_nearest(planes.bits, signs, passing, max(depth, 4 * limit))
        if planes.matrix is not None:
            return *nearest_among(planes.matrix, query, np.sort(slots), limit), True
        about = planes.estimate(query, slots)
        if about is None:
            cosines = np.nan_to_num(self.cosines(query, slots, reader=reader), nan=-1.0)
            best = np.argsort(-cosines, kind="stable")[:limit]
            return slots[best], cosines[best], True
        best = np.argsort(-about, kind="stable")
        last = float(about[best[min(limit, len(best)) - 1]])
        best = best[: max(limit, int(np.count_nonzero(about > last - spare)) if spare else 0)]
        return slots[best], about[best], False

    def _nearest_there(
        self, query: Vectors, passing: NDArray[np.bool_], *, limit: int, reader: Reader
    ) -> tuple[Slots, Vectors]:
        """Does the same by the store's own comparison.

        It is asked for as many of its nearest as it takes to have enough of those let through.
        """
        assert self.model_key is not None
        count, embedded = int(np.count_nonzero(passing)), int(np.count_nonzero(self["embedded"]))
        few = count < NAMED * embedded
        among = self["key"][passing].tolist() if few else None
        asked = SPARE + (limit if few else limit * embedded // count)
        while True:
            rows = reader.nearest(self.model_key, query, None, among=among, limit=asked) or []
            slots = self.slots([row[0] for row in rows])
            wordings = np.frombuffer(b"".join([row[1] for row in rows]), dtype=">u8")
            good = (slots >= 0) & passing[slots] & (wordings == self["wording"][slots])
            if len(rows) < asked or np.count_nonzero(good) >= min(limit, count):
                cosines = np.asarray([row[2] for row in rows], dtype=np.float32)
                return slots[good][:limit], cosines[good][:limit]
            asked *= WIDER

    def vector_of(self, key: int, *, reader: Reader) -> Vectors | None:
        """Returns a memory's vector: from here in a small space, from the store in a large one."""
        slot = int(self.slots([key])[0])
        if slot < 0 or not self["embedded"][slot] or self.vectors is None:
            return None
        here = self.vectors.read(np.asarray([slot]))
        if here is not None:
            return here.reshape(-1)
        if self.model_key is None:
            return None
        for _, wording, vector in reader.vectors_of(self.model_key, [key]):
            if int.from_bytes(wording, "big") == int(self["wording"][slot]):
                return np.frombuffer(vector, dtype="<f2").astype(np.float32)
        return None

    def cosines_about(self, query: Vectors, slots: Slots, *, reader: Reader) -> Vectors:
        """Returns about the cosine of each slot's vector with the query; NaN where it has none."""
        about = None if self.vectors is None else self.vectors.estimate(query, slots)
        if about is None:
            return self.cosines(query, slots, reader=reader)
        about[~self["embedded"][slots]] = np.nan
        return about

    def cosines(self, query: Vectors, slots: Slots, *, reader: Reader) -> Vectors:
        """Returns the exact cosine of each slot's vector with the query; NaN where it has none."""
        found = np.full(len(slots), np.nan, dtype=np.float32)
        at = np.flatnonzero(self["embedded"][slots])
        if self.vectors is None or not len(at):
            return found
        here = self.vectors.read(slots[at])
        if here is not None:
            found[at] = here @ query
            return found
        assert self.model_key is not None
        rows = reader.vectors_of(self.model_key, self["key"][slots[at]].tolist())
        if not rows:
            return found
        order = np.argsort(self["key"][slots], kind="stable")
        places = order[np.searchsorted(self["key"][slots][order], [row[0] for row in rows])]
        vectors = np.frombuffer(b"".join([row[2] for row in rows]), dtype="<f2").reshape(
            len(rows), -1
        )
        wordings = np.frombuffer(b"".join([row[1] for row in rows]), dtype=">u8")
        current = wordings == self["wording"][slots[places]]
        found[places[current]] = (vectors.astype(np.float32) @ query)[current]
        return found


def _find_carrying(lists: Lists, column: NDArray[np.int32], word: str) -> NDArray[np.bool_]:
    """Returns where in a column of lists the word is."""
    codes = column.copy()  # numbers may be given out while we look
    return lists.find_holding(word).take(codes)
