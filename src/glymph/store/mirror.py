"""The mirror of a space: what searching needs of every memory, in arrays.

A mirror only nominates. What it names is read again from the store under the reader's own snapshot
and filter, so a mirror that is a moment ahead of a reader, or behind, can miss something but never
show what it must not.

Where the store itself finds the nearest, many vectors stay there until a handle has asked so often
that it pays to have them: a process that searches once does not load what it needs once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glymph.store.arrays import Codes, encode, fill_moments, find_slots, quiet_collector, transpose
from glymph.store.locks import ProcessLock
from glymph.store.postings import SMALL, Postings
from glymph.store.reader import Reader
from glymph.store.scan import Slots
from glymph.store.vector_column import (
    CENTRED_ON,
    EXACT_UP_TO,
    KEPT_UP_TO,
    Planes,
    VectorColumn,
)
from glymph.store.vector_reader import MIRRORED, JoinedVectors, MirroredColumns, join_vectors
from glymph.store.view import Classes, Lists, View

# Vectors read at a time: few enough for the memory they pass through to be used again.
PAGE = 1 << 12
# Vectors: of fewer, half or more would be fetched for their mean alone.
DISTANT_FROM = 2 * CENTRED_ON
# Slots of memories that are no more, from which on a mirror is made anew if they are most of it: a
# long-lived handle would keep one for every memory there ever was.
MOST_EMPTY = 4_096
# Times the store was asked: by then it compared for as long as fetching all takes, or longer.
WHOLE_AFTER = 6

_COLUMNS: dict[str, Any] = {
    "key": np.int64, "state": np.int32, "kind": np.int32, "section": np.int32,
    "superseded": np.bool_, "time": np.int64, "expires": np.int64, "session": np.int32,
    "tags": np.int32, "entities": np.int32, "wording": np.uint64, "size": np.int32,
    "embedded": np.bool_,
}  # fmt: skip


class Mirror:
    """The arrays of one space and model; `refresh` brings them up to a reader's snapshot."""

    def __init__(self, model: tuple[str, int] | None) -> None:
        self._model = model
        self._lock = ProcessLock()
        self._size = 0
        self._tags = Lists()
        self._entities = Lists()
        self._frequencies: dict[str, tuple[float, int]] = {}
        self._codes = {name: Codes() for name in ("state", "kind", "section", "session")}
        self._classes = Classes(self._codes)
        self._columns = {name: np.zeros(0, dtype=kind) for name, kind in _COLUMNS.items()}
        self._model_key: int | None = None
        self._change = self._vector = 0
        self._vectors: VectorColumn | None = None
        self._asked = 0  # times, what is nearest to something
        self._empty = 0  # slots whose memories are no more
        self._postings: Postings | None = None

    def __getitem__(self, column: str) -> NDArray[Any]:
        return self._columns[column][: self._size]

    def view(self) -> View:
        """Returns what the mirror shows now.

        Later changes may touch its arrays but not their length.
        """
        size = self._size
        return View(
            columns={name: column[:size] for name, column in self._columns.items()},
            codes=self._codes,
            tags=self._tags,
            entities=self._entities,
            frequencies=self._frequencies,
            model_key=self._model_key,
            vectors=None if self._vectors is None else self._vectors.view(self["embedded"]),
            fetched=self._fetch_for
            if self._vectors is not None and self._vectors.distant
            else None,
            postings=self._postings,
        )

    # keeping up

    def refresh(self, reader: Reader, *, whole: bool = False) -> View | None:
        """Takes in what the reader sees and returns a view.

        None if the mirror has to be made anew for that, or had better be. `whole` brings all
        vectors here, or their signs.
        """
        with self._lock:
            change = reader.newest_change()
            if self._change and self._change < reader.folded_upto():
                return None  # what has changed since is folded
            if not self._change:
                with quiet_collector():
                    for columns in reader.mirror_columns():
                        self._append(columns)
                if reader.text_index is not None:
                    beside_others = self._size <= SMALL and not reader.is_alone()
                    self._postings = Postings(whole=beside_others)
            elif change > self._change:
                keys = reader.changes_since("memories", self._change, rows=self._size)
                if keys is None or not self._apply(reader, keys) or self._is_hollow():
                    return None
                if self._postings is not None:
                    slots = self._slots(keys).tolist()
                    self._postings.note(reader, keys, slots, change=change)
            self._change = max(change, self._change)
            if not self._refresh_vectors(reader):
                return None
            if self._vectors is not None and self._vectors.distant:
                if whole:
                    self._fetch(reader)
                else:
                    self._centre(reader)
            return self.view()

    def _apply(self, reader: Reader, keys: Sequence[int]) -> bool:
        """Takes in changed rows.

        Returns False if one came back that has no slot here: its key would be out of order.
        """
        rows = reader.mirror_rows(keys)
        last = int(self["key"][-1]) if self._size else 0
        known = [row for row in rows if row[0] <= last]
        slots = self._slots([row[0] for row in known])
        if (slots < 0).any():
            return False
        gone = self._slots(sorted(set(keys) - {row[0] for row in rows}))
        gone = gone[gone >= 0]
        self._empty += int(np.count_nonzero(self["wording"][gone]))
        for name, nothing in (
            ("state", -1),
            ("tags", 0),
            ("entities", 0),
            ("wording", 0),
            ("embedded", False),
        ):
            self._columns[name][gone] = nothing
        before = self["wording"][slots]
        self._put(slots, transpose(known, MIRRORED))
        reworded = [
            row[0]
            for row, old, new in zip(known, before, self["wording"][slots], strict=True)
            if old != new
        ]
        self._columns["embedded"][self._slots(reworded)] = False
        returned = [row[0] for row in known if not self["embedded"][self._slots([row[0]])[0]]]
        self._append(transpose([row for row in rows if row[0] > last], MIRRORED))
        if self._model_key is not None and (returned or len(rows) > len(known)):
            new = [row[0] for row in rows if row[0] > last]
            if self._vectors is not None and self._vectors.distant:
                self._note(reader.embedded_keys(self._model_key, memories=[*returned, *new]))
            else:
                rows_of = reader.vectors_of(self._model_key, [*returned, *new])
                self._take_vectors(join_vectors(rows_of))
        return True

    def _is_hollow(self) -> bool:
        """Tells whether most slots are empty, and they are many."""
        return self._empty > max(MOST_EMPTY, self._size // 2)

    def _append(self, columns: MirroredColumns) -> None:
        start, end = self._size, self._size + len(columns[0])
        capacity = len(self._columns["key"])
        if end > capacity:
            room = end if capacity == 0 else end + end // 2
            # No more room than this way of keeping vectors has.
            room = min([room, *(most for most in (EXACT_UP_TO, KEPT_UP_TO) if end <= most)])
            for name, column in self._columns.items():
                grown = np.zeros(room, dtype=column.dtype)
                grown[:start] = column[:start]
                self._columns[name] = grown
            if self._vectors is not None:
                self._vectors.grow(start, room)
        self._put(slice(start, end), columns)
        self._size = end

    def _put(self, slots: Slots | slice, columns: MirroredColumns) -> None:
        key, classes, time, expires, session, tags, entities, wording, size = columns
        c = self._columns
        for name, codes, values in (
            ("session", self._codes["session"], session), ("tags", self._tags, tags),
            ("entities", self._entities, entities),
        ):  # fmt: skip
            c[name][slots] = encode(codes, values)
        of_class = encode(self._classes, classes)
        for name, by_class in self._classes.columns.items():
            c[name][slots] = np.asarray(by_class)[of_class]
        c["key"][slots], c["time"][slots], c["size"][slots] = key, time, size
        c["expires"][slots] = fill_moments(expires)
        c["wording"][slots] = np.frombuffer(bytes.fromhex("".join(wording)), dtype=">u8")

    # vectors

    def _refresh_vectors(self, reader: Reader) -> bool:
        """Takes in new vectors.

        Returns False if those that are here were removed from the store with their model.
        """
        if self._model is None:
            return True
        model_key = reader.model_key(*self._model)
        if self._model_key is None:
            self._model_key = model_key
            if self._model_key is None:
                return True
            kept = reader.embedded_keys(self._model_key)
            distant = kept is not None and len(kept[0]) >= 8 * DISTANT_FROM
            self._vectors = VectorColumn(self._model[1], distant=distant)
            if distant:
                self._vector = reader.newest_vector()
                self._note(kept)
            else:
                self._fetch(reader)
        elif (newest := reader.newest_vector()) > self._vector:
            if self._vectors is not None and self._vectors.distant:
                self._note(reader.embedded_keys(self._model_key, after=self._vector))
            else:
                self._take_vectors(reader.vectors_between(self._model_key, self._vector, newest))
            self._vector = newest
        return model_key == self._model_key

    def _fetch(self, reader: Reader) -> None:
        """Loads all vectors that the reader sees; the next refresh takes in what came later."""
        assert self._model is not None
        assert self._model_key is not None
        self._vector = reader.newest_vector()
        self._vectors = VectorColumn(self._model[1])
        self._vectors.grow(self._size, len(self._columns["key"]))
        # A new array: others still look at the former.
        self._columns["embedded"] = np.zeros_like(self._columns["embedded"])
        for some in self._all_vectors(reader, self._model_key):
            self._take_vectors(some)

    def _fetch_for(self, reader: Reader, view: View) -> Planes | None:
        """Returns the vectors for a view that was made when they were distant.

        None as long as they had better stay so.
        """
        with self._lock:
            assert self._vectors is not None
            self._asked += 1
            if self._vectors.distant and self._asked > WHOLE_AFTER:
                self._fetch(reader)
            filled = self["embedded"][: view.size]
            if self._vectors.distant or (view["embedded"] & ~filled).any():
                return None
            return self._vectors.view(filled)

    def _note(self, kept: tuple[bytes, bytes] | None) -> None:
        """Marks the memories that have a vector of what they say now."""
        assert kept is not None
        slots = find_slots(self["key"], np.frombuffer(kept[0], dtype=">i8").astype(np.int64))
        current = slots >= 0
        wordings = np.frombuffer(kept[1], dtype=">u8")
        current[current] = self["wording"][slots[current]] == wordings[current]
        self._columns["embedded"][slots[current]] = True

    def _centre(self, reader: Reader) -> None:
        """Has the mean of distant vectors told by some of them."""
        assert self._vectors is not None
        assert self._model_key is not None
        slots = self._vectors.lacks_centre(self["embedded"])
        if slots is not None:
            rows = reader.vectors_of(self._model_key, self["key"][slots].tolist())
            told = dict(
                zip(self["key"][slots].tolist(), self["wording"][slots].tolist(), strict=True)
            )
            current = sorted(row for row in rows if told[row[0]] == int.from_bytes(row[1], "big"))
            vectors = np.frombuffer(b"".join([row[2] for row in current]), dtype="<f2").astype(
                np.float32
            )
            self._vectors.centre_distant(
                vectors.reshape(-1, len(self._vectors.pivot)), self["embedded"]
            )

    def _all_vectors(self, reader: Reader, model: int) -> Iterator[JoinedVectors]:
        """Yields every vector of the model, a page at a time.

        They come as they lie if no other space lies between them.
        """
        if reader.is_alone():
            for after in range(0, self._vector, PAGE):
                yield reader.vectors_between(model, after, min(after + PAGE, self._vector))
            return
        after, wording = 0, None
        while rows := reader.vectors_after(model, after, wording=wording, limit=PAGE):
            yield join_vectors(rows)
            after, wording, _ = rows[-1]

    def _take_vectors(self, joined: JoinedVectors) -> None:
        """Puts the vectors that belong to what their memories say now into their slots."""
        memories, told, numbers = joined
        if not memories or self._vectors is None:
            return
        wordings = np.frombuffer(told, dtype=">u8").astype(np.uint64)
        slots = self._slots(memories)
        current = slots >= 0
        current[current] = self["wording"][slots[current]] == wordings[current]
        vectors = np.frombuffer(numbers, dtype="<f2").reshape(len(memories), -1)
        if not current.all():
            slots, vectors = slots[current], vectors[current]
        self._vectors.put(slots, vectors)
        self._columns["embedded"][slots] = True

    def _slots(self, keys: Sequence[int]) -> Slots:
        return find_slots(self["key"], keys)


class Mirrors:
    """The mirrors of one handle, one for each space it has searched."""

    def __init__(self) -> None:
        self._lock = ProcessLock()
        self._mirrors: dict[tuple[str, int, tuple[str, int] | None], Mirror] = {}

    def view(self, reader: Reader, model: tuple[str, int] | None, *, whole: bool = False) -> View:
        """Returns the reader's space as a view; `whole` for who needs all vectors."""
        reader.foresee_view(model)
        place = (reader.space, reader.space_key, model)
        with self._lock:
            mirror = self._mirrors.setdefault(place, Mirror(model))
        while (view := mirror.refresh(reader, whole=whole)) is None:
            mirror = Mirror(model)  # others may still look at the old one
            with self._lock:
                self._mirrors[place] = mirror
        return view
