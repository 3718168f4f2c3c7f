"""A space that is being filled: out of sight until it is whole, and known again if the process was
killed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from glymph import errors
from glymph.store.contract import Row
from glymph.store.portable import BIRTH_ORDER, CARRIED, moved
from glymph.store.snapshots import ARRIVED, NOTE, SpaceSession, SqlSnapshot, key_offsets
from glymph.store.writer import SqlWriter

if TYPE_CHECKING:
    from glymph.store.spaces import SqlSpaces


class SqlArrival:
    """An `Arrival`. `seen` is its latest sign of life, by which it notices that another process
    took it over.
    """

    def __init__(
        self, spaces: SqlSpaces, name: str, space_id: int, *, record: Mapping[str, Any], seen: int
    ) -> None:
        self._spaces = spaces
        self._name = name
        self._space_id = space_id
        self._offsets = key_offsets(record)
        self._note = str(record.get(NOTE, ""))
        self._seen = seen

    @property
    def note(self) -> str:
        return self._note

    def add(self, rows: Sequence[tuple[str, Row]], *, note: str = "") -> None:
        with self._spaces._writing_connection() as session:
            now = self._sign_of_life(session, note)
            writer = SqlWriter(session, "", self._space_id, self._offsets)
            with self._spaces._unjournalled(session, self._space_id, "import"):
                for table in CARRIED:
                    writer.insert(
                        table, [moved(t, row, self._offsets, 1) for t, row in rows if t == table]
                    )
        self._seen, self._note = now, note

    def _sign_of_life(self, session: SpaceSession, note: str) -> int:
        """Keeps a load that goes on from being taken for the leftover of one that was killed."""
        now = self._spaces._now()
        facts = {
            "offsets": json.dumps({**self._offsets, NOTE: note} if note else self._offsets),
            "now": now, "space": self._space_id, "seen": self._seen,
        }  # fmt: skip
        sql = "UPDATE spaces SET created_at = :now, offsets = :offsets WHERE key = :space AND created_at = :seen"
        if not session.changed(sql, facts):
            raise errors.StoreError(
                "What was loaded so far stood still and was swept away, or another process goes on with it. "
                "Repeat it when no other runs."
            )
        return now

    @contextmanager
    def snapshot(self) -> Iterator[SqlSnapshot]:
        with self._spaces._reading_connection() as session:
            yield self._spaces._snapshot(session, self._name)

    def publish(
        self, space: str, *, mark: str | None = None, instead_of: str | None = None
    ) -> Iterator[int]:
        with self._spaces._writing_connection() as session:
            self._sign_of_life(session, "")
            replaced = self._make_way(session, space, instead_of)
            session.show(self._space_id)
            record = {**self._offsets, **({} if mark is None else {ARRIVED: mark})}
            session.show(self._space_id)
            session.changed(
                "UPDATE spaces SET name = :name, offsets = :record, created_at = "
                "(SELECT min(o.at) FROM operations o WHERE o.space_id = :space) WHERE key = :space",
                {"name": space, "record": json.dumps(record), "space": self._space_id},
            )
        if replaced is not None:
            yield from self._spaces._remove(replaced)

    def _make_way(self, session: SpaceSession, space: str, instead_of: str | None) -> int | None:
        """Takes the name from a space that holds nothing but its birth, which goes at once, or from
        the one with that stamp, which goes later: its key."""
        if instead_of is not None:
            found = self._spaces._found(session, space)
            if found:
                self._spaces._hold(session, found[0][0], space)
            if not found or self._spaces._snapshot(session, space).stamp() != instead_of:
                raise errors.InvalidInput(
                    "space",
                    f"{space!r} was written to meanwhile and stays as it is. Repeat it to see what differs.",
                )
            self._spaces._hide(session, found[0][0])
            return int(found[0][0])
        untouched = self._spaces._untouched(session, space)
        if untouched is not None:
            with self._spaces._unjournalled(session, untouched, "space_delete"):
                for table in reversed(BIRTH_ORDER):
                    session.changed(
                        f"DELETE FROM {table} WHERE space_id = :space", {"space": untouched}
                    )
            session.changed("DELETE FROM spaces WHERE key = :space", {"space": untouched})
        return None

    def discard(self) -> Iterator[int]:
        # Only while it is out of sight: it may have been published although nobody heard of it.
        with self._spaces._writing_connection() as session:
            gone = f"(deleting) {self._space_id}"
            facts = {"gone": gone, "space": self._space_id, "name": self._name}
            hidden = session.changed(
                "UPDATE spaces SET name = :gone WHERE key = :space AND name = :name", facts
            )
        if hidden:
            yield from self._spaces._remove(self._space_id)
