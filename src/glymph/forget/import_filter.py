"""Rows of a space that are about to come in, without what was removed for good where they go.

Works on the rows in memory, so that a text which must not come in is never written anywhere. What
is done to them becomes one more operation of the space, journalled and sealed like any other.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from glymph.forget.purge import pass_on_successor
from glymph.store.contract import Intent, Row
from glymph.store.erase import blank_images, list_texts, write_json
from glymph.store.journal import PURGED
from glymph.store.seals import is_edit, seal
from glymph.text.quotes import GONE, repeating, words_in
from glymph.write.tombstones import fingerprints

Tables = dict[str, list[Row]]


def find_tombstoned(
    tables: Mapping[str, list[Row]], key: bytes, standing: Iterable[str]
) -> dict[int, str]:
    """Ids by key of the memories, those an undo took away included, that a tombstone keeps out."""
    said: dict[int, tuple[str, str]] = {}
    for entry in tables["journal"]:
        if entry["tbl"] == "memories" and entry["action"] == "delete":
            image = json.loads(entry["image"])
            if PURGED not in image:
                said[entry["key"]] = (image["id"], image["text"])
    said |= {row["key"]: (row["id"], row["text"]) for row in tables["memories"]}
    protected = {row["key"] for row in tables["memories"] if row["protected"]}
    wanted = frozenset(standing)
    return {
        memory: memory_id
        for memory, (memory_id, text) in said.items()
        if memory not in protected and not wanted.isdisjoint(fingerprints(key, text))
    }


def drop_tombstones(tables: Tables, intent: Intent) -> None:
    """Lifts every tombstone, as an operation of the space."""
    addendum = Addendum(tables, intent)
    addendum.remove("tombstones", list(tables["tombstones"]))
    addendum.seal({})


def keep_out(
    tables: Tables, memories: Mapping[int, str], standing: Iterable[str], intent: Intent
) -> None:
    """Purges these memories (ids by key) and sets tombstones that are lacking.

    All of it is one operation of the space.
    """
    addendum = Addendum(tables, intent)
    gone = {row["id"]: row for row in tables["memories"] if row["key"] in memories}
    texts = [row["text"] for row in gone.values()]
    for entry in tables["journal"]:
        if entry["tbl"] == "memories" and entry["key"] in memories:
            texts += list_texts(entry["image"], entry["after"])
    _cut_loose(addendum, memories, gone)
    addendum.remove("memories", list(gone.values()))
    entries, operations = _blank(tables, memories, intent.id)
    _forget(tables, memories, texts, operations)
    known = {row["fingerprint"] for row in tables["tombstones"]}
    marks = [mark for mark in dict.fromkeys(standing) if mark not in known]
    addendum.insert(
        "tombstones",
        [{"fingerprint": mark, "operation": intent.id, "created_at": intent.at} for mark in marks],
    )
    counts = {"entries": entries, "operations": len(operations - {addendum.key})}
    addendum.seal({"purged": sorted(memories.values()), "blanked": counts} if memories else {})


class Addendum:
    """One more operation of a space whose rows are in memory."""

    def __init__(self, tables: Tables, intent: Intent) -> None:
        self.tables = tables
        self.key = max((row["key"] for row in tables["operations"]), default=0) + 1
        self.at = intent.at
        self._intent = intent

    def remove(self, table: str, rows: Sequence[Row]) -> None:
        keys = {row["key"] for row in rows}
        self.tables[table] = [other for other in self.tables[table] if other["key"] not in keys]
        for row in rows:
            self._note(table, row["key"], "delete", _columns(row), {})

    def change(self, table: str, row: Row, values: Mapping[str, Any]) -> None:
        self.tables[table] = [
            {**other, **values} if other["key"] == row["key"] else other
            for other in self.tables[table]
        ]
        self._note(table, row["key"], "update", {name: row[name] for name in values}, values)

    def insert(self, table: str, rows: Sequence[Row]) -> None:
        used = [other["key"] for other in self.tables[table]]
        used += [entry["key"] for entry in self.tables["journal"] if entry["tbl"] == table]
        for key, row in enumerate(rows, start=max(used, default=0) + 1):
            self.tables[table].append({"key": key, **row})
            self._note(table, key, "insert", {}, row)

    def _note(
        self, table: str, key: int, action: str, image: Mapping[str, Any], after: Mapping[str, Any]
    ) -> None:
        entry = {
            "operation": self.key, "tbl": table, "key": key, "action": action,
            "image": write_json(image), "after": write_json(after),
        }  # fmt: skip
        self.tables["journal"].append(entry)

    def seal(self, details: Mapping[str, Any]) -> None:
        """Records the operation."""
        own = [entry for entry in self.tables["journal"] if entry["operation"] == self.key]
        head = {**asdict(self._intent), "details": json.dumps(details, ensure_ascii=False)}
        row = {
            **head,
            "key": self.key,
            "changes": len(own),
            "edits": sum(is_edit(e["tbl"], e["action"], e["image"]) for e in own),
        }
        self.tables["operations"].append({**row, "hash": seal(head, _list_sealed_values(own), {})})


def _cut_loose(addendum: Addendum, memories: Mapping[int, str], gone: Mapping[str, Row]) -> None:
    """Removes what names these memories, as a purge does."""
    tables = addendum.tables
    ids = set(memories.values())
    for table, ends, names in (
        ("edges", ("source", "target"), memories.keys()),
        ("memberships", ("memory",), memories.keys()),
        ("conflicts", ("older", "newer"), ids),
    ):
        addendum.remove(
            table, [row for row in tables[table] if any(row[end] in names for end in ends)]
        )
    for row in [
        m for m in tables["memories"] if m["superseded_by"] in gone and m["id"] not in gone
    ]:
        addendum.change("memories", row, pass_on_successor(row, gone, addendum.at))


def _blank(tables: Tables, memories: Mapping[int, str], by: str) -> tuple[int, set[int]]:
    """Blanks what the journal holds of these memories and of conflicts about them.

    Returns how many entries were blanked, and of which operations.
    """
    ids = set(memories.values())
    conflicts = {
        entry["key"]
        for entry in tables["journal"]
        if entry["tbl"] == "conflicts"
        for image in (json.loads(entry["image"]), json.loads(entry["after"]))
        if not ids.isdisjoint((image.get("older"), image.get("newer")))
    }
    places = {("memories", key) for key in memories} | {("conflicts", key) for key in conflicts}
    touched: set[int] = set()
    entries: list[Row] = []
    count = 0
    for entry in tables["journal"]:
        if (entry["tbl"], entry["key"]) in places:
            anew = blank_images(entry["tbl"], entry["image"], entry["after"], by)
            if anew is not None:
                touched.add(entry["operation"])
                count += 1
                entry = {**entry, "image": anew[0], "after": anew[1]}
        entries.append(entry)
    tables["journal"] = entries
    return count, touched


def _forget(
    tables: Tables, memories: Mapping[int, str], texts: Iterable[str], operations: set[int]
) -> None:
    """Takes the texts out of vectors, recalls, plans and the records of operations.

    The records of operations are sealed anew.
    """
    repeats = repeating(texts)
    tables["vectors"] = [row for row in tables["vectors"] if row["memory"] not in memories]
    tables["plans"] = [
        row for row in tables["plans"]
        if not repeats(words_in(row["body"]))
        and not any(one in row["body"] for one in memories.values())
    ]  # fmt: skip
    tables["recalls"] = [
        {**row, "query": ""} if repeats(row["query"]) else row for row in tables["recalls"]
    ]
    rows = {row["key"]: dict(row) for row in tables["operations"]}
    parents = {rows[key]["parent"] for key in operations if key in rows} - {None}
    entries: dict[int, list[Row]] = defaultdict(list)
    for entry in tables["journal"]:
        entries[entry["operation"]].append(entry)
    children: dict[int | None, list[Row]] = defaultdict(list)
    for _, row in sorted(rows.items()):
        children[row["parent"]].append(row)
    for key in [*sorted(operations - parents), *sorted(parents)]:
        row = rows.get(key, {"hash": ""})  # the addendum is sealed last
        if not row["hash"]:
            continue
        if row["reason"] and repeats(row["reason"]):
            row["reason"] = GONE
        if repeats(words_in(row["details"])):
            row["details"] = "{}"
        row["hash"] = seal(
            row, _list_sealed_values(entries[key]), {}, [child["hash"] for child in children[key]]
        )
    tables["operations"] = list(rows.values())


def _list_sealed_values(entries: Iterable[Row]) -> list[tuple[Any, ...]]:
    return [(e["tbl"], e["key"], e["action"], e["image"], e["after"]) for e in entries]


def _columns(row: Row) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "key"}
