"""Erases inside the transaction of a purge, written once for every SQL engine.

Of a row in the journal a purge leaves that it was there and what became of it, never what it said.
A blanked image names the purge that blanked it. Hashes of contents go with the texts: from one, a
short text could be guessed. A session or an actor whose name tells it gets another name, the same
everywhere, so that what was done together still is.
"""

from __future__ import annotations

import json
import re
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import starmap
from typing import Any, NamedTuple

from glymph.store import guards
from glymph.store.contract import Intent, Row
from glymph.store.journal import PURGED
from glymph.store.reader import Reader
from glymph.store.seals import local_head, seal
from glymph.text.quotes import GONE, Quotes, choose_gone_name, words_in

# Columns without a word of what a row says. Any other, also one that is yet to come, is blanked.
KEPT: Mapping[str, frozenset[str]] = {
    "memories": frozenset(
        {"id", "version", "state", "state_at", "state_by", "pinned", "superseded_by", "created_at"}
    ),
    "conflicts": frozenset(
        {"id", "kind", "older", "newer", "raised_at", "expires_at", "resolution", "resolved_at"}
    ),
    "pages": frozenset({"name", "updated_at"}),
    "clusters": frozenset({"id", "created_at"}),
}
# Columns that say something.
WORDED: Mapping[str, tuple[str, ...]] = {
    "memories": ("text", "title", "tags", "entities", "attributes"),
    "pages": ("text",),
    "clusters": ("name", "rule"),
}
# And those beside them that say where it came from, or by what word of their own somebody sorts it.
SOURCED: Mapping[str, tuple[str, ...]] = {"memories": ("source", "kind")}

# A session's name in a journal image; inside of its texts every quotation mark is escaped.
_SESSION = re.compile(r'("session":\s*)("(?:[^"\\]|\\.)*")')


class JournalRow(NamedTuple):
    """A journal row with both its images."""

    id: int
    table: str
    row: int
    operation: int
    image: str
    after: str


class Renaming(NamedTuple):
    """The names that sessions and actors get, by those that told something removed."""

    sessions: Mapping[str, str]
    actors: Mapping[str, str]


ALL_KEEP_THEIRS = Renaming({}, {})


