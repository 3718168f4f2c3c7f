"""The part of a reader about vectors, and about what a mirror keeps of memories."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glymph.store import foresight
from glymph.store.contract import Filter, NearRow, NewestKey, Row, VectorRow
from glymph.store.filters import write_condition
from glymph.store.scan import Vectors
from glymph.store.statements import SpaceStatements
from glymph.text.bands import BANDS, Bands

LAST_WORDING = b"\xff" * 9  # beyond every one

# key; state, section, whether superseded and kind in one text; time, expiry, session, tags,
# entities (None for an empty list), wording, bytes of text
MirroredRow = tuple[int, str, int, int | None, str | None, str | None, str | None, str, int]
MIRRORED = 9  # columns
NUMBERS = (0, 2, 8)  # of these: what is a number and always there
MirroredColumns = Sequence[Any]  # a sequence or an array for each
MIRRORED_AT_ONCE = 1 << 12  # memories

# Memories, wordings and vectors, the bytes of each kind one behind the other.
JoinedVectors = tuple[Sequence[int], bytes, bytes]


def _read_numbers(text: str) -> NDArray[np.int64]:
    """Returns a JSON list of whole numbers as an array, without a number of Python's for each."""
    return np.fromstring(text[1:-1], dtype=np.int64, sep=",")


def _in_order(column: Any, order: NDArray[np.intp]) -> Any:
    if isinstance(column, np.ndarray):
        return column[order]
    return [column[at] for at in order.tolist()]


def join_vectors(rows: Sequence[VectorRow]) -> JoinedVectors:
    """Returns vectors that came as rows one behind the other."""
    return (
        [row[0] for row in rows],
        b"".join([row[1] for row in rows]),
        b"".join([row[2] for row in rows]),
    )


class VectorReader(SpaceStatements):
    """Models, vectors, and memories as a mirror wants them."""

    def is_alone(self) -> bool:
        """Tells whether there is no other space in the store."""
        return bool(self._value("space_count") == 1)

    def foresee_view(self, model: tuple[str, int] | None) -> None:
        """Says that a mirror will be brought up to date, and memories judged by their age."""
        self.foresee(foresight.newest_change(), foresight.folded_upto(), foresight.curves())
        if model is not None:
            self.foresee(foresight.model_key(*model), NewestKey("vectors"))

    def newest_change(self) -> int:
        """Returns the newest operation that changed a row of this space."""
        return int(self._value("newest_change") or 0)

    def mirror_rows(self, keys: Sequence[int]) -> list[MirroredRow]:
        """Returns what a mirror keeps of these memories, in the order of keys."""
        rows: list[Any] = sorted(self._tuples("mirrored", keys=list(keys)))
        return rows

    def mirror_columns(self) -> Iterator[MirroredColumns]:
        """Yields the same of all memories in the order of keys, a sequence for each column.

        Page by page where the store lets them be read as they lie: all at once would take ten
        times the memory that is left of it.
        """
        # A text per column costs a third of a tuple per row.
        if not self.is_alone():
            columns = self._columns_of("mirrored_columns")
            order = np.argsort(columns[0])
            if (order[1:] < order[:-1]).any():
                columns = [_in_order(column, order) for column in columns]
            yield columns
            return
        after, page = 0, MIRRORED_AT_ONCE
        while True:
            columns = self._columns_of("mirrored_columns_alone", after=after, limit=page)
            yield columns
            if len(columns[0]) < page:
                return
            after = int(columns[0][-1])  # SQLite would take numpy's for bytes

    def _columns_of(self, statement: str, **asked: int) -> MirroredColumns:
        [lists] = self._tuples(statement, **asked)
        return [
            _read_numbers(one or "[]") if place in NUMBERS else json.loads(one or "[]")
            for place, one in enumerate(lists)
        ]

    def model_key(self, name: str, dimension: int) -> int | None:
        key: int | None = self._value("model_key", name=name, dimension=dimension)
        return key

    def bands(self, model: int) -> Bands:
        """Returns from which cosine on two texts are the same or near, by this model."""
        kept = self._tuples("bands", model=model)
        return Bands(*kept[0]) if kept and None not in kept[0] else BANDS

    def models(self) -> list[Row]:
        return self._rows("models")

    def newest_vector(self) -> int:
        """Returns an upper bound of the keys of vectors."""
        return self._session.newest_key("vectors")

    def vectors_after(
        self, model: int, memory: int, *, wording: bytes | None = None, limit: int
    ) -> list[VectorRow]:
        """Returns vectors beyond those of a memory, or beyond one wording of it.

        They come in the order of keys and wordings.
        """
        last = LAST_WORDING if wording is None else wording
        found: list[Any] = self._tuples(
            "vectors_after", model=model, memory=memory, wording=last, limit=limit
        )
        return found

    def vectors_between(self, model: int, after: int, upto: int) -> JoinedVectors:
        """Returns vectors with keys above the first and not above the second, as they lie."""
        [(memories, wordings, vectors)] = self._tuples(
            "vectors_between", model=model, after=after, upto=upto
        )
        return json.loads(memories or "[]"), wordings or b"", vectors or b""

    def vectors_of(self, model: int, keys: Sequence[int]) -> list[VectorRow]:
        found: list[Any] = self._tuples("vectors_of_memories", model=model, keys=list(keys))
        return found

    def nearest(
        self,
        model: int,
        query: Vectors,
        wanted: Filter | None,
        *,
        limit: int,
        among: Sequence[int] | None = None,
    ) -> list[NearRow] | None:
        """Returns what is nearest to a vector, best first.

        With a filter, only wordings that memories have now and that pass it; without one, former
        wordings are among them, for a mirror to sort out. `among` limits it to some memories. None
        where the database compares no vectors: a mirror does it.
        """
        condition, parameters = (None, {}) if wanted is None else write_condition(wanted)
        return self._session.nearest(model, query, condition, parameters, among=among, limit=limit)

    def embedded_keys(
        self, model: int, *, after: int = 0, memories: Sequence[int] | None = None
    ) -> tuple[bytes, bytes] | None:
        """Returns memory and wording of each vector, eight big-endian bytes for each.

        Of all, or of those with keys above `after`, or of some memories. None where there is no
        `nearest`.
        """
        return self._session.embedded_keys(model, after=after, memories=memories)

    def find_unembedded(
        self, model: int | None, *, state: str, before: int, limit: int
    ) -> list[Row]:
        """Returns key, text and content hash of memories without a vector for their wording.

        Newest first.
        """
        return self._rows("unembedded", model=model, state=state, before=before, limit=limit)

    def count_unembedded(self, model: int | None) -> int:
        return int(self._value("unembedded_count", model=model))
