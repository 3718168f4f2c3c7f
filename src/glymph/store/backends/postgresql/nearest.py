"""The nearest vectors, found by the server: pgvector compares all of one space and model.

Vectors are kept as bytes, whatever these are; of those that are finite half-precision numbers, as
many as their model has dimensions, `meanings` holds a copy that pgvector can compare.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import psycopg
from psycopg.adapt import Buffer, Dumper
from psycopg.pq import Format
from psycopg.types import TypeInfo

from glymph.store.backends.postgresql.pipeline import Pipeline
from glymph.store.contract import NearRow, Session, VectorRow
from glymph.store.scan import Vectors

LONGEST = 16_000  # dimensions that pgvector takes

Raw = psycopg.Connection[tuple[Any, ...]]
Kept = tuple[int, int, bytes, bytes]  # model, memory, wording, vector

_KEEP = b"""
INSERT INTO meanings(space_id, model, memory, wording, meaning)
SELECT o.space_id, o.key, v.memory, v.wording, v.meaning
FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::halfvec[])
     AS v(model, memory, wording, meaning)
JOIN models o
  ON o.space_id = shown_space() AND o.key = v.model AND o.dimension = vector_dims(v.meaning)
"""
_KEEP_ONE = b"""
INSERT INTO meanings(space_id, model, memory, wording, meaning)
SELECT o.space_id, o.key, $2::bigint, $3::bytea, $4::halfvec FROM models o
WHERE o.space_id = shown_space() AND o.key = $1::bigint AND o.dimension = vector_dims($4::halfvec)
"""

_WORDING = "decode(substr(m.content_hash, 1, 16), 'hex')"


class Halves(bytes):
    """A vector as pgvector's `halfvec` travels.

    Its dimension, two empty bytes, big-endian halves.
    """


def halves(vectors: Sequence[bytes]) -> list[Halves | None]:
    """Returns stored vectors for the server.

    None stands for what it does not take: odd bytes, infinities, no numbers.
    """
    found: list[Halves | None] = [None] * len(vectors)
    by_length: dict[int, list[int]] = defaultdict(list)
    for at, vector in enumerate(vectors):
        by_length[len(vector)].append(at)
    for length, places in by_length.items():
        dimension, odd = divmod(length, 2)
        if odd or not 0 < dimension <= LONGEST:
            continue
        values = np.frombuffer(b"".join([vectors[at] for at in places]), dtype="<f2").reshape(
            -1, dimension
        )
        framed = np.zeros((len(places), dimension + 2), dtype=">u2")
        framed[:, 0], framed[:, 2:] = dimension, values.view("<u2")
        whole, width = framed.tobytes(), 2 * (dimension + 2)
        for number, (at, finite) in enumerate(
            zip(places, np.isfinite(values).all(axis=1).tolist(), strict=True)
        ):
            if finite:
                found[at] = Halves(whole[number * width : (number + 1) * width])
    return found


class SentAsItIs(Dumper):
    """Sends the bytes as they are.

    The statement must say as what, unless the database was asked for the type.
    """

    format = Format.BINARY

    def dump(self, obj: Any) -> Buffer:
        return bytes(obj)


class Singles(bytes):
    """A vector as pgvector's `vector` travels: the same with single-precision numbers."""


for _kind in (Halves, Singles):
    psycopg.adapters.register_dumper(_kind, SentAsItIs)


def keep(pipeline: Pipeline, rows: Sequence[Kept]) -> None:
    """Adds what follows from vectors of the shown space that were stored just now."""
    known = _comparable(rows)
    if len(known) == 1:
        pipeline.add_row(_KEEP_ONE, known[0], ("bigint", "bigint", "bytea", "halfvec"))
    elif known:
        pipeline.add(_KEEP, [list(column) for column in zip(*known, strict=True)])


def _comparable(rows: Sequence[Kept]) -> list[tuple[int, int, bytes, Halves]]:
    """Returns the rows whose vectors the server can compare, with those as it takes them."""
    return [
        (*row[:3], meaning)
        for row, meaning in zip(rows, halves([row[3] for row in rows]), strict=True)
        if meaning is not None
    ]


def introduce(raw: Raw, kind: TypeInfo | None) -> TypeInfo:
    """Tells the driver the type's number in this database, so that it can send a list of them."""
    if kind is None:
        kind = TypeInfo.fetch(raw, "halfvec")
        assert kind is not None, "the schema has columns of this type"
    kind.register(raw)
    raw.adapters.register_dumper(Halves, type("Numbered", (SentAsItIs,), {"oid": kind.oid}))
    return kind


