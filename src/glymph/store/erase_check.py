"""Looking for what a purge should have erased, written once for every SQL engine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from glymph.store.contract import Row
from glymph.store.erase_journal import PURGED
from glymph.store.erase_places import (
    FULL_TEXT,
    JOURNAL,
    PAGES,
    PLACES,
    ErasablePlace,
    Leftover,
    Removed,
)
from glymph.store.statements import SpaceStatements, statements
from glymph.text.quotes import Quotes, words_in

MOST_NAMED = 20  # memories
MOST_LOOKED_UP = 100  # words of what was removed


class ErasureReader(SpaceStatements):
    """The part of a reader about purges."""

    def certificates(self, *, limit: int) -> list[Row]:
        """Newest first."""
        return self._session.rows(
            statements()["certificates"], {"space_id": self._space_id, "limit": limit}
        )

    def pending_certificates(self) -> list[Row]:
        return self._session.rows(
            statements()["pending_certificates"], {"space_id": self._space_id}
        )

    def certificate(self, operation: str) -> Row | None:
        found = self._session.rows(
            statements()["certificate_of"], {"space_id": self._space_id, "operation": operation}
        )
        return found[0] if found else None

    def occurs(self, word: str) -> bool:
        """Whether a memory of the space holds a word, in whatever state it is."""
        return self._session.occurs(word)

    def former_left(self, keys: Sequence[int]) -> int:
        """How many former wordings of these memories the journal holds."""
        return self._counted("former_entries_left", keys=json.dumps(list(keys)))

    def leftovers(self, removed: Removed) -> dict[str, Leftover]:
        """What is left, by the name of the place; reads the journal of the whole space, so not
        under a lock.
        """
        found = {place.name: self._left_in(place, removed) for place in PLACES}
        if removed.quotes is not None:
            found[JOURNAL] = self._in_journal(found[JOURNAL].rows, removed, removed.quotes)
            words = sorted(removed.quotes.words, key=len, reverse=True)[:MOST_LOOKED_UP]
            found[FULL_TEXT] = Leftover(found[FULL_TEXT].rows + sum(map(self.occurs, words)))
        return {name: left for name, left in found.items() if left.rows or left.similar}

    def _left_in(self, place: ErasablePlace, removed: Removed) -> Leftover:
        rows = 0
        for statement, keys in (
            (place.left, list(removed.memories)),
            (place.former, list(removed.former)),
        ):
            if statement and keys:
                rows += self._counted(statement, keys=json.dumps(keys), operation=removed.operation)
        names = [
            key
            for statement in (place.quoted if removed.quotes else ())
            for key, body in self._session.tuples(statements()[statement], {})
            # The purge's own record has the words of who asked for it.
            if removed.quotes and (statement, key) != ("telling_operations", removed.operation)
            if removed.quotes
            and (removed.quotes.strongly if place.strongly else removed.quotes.in_json)(body)
        ]
        return Leftover(rows + len(names), pages=tuple(names) if place.name == PAGES else ())

    def _in_journal(self, rows: int, removed: Removed, quotes: Quotes) -> Leftover:
        """Also images of other rows: former wordings of memories and pages that repeated it."""
        memories: set[int] = set()
        similar: set[int] = set()
        pages: set[int] = set()
        for table, key, image in self._session.tuples(
            statements()["journal_holding"], {"probes": json.dumps(quotes.probes())}
        ):
            if table == "clusters" or PURGED in json.loads(image) or not quotes.strongly(image):
                continue  # clusters are looked at by themselves
            if table == "memories" and not quotes.whole(words_in(image)):
                similar.add(key)
            elif table == "memories":
                memories.add(key)
            elif table == "pages":
                pages.add(key)
            else:
                rows += 1
        ids, alike = (
            tuple(
                one
                for (one,) in self._session.tuples(
                    statements()["ids_of_keys"], {"keys": json.dumps(keys)}
                )
            )
            for keys in (sorted(memories), sorted(similar - memories))
        )
        named = {key: name for key, name, _ in self._session.tuples(statements()["pages"], {})}
        names = tuple(named[key] for key in sorted(pages) if key in named)
        return Leftover(rows + len(memories) + len(pages), ids, names, alike[:MOST_NAMED])

    def _counted(self, statement: str, **parameters: Any) -> int:
        sql = statements()[statement]
        given = {"space_id": self._space_id, **parameters}
        found = self._session.tuples(
            sql, {name: value for name, value in given.items() if f":{name}" in sql}
        )
        return int(found[0][0])
