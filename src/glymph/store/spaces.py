"""The rows of whole spaces: found, hidden, removed and swept, in short transactions.

All statements name the space, for keys may be unique only within it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from glymph import errors
from glymph.store.contract import Database, Session
from glymph.store.portable import BIRTH_ORDER
from glymph.store.snapshots import Snapshot
from glymph.store.statements import statements

# Names nobody can open: spaces that are being loaded, moved here or deleted, or were when a process
# was killed.
HIDDEN = "("
DELETING, LOADING, MOVING = "(deleting) ", "(loading) ", "(moving) "
LEFTOVER_AFTER = 3_600_000_000  # microseconds without a sign of life
UNFINISHED_AFTER = 7 * 24 * 3_600_000_000  # the same for a move, which may be taken up again


def now_for_the_record() -> int:
    """Returns the moment; a fact about the store, never part of a memory."""
    return time.time_ns() // 1000


class Spaces:
    """The spaces of a database, those that nobody can open included."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def now(self) -> int:
        return now_for_the_record()

    def find(self, session: Session, name: str) -> tuple[int, str] | None:
        """Returns the key of a space and the record kept in `offsets`; None if there is none."""
        sql = "SELECT key, offsets FROM spaces WHERE name = :name"
        found = session.tuples(sql, {"name": name})
        return (found[0][0], found[0][1]) if found else None

    def get(self, session: Session, name: str) -> tuple[int, str]:
        """Does the same, and raises SpaceNotFound if there is none."""
        found = self.find(session, name)
        if found is None:
            raise errors.SpaceNotFound(name)
        return found

    def hide(self, session: Session, space_id: int, *, seen: int | None = None) -> bool:
        """Gives a space to the sweep, unless somebody has shown a sign of life since `seen`."""
        since = "" if seen is None else " AND created_at = :seen"
        facts = {"name": f"{DELETING}{space_id}", "now": self.now(), "key": space_id}
        sql = f"UPDATE spaces SET name = :name, created_at = :now WHERE key = :key{since}"
        return session.execute(sql, facts | ({} if seen is None else {"seen": seen})) > 0

    def remove(self, space_id: int) -> Iterator[int]:
        """Deletes the rows of a hidden space, then the space; yields the rows removed so far."""
        removed = 0
        for table in reversed(BIRTH_ORDER):
            chunk = gone = self.database.batch_size(table)
            while gone == chunk:
                gone = self._delete_rows(space_id, table, chunk)
                removed += gone
                yield removed
        with self.database.writing() as session:
            session.execute("DELETE FROM spaces WHERE key = :space", {"space": space_id})

    def _delete_rows(self, space_id: int, table: str, chunk: int) -> int:
        key = "id" if table == "journal" else "key"
        some = f"SELECT {key} FROM {table} WHERE space_id = :space LIMIT :chunk"
        sql = f"DELETE FROM {table} WHERE space_id = :space AND {key} IN ({some})"
        with (
            self.database.writing() as session,
            self.without_journal(session, space_id, "space_delete"),
        ):
            if table == "memories":
                session.clear_words(space_id)  # before theirs leave, or older ones were found again
            return session.execute(sql, {"space": space_id, "chunk": chunk})

    def sweep(self, *, but: str = "") -> Iterator[int]:
        """Removes what killed loads and deletions left behind, except the space of one name."""
        now = self.now()
        with self.database.reading() as session:
            found = session.tuples(
                "SELECT key, name, created_at FROM spaces WHERE substr(name, 1, 1) = :hidden",
                {"hidden": HIDDEN},
            )
        for space_id, name, seen in found:
            age = UNFINISHED_AFTER if name.startswith(MOVING) else LEFTOVER_AFTER
            if name == but or not (name.startswith(DELETING) or seen < now - age):
                continue
            with self.database.writing() as session:
                mine = self.hide(session, space_id, seen=seen)
            # Deleting twice does no harm; what has shown a sign of life meanwhile is left alone.
            if mine or name.startswith(DELETING):
                yield from self.remove(space_id)

    @contextmanager
    def without_journal(self, session: Session, space_id: int, verb: str) -> Iterator[None]:
        """Lets rows of a space come or go with their own journal, outside any operation of it."""
        session.show(space_id)
        facts = {"space_id": space_id, "operation": 0, "verb": verb}
        session.run(statements()["begin_writing"], facts)
        yield
        session.run(statements()["end_writing"], {})

    def snapshot(self, session: Session, name: str) -> Snapshot:
        space_id, record = self.get(session, name)
        return Snapshot(
            session, name, space_id, record=json.loads(record), hint=self.database.order_hint
        )

    def find_untouched(self, session: Session, name: str) -> int | None:
        """Returns the key of a space that holds nothing but its birth, and keeps writers away.

        None if there is no space of that name; InvalidInput if it holds more.
        """
        found = self.find(session, name)
        if found is None:
            return None
        space_id = found[0]
        self.database.hold(session, space_id, name)
        count = "SELECT count(*) FROM (SELECT 1 FROM {} WHERE space_id = :space LIMIT 2) AS few"
        space: dict[str, Any] = {"space": space_id}
        counts = {t: session.tuples(count.format(t), space)[0][0] for t in BIRTH_ORDER}
        birth = session.tuples("SELECT verb FROM operations WHERE space_id = :space LIMIT 2", space)
        once = ("operations", "memories", "journal")
        if birth != [("create_space",)] or any(n != (table in once) for table, n in counts.items()):
            raise errors.InvalidInput("space", f"{name!r} exists already. Choose another name.")
        return space_id