def nearest(
    session: Session,
    model: int,
    query: Vectors,
    where: str | None,
    parameters: Mapping[str, Any],
    *,
    among: Sequence[int] | None,
    limit: int,
) -> list[NearRow]:
    """Returns the nearest by the server's own comparison; see `Session.nearest`."""
    if not np.isfinite(query).all():
        return []
    asked = Singles(
        np.asarray([len(query), 0], dtype=">u2").tobytes() + query.astype(">f4").tobytes()
    )
    terms = ["n.space_id = shown_space()", "n.model = :model"]
    given: dict[str, Any] = {**parameters, "model": model, "query": asked, "limit": limit}
    current = ""
    if where is not None:
        current = (
            f"JOIN scoped_memories m ON m.key = n.memory AND {_WORDING} = n.wording AND {where}"
        )
    if among is not None:
        terms.append("n.memory IN {keys:among}")
        given["among"] = list(among)
    # The product, as a mirror has it: vectors are of length one but for their rounding. In single
    # precision, for a query in halves would be off by more than what tells two memories apart.
    sql = (
        "SELECT n.memory, n.wording, CAST(n.meaning AS vector) <#> CAST(:query AS vector) AS far "
        f"FROM meanings n {current} WHERE {' AND '.join(terms)} "
        "ORDER BY far, n.memory LIMIT :limit"
    )
    return [(memory, wording, -far) for memory, wording, far in session.tuples(sql, given)]


def embedded_keys(
    session: Session, model: int, *, after: int, memories: Sequence[int] | None
) -> tuple[bytes, bytes]:
    """Returns memory and wording of each vector; see `Session.embedded_keys`."""
    terms, given = ["v.model = :model"], dict[str, Any](model=model)
    if after:
        terms.append("v.key > :after")
        given["after"] = after
    if memories is not None:
        terms.append("v.memory IN {keys:memories}")
        given["memories"] = list(memories)
    # One value for all rows: a hundred thousand of them cost the driver more than the server.
    sql = (
        "SELECT string_agg(int8send(v.memory), ''), string_agg(v.wording, '') "
        f"FROM scoped_vectors v WHERE {' AND '.join(terms)}"
    )
    ((keys, wordings),) = session.tuples(sql, given)
    return keys or b"", wordings or b""


# Only for what a memory says now: a model that was at work while it was removed for good brings
# nothing back. What is no memory of the space and never was is let through to the trigger, which
# refuses it. What can be compared of those that came is kept in the same statement.
_ADD = b"""
WITH given AS MATERIALIZED (
  SELECT v.memory, v.wording, v.vector, v.meaning
  FROM unnest($3::bigint[], $4::bytea[], $5::bytea[], $6::halfvec[])
       AS v(memory, wording, vector, meaning)
  LEFT JOIN scoped_memories m ON m.key = v.memory
  WHERE decode(substr(m.content_hash, 1, 16), 'hex') = v.wording
     OR NOT EXISTS (SELECT 1 FROM scoped_models o WHERE o.key = $2)
     OR m.key IS NULL AND NOT EXISTS (
       SELECT 1 FROM scoped_journal j WHERE j.tbl = 'memories' AND j.key = v.memory)
), added AS (
  INSERT INTO vectors(space_id, model, memory, wording, vector)
  SELECT $1::bigint, $2::bigint, g.memory, g.wording, g.vector FROM given g
  ON CONFLICT (space_id, model, memory, wording) DO NOTHING RETURNING memory, wording
)
INSERT INTO meanings(space_id, model, memory, wording, meaning)
SELECT o.space_id, o.key, g.memory, g.wording, g.meaning FROM added a
JOIN given g ON g.memory = a.memory AND g.wording = a.wording
JOIN scoped_models o ON o.key = $2 AND o.dimension = vector_dims(g.meaning)
WHERE g.meaning IS NOT NULL
"""


def add(pipeline: Pipeline, space_id: int, model: int, rows: Iterable[VectorRow]) -> int:
    """Stores vectors, and what follows from them, in one statement; returns how many came."""
    given = list({row[:2]: row for row in reversed(list(rows))}.values())  # the first of each
    if given:
        memories, wordings, vectors = (list(column) for column in zip(*given, strict=True))
        pipeline.add(_ADD, (space_id, model, memories, wordings, vectors, halves(vectors)))
    return len(given)
