"""Erasing inside one transaction, written once for every SQL engine."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import starmap
from typing import NamedTuple

from glymph.store import erase_journal
from glymph.store.contract import Intent, Row
from glymph.store.reader import Reader
from glymph.store.seals import local_head, seal
from glymph.text.quotes import GONE, Quotes


class Whole(NamedTuple):
    """A journal row with both its images."""

    id: int
    table: str
    row: int
    operation: int
    image: str
    after: str


class ErasureWriter(Reader):
    """What operations with the verb "purge" do to a space besides changing its rows."""

    _offsets: Mapping[str, int]

    @property
    @abstractmethod
    def intent(self) -> Intent: ...

    # what is about to go

    def ties(self, keys: Sequence[int]) -> tuple[list[int], list[int]]:
        """The keys of the links and of the memberships of these memories."""
        listed = json.dumps(list(keys))
        found = (
            self._tuples(name, keys=listed)
            for name in ("links_of_memories", "memberships_of_memories")
        )
        edges, memberships = ([key for (key,) in rows] for rows in found)
        return edges, memberships

    def replaced_by(self, ids: Iterable[str]) -> list[Row]:
        return self._rows("replaced_by", ids=json.dumps(list(ids)))

    def resting_directly_on(self, keys: Sequence[int]) -> list[str]:
        """The ids of memories that were drawn from one of these, in whatever state."""
        return [
            memory_id
            for (memory_id,) in self._tuples("resting_directly_on", keys=json.dumps(list(keys)))
        ]

    def conflicts_naming(self, ids: Iterable[str]) -> list[int]:
        """The keys of the conflicts about one of these memories, resolved or not."""
        return [key for (key,) in self._tuples("conflicts_naming", ids=json.dumps(list(ids)))]

    def past_texts(self, keys: Sequence[int]) -> list[str]:
        """Every wording that the journal holds of these memories, rejected ones included."""
        entries = self._past("memories", keys)
        return [
            text for entry in entries for text in erase_journal.texts_in(entry.image, entry.after)
        ]

    def past_words(self, keys: Sequence[int]) -> list[str]:
        """The same with titles, tags, entities and attributes."""
        entries = self._past("memories", keys)
        return [
            text
            for entry in entries
            for text in erase_journal.wordings_in(entry.image, entry.after)
        ]

    def pages(self) -> list[Row]:
        return self._rows("pages")

    def past_pages(self, quotes: Quotes) -> list[int]:
        """The keys of pages, gone ones included, that the journal shows to have quoted it."""
        entries = self._tuples("past_pages") if quotes else []
        found = {
            key for key, image, after in entries if quotes.strongly(image) or quotes.strongly(after)
        }
        return sorted(found)

    # erasing

    def erase(self, memories: Mapping[int, str], quotes: Quotes) -> dict[str, int]:
        """Takes what these memories (ids by key), whose rows are gone, ever said out of vectors,
        chunks, journal, recalls, plans and queue. Blanked images name the operation; operations
        they belong to, and those whose reason repeats it, are sealed anew. Counts."""
        listed = json.dumps(list(memories))
        self._rows("forget_vectors", keys=listed)
        self._rows("drop_chunks_over", space_id=self._space_id, keys=listed)
        ids = list(memories.values())
        entries = self._past("memories", list(memories)) + self._past(
            "conflicts", self._about(ids, quotes)
        )
        touched = {entry.operation for entry in entries}
        blanks = [(entry, False) for entry in entries]
        return {"entries": self._blank(blanks), **self._forget_quotes(ids, quotes, touched)}

    def erase_former(
        self, table: str, keys: Sequence[int], quotes: Quotes, *, ids: Sequence[str] = ()
    ) -> dict[str, int]:
        """The same for the former wordings of rows that stay; `ids` are those of memories."""
        if table == "memories":
            listed = json.dumps(list(keys))
            self._rows("forget_former_vectors", keys=listed)
            self._rows("drop_chunks_over", space_id=self._space_id, keys=listed)
        by_row: dict[int, list[Whole]] = defaultdict(list)
        for entry in self._past(table, keys):
            by_row[entry.row].append(entry)
        blanks = [(entry, False) for entry in self._past("conflicts", self._about(ids, quotes))]
        for entries in by_row.values():
            worded = [
                at
                for at, entry in enumerate(entries)
                if erase_journal.changes_words(table, entry.image)
            ]
            # The last of them leads to what the row says now, which stays.
            blanks += [
                (entries[at], at == worded[-1]) for at in range(worded[-1] + 1 if worded else 0)
            ]
        touched = {entry.operation for entry, _ in blanks}
        return {"entries": self._blank(blanks), **self._forget_quotes((), quotes, touched)}

    def _past(self, table: str, keys: Sequence[int]) -> list[Whole]:
        return sorted(
            starmap(Whole, self._tuples("whole_entries", tbl=table, keys=json.dumps(list(keys))))
        )

    def _about(self, ids: Sequence[str], quotes: Quotes) -> list[int]:
        """The keys of conflicts that ever were about these memories, and of those that quote, which
        go.
        """
        quoting = (
            [key for key, reason in self._tuples("conflict_reasons") if quotes.strongly(reason)]
            if quotes
            else []
        )
        if quoting:
            self._session.remove("conflicts", self._space_id, quoting)
        named = self._tuples("past_conflicts_naming", ids=json.dumps(list(ids))) if ids else []
        return [*quoting, *(key for (key,) in named if key not in quoting)]

    def _blank(self, entries: Iterable[tuple[Whole, bool]]) -> int:
        """Blanks journal rows, but not what those led to that say so; how many."""
        rows: list[Row] = []
        for entry, keep_after in entries:
            by = self.intent.id
            if anew := erase_journal.without_words(
                entry.table, entry.image, entry.after, by, keep_after=keep_after
            ):
                rows.append({"id": entry.id, "image": anew[0], "after": anew[1]})
        self._repeat("blank_entry", rows)
        return len(rows)

    def _forget_quotes(
        self, ids: Sequence[str], quotes: Quotes, touched: set[int]
    ) -> dict[str, int]:
        """Takes what repeats the removed out of the log of recalls, plans, queue and records of
        operations.

        The kept digests go whole: they are made anew when they are asked for.
        """
        self._rows("drop_surfaces", space_id=self._space_id)
        return {
            "operations": self._seal_anew(touched | self._telling_operations(quotes), quotes),
            "queries": self._clear("asked", "forget_query", quotes),
            "plans": self._clear("planned", "drop_plan", quotes, ids),
            "jobs": self._clear("queued", "drop_job", quotes, ids)
            + self._clear("outcomes", "forget_outcome", quotes, ids),
        }

    def _telling_operations(self, quotes: Quotes) -> set[int]:
        found = self._tuples("telling_operations") if quotes else []
        return {key for key, body in found if quotes.in_json(body)}

    def _clear(self, asked: str, done: str, quotes: Quotes, ids: Sequence[str] = ()) -> int:
        """Does something to the rows that quote, or name one of the ids; a plan or a job that does
        is worth nothing any more."""
        gone = [
            {"key": key}
            for key, body in self._tuples(asked)
            if quotes.in_json(body) or any(name in body for name in ids)
        ]
        self._repeat(done, gone)
        return len(gone)

    def _seal_anew(self, keys: Iterable[int], quotes: Quotes) -> int:
        """Seals operations over their journal as it is now, and their parents over them. The old
        seals are kept nowhere: a short text could be guessed from one."""
        own = self._rows("sealed_operations", keys=json.dumps(sorted(keys)))
        parents = {row["parent"] for row in own if row["parent"] is not None}
        own = [row for row in own if row["key"] not in parents]
        for row in (
            own + self._rows("sealed_operations", keys=json.dumps(sorted(parents))) if own else []
        ):
            said = {
                "reason": GONE if row["reason"] and quotes(row["reason"]) else row["reason"],
                "details": quotes.cut_from_details(row["details"]),
            }
            entries = sorted(self._tuples("entries_to_seal", operation=row["key"]))
            head = local_head({**row, **said}, self._offsets)
            children = [child["hash"] for child in self._rows("children", key=row["key"])]
            anew = seal(head, [entry[1:] for entry in entries], self._offsets, children)
            self._repeat("seal_anew", [{"key": row["key"], "hash": anew, **said}])
        return len(own)

    def save_certificate(
        self, operation: str, *, at: int, body: str, completed_at: int | None
    ) -> None:
        values = {"operation": operation, "at": at, "body": body, "completed_at": completed_at}
        self._rows("save_certificate", space_id=self._space_id, **values)
