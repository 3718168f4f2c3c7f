"""Spaces as wholes, written once for every SQL engine: made, renamed, removed, dumped, loaded."""

from __future__ import annotations

import json
import secrets
from abc import abstractmethod
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any

from glymph import errors
from glymph.store.arrivals import SqlArrival
from glymph.store.contract import Intent
from glymph.store.portable import BIRTH_ORDER, CARRIED
from glymph.store.snapshots import NOTE, SpaceSession, SqlSnapshot, key_offsets
from glymph.store.statements import statements
from glymph.store.transactions import SqlTransactions
from glymph.store.writer import SqlWriter

# Names nobody can open: spaces that are being loaded, moved here or deleted, or were when a process
# was killed.
HIDDEN = "("
DELETING, LOADING, MOVING = "(deleting) ", "(loading) ", "(moving) "
NEVER = 2**62  # microseconds
TOKEN = 32  # hexadecimal digits
LEFTOVER_AFTER = 3_600_000_000  # microseconds without a sign of life
UNFINISHED_AFTER = 7 * 24 * 3_600_000_000  # the same for a move, which may be taken up again


class SqlSpaces(SqlTransactions):
    """What an SQL engine's store does with whole spaces.

    The engine supplies connections, how it hands out keys, and how many rows it may remove in one
    short transaction. All statements name the space, for keys may be unique only within it.
    """

    # what the engine supplies

    @abstractmethod
    def _reserve(self, session: SpaceSession, space_id: int, table: str, count: int) -> int:
        """Sets aside the keys 1 to `count` of a table for a space, and gives back how far they must
        be moved.
        """

    @abstractmethod
    def _removed_at_once(self, table: str) -> int:
        """How many rows of a table may be removed in one transaction."""

    @abstractmethod
    def _now(self) -> int:
        """The moment, for the record."""

    @abstractmethod
    def _hold(self, session: SpaceSession, space_id: int, name: str) -> None:
        """Keeps others from writing to a space until the transaction ends; SpaceNotFound if it lost
        its name.
        """

    def _hint(self, rows: int) -> str:
        """What to say behind a table's name to have so many rows of a space in the order of keys,
        not sorted.
        """
        return ""

    # spaces

    def spaces(self) -> list[Mapping[str, Any]]:
        with self._reading_connection() as session:
            return list(session.rows(statements()["spaces"], {}))

    def has_space(self, name: str) -> bool:
        with self._reading_connection() as session:
            return bool(self._found(session, name))

    def due_spaces(
        self, now: int, *, beyond: int | None = None, limit: int | None = None
    ) -> list[str]:
        chosen = "" if limit is None else f" LIMIT {int(limit)}"
        facts = {"now": now, "beyond": NEVER if beyond is None else beyond}
        with self._reading_connection() as session:
            return [
                name for (name,) in session.tuples(f"{statements()['due_spaces']}{chosen}", facts)
            ]

    def next_due(self) -> int | None:
        with self._reading_connection() as session:
            found: int | None = session.tuples(statements()["next_due"], {})[0][0]
            return found

    def create_space(self, name: str, intent: Intent, identity: Mapping[str, Any]) -> None:
        with self._writing_connection() as session:
            made = session.tuples(statements()["insert_space"], {"name": name, "at": intent.at})
            if not made:
                return
            space_id = made[0][0]
            writer = SqlWriter(session, name, space_id, {})
            session.show(space_id)
            writer.open(intent)
            writer.insert("memories", [identity])
            writer.close()

    def rename_space(self, old: str, new: str) -> None:
        with self._writing_connection() as session:
            self._space(session, old)
            if self._found(session, new):
                raise errors.InvalidInput("space", f"{new!r} exists already. Choose another name.")
            if not session.changed(statements()["rename_space"], {"old": old, "new": new}):
                raise errors.SpaceNotFound(old)  # another process was first

    def delete_space(self, name: str) -> Iterator[int]:
        with self._writing_connection() as session:
            space_id, _ = self._space(session, name)
            self._hold(session, space_id, name)
            # Out of sight first: a delete that is cut short leaves no half of a space behind under
            # its name.
            self._hide(session, space_id)
        removed = 0
        for removed in self._remove(space_id):
            yield removed
        for _ in self._sweep():
            yield removed

    def _found(self, session: SpaceSession, name: str) -> list[tuple[Any, ...]]:
        return session.tuples("SELECT key, offsets FROM spaces WHERE name = :name", {"name": name})

    def _space(self, session: SpaceSession, name: str) -> tuple[int, dict[str, int]]:
        """The key of a space, and how far a load moved its keys."""
        found = self._found(session, name)
        if not found:
            raise errors.SpaceNotFound(name)
        return found[0][0], key_offsets(json.loads(found[0][1]))

    def _hide(self, session: SpaceSession, space_id: int, *, seen: int | None = None) -> bool:
        """Gives a space to the sweep, unless somebody has shown a sign of life since it was `seen`."""
        since = "" if seen is None else " AND created_at = :seen"
        facts = {"name": f"{DELETING}{space_id}", "now": self._now(), "key": space_id}
        sql = f"UPDATE spaces SET name = :name, created_at = :now WHERE key = :key{since}"
        return session.changed(sql, facts | ({} if seen is None else {"seen": seen})) > 0

    def _remove(self, space_id: int) -> Iterator[int]:
        """Deletes the rows of a hidden space, then the space; yields the rows removed so far."""
        removed = 0
        for table in reversed(BIRTH_ORDER):
            chunk = gone = self._removed_at_once(table)
            while gone == chunk:
                gone = self._delete_rows(space_id, table, chunk)
                removed += gone
                yield removed
        with self._writing_connection() as session:
            session.changed("DELETE FROM spaces WHERE key = :space", {"space": space_id})

    def _delete_rows(self, space_id: int, table: str, chunk: int) -> int:
        key = "id" if table == "journal" else "key"
        some = f"SELECT {key} FROM {table} WHERE space_id = :space LIMIT :chunk"
        sql = f"DELETE FROM {table} WHERE space_id = :space AND {key} IN ({some})"
        with (
            self._writing_connection() as session,
            self._unjournalled(session, space_id, "space_delete"),
        ):
            return session.changed(sql, {"space": space_id, "chunk": chunk})

    def _sweep(self, *, but: str = "") -> Iterator[int]:
        """Removes what killed loads and deletions left behind, except the space of one name."""
        now = self._now()
        with self._reading_connection() as session:
            found = session.tuples(
                "SELECT key, name, created_at FROM spaces WHERE substr(name, 1, 1) = :hidden",
                {"hidden": HIDDEN},
            )
        for space_id, name, seen in found:
            age = UNFINISHED_AFTER if name.startswith(MOVING) else LEFTOVER_AFTER
            if name == but or not (name.startswith(DELETING) or seen < now - age):
                continue
            with self._writing_connection() as session:
                mine = self._hide(session, space_id, seen=seen)
            # Deleting twice does no harm; what has shown a sign of life meanwhile is left alone.
            if mine or name.startswith(DELETING):
                yield from self._remove(space_id)

    @contextmanager
    def _unjournalled(self, session: SpaceSession, space_id: int, verb: str) -> Iterator[None]:
        """Lets rows of a space come or go with their own journal, outside any operation of it."""
        session.show(space_id)
        session.rows(
            statements()["begin_writing"], {"space_id": space_id, "operation": 0, "verb": verb}
        )
        yield
        session.rows(statements()["end_writing"], {})

    # a space as a whole

    @contextmanager
    def snapshot(self, space: str) -> Iterator[SqlSnapshot]:
        """The space at one moment; nothing of it is held in memory."""
        with self._reading_connection() as session:
            yield self._snapshot(session, space)

    def _snapshot(self, session: SpaceSession, space: str) -> SqlSnapshot:
        found = self._found(session, space)
        if not found:
            raise errors.SpaceNotFound(space)
        return SqlSnapshot(
            session, space, found[0][0], record=json.loads(found[0][1]), hint=self._hint
        )

    def dump(self, space: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        with self.snapshot(space) as shot:
            yield from shot.rows()

    def load(
        self,
        space: str,
        rows: Iterable[tuple[str, Mapping[str, Any]]],
        *,
        highest: Mapping[str, int],
        chunk: int,
    ) -> Iterator[int]:
        arrival = yield from self.arrival(space, highest=highest)
        try:
            total = 0
            stream = iter(rows)
            while batch := list(islice(stream, chunk)):
                arrival.add(batch)
                total += len(batch)
                yield total
            for _ in arrival.publish(space):
                yield total
        except BaseException:
            # What cannot be removed now, say because the disk is full, is out of sight and swept
            # later.
            with suppress(errors.StoreError):
                for _ in arrival.discard():
                    pass
            raise

    def arrival(
        self,
        space: str,
        *,
        highest: Mapping[str, int],
        token: str | None = None,
        replacing: bool = False,
    ) -> Generator[int, None, SqlArrival]:
        """A space under a name nobody can open, with keys set aside for it; yields while leftovers
        are swept.
        """
        name = (
            f"{LOADING}{secrets.token_hex(8)} {space}"
            if token is None
            else f"{MOVING}{token[:TOKEN]} {space}"
        )
        for _ in self._sweep(but=name):
            yield 0
        outdated: list[int] = []
        with self._writing_connection() as session:
            if not replacing:
                self._untouched(session, space)
            if token is not None:
                outdated = self._outdated(session, name, space)
            found = self._found(session, name)
            space_id = found[0][0] if found else self._begin(session, name, highest)
            now = self._now()
            taken = session.tuples(
                "UPDATE spaces SET created_at = :now WHERE key = :space RETURNING offsets",
                {"now": now, "space": space_id},
            )
            record = json.loads(taken[0][0])
        for one in outdated:
            for _ in self._remove(one):
                yield 0
        return SqlArrival(self, name, space_id, record=record, seen=now)

    def left_off(self, space: str, token: str) -> str | None:
        """The note of a load that was begun under a token and is not complete; None if there is
        none.
        """
        with self._reading_connection() as session:
            found = self._found(session, f"{MOVING}{token[:TOKEN]} {space}")
            return str(json.loads(found[0][1]).get(NOTE, "")) if found else None

    def _begin(self, session: SpaceSession, name: str, highest: Mapping[str, int]) -> int:
        space_id: int = session.tuples(
            statements()["insert_space"], {"name": name, "at": self._now()}
        )[0][0]
        offsets = {t: self._reserve(session, space_id, t, highest.get(t, 0)) for t in CARRIED}
        session.changed(
            "UPDATE spaces SET offsets = :offsets WHERE key = :space",
            {"offsets": json.dumps(offsets), "space": space_id},
        )
        return space_id

    def _outdated(self, session: SpaceSession, name: str, space: str) -> list[int]:
        """Hides what other states of the same space left that were on their way here; their keys."""
        known = session.tuples("SELECT key, name FROM spaces WHERE name <> :name", {"name": name})
        found = [
            key
            for key, other in known
            if other.startswith(MOVING) and other[len(MOVING) + TOKEN + 1 :] == space
        ]
        for space_id in found:
            self._hide(session, space_id)
        return found

    def _untouched(self, session: SpaceSession, space: str) -> int | None:
        """The key of a space that holds nothing but its birth; None if there is none of that name."""
        found = self._found(session, space)
        if not found:
            return None
        space_id: int = found[0][0]
        self._hold(session, space_id, space)
        session.show(space_id)
        count = "SELECT count(*) FROM (SELECT 1 FROM {} WHERE space_id = :space LIMIT 2) AS few"
        counts = {
            t: session.tuples(count.format(t), {"space": space_id})[0][0] for t in BIRTH_ORDER
        }
        birth = session.tuples(
            "SELECT verb FROM operations WHERE space_id = :space LIMIT 2", {"space": space_id}
        )
        once = ("operations", "memories", "journal")
        if birth != [("create_space",)] or any(n != (table in once) for table, n in counts.items()):
            raise errors.InvalidInput("space", f"{space!r} exists already. Choose another name.")
        return space_id
