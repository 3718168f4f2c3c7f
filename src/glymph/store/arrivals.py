"""A space that is being filled: out of sight until it is whole.

It is found again if the process was killed.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from glymph import errors
from glymph.store.contract import Row, Session
from glymph.store.portable import BIRTH_ORDER, CARRIED, move_keys
from glymph.store.snapshots import ARRIVED, NOTE, Snapshot, key_offsets
from glymph.store.spaces import DELETING, LOADING, MOVING, Spaces
from glymph.store.statements import statements
from glymph.store.writer import Writer

TOKEN = 32  # hexadecimal digits


class Arrival:
    """A space that is being filled, out of everybody's sight until it is published.

    `seen` is its latest sign of life, by which it notices that another process took it over.
    """

    def __init__(
        self, spaces: Spaces, name: str, space_id: int, *, record: Mapping[str, Any], seen: int
    ) -> None:
        self._spaces = spaces
        self._name = name
        self._space_id = space_id
        self._offsets = key_offsets(record)
        self._note = str(record.get(NOTE, ""))
        self._seen = seen

    @property
    def note(self) -> str:
        """The note that the last `add` left."""
        return self._note

    def add(self, rows: Sequence[tuple[str, Row]], *, note: str = "") -> None:
        """Puts in more dumped rows, in their order, in one transaction with the note."""
        with self._spaces.database.writing() as session:
            now = self._show_life(session, note)
            writer = Writer(session, "", self._space_id, self._offsets)
            with self._spaces.without_journal(session, self._space_id, "import"):
                for table in CARRIED:
                    own = [row for other, row in rows if other == table]
                    writer.insert(table, [move_keys(table, row, self._offsets, 1) for row in own])
        self._seen, self._note = now, note

    def _show_life(self, session: Session, note: str) -> int:
        """Keeps a load that goes on from being taken for the leftover of one that was killed."""
        now = self._spaces.now()
        facts = {
            "offsets": json.dumps({**self._offsets, NOTE: note} if note else self._offsets),
            "now": now, "space": self._space_id, "seen": self._seen,
        }  # fmt: skip
        sql = (
            "UPDATE spaces SET created_at = :now, offsets = :offsets "
            "WHERE key = :space AND created_at = :seen"
        )
        if not session.execute(sql, facts):
            raise errors.StoreError(
                "What was loaded so far stood still and was swept away, or another process goes on "
                "with it. Repeat it when no other runs."
            )
        return now

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        with self._spaces.database.reading() as session:
            yield self._spaces.snapshot(session, self._name)

    def publish(
        self, space: str, *, mark: str | None = None, instead_of: str | None = None
    ) -> Iterator[int]:
        """Gives it its name, at once; removes what it replaces and yields the rows removed so far.

        It replaces a space that is untouched since its birth, or the one whose stamp is
        `instead_of`.
        """
        with self._spaces.database.writing() as session:
            self._show_life(session, "")
            replaced = self._make_way(session, space, instead_of)
            session.show(self._space_id)
            record = {**self._offsets, **({} if mark is None else {ARRIVED: mark})}
            session.execute(
                "UPDATE spaces SET name = :name, offsets = :record, created_at = "
                "(SELECT min(o.at) FROM operations o WHERE o.space_id = :space) WHERE key = :space",
                {"name": space, "record": json.dumps(record), "space": self._space_id},
            )
        if replaced is not None:
            yield from self._spaces.remove(replaced)

    def _make_way(self, session: Session, space: str, instead_of: str | None) -> int | None:
        """Takes the name from the space that has it.

        One that holds nothing but its birth goes at once. The one with that stamp goes later: its
        key is returned.
        """
        if instead_of is not None:
            found = self._spaces.find(session, space)
            if found is not None:
                self._spaces.database.hold(session, found[0], space)
            if found is None or self._spaces.snapshot(session, space).stamp() != instead_of:
                raise errors.InvalidInput(
                    "space",
                    f"{space!r} was written to meanwhile and stays as it is. "
                    "Repeat it to see what differs.",
                )
            self._spaces.hide(session, found[0])
            return found[0]
        untouched = self._spaces.find_untouched(session, space)
        if untouched is not None:
            with self._spaces.without_journal(session, untouched, "space_delete"):
                for table in reversed(BIRTH_ORDER):
                    sql = f"DELETE FROM {table} WHERE space_id = :space"
                    session.execute(sql, {"space": untouched})
            session.execute("DELETE FROM spaces WHERE key = :space", {"space": untouched})
        return None

    def discard(self) -> Iterator[int]:
        """Removes it with everything in it."""
        # Only while it is out of sight: it may have been published although nobody heard of it.
        with self._spaces.database.writing() as session:
            gone = f"{DELETING}{self._space_id}"
            facts = {"gone": gone, "space": self._space_id, "name": self._name}
            hidden = session.execute(
                "UPDATE spaces SET name = :gone WHERE key = :space AND name = :name", facts
            )
        if hidden:
            yield from self._spaces.remove(self._space_id)


def begin(
    spaces: Spaces, space: str, *, highest: Mapping[str, int], token: str | None, replacing: bool
) -> Generator[int, None, Arrival]:
    """Makes a space under a name nobody can open, with keys set aside for it.

    Yields while leftovers are swept. The one that was begun under the same token is taken up again.
    """
    secret = f"{LOADING}{secrets.token_hex(8)} {space}"
    name = secret if token is None else _name_under(token, space)
    for _ in spaces.sweep(but=name):
        yield 0
    outdated: list[int] = []
    with spaces.database.writing() as session:
        if not replacing:
            spaces.find_untouched(session, space)
        if token is not None:
            outdated = _hide_outdated(spaces, session, name, space)
        found = spaces.find(session, name)
        space_id = found[0] if found else _make(spaces, session, name, highest)
        now = spaces.now()
        taken = session.tuples(
            "UPDATE spaces SET created_at = :now WHERE key = :space RETURNING offsets",
            {"now": now, "space": space_id},
        )
        record = json.loads(taken[0][0])
    for one in outdated:
        for _ in spaces.remove(one):
            yield 0
    return Arrival(spaces, name, space_id, record=record, seen=now)


def find_note(spaces: Spaces, space: str, token: str) -> str | None:
    """Returns the note of an arrival begun under a token and left; None if there is none."""
    with spaces.database.reading() as session:
        found = spaces.find(session, _name_under(token, space))
    return str(json.loads(found[1]).get(NOTE, "")) if found else None


def _name_under(token: str, space: str) -> str:
    return f"{MOVING}{token[:TOKEN]} {space}"


def _make(spaces: Spaces, session: Session, name: str, highest: Mapping[str, int]) -> int:
    facts = {"name": name, "at": spaces.now()}
    space_id: int = session.tuples(statements()["insert_space"], facts)[0][0]
    reserve = spaces.database.reserve_keys
    offsets = {table: reserve(session, table, highest.get(table, 0)) for table in CARRIED}
    session.execute(
        "UPDATE spaces SET offsets = :offsets WHERE key = :space",
        {"offsets": json.dumps(offsets), "space": space_id},
    )
    return space_id


def _hide_outdated(spaces: Spaces, session: Session, name: str, space: str) -> list[int]:
    """Hides other states of the same space that were on their way here; returns their keys."""
    known = session.tuples("SELECT key, name FROM spaces WHERE name <> :name", {"name": name})
    found = [
        key
        for key, other in known
        if other.startswith(MOVING) and other[len(MOVING) + TOKEN + 1 :] == space
    ]
    for space_id in found:
        spaces.hide(session, space_id)
    return found
