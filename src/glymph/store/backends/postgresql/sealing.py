"""Seals an operation where its journal is, so that what was written goes and is sealed at once.

The client would wait for the journal rows only to send their hash back. The same is counted and
hashed as in `store.seals`, whose hash any later check takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.store.backends.postgresql.pipeline import Answer, Pipeline
from glymph.store.journal import USE_COLUMNS
from glymph.store.seals import SEALED, write_head

# Journal rows hashed as one value: with texts of the longest, far from the most that a value holds.
MOST_ROWS = 64

_KINDS = {"at": "bigint", "parent": "bigint", "undoes": "bigint"}
_HEAD = ("key", *SEALED)
_TYPES = (*(_KINDS.get(name, "bigint" if name == "key" else "text") for name in _HEAD), "bytea")
_USED = ", ".join(f"'{table}'" for table in sorted(USE_COLUMNS))
_GIVEN = ", ".join(f"${at}::{kind}" for at, kind in enumerate(_TYPES[:-1], start=1))
_LINE = r" || '\x00'::bytea || ".join(
    f"convert_to({part}, 'UTF8')" for part in ("tbl", "key::text", "action", "image", "after")
)
_RECORD = rf"""
INSERT INTO operations(space_id, {", ".join(_HEAD)}, changes, edits, hash)
SELECT shown_space(), {_GIVEN}, done.changes, done.edits,
       encode(sha256(${len(_TYPES)}::bytea || done.said), 'hex')
FROM (
  SELECT count(*) AS changes,
         count(*) FILTER (WHERE CASE WHEN action = 'update' AND tbl IN ({_USED})
           THEN strpos(image, '"version":') > 0 ELSE action <> 'rejected' END) AS edits,
         coalesce(string_agg({_LINE} || '\x0a'::bytea, ''::bytea ORDER BY id), ''::bytea) AS said
  FROM scoped_journal WHERE operation = $1::bigint
) done
RETURNING hash, set_config('glymph.operation', '', true), set_config('glymph.verb', '', true)
""".encode()


def record(pipeline: Pipeline, key: int, head: Mapping[str, Any]) -> Answer:
    """Queues the count, the seal and the record of an operation, which then writes no more."""
    return pipeline.add_row(
        _RECORD, (key, *(head[name] for name in SEALED), write_head(head)), _TYPES
    )
