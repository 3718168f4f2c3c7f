"""Whether two copies of a space are the same: counts, a checksum over every row, searches, and
seals.

Rows are read one after the other; no table is ever held as a whole.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field

from glymph.store.contract import Row
from glymph.store.portable import CARRIED
from glymph.store.snapshots import Snapshot, canonical
from glymph.text.query import Words, asked_words

SAMPLE, SEED = 32, 7  # memories that are searched for, the same ones each time
FEW = 1000  # more hits than this, and a search was cut: it says nothing about what it has not found
MOST_WORDS, TRIED = 64, 4  # words of a text, and how many of them are tried, the longest first
TELL_EVERY = 2000  # rows

_SIZE = 2**256


class Checksum:
    """A sum over the hashes of rows and their places, which another process can continue.

    A note is all that has to be kept for that. Two spaces have the same checksum if they have the
    same rows in the same order, whatever engines they are in.
    """

    def __init__(self, note: str = "") -> None:
        told = json.loads(note) if note else {}
        self.counts = {table: int(told.get(table, (0, "0"))[0]) for table in CARRIED}
        self._sums = {table: int(told.get(table, (0, "0"))[1], 16) for table in CARRIED}

    def take(self, table: str, row: Row) -> None:
        place = b"%d " % self.counts[table]
        digest = hashlib.sha256(place + canonical(table, row)).digest()
        self._sums[table] = (self._sums[table] + int.from_bytes(digest, "big")) % _SIZE
        self.counts[table] += 1

    def take_all(self, rows: Iterable[tuple[str, Row]]) -> Iterator[tuple[str, Row]]:
        """Yields the same rows and takes each of them."""
        for table, row in rows:
            self.take(table, row)
            yield table, row

    @property
    def rows(self) -> int:
        return sum(self.counts.values())

    def note(self) -> str:
        return json.dumps({t: (n, f"{self._sums[t]:x}") for t, n in self.counts.items() if n})

    def text(self) -> str:
        """Returns the checksum of everything taken."""
        return hashlib.sha256(self.note().encode()).hexdigest()

    def differences(self, other: Checksum) -> list[str]:
        """Returns in which tables, and how, the other is not the same."""
        found = []
        for table, count in self.counts.items():
            if other.counts[table] != count:
                found.append(f"{table}: {other.counts[table]:,} rows instead of {count:,}")
            elif other._sums[table] != self._sums[table]:
                found.append(f"{table}: other rows")
        return found


@dataclass(slots=True)
class Reading:
    """One pass over a copy: its checksum, its newest operation, and memories to search for."""

    checksum: Checksum = field(default_factory=Checksum)
    newest: str = ""  # the id of its newest operation
    sample: list[tuple[int, str]] = field(default_factory=list)  # keys and texts of memories


def read(shot: Snapshot) -> Generator[int, None, Reading]:
    """Reads a copy from end to end; yields the rows so far."""
    yield 0
    found = Reading()
    chance = random.Random(SEED)
    for table, row in found.checksum.take_all(shot.rows(tables=CARRIED)):
        if table == "operations":
            found.newest = row["id"]
        elif table == "memories":
            _sample(found.sample, (row["key"], row["text"]), found.checksum.counts[table], chance)
        if found.checksum.rows % TELL_EVERY == 0:
            yield found.checksum.rows
    return found


def _sample(
    kept: list[tuple[int, str]], one: tuple[int, str], number: int, chance: random.Random
) -> None:
    """Keeps each of the memories so far with the same chance, and never more than the sample."""
    if len(kept) < SAMPLE:
        kept.append(one)
    elif (place := chance.randrange(number)) < SAMPLE:
        kept[place] = one


@dataclass(frozen=True, slots=True)
class Searches:
    """The number of memories searched for, and those that only the original finds."""

    asked: int
    missed: tuple[int, ...]  # keys


def search_both(here: Snapshot, there: Snapshot, sample: Iterable[tuple[int, str]]) -> Searches:
    """Searches both for each memory by a word that few others have; the copy must find it, too.

    What else a search finds, and in what order, is the engine's own affair.
    """
    asked, missed = 0, []
    for key, text in sample:
        for word in sorted(asked_words(text, MOST_WORDS), key=len, reverse=True)[:TRIED]:
            words = Words((word,))
            found = here.match(words, limit=FEW)
            if len(found) < FEW and key in found:
                asked += 1
                if key not in there.match(words, limit=FEW):
                    missed.append(key)
                break
    return Searches(asked, tuple(missed))


def find_broken_seals(shot: Snapshot) -> Iterator[str]:
    """Yields the operations whose record or journal was altered; an open one has no seal yet."""
    for sealed in shot.sealed_operations():
        row = sealed.operation
        if row["hash"] and sealed.seal() != row["hash"]:
            yield f"{row['id']} ({row['verb']})"
