"""A place that holds spaces: transactions on one space, and spaces as wholes."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice

from glymph import errors
from glymph.model import Problem
from glymph.store import arrivals, foresight
from glymph.store.arrivals import Arrival
from glymph.store.contract import (
    Ask,
    ColumnTypes,
    Database,
    Intent,
    IntentOrMaker,
    NewKeys,
    Row,
    Settled,
)
from glymph.store.damage import naming_damage
from glymph.store.keyring import Keyring
from glymph.store.lease_fence import check_lease
from glymph.store.reader import Reader
from glymph.store.snapshots import Snapshot, key_offsets
from glymph.store.spaces import Spaces
from glymph.store.statements import statements
from glymph.store.writer import Writer

NEVER = 2**62  # microseconds
SIZE_KEPT = 60.0  # seconds


class Store:
    """The spaces in one database."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._spaces = Spaces(database)
        self._measured = -math.inf, 0  # when, and the size then

    @property
    def url(self) -> str:
        return self.database.url

    @property
    def writable(self) -> bool:
        return self.database.writable

    @property
    def in_one_file(self) -> bool:
        """Tells whether `backup` can copy it as it lies; else spaces are moved one by one."""
        return self.database.in_one_file

    @property
    def keyring(self) -> Keyring:
        """The secret keys of its spaces, kept outside of what holds their rows."""
        return self.database.keyring

    def parts(self) -> list[str]:
        """Returns the URLs of the stores it is made of, each with upkeep of its own."""
        return [self.url]

    def home(self) -> Store:
        """Returns the store that keeps what belongs to no space, such as tokens."""
        return self

    # transactions on one space

    @contextmanager
    def reading(self, space: str) -> Iterator[Reader]:
        """Opens one consistent view of a space. SpaceNotFound if there is none."""
        with naming_damage(self, space), self.database.reading() as session:
            yield Reader(session, space, self.database.look_into(session, space))

    @contextmanager
    def writing(
        self, space: str, intent: IntentOrMaker | None, *, fence: int | None = None,
        ahead: Sequence[Ask] = (),
    ) -> Iterator[Writer]:  # fmt: skip
        """Opens one transaction. SpaceNotFound if there is no such space.

        An intent that is still to be made is asked for once the write lock is held. With the number
        of a lease it is refused, LeaseLost, when a later one was given out. `ahead` is what the
        transaction will ask first (`foresight`): a server answers it along with the lock.
        """
        own = _asked_when_opening(fence, intent)
        with naming_damage(self, space), self.database.writing() as session:
            found = self.database.enter(session, space, ahead=[*own, *ahead])
            if found is None:
                raise errors.SpaceNotFound(space)
            space_id, record = found
            writer = Writer(session, space, space_id, key_offsets(json.loads(record)))
            if fence is not None:
                check_lease(fence, writer)
            if intent is not None:
                writer.open(intent)
            yield writer
            if intent is not None:
                writer.close()

    def open_parent(self, space: str, intent: IntentOrMaker, *, fence: int | None = None) -> int:
        """Opens an operation for children in transactions of their own; returns its key."""
        with self.writing(space, None, fence=fence) as writer:
            writer.open(intent)
            writer.pause()
            return writer.operation_key

    def close_parent(self, space: str, key: int, *, fence: int | None = None) -> None:
        with self.writing(space, None, fence=fence) as writer:
            writer.resume(key, "close")
            writer.close()

    # spaces

    def spaces(self) -> list[Row]:
        with self.database.reading() as session:
            return session.rows(statements()["spaces"], {})

    def has_space(self, name: str) -> bool:
        """Tells whether there is a space of this name, without going through the others."""
        with self.database.reading() as session:
            return self._spaces.find(session, name) is not None

    def due_spaces(
        self, now: int, *, beyond: int | None = None, limit: int | None = None
    ) -> list[str]:
        """Returns the spaces that have something to do, the longest due first.

        Those with a schedule that is due, with a job that may run, or without schedules yet. With
        `beyond` also those with nothing until that moment: theirs was kept under a clock set back
        since. Other spaces are not gone through.
        """
        chosen = "" if limit is None else f" LIMIT {int(limit)}"
        facts = {"now": now, "beyond": NEVER if beyond is None else beyond}
        with self.database.reading() as session:
            found = session.tuples(f"{statements()['due_spaces']}{chosen}", facts)
        return [name for (name,) in found]

    def next_due(self) -> int | None:
        """Returns the earliest moment at which a space with schedules has something to do.

        It may have passed.
        """
        with self.database.reading() as session:
            found: int | None = session.tuples(statements()["next_due"], {})[0][0]
            return found

    def create_space(self, name: str, intent: Intent, identity: Row) -> None:
        """Makes a space with its protected identity memory; does nothing if it exists."""
        with self.database.writing() as session:
            made = session.tuples(statements()["insert_space"], {"name": name, "at": intent.at})
            if not made:
                return
            space_id = made[0][0]
            session.show(space_id)
            writer = Writer(session, name, space_id, {})
            writer.open(intent)
            writer.insert("memories", [identity])
            writer.close()

    def rename_space(self, old: str, new: str) -> None:
        with self.database.writing() as session:
            self._spaces.get(session, old)
            if self._spaces.find(session, new):
                raise errors.InvalidInput("space", f"{new!r} exists already. Choose another name.")
            if not session.execute(statements()["rename_space"], {"old": old, "new": new}):
                raise errors.SpaceNotFound(old)  # another process was first

    def delete_space(self, name: str) -> Iterator[int]:
        """Removes a space with everything in it, in short transactions; yields rows removed."""
        with self.database.writing() as session:
            space_id, _ = self._spaces.get(session, name)
            self.database.hold(session, space_id, name)
            # Out of sight first: a delete that is cut short leaves no half of a space behind under
            # its name.
            self._spaces.hide(session, space_id)
        removed = 0
        for removed in self._spaces.remove(space_id):
            yield removed
        for _ in self._spaces.sweep():
            yield removed

    # a space as a whole

    def column_types(self) -> ColumnTypes:
        """Returns, for each table of `dump`, its columns and the types their values may have."""
        return self.database.column_types()

    @contextmanager
    def snapshot(self, space: str) -> Iterator[Snapshot]:
        """Opens the space as it is at one moment; nothing of it is held in memory."""
        with self.database.reading() as session:
            yield self._spaces.snapshot(session, space)

    def dump(self, space: str) -> Iterator[tuple[str, Row]]:
        """Yields every row as (table, row), parents before children, from one snapshot."""
        with self.snapshot(space) as shot:
            yield from shot.rows()

    def load(
        self,
        space: str,
        rows: Iterable[tuple[str, Row]],
        *,
        highest: Mapping[str, int],
        chunk: int,
        check: Callable[[Snapshot], None] | None = None,
    ) -> Iterator[int]:
        """Puts dumped rows into a space that is new or untouched since its birth.

        It appears when all are there; whether it is untouched is decided in the transaction that
        replaces it. `highest` is the highest key of each table among the rows, set aside while the
        load goes on. The rows must have been checked with `portable.find_flaw`; `check` sees all of
        them before anybody else does, and raises if they are not to stay.
        """
        arrival = yield from self.arrival(space, highest=highest)
        try:
            total = 0
            stream = iter(rows)
            while batch := list(islice(stream, chunk)):
                arrival.add(batch)
                total += len(batch)
                yield total
            if check is not None:
                with arrival.snapshot() as arrived:
                    check(arrived)
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
    ) -> Generator[int, None, Arrival]:
        """Makes a space to fill with dumped rows; yields while leftovers are swept.

        With a token, 32 hexadecimal digits for what is to be loaded, the one that was begun under
        the same token and left is taken up again, and what was begun under another is removed.
        `replacing` says that a space of that name may be there and hold something.
        """
        return arrivals.begin(
            self._spaces, space, highest=highest, token=token, replacing=replacing
        )

    def left_off(self, space: str, token: str) -> str | None:
        """Returns the note of an arrival begun under a token and left; None if there is none."""
        return arrivals.find_note(self._spaces, space, token)

    # the database

    def backup(self, path: str) -> None:
        """Copies the whole store into a new file, with its keys in a folder beside it."""
        self.database.backup(path)

    def compact(self) -> None:
        """Writes the whole store anew: of what was removed, no byte is left between its rows."""
        self.database.compact()

    def size(self) -> int:
        """Returns about how many bytes the store takes."""
        return self.database.size()

    def recent_size(self) -> int:
        """Returns what the store took at some moment of the last minute.

        Looking at every file of a server costs it more than all else of a look at a space.
        """
        at, size = self._measured
        if time.monotonic() - at > SIZE_KEPT:
            self._measured = time.monotonic(), (size := self.size())
        return size

    def settle(self, *, rewrite: bool) -> Settled:
        """Removes stale bytes as far as others let it; see `Database.settle`."""
        return self.database.settle(rewrite=rewrite)

    def check(self) -> list[Problem]:
        """Returns what is wrong with the store as the database sees it."""
        return self.database.check()

    def close(self) -> None:
        self.database.close()


def _asked_when_opening(fence: int | None, intent: IntentOrMaker | None) -> list[Ask]:
    """Returns what every operation asks for first."""
    asks: list[Ask] = []
    if fence is not None:
        asks.append(foresight.lease())
    if intent is not None:
        asks += [foresight.newest_operation_at(), NewKeys("operations")]
    return asks
