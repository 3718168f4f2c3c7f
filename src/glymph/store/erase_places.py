"""Declares every part of a store that may hold what somebody said, and looks what a purge left.

A place says which columns or files it is, how a purge erases it and how that is checked. A test
compares the places with the real schema: a column of text that no place covers, or a file, is an
error. So whoever adds a table that stores text adds its place here, and the erase certificate names
it from then on. Texts that a part above the store keeps are `apart`: its text keeper erases them.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from glymph.store import guards
from glymph.store.contract import Row
from glymph.store.journal import PURGED
from glymph.store.statements import SpaceStatements
from glymph.text.quotes import Quotes, words_in

MOST_NAMED = 20  # memories
MOST_LOOKED_UP = 100  # words of what was removed
MOST_PROBES = 24  # that the engine looks for; with more it costs less to read every image
IMAGES_AT_ONCE = 5_000  # of the journal


@dataclass(frozen=True, slots=True)
class ErasablePlace:
    """One place that may hold texts. Statements are named blocks of `store/sql/purge.sql`.

    `left` and `former` count rows that still belong to the removed memories, or to former wordings
    of kept ones; `quoted` gives rows as key and text, to be searched for what was removed.
    """

    name: str
    columns: tuple[str, ...]  # table.column
    erased: str
    checked: str
    left: str | None = None
    former: str | None = None
    quoted: tuple[str, ...] = ()
    strongly: bool = False  # one telling word is not enough: what is erased here would be missed
    apart: bool = False  # a text keeper erases and checks it


JOURNAL = "journal"
FULL_TEXT = "full-text index"
PAGES = "pages"
CALLERS = "sessions and actors"
NAMES = "names of the space and its tokens"
CONVERSATIONS = "conversations"
QUOTED = "no row repeats it whole or by a word that nothing else has"
STRONGLY = "no row repeats it whole or by two words that nothing else has"
IN_TRANSACTION = "erased in the purge's own transaction"

PLACES: Sequence[ErasablePlace] = (
    ErasablePlace(
        "memories",
        ("memories.kind", "memories.title", "memories.text", "memories.source",
         "memories.tags", "memories.entities", "memories.attributes",
         "memories.content_hash", "memories.review"),
        erased="rows are deleted", checked="no row has its key", left="memories_left",
    ),
    ErasablePlace(
        FULL_TEXT,
        ("memory_text.*", "memory_text_data.*", "memory_text_idx.*", "memory_text_docsize.*",
         "memory_text_config.*"),
        erased="it follows the rows, and is written anew with the store",
        checked="its rarest words find nothing", left="memories_left",
    ),
    ErasablePlace(
        "vectors", ("vectors.wording", "vectors.vector"),
        erased="rows of every wording are deleted", checked="no vector has its key",
        left="vectors_left", former="former_vectors_left",
    ),
    ErasablePlace(
        "mirror chunks", ("chunks.layout", "chunk_bodies.body"),
        erased="chunks over its key are deleted",
        checked="no chunk over its key is older than the purge",
        left="chunks_left", former="chunks_left",
    ),
    ErasablePlace(
        JOURNAL, ("journal.image", "journal.after"),
        erased="images are blanked, and their operations sealed anew",
        checked="each of its images names a purge, and no other image repeats it",
        left="entries_left", former="former_entries_left",
    ),
    ErasablePlace(
        "operations", ("operations.reason", "operations.details", "operations.hash"),
        erased="reasons and details that repeat it are blanked, seals over it made anew",
        checked=QUOTED, quoted=("telling_operations",),
    ),
    ErasablePlace(
        CALLERS,
        ("memories.session", "operations.session", "operations.actor", "recalls.session",
         "recalls.actor"),
        erased="names that repeat it are others now, also in the journal, the same the same",
        checked="no name repeats it whole or by two words that nothing else has",
    ),
    ErasablePlace(
        "plans", ("plans.body",),
        erased="plans that name or quote it are dropped", checked=QUOTED, quoted=("planned",),
    ),
    ErasablePlace(
        "recall log", ("recalls.query", "recalls.shown", "recalls.reported", "recalls.figures"),
        erased="queries that repeat it are blanked; ids stay", checked=QUOTED, quoted=("asked",),
    ),
    ErasablePlace(
        "conflicts", ("conflicts.reason",),
        erased="conflicts about it are removed",
        checked=STRONGLY, quoted=("conflict_reasons",), strongly=True,
    ),
    ErasablePlace(
        "clusters", ("clusters.name", "clusters.rule"),
        erased="cut out of names and rules",
        checked=QUOTED, quoted=("cluster_words",),
    ),
    ErasablePlace(
        PAGES, ("pages.text",),
        erased="cut out where it is quoted whole, else named",
        checked=STRONGLY, quoted=("page_words",), strongly=True,
    ),
    ErasablePlace(
        "job queue", ("queue.payload", "queue.report", "schedules.outcome"),
        erased="jobs and outcomes that name or quote it are dropped",
        checked=QUOTED, quoted=("queued", "outcomes"),
    ),
    ErasablePlace(
        "session digests", ("surfaces.text",),
        erased="all are dropped, and made anew when asked for",
        checked=QUOTED, quoted=("digests",),
    ),
    ErasablePlace(
        CONVERSATIONS, ("conversations.name", "conversations.state", "messages.body"),
        erased="messages and notes that repeat it are written anew",
        checked="no sentence repeats it or has two words of its own", apart=True,
    ),
    ErasablePlace(
        NAMES, ("spaces.name", "tokens.name", "tokens.actor", "tokens.spaces"),
        erased="tokens get other names; that of a space is left to who opens it by that name",
        checked="none repeats it whole", apart=True,
    ),
    ErasablePlace(
        "tombstones", ("tombstones.fingerprint",),
        erased="what stays is a keyed fingerprint",
        checked="by design: nothing can be read or guessed without the key of the space",
    ),
    ErasablePlace(
        "certificates", ("certificates.body",),
        erased="never hold a word of it",
        checked="by design: ids, names of places and counts",
    ),
)  # fmt: skip

# Columns of text without a word of what was said, each with what it holds instead.
WORDLESS: Mapping[str, str] = {
    "memories.id": "an id", "memories.section": "one of four", "memories.state": "one of three",
    "memories.state_by": "a verb", "memories.superseded_by": "an id", "operations.id": "an id",
    "operations.verb": "a verb", "journal.tbl": "a table", "journal.action": "one of four",
    "writing.verb": "a verb", "edges.type": "one of a closed list",
    "clusters.id": "an id", "pages.name": "a name", "recalls.id": "an id",
    "tombstones.operation": "an id", "plans.id": "a hash of ids and versions",
    "schedules.job": "a job's name", "counters.name": "a counter's name", "queue.id": "an id",
    "queue.job": "a job's name", "queue.step": "a step's name", "leases.holder": "a process",
    "ledger.job": "a job's name", "ledger.model": "a model's name", "ledger.run": "an id",
    "ledger.outcome": "one of three", "transcripts.source": "a hash", "transcripts.head": "a hash",
    "folders.path": "a path", "folders.owner": "a path",
    "models.name": "a model's name", "curves.section": "one of four", "conflicts.id": "an id",
    "conflicts.older": "an id", "conflicts.newer": "an id", "conflicts.resolution": "an answer",
    "conflicts.kind": "one of a closed list",
    "chunks.tbl": "a table", "certificates.operation": "an id",
    "spaces.offsets": "numbers and a mark", "migrations.name": "a migration's name",
    "meta.name": "a setting's name", "meta.value": "a setting", "tokens.id": "an id",
    "tokens.hash": "a hash", "tokens.role": "one of four",
}  # fmt: skip


def find_uncovered(columns: Iterable[str], engine: Iterable[str] = ()) -> list[str]:
    """Returns those of these columns ("table.column") that no place covers and may hold words.

    `engine` are those that the engine itself takes care of.
    """
    covered = {column for place in PLACES for column in place.columns} | set(engine)
    tables = {column.removesuffix(".*") for column in covered if column.endswith(".*")}
    return sorted(
        column
        for column in columns
        if column not in covered
        and column not in WORDLESS
        and column.partition(".")[0] not in tables
    )


@dataclass(frozen=True, slots=True)
class Removed:
    """The things to look for after a purge.

    They are keys and ids of removed memories, and former wordings. `former` are keys of kept
    memories whose former wordings went. Without `quotes` only what belongs to those keys can be
    found.
    """

    operation: int
    memories: Mapping[int, str]
    former: Sequence[int]
    quotes: Quotes | None = None


@dataclass(frozen=True, slots=True)
class Leftover:
    """The rows left in a place, and whose they are, if known; a name counts as one row."""

    rows: int
    memories: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    # Memories whose former wordings share words with it: to be reported, not erased.
    similar: tuple[str, ...] = ()

    def without(self, memories: Collection[str]) -> Leftover:
        """Returns the same without what these memories account for."""
        others = tuple(one for one in self.memories if one not in memories)
        return Leftover(
            self.rows - len(self.memories) + len(others), others, self.pages, self.similar
        )


class ErasureReader(SpaceStatements):
    """The part of a reader about purges."""

    def certificates(self, *, limit: int) -> list[Row]:
        """Returns the stored certificates, newest first."""
        return self._rows("certificates", limit=limit)

    def pending_certificates(self) -> list[Row]:
        return self._rows("pending_certificates")

    def certificate(self, operation: str) -> Row | None:
        return self._one("certificate_of", operation=operation)

    def occurs(self, word: str) -> bool:
        """Tells whether a memory of the space holds a word, in whatever state it is."""
        return self._session.occurs(word)

    def former_left(self, keys: Sequence[int]) -> int:
        """Counts the former wordings of these memories in the journal."""
        return self._count("former_entries_left", keys=list(keys))

    def leftovers(self, removed: Removed) -> dict[str, Leftover]:
        """Returns what is left, by the name of the place.

        It reads the journal of the whole space, so call it without holding a lock.
        """
        found = {place.name: self._find_in_place(place, removed) for place in PLACES}
        if removed.quotes is not None:
            found[JOURNAL] = self.left_in_journal(removed.quotes, rows=found[JOURNAL].rows)
            words = sorted(removed.quotes.words, key=len, reverse=True)[:MOST_LOOKED_UP]
            found[CALLERS] = Leftover(self._count_telling_callers(removed.quotes))
            found[FULL_TEXT] = Leftover(found[FULL_TEXT].rows + sum(map(self.occurs, words)))
        return {name: left for name, left in found.items() if left.rows or left.similar}

    def caller_names(self) -> tuple[set[str], set[str]]:
        """Returns what callers ever called their sessions, and themselves."""
        sessions, actors = (set(self._column(each)) for each in ("session_names", "actor_names"))
        return sessions - {None}, actors - guards.NAMELESS

    def _count_telling_callers(self, quotes: Quotes) -> int:
        return sum(quotes.strongly(name) for names in self.caller_names() for name in names)

    def _find_in_place(self, place: ErasablePlace, removed: Removed) -> Leftover:
        rows = 0
        for statement, keys in (
            (place.left, list(removed.memories)),
            (place.former, list(removed.former)),
        ):
            if statement and keys:
                rows += self._count(statement, keys=keys, operation=removed.operation)
        names = [
            key
            for statement in (place.quoted if removed.quotes else ())
            for key, body in self._tuples(statement)
            # The purge's own record has the words of who asked for it.
            if removed.quotes and (statement, key) != ("telling_operations", removed.operation)
            if removed.quotes
            and (removed.quotes.strongly if place.strongly else removed.quotes.in_json)(body)
        ]
        return Leftover(rows + len(names), pages=tuple(names) if place.name == PAGES else ())

    def left_in_journal(self, quotes: Quotes, *, rows: int = 0) -> Leftover:
        """Returns what repeats it in the journal, also in images of other memories and pages."""
        memories: set[int] = set()
        similar: set[int] = set()
        pages: set[int] = set()
        for table, key, image in self._read_images(quotes):
            if not quotes.strongly(image) or PURGED in json.loads(image):
                continue
            if table == "memories" and not quotes.whole(words_in(image)):
                similar.add(key)
            elif table == "memories":
                memories.add(key)
            elif table == "pages":
                pages.add(key)
            else:
                rows += 1
        ids, alike = (
            tuple(self._column("ids_of_keys", keys=sorted(keys)))
            for keys in (memories, similar - memories)
        )
        named = {key: name for key, name, _ in self._tuples("pages")}
        names = tuple(named[key] for key in sorted(pages) if key in named)
        return Leftover(rows + len(memories) + len(pages), ids, names, alike[:MOST_NAMED])

    def _read_images(self, quotes: Quotes) -> Iterator[tuple[str, int, str]]:
        """Yields table, key and image of journal rows that may repeat it."""
        probes = quotes.probes()
        every = quotes.also is not None or len(probes) > MOST_PROBES
        operation = entry = 0
        while found := self._tuples(
            "journal_holding", operation=operation, id=entry, most=IMAGES_AT_ONCE,
            every=int(every), probes=[] if every else probes,
        ):  # fmt: skip
            yield from ((table, key, image) for _, _, table, key, image in found)
            operation, entry = found[-1][:2]

    def _count(self, statement: str, **parameters: Any) -> int:
        return int(self._value(statement, **parameters))
