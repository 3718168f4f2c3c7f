"""The registry of erasable places: every part of a store that may hold what somebody said, declared
once.

A place says which columns or files it is, how a purge erases it and how that is checked. A test
compares the registry with the real schema: a column of text that no place covers, or a file, is an
error. So whoever adds a table that stores text adds its place here, and the erase certificate names
it from then on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from glymph.text.quotes import Quotes

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ErasablePlace:
    """One place. Statements are named blocks of `store/sql/purge.sql`.

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
    apart: bool = False  # whoever keeps it erases it and tells how it stands


JOURNAL = "journal"
FULL_TEXT = "full-text index"
PAGES = "pages"
CONVERSATIONS = "conversations"
QUOTED = "no row repeats it whole or by a word that nothing else has"
STRONGLY = "no row repeats it whole or by two words that nothing else has"
IN_TRANSACTION = "erased in the purge's own transaction"

PLACES: Sequence[ErasablePlace] = (
    ErasablePlace(
        "memories",
        ("memories.kind", "memories.title", "memories.text", "memories.source", "memories.session",
         "memories.tags", "memories.entities", "memories.attributes", "memories.content_hash", "memories.review"),
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
        erased="chunks over its key are deleted", checked="no chunk over its key is older than the purge",
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
        erased="reasons and details that repeat it are blanked, seals over it made anew", checked=QUOTED,
        quoted=("telling_operations",),
    ),
    ErasablePlace("plans", ("plans.body",), erased="plans that name or quote it are dropped", checked=QUOTED,
                  quoted=("planned",)),
    ErasablePlace("recall log", ("recalls.query", "recalls.shown", "recalls.reported", "recalls.figures"),
                  erased="queries that repeat it are blanked; ids stay", checked=QUOTED, quoted=("asked",)),
    ErasablePlace("conflicts", ("conflicts.reason",), erased="conflicts about it are removed", checked=STRONGLY,
                  quoted=("conflict_reasons",), strongly=True),
    ErasablePlace("clusters", ("clusters.name", "clusters.rule"), erased="named, not erased", checked=QUOTED,
                  quoted=("cluster_words",)),
    ErasablePlace(PAGES, ("pages.text",), erased="cut out where it is quoted whole, else named",
                  checked=STRONGLY, quoted=("page_words",), strongly=True),
    ErasablePlace("job queue", ("queue.payload", "queue.report", "schedules.outcome"),
                  erased="jobs and outcomes that name or quote it are dropped", checked=QUOTED,
                  quoted=("queued", "outcomes")),
    ErasablePlace("session digests", ("surfaces.text",), erased="all are dropped, and made anew when asked for",
                  checked=QUOTED, quoted=("digests",)),
    ErasablePlace(CONVERSATIONS, ("conversations.state", "messages.body"),
                  erased="messages and notes that repeat it are written anew",
                  checked="no sentence repeats it or has two words of its own", apart=True),
    ErasablePlace("tombstones", ("tombstones.fingerprint",), erased="what stays is a keyed fingerprint",
                  checked="by design: nothing can be read or guessed without the key of the space"),
    ErasablePlace("certificates", ("certificates.body",), erased="never hold a word of it",
                  checked="by design: ids, names of places and counts"),
)  # fmt: skip

# Columns of text without a word of what was said, each with what it holds instead.
WORDLESS: Mapping[str, str] = {
    "memories.id": "an id", "memories.section": "one of four", "memories.state": "one of three",
    "memories.state_by": "a verb", "memories.superseded_by": "an id",
    "operations.id": "an id", "operations.actor": "a caller's name", "operations.verb": "a verb",
    "operations.session": "a caller's id", "journal.tbl": "a table", "journal.action": "one of four",
    "writing.verb": "a verb", "edges.type": "one of a closed list", "clusters.id": "an id", "pages.name": "a name",
    "recalls.id": "an id", "recalls.actor": "a caller's name", "recalls.session": "a caller's id",
    "tombstones.operation": "an id", "plans.id": "a hash of ids and versions", "schedules.job": "a job's name",
    "counters.name": "a counter's name", "queue.id": "an id", "queue.job": "a job's name",
    "queue.step": "a step's name", "leases.holder": "a process",
    "ledger.job": "a job's name", "ledger.model": "a model's name", "ledger.run": "an id",
    "ledger.outcome": "one of three", "transcripts.source": "a hash", "transcripts.head": "a hash",
    "conversations.name": "a caller's id", "folders.path": "a path", "folders.owner": "a path",
    "models.name": "a model's name",
    "curves.section": "one of four", "conflicts.id": "an id", "conflicts.older": "an id",
    "conflicts.newer": "an id", "conflicts.resolution": "one of four", "chunks.tbl": "a table",
    "certificates.operation": "an id", "spaces.name": "a space's name", "spaces.offsets": "numbers and a mark",
    "migrations.name": "a migration's name", "meta.name": "a setting's name", "meta.value": "a setting",
}  # fmt: skip


def uncovered(columns: Iterable[str], engine: Iterable[str] = ()) -> list[str]:
    """Of these columns that may hold text ("table.column") those that neither a place covers nor
    are wordless.

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
    """What to look for: keys and ids of removed memories, keys of kept ones whose former wordings
    went, and the purge. Without `quotes` only what belongs to those keys can be found."""

    operation: int
    memories: Mapping[int, str]
    former: Sequence[int]
    quotes: Quotes | None = None


@dataclass(frozen=True, slots=True)
class Leftover:
    """What is left in a place: how many rows, and whose, if known. A named memory or page counts as
    one.
    """

    rows: int
    memories: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    similar: tuple[
        str, ...
    ] = ()  # memories whose former wordings share words with it: to be told, not erased

    def without(self, memories: Collection[str]) -> Leftover:
        """The same without what these memories account for."""
        others = tuple(one for one in self.memories if one not in memories)
        return Leftover(
            self.rows - len(self.memories) + len(others), others, self.pages, self.similar
        )
