"""What a writer does otherwise on PostgreSQL: many vectors, and what follows from them, in one
statement each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from glymph.store.backends.postgresql import nearest
from glymph.store.backends.postgresql.connection import Connection
from glymph.store.backends.postgresql.nearest import NearestOnServer
from glymph.store.writer import SqlWriter

# Only for what a memory says now: a model that was at work while it was removed for good brings
# nothing back. What
# is no memory of the space and never was is let through to the trigger, which refuses it.
_KEEP = """
INSERT INTO vectors(space_id, model, memory, wording, vector)
SELECT :space_id, :model, v.memory, v.wording, v.vector
FROM unnest(CAST(:memories AS bigint[]), CAST(:wordings AS bytea[]), CAST(:vectors AS bytea[]))
     AS v(memory, wording, vector)
LEFT JOIN scoped_memories m ON m.key = v.memory
WHERE decode(substr(m.content_hash, 1, 16), 'hex') = v.wording
   OR NOT EXISTS (SELECT 1 FROM scoped_models o WHERE o.key = :model)
   OR m.key IS NULL AND NOT EXISTS (
     SELECT 1 FROM scoped_journal j WHERE j.tbl = 'memories' AND j.key = v.memory)
ON CONFLICT (space_id, model, memory, wording) DO NOTHING RETURNING memory, wording
"""


class PostgresWriter(NearestOnServer, SqlWriter):
    """A `Writer` over a connection whose transaction holds the lock of the space."""

    def __init__(
        self, connection: Connection, space: str, space_id: int, offsets: Mapping[str, int]
    ) -> None:
        super().__init__(connection, space, space_id, offsets)
        self._connection = connection

    def add_vectors(self, model: int, rows: Iterable[tuple[int, bytes, bytes]]) -> None:
        given = list(
            {row[:2]: row for row in reversed(list(rows))}.values()
        )  # the first of each wording
        if given:
            memories, wordings, vectors = (list(column) for column in zip(*given, strict=True))
            columns = {"memories": memories, "wordings": wordings, "vectors": vectors}
            kept = set(
                self._session.tuples(_KEEP, {"space_id": self._space_id, "model": model, **columns})
            )
            nearest.keep(self._connection.raw, [(model, *row) for row in given if row[:2] in kept])
            self._connection.added["vectors"] += len(given)