class ErasureWriter(Reader):
    """The part of a writer for operations "purge", which erase besides changing rows."""

    _offsets: Mapping[str, int]

    @property
    @abstractmethod
    def intent(self) -> Intent: ...

    @abstractmethod
    def sign(self, actor: str, session: str | None) -> None:
        """Records the operation as that of this actor and session."""

    # what is about to go

    def ties(self, keys: Sequence[int]) -> tuple[list[int], list[int]]:
        """Returns the keys of the links and of the memberships of these memories."""
        listed = list(keys)
        found = (
            self._tuples(name, keys=listed)
            for name in ("links_of_memories", "memberships_of_memories")
        )
        edges, memberships = ([key for (key,) in rows] for rows in found)
        return edges, memberships

    def replaced_by(self, ids: Iterable[str]) -> list[Row]:
        return self._rows("replaced_by", ids=list(ids))

    def resting_directly_on(self, keys: Sequence[int]) -> list[str]:
        """Returns the ids of memories that were drawn from one of these, in whatever state."""
        return [memory_id for (memory_id,) in self._tuples("resting_directly_on", keys=list(keys))]

    def ever_resting_on(self, keys: Sequence[int]) -> list[int]:
        """Returns the keys of what was ever drawn from one of these, as the journal knows it."""
        return [key for (key,) in self._tuples("ever_resting_on", keys=list(keys))]

    def conflicts_naming(self, ids: Iterable[str]) -> list[int]:
        """Returns the keys of the conflicts about one of these memories, resolved or not."""
        return [key for (key,) in self._tuples("conflicts_naming", ids=list(ids))]

    def past_texts(self, keys: Sequence[int]) -> list[str]:
        """Returns every wording the journal holds of these memories, rejected ones included."""
        entries = self._read_past("memories", keys)
        return [text for entry in entries for text in list_texts(entry.image, entry.after)]

    def past_words(self, keys: Sequence[int]) -> list[str]:
        """Returns the same with titles, tags, entities and attributes."""
        entries = self._read_past("memories", keys)
        return [
            text for entry in entries for text in list_wordings_in_images(entry.image, entry.after)
        ]

    def pages(self) -> list[Row]:
        return self._rows("pages")

    def past_quoting(self, table: str, quotes: Callable[[str], bool]) -> list[int]:
        """Returns the keys of a table's rows, gone ones included, that quote it in the journal."""
        entries = self._tuples("past_rows", tbl=table)
        found = {key for key, image, after in entries if quotes(image) or quotes(after)}
        return sorted(found)

    # erasing

    def erase(self, memories: Mapping[int, str], quotes: Quotes) -> dict[str, int]:
        """Erases what these memories (ids by key), whose rows are gone, ever said; returns counts.

        It goes from vectors, chunks, journal, recalls, plans and queue. Blanked images name the
        operation; operations they belong to, and those whose reason repeats it, are sealed anew.
        """
        listed = list(memories)
        self._rows("forget_vectors", keys=listed)
        self._rows("drop_chunks_over", space_id=self.space_key, keys=listed)
        self._session.clear_words(self.space_key, listed)
        ids = list(memories.values())
        entries = self._read_past("memories", list(memories)) + self._read_past(
            "conflicts", self._remove_quoting_conflicts(ids, quotes)
        )
        touched = {entry.operation for entry in entries}
        blanks = [(entry, False) for entry in entries]
        return {"entries": self._blank(blanks), **self._forget_quotes(ids, quotes, touched)}

    def erase_former(
        self, table: str, keys: Sequence[int], quotes: Quotes, *, ids: Sequence[str] = ()
    ) -> dict[str, int]:
        """Erases the former wordings of rows that stay; `ids` are those of memories."""
        if table == "memories":
            listed = list(keys)
            self._rows("forget_former_vectors", keys=listed)
            self._rows("drop_chunks_over", space_id=self.space_key, keys=listed)
            self._session.clear_words(self.space_key, listed)
        by_row: dict[int, list[JournalRow]] = defaultdict(list)
        for entry in self._read_past(table, keys):
            by_row[entry.row].append(entry)
        blanks = [
            (entry, False)
            for entry in self._read_past("conflicts", self._remove_quoting_conflicts(ids, quotes))
        ]
        for entries in by_row.values():
            worded = [at for at, entry in enumerate(entries) if changes_words(table, entry.image)]
            # The last of them leads to what the row says now, which stays.
            blanks += [
                (entries[at], at == worded[-1]) for at in range(worded[-1] + 1 if worded else 0)
            ]
        touched = {entry.operation for entry, _ in blanks}
        return {"entries": self._blank(blanks), **self._forget_quotes((), quotes, touched)}

    def rename_callers(self, quotes: Quotes) -> bool:
        """Gives sessions and actors whose names repeat it others, in the journal as well.

        Tells whether there were any.
        """
        if not quotes:
            return False
        sessions, actors = self.caller_names()
        own = self.intent
        renaming = choose_names(
            {*sessions, *filter(None, [own.session])}, {*actors, own.actor}, quotes.strongly
        )
        if not any(renaming):
            return False
        self.sign(
            renaming.actors.get(own.actor, own.actor),
            renaming.sessions.get(own.session or "", own.session),
        )
        for name, anew in renaming.sessions.items():
            self._run("rename_session", name=name, anew=anew)
        for name, anew in renaming.actors.items():
            self._run("rename_actor", name=name, anew=anew)
        asked = {"sessions": list(renaming.sessions)}
        rows = [
            (self.space_key, key, renaming.sessions[name])
            for key, name in self._tuples("memories_in_sessions", **asked)
        ]
        if rows:
            self._session.update("memories", ("space_id", "key"), ("session",), rows)
        entries = list(starmap(JournalRow, self._tuples("entries_in_sessions", **asked)))
        images = [
            {"id": one.id, "image": rename_session(one.image, renaming.sessions),
             "after": rename_session(one.after, renaming.sessions)}
            for one in entries
        ]  # fmt: skip
        self._repeat("set_images", images)
        operations = self._column("operations_of_callers", **asked, actors=list(renaming.actors))
        self._seal_anew({*operations, *(one.operation for one in entries)}, quotes, renaming)
        return True

    def _read_past(self, table: str, keys: Sequence[int]) -> list[JournalRow]:
        return sorted(
            starmap(JournalRow, self._tuples("whole_entries", tbl=table, keys=list(keys)))
        )

    def _remove_quoting_conflicts(self, ids: Sequence[str], quotes: Quotes) -> list[int]:
        """Removes conflicts that quote; returns their keys and those of conflicts about these."""
        reasons = self._tuples("conflict_reasons") if quotes else []
        quoting = [key for key, reason in reasons if quotes.strongly(reason)]
        if quoting:
            self._session.remove("conflicts", self.space_key, quoting)
        named = self._tuples("past_conflicts_naming", ids=list(ids)) if ids else []
        return [*quoting, *(key for (key,) in named if key not in quoting)]

    def _blank(self, entries: Iterable[tuple[JournalRow, bool]]) -> int:
        """Blanks journal rows, except what those led to that are marked; returns how many."""
        rows: list[Row] = []
        for entry, keep_after in entries:
            by = self.intent.id
            if anew := blank_images(
                entry.table, entry.image, entry.after, by, keep_after=keep_after
            ):
                rows.append({"id": entry.id, "image": anew[0], "after": anew[1]})
        self._repeat("set_images", rows)
        return len(rows)

    def _forget_quotes(
        self, ids: Sequence[str], quotes: Quotes, touched: set[int]
    ) -> dict[str, int]:
        """Erases what repeats it from the log of recalls, plans, queue and operations.

        The kept digests go whole: they are made anew when they are asked for.
        """
        self._rows("drop_surfaces", space_id=self.space_key)
        return {
            "operations": self._seal_anew(touched | self._find_telling_operations(quotes), quotes),
            "queries": self._clear_quoting("asked", "forget_query", quotes),
            "plans": self._clear_quoting("planned", "drop_plan", quotes, ids),
            "jobs": self._clear_quoting("queued", "drop_job", quotes, ids)
            + self._clear_quoting("outcomes", "forget_outcome", quotes, ids),
        }

    def _find_telling_operations(self, quotes: Quotes) -> set[int]:
        found = self._tuples("telling_operations") if quotes else []
        return {key for key, body in found if quotes.in_json(body)}

    def _clear_quoting(self, asked: str, done: str, quotes: Quotes, ids: Sequence[str] = ()) -> int:
        """Runs a statement on the rows that quote it, or name one of the ids; returns how many.

        A plan or a job that names one is of no use any more.
        """
        gone = [
            {"key": key}
            for key, body in self._tuples(asked)
            if quotes.in_json(body) or any(name in body for name in ids)
        ]
        self._repeat(done, gone)
        return len(gone)

    def _seal_anew(
        self, keys: Iterable[int], quotes: Quotes, renaming: Renaming = ALL_KEEP_THEIRS
    ) -> int:
        """Seals operations over their journal as it is now, and their parents over them.

        The old seals are kept nowhere: a short text could be guessed from one.
        """
        own = self._rows("operations_to_seal", keys=sorted(keys))
        parents = {row["parent"] for row in own if row["parent"] is not None}
        own = [row for row in own if row["key"] not in parents]
        for row in own + self._rows("operations_to_seal", keys=sorted(parents)) if own else []:
            said = {
                "reason": GONE if row["reason"] and quotes(row["reason"]) else row["reason"],
                "details": quotes.cut_from_details(row["details"]),
                "actor": renaming.actors.get(row["actor"], row["actor"]),
                "session": renaming.sessions.get(row["session"], row["session"]),
            }
            entries = sorted(self._tuples("entries_to_seal", operation=row["key"]))
            head = local_head({**row, **said}, self._offsets)
            children = [child["hash"] for child in self._rows("children", key=row["key"])]
            anew = seal(head, [entry[1:] for entry in entries], self._offsets, children)
            self._repeat("seal_anew", [{"key": row["key"], "hash": row["hash"] and anew, **said}])
        return len(own)

    def save_certificate(
        self, operation: str, *, at: int, body: str, completed_at: int | None
    ) -> None:
        values = {"operation": operation, "at": at, "body": body, "completed_at": completed_at}
        self._rows("save_certificate", space_id=self.space_key, **values)


