"""A quick look into a store of one file, for hooks: by words, with the least of imports.

It reads and notes the few things that a hook needs without numpy, a handle or its settings. Its
statements stand here because loading the named ones would cost it as much as all else. Whoever gets
NotQuick opens the store as usual instead: the file is not there, or of another schema.
"""

from __future__ import annotations

import json
import os

import apsw

from glymph.ids import uuid7
from glymph.moments import MICROS_PER_DAY
from glymph.store.backends.sqlite import checksums

TYPE_CHECKING = False  # `typing` itself would cost a hook some milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

Trouble = apsw.Error  # that a look may meet: a locked or a broken file

SCHEMA = 14  # that the statements here are written for
MILLISECONDS = 2_000  # that it waits for others
MANY = 20_000  # memories from which on common words are left out
MOST_READ = 3_000  # memories that the words asked for may bring then
NOT_FADING = ("goal", "self")  # kinds of which `fit` wants to know nothing

FIND = """
SELECT m.id, m.text, m.kind, m.section, m.stability, coalesce(m.last_used_at, m.created_at) AS used
FROM memory_text f JOIN memories m ON m.key = f.rowid
WHERE f.memory_text MATCH :match AND m.space_id = :space AND m.state = 'LIVE'
  AND m.superseded_by IS NULL AND m.kind <> 'summary' AND m.protected = 0 AND m.trust >= :trust
  AND (m.expires_at IS NULL OR m.expires_at > :now OR m.pinned = 1)
  AND NOT EXISTS (
    SELECT 1 FROM edges e JOIN memories n ON n.key = e.source
    WHERE e.space_id = :space AND e.target = m.key AND e.type = 'supersedes' AND n.state = 'LIVE')
ORDER BY f.rank LIMIT :limit
"""
KEPT_DIGEST = """
SELECT text FROM surfaces WHERE space_id = :space AND budget = :budget
  AND until > :now AND until <= :now + 86400000000  -- for longer only if a clock was wrong
  AND change = coalesce((SELECT max(operation) FROM journal WHERE space_id = :space), 0)
"""
WAITING = """
SELECT EXISTS (SELECT 1 FROM queue WHERE space_id = :space AND done_at IS NULL
  AND failed_at IS NULL AND coalesce(taken_until, 0) <= :now)
"""
COUNT_RECALL = """
INSERT INTO counters(space_id, name, value)
VALUES (:space, 'recalls_ever', 1 + (SELECT count(*) FROM recalls WHERE space_id = :space))
ON CONFLICT (space_id, name) DO UPDATE SET value = value + 1
"""
LOG_RECALL = """
INSERT INTO recalls(space_id, id, at, actor, session, query, shown, figures)
VALUES (:space, :id, :at, :actor, NULL, :query, :shown, :figures)
"""


class NotQuick(Exception):
    """The store must be opened as usual."""


class QuickLook:
    """One space of a store, read without a handle."""

    def __init__(self, path: str, space: str) -> None:
        try:
            self._raw = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
            self._raw.setbusytimeout(MILLISECONDS)
            if self._raw.pragma("user_version") != SCHEMA:
                raise NotQuick
            checksums.register(self._raw)
            self._raw.execute("PRAGMA secure_delete = ON")
            found = self._raw.execute("SELECT key FROM spaces WHERE name = ?", (space,)).get
        except apsw.Error as error:
            raise NotQuick from error
        self.exists = found is not None
        self._space = found

    def find(self, words: Sequence[str], *, trust: float, now: int, limit: int) -> list[Any]:
        """Returns the current memories that hold any of the words, best first."""
        match = " OR ".join(map(_quote, self._choose(words)))
        told = {"match": match, "space": self._space, "trust": trust, "now": now, "limit": limit}
        cursor = self._raw.execute(FIND, told)
        names = ("id", "text", "kind", "section", "stability", "used")
        return [dict(zip(names, row, strict=True)) for row in cursor]

    def _choose(self, words: Sequence[str]) -> Iterable[str]:
        """Returns the words to ask for: all, or in a large store the rare ones."""
        newest = self._raw.execute("SELECT max(key) FROM memories").get or 0
        if newest <= MANY:
            return words
        sql = "SELECT count(*) FROM memory_text WHERE memory_text MATCH ?"
        counts = {word: self._raw.execute(sql, (_quote(word),)).get for word in words}
        chosen: list[str] = []
        read = 0
        for word in sorted(words, key=counts.__getitem__):
            read += counts[word]
            if chosen and read > MOST_READ:
                break
            chosen.append(word)
        return chosen

    def read_kept_digest(self, budget: int, now: int) -> str | None:
        """Returns the digest that was made before, if nothing has changed since."""
        told = {"space": self._space, "budget": budget, "now": now}
        text: str | None = self._raw.execute(KEPT_DIGEST, told).get
        return text

    def counter(self, name: str) -> int | None:
        sql = "SELECT value FROM counters WHERE space_id = ? AND name = ?"
        value: int | None = self._raw.execute(sql, (self._space, name)).get
        return value

    def is_waiting(self, now: int) -> bool:
        """Tells whether a job waits for a worker."""
        return bool(self._raw.execute(WAITING, {"space": self._space, "now": now}).get)

    def count_recall(self) -> None:
        with self._raw:
            self._raw.execute(COUNT_RECALL, {"space": self._space})

    def log_shown(self, query: str, rows: Sequence[Any], *, actor: str, now: int) -> None:
        """Notes which memories were put before somebody; nothing is reinforced."""
        told = {
            "space": self._space, "id": uuid7(now, os.urandom(8)), "at": now, "actor": actor,
            "query": query, "shown": json.dumps([row["id"] for row in rows]),
            "figures": json.dumps([_note_figures(row, now) for row in rows]),
        }  # fmt: skip
        with self._raw:
            self._raw.execute(COUNT_RECALL, {"space": self._space})
            self._raw.execute(LOG_RECALL, told)

    def close(self) -> None:
        self._raw.close()


def _note_figures(row: Any, now: int) -> tuple[str, float, float] | None:
    if row["kind"] in NOT_FADING:
        return None
    days = max((now - row["used"]) / MICROS_PER_DAY, 0.0)
    return row["section"], round(days, 4), row["stability"]


def _quote(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'
