"""Columns in bulk: each as one binary array, turned into NumPy's without an object for each value.

COPY in binary form was tried first: it sends a message for each row, and going through 300,000 of
them took the client a second of CPU. An array is one message, whatever its length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg import sql as syntax

from glymph.store.arrays import FOR_EVER, NEVER, SECTIONS, STATES

_HEAD = 20  # bytes before the elements: dimensions, flags, type, length, lower bound
_TYPES = {"bigint": ">i8", "integer": ">i4", "double precision": ">f8", "boolean": "?"}


def columns_of(
    raw: psycopg.Connection[tuple[Any, ...]], columns: Mapping[str, tuple[str, str]], source: str
) -> dict[str, NDArray[Any]]:
    """Returns the columns of a query, by name.

    Each is given by its type and an expression that is never NULL. `source` is what follows FROM,
    with every value written out.
    """
    chosen = ", ".join(f"array_agg(CAST({text} AS {kind}))" for kind, text in columns.values())
    with raw.cursor(binary=True) as cursor:
        cursor.execute(f"SELECT {chosen} FROM {source}".encode(), prepare=False)
        found = cursor.pgresult
        assert found is not None
        values = [found.get_value(0, number) for number in range(len(columns))]
    return {
        name: _array(value, _TYPES[kind])
        for value, (name, (kind, _)) in zip(values, columns.items(), strict=True)
    }


def _array(value: bytes | None, kind: str) -> NDArray[Any]:
    """Returns the elements of a binary array: each lies behind its size."""
    element = np.dtype([("size", ">i4"), ("value", kind)])
    return np.frombuffer(value or b"", dtype=element, offset=_HEAD if value else 0)["value"]


def figures(
    raw: psycopg.Connection[tuple[Any, ...]], table: str, first: int, upto: int
) -> tuple[dict[str, NDArray[Any]], list[str]]:
    """Returns the figures of a range of rows of the shown space, and the words of their codes."""
    coded, place = ("kind", "key") if table == "memories" else ("type", "source")
    words = [
        word for (word,) in raw.execute(f"SELECT DISTINCT {coded} FROM scoped_{table}").fetchall()
    ]
    columns = {name: (kind, text) for name, (kind, text) in _FIGURES[table].items()}
    columns[coded] = ("integer", _code(coded, words))
    ordered = f"scoped_{table} WHERE {place} >= {first} AND {place} < {upto}"
    return columns_of(raw, columns, ordered), words


def _code(column: str, words: Sequence[str]) -> str:
    """Returns SQL for the place of a column's word among those, counted from 0."""
    listed = ", ".join(_quote(word) for word in words)
    return f"array_position(ARRAY[{listed}]::text[], {column}) - 1"


def _quote(word: str) -> str:
    return syntax.Literal(word).as_string(None)


_FIGURES: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "memories": {
        "key": ("bigint", "key"), "section": ("integer", _code("section", SECTIONS)),
        "state": ("integer", _code("state", STATES)), "pinned": ("boolean", "pinned = 1"),
        "protected": ("boolean", "protected = 1"), "superseded": ("boolean", "superseded_by IS NOT "
                                                                             "NULL"),
        "created_at": ("bigint", "created_at"),
        "last_used_at": ("bigint", f"coalesce(last_used_at, {NEVER})"),
        "expires_at": ("bigint", f"coalesce(expires_at, {FOR_EVER})"),
        "stability": ("double precision", "stability"), "access_count": ("bigint", "access_count"),
        "size": ("bigint", "octet_length(text)"),
    },
    "edges": {
        "key": ("bigint", "key"), "source": ("bigint", "source"), "target": ("bigint", "target"),
        "weight": ("double precision", "weight"), "since": ("bigint", "coalesce(last_used_at, "
                                                                      "created_at)"),
    },
}  # fmt: skip