# journal images


def blank_image(table: str, image: str, by: str | None = None) -> str:
    """Returns the image without what the row said; `by` is the purge that it is to name."""
    kept = {column: value for column, value in json.loads(image).items() if column in KEPT[table]}
    return write_json({**kept, PURGED: by} if by else kept)


def blank_images(
    table: str, image: str, after: str, by: str, *, keep_after: bool = False
) -> tuple[str, str] | None:
    """Returns both images of a journal row without what it said; None if they are like that.

    One that was blanked before goes on naming the purge that did it.
    """
    earlier = json.loads(image).get(PURGED)
    anew = (
        blank_image(table, image, earlier or by),
        after if keep_after else blank_image(table, after),
    )
    return None if earlier and anew == (image, after) else anew


def choose_names(
    sessions: Iterable[str], actors: Iterable[str], tells: Callable[[str], bool]
) -> Renaming:
    """Returns other names for those sessions and actors whose names tell something removed.

    Each session gets a name of its own, which says nothing of the old one.
    """
    taken = set(sessions)
    found: dict[str, str] = {}
    for name in sorted(filter(tells, taken)):
        found[name] = choose_gone_name(taken.__contains__)
        taken.add(found[name])
    told = (one for one in actors if one not in guards.NAMELESS and tells(one))
    return Renaming(found, {one: guards.unname(one) for one in told})


def rename_session(image: str, names: Mapping[str, str]) -> str:
    """Returns a journal image with another name of its session; every other character stays."""

    def rename(found: re.Match[str]) -> str:
        name = json.loads(found[2])
        return found[1] + json.dumps(names[name], ensure_ascii=False) if name in names else found[0]

    return _SESSION.sub(rename, image)


def list_texts(*images: str) -> list[str]:
    """Returns the texts of a memory that journal images hold."""
    return [text for image in images if (text := json.loads(image).get("text"))]


def list_wordings_in_images(*images: str) -> list[str]:
    """Returns the same with titles, tags, entities and attributes."""
    return [said for image in images for said in list_wordings(json.loads(image))]


def list_wordings(row: Mapping[str, Any]) -> list[str]:
    """Returns what a memory's row, or a part of one, says in whatever column."""
    return [words_in(row[column]) for column in WORDED["memories"] if row.get(column)]


def changes_words(table: str, image: str) -> bool:
    """Tells whether the image of a journal row holds a former wording."""
    columns = json.loads(image)
    return any(column in columns for column in (*WORDED[table], *SOURCED.get(table, ())))


def write_json(value: Mapping[str, Any]) -> str:
    """Returns JSON as the journal's triggers write it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
