"""What an undo will ask for, told before it is known which operation it undoes.

An undo asks for an operation, then for what that one changed, then for what became of that since:
over a server each step waits for the one before. Here the server is asked for all of it at once,
with the operation as a statement inside the others. Once its key is known the answers are
recognised as those of the statements that a reader runs. What is not recognised is asked for.
"""

from __future__ import annotations

from typing import Any

from glymph.store import foresight
from glymph.store.contract import Ask, Lookup, Session
from glymph.store.journal_reader import JournalReader, rows_of
from glymph.store.statements import statements

_BY_ID = "(SELECT t.key FROM scoped_operations t WHERE t.id = :target)"
# The newest that nothing undid. One whose undo was undone stands, too, and is found by the reader.
_NEWEST = (
    "(SELECT o.key FROM scoped_operations o WHERE o.actor = :actor AND o.parent IS NULL "
    "AND o.edits > 0 AND o.verb NOT IN ('undo', 'create_space', 'purge') AND NOT EXISTS "
    "(SELECT 1 FROM scoped_operations u WHERE u.undoes = o.key AND u.changes > 0) "
    "ORDER BY o.key DESC LIMIT 1)"
)
_PURGES = {"limit": 50, "session": None, "verb": "purge", "before": None, "parent": None}


class UndoForesight:
    """The statements of an undo: of the operation with an id, or of an actor's newest."""

    def __init__(self, operation_id: str | None, actor: str) -> None:
        if operation_id is None:
            self._target, self._given = _NEWEST, {"actor": actor}
            first = [
                Lookup(statements()["undo_candidates"], {"actor": actor, "before": None}),
                Lookup(statements()["operations"], {"actor": actor, **_PURGES}),
            ]
        else:
            self._target, self._given = _BY_ID, {"target": operation_id}
            first = [Lookup(statements()["operation_by_id"], {"id": operation_id})]
        self._which = self._lookup("SELECT {}")
        changed = "scoped_journal t WHERE t.operation = {}"
        memories = f"(SELECT t.key FROM {changed} AND t.tbl = 'memories')"
        self._entries = self._lookup(_with("entries_of_operations", "IN {keys:operations}", "= {}"))
        self._later = self._lookup(
            _with("entries_of_rows_after", "IN {keys:keys}", f"IN {memories}")
            .replace("NOT IN {keys:without}", "<> {}")
            .replace(":entry", f"(SELECT min(t.id) FROM {changed})")
            .replace(":tbl", "'memories'")
        )
        self._rows = self._lookup(rows_of("memories").replace("IN {keys:keys}", f"IN {memories}"))
        self._undos = self._lookup(_with("undos_of", ":key", "{}"))
        self._children = self._lookup(_with("children", ":key", "{}"))
        self.asks: list[Ask] = [
            *first, foresight.folded_upto(), self._which, self._undos, self._children,
            self._entries, self._later, self._rows,
        ]  # fmt: skip

    def _lookup(self, template: str) -> Lookup:
        """Returns a statement in which `{}` stands for the key of the operation."""
        return Lookup(template.replace("{}", self._target), self._given)

    def recognise(self, session: Session, reader: JournalReader) -> None:
        """Lets the answers stand for what the reader will ask about the operation."""
        found = session.foreseen(self._which)
        if not found or found[0][0] is None:
            return
        key = found[0][0]

        def same(foreseen: Lookup, sql: str, **parameters: Any) -> None:
            session.recognise(foreseen, Lookup(sql, parameters))

        named = statements()
        same(self._undos, named["undos_of"], key=key)
        same(self._children, named["children"], key=key)
        same(self._entries, named["entries_of_operations"], operations=[key])
        first: dict[int, int] = {}
        for entry in reader.entries([key]):
            if entry.table == "memories":
                first.setdefault(entry.key, entry.id)
        if first:
            keys = list(first)
            same(self._rows, rows_of("memories"), keys=keys)
            same(
                self._later, named["entries_of_rows_after"],
                tbl="memories", keys=keys, entry=min(first.values()), without=[key],
            )  # fmt: skip


def _with(statement: str, what: str, instead: str) -> str:
    return statements()[statement].replace(what, instead)
