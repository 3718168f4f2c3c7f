"""Rows of a space that are about to come in, without what was removed for good where they go.

Works on the rows in memory, so that a text which must not come in is never written anywhere. What
is done to them becomes one more operation of the space, journalled and sealed like any other.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from typing import Any

from glymph.decay.sections import KINDS, kind_profile
from glymph.forget.purge import clean_cluster, pass_on_successor
from glymph.store.contract import Intent, Row
from glymph.store.erase import (
    blank_images,
    changes_words,
    choose_names,
    list_texts,
    list_wordings,
    list_wordings_in_images,
    rename_session,
    write_json,
)
from glymph.store.guards import NAMELESS
from glymph.store.journal import PURGED
from glymph.store.seals import is_edit, seal
from glymph.text.normal import content_hash, derive_title
from glymph.text.quotes import GONE, repeating, words_in
from glymph.text.sentences import PIECES, split_with_breaks
from glymph.write.draft import NO_KIND
from glymph.write.tombstones import find_buried, list_marks

Tables = dict[str, list[Row]]
Tells = Callable[[str], bool]
CALLED = ("operations", "recalls")  # that name an actor and a session


def tell_by(key: bytes, standing: Iterable[str]) -> Tells:
    """Returns what tells whether a tombstone keeps a text out."""
    wanted = frozenset(standing)

    @cache
    def tells(text: str) -> bool:
        return bool(text.strip()) and not wanted.isdisjoint(list_marks(key, text))

    return tells


def find_tombstoned(tables: Mapping[str, list[Row]], tells: Tells) -> dict[int, str]:
    """Ids by key of the memories, those an undo took away included, that a tombstone keeps out."""
    said: dict[int, tuple[str, str]] = {}
    for entry in tables["journal"]:
        if entry["tbl"] == "memories" and entry["action"] == "delete":
            image = json.loads(entry["image"])
            if PURGED not in image:
                said[entry["key"]] = (image["id"], image["text"])
    said |= {row["key"]: (row["id"], row["text"]) for row in tables["memories"]}
    protected = {row["key"] for row in tables["memories"] if row["protected"]}
    return {
        memory: memory_id
        for memory, (memory_id, text) in said.items()
        if memory not in protected and tells(text)
    }


def find_telling(
    tables: Mapping[str, list[Row]], tells: Tells, without: Iterable[int]
) -> dict[int, dict[str, Any]]:
    """Returns, by key, the memories that come in but told it once, or tell it beside their text.

    With each are the columns without it. A protected memory loses the sentences that tell it.
    """
    away = set(without)
    told = {
        entry["key"]
        for entry in tables["journal"]
        if entry["tbl"] == "memories" and entry["key"] not in away
        if any(map(tells, _list_said(entry)))
    }
    found: dict[int, dict[str, Any]] = {}
    for row in tables["memories"]:
        if row["key"] in away:
            continue
        values = _clean_columns(row, tells) if any(map(tells, _list_lines(row))) else {}
        if values or row["key"] in told:
            found[row["key"]] = values
    return found


def find_named(
    tables: Mapping[str, list[Row]], keys: Iterable[int], key: bytes, standing: Iterable[str]
) -> list[str]:
    """Returns the identifiers, as these memories spell them or once did, that tombstones name."""
    wanted = set(keys)
    texts = [
        said for row in tables["memories"] if row["key"] in wanted for said in _list_lines(row)
    ]
    for entry in tables["journal"]:
        if entry["tbl"] == "memories" and entry["key"] in wanted:
            texts += _list_said(entry)
    return find_buried(key, frozenset(standing), dict.fromkeys(texts))


def _list_lines(row: Mapping[str, Any]) -> list[str]:
    """Returns what a memory says: its text, and each thing that its other columns say."""
    beside = {name: value for name, value in row.items() if name != "text"}
    lines = [line for said in list_wordings(beside) for line in said.split("\n")]
    kind = () if row["kind"] in KINDS else (row["kind"],)
    return [row["text"], *lines, *kind, *filter(None, [row["source"]])]


def _list_said(entry: Mapping[str, Any]) -> list[str]:
    return list_wordings_in_images(entry["image"], entry["after"])


def _clean_columns(row: Row, tells: Tells) -> dict[str, Any]:
    """Returns the columns of a memory that tell it, without it."""
    text = cut_sentences(row["text"], tells) if row["protected"] else row["text"]
    values: dict[str, Any] = {}
    if text != row["text"]:
        values = {"text": text, "content_hash": content_hash(text, row["kind"], row["event_at"])}
    if tells(row["title"]):
        values["title"] = derive_title(text)
    for column in ("tags", "entities", "attributes"):
        given = json.loads(row[column] or "null")
        kept = _drop_telling(given, tells)
        if kept != given:
            values[column] = json.dumps(kept, ensure_ascii=False)
    if row["source"] and tells(row["source"]):
        values["source"] = None
    if row["kind"] not in KINDS and tells(row["kind"]):
        hashed = content_hash(text, NO_KIND, row["event_at"])
        section = str(kind_profile(NO_KIND).section)
        values |= {"kind": NO_KIND, "section": section, "content_hash": hashed}
    return values


def _drop_telling(value: Any, tells: Tells) -> Any:
    """Returns a list or a mapping without what tells it."""
    if isinstance(value, list):
        return [_drop_telling(one, tells) for one in value if not tells(_in_words(one))]
    if isinstance(value, dict):
        return {
            name: _drop_telling(one, tells)
            for name, one in value.items()
            if not tells(name) and not tells(_in_words(one))
        }
    return value


def _in_words(value: Any) -> str:
    return "" if isinstance(value, list | dict) else str(value)


def cut_sentences(text: str, tells: Tells) -> str:
    """Returns a text without the sentences that tell it."""
    parts = split_with_breaks(text, PIECES)
    rest = "".join(GONE if at % 2 == 0 and tells(one) else one for at, one in enumerate(parts))
    return GONE if tells(rest) else rest


def drop_tombstones(tables: Tables, intent: Intent) -> None:
    """Lifts every tombstone, as an operation of the space."""
    addendum = Addendum(tables, intent)
    addendum.remove("tombstones", list(tables["tombstones"]))
    addendum.seal({})


def keep_out(
    tables: Tables,
    memories: Mapping[int, str],
    standing: Iterable[str],
    intent: Intent,
    *,
    telling: Mapping[int, Mapping[str, Any]],
    tells: Tells,
) -> None:
    """Purges these memories (ids by key) and sets tombstones that are lacking.

    `telling` are others, by key, with the columns that they get; they lose what they said before.
    All of it is one operation of the space.
    """
    operations = _rename_callers(tables, tells)
    names = choose_names([intent.session] if intent.session else (), [intent.actor], tells)
    session = None if intent.session in names.sessions else intent.session
    intent = replace(intent, actor=names.actors.get(intent.actor, intent.actor), session=session)
    addendum = Addendum(tables, intent)
    gone = {row["id"]: row for row in tables["memories"] if row["key"] in memories}
    texts = [row["text"] for row in gone.values()]
    for entry in tables["journal"]:
        if entry["tbl"] == "memories" and entry["key"] in memories:
            texts += list_texts(entry["image"], entry["after"])
    _cut_loose(addendum, memories, gone)
    addendum.remove("memories", list(gone.values()))
    for row in [one for one in tables["memories"] if telling.get(one["key"])]:
        anew = {"updated_at": intent.at, "version": row["version"] + 1}
        addendum.change("memories", row, {**telling[row["key"]], **anew})
    pages = _clean_pages(addendum, tells)
    clusters = _clean_clusters(addendum, tells)
    conflicts = _remove_telling_conflicts(addendum, tells)
    entries, blanked = _blank(tables, memories, conflicts, intent.id)
    operations |= blanked
    operations |= _blank_former(tables, "memories", telling, intent.id)
    operations |= _blank_former(tables, "pages", pages, intent.id)
    operations |= _blank_former(tables, "clusters", clusters, intent.id)
    _forget(tables, memories, texts, operations, tells)
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


def _blank(
    tables: Tables, memories: Mapping[int, str], telling: set[int], by: str
) -> tuple[int, set[int]]:
    """Blanks what the journal holds of these memories, of conflicts about them and of telling ones.

    Returns how many entries were blanked, and of which operations.
    """
    ids = set(memories.values())
    conflicts = telling | {
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


def _clean_pages(addendum: Addendum, tells: Tells) -> set[int]:
    """Cuts out of pages what a tombstone keeps out; returns the keys of those that told it."""
    tables = addendum.tables
    told = _find_told(tables, "pages", tells)
    for page in list(tables["pages"]):
        if (cut := cut_sentences(page["text"], tells)) != page["text"]:
            addendum.change("pages", page, {"text": cut, "updated_at": addendum.at})
            told.add(page["key"])
    return told


def _clean_clusters(addendum: Addendum, tells: Tells) -> set[int]:
    """Cuts it out of the names and rules of clusters; returns the keys of those that told it."""
    tables = addendum.tables
    told = _find_told(tables, "clusters", tells)
    taken = {row["name"] for row in tables["clusters"]}
    for row in list(tables["clusters"]):
        if values := clean_cluster(row, lambda said: GONE if tells(said) else said, taken):
            addendum.change("clusters", row, values)
            told.add(row["key"])
    return told


def _remove_telling_conflicts(addendum: Addendum, tells: Tells) -> set[int]:
    """Removes conflicts whose reason tells it; returns their keys and those that once told it."""
    tables = addendum.tables
    told = _find_told(tables, "conflicts", tells)
    told |= {row["key"] for row in tables["conflicts"] if tells(row["reason"])}
    addendum.remove("conflicts", [row for row in tables["conflicts"] if row["key"] in told])
    return told


def tells_elsewhere(tables: Mapping[str, list[Row]], tells: Tells) -> bool:
    """Tells whether a row other than a memory's tells it, or the past of such a row."""
    columns = [
        *(("operations", name) for name in ("reason", "details")), ("recalls", "query"),
        ("plans", "body"), ("queue", "payload"), ("queue", "report"), ("schedules", "outcome"),
        ("conflicts", "reason"), ("pages", "text"), ("clusters", "name"), ("clusters", "rule"),
    ]  # fmt: skip
    said = (row[column] for table, column in columns for row in tables.get(table, ()))
    if any(map(tells, _list_sessions(tables))) or any(map(tells, _list_actors(tables))):
        return True
    return any(tells(words_in(one)) for one in said if one and one != "{}") or any(
        _find_told(tables, table, tells) for table in ("clusters", "conflicts", "pages")
    )


def _list_sessions(tables: Mapping[str, list[Row]]) -> set[str]:
    """Returns what callers ever called their sessions."""
    known = {row["session"] for table in ("memories", *CALLED) for row in tables.get(table, ())}
    for entry in tables["journal"]:
        if entry["tbl"] == "memories":
            known |= {json.loads(entry[side]).get("session") for side in ("image", "after")}
    return known - {None}


def _list_actors(tables: Mapping[str, list[Row]]) -> set[str]:
    return {row["actor"] for table in CALLED for row in tables.get(table, ())} - NAMELESS


def _rename_callers(tables: Tables, tells: Tells) -> set[int]:
    """Gives sessions and actors whose names tell it others, as if they had always had them.

    Returns the operations that have to be sealed anew.
    """
    names = choose_names(_list_sessions(tables), _list_actors(tables), tells)
    if not any(names):
        return set()
    touched = {
        row["key"]
        for row in tables["operations"]
        if row["session"] in names.sessions or row["actor"] in names.actors
    }
    for table in ("memories", *CALLED):
        tables[table] = [
            {**row, "session": names.sessions.get(row["session"], row["session"])}
            for row in tables[table]
        ]
    for table in CALLED:
        tables[table] = [
            {**row, "actor": names.actors.get(row["actor"], row["actor"])} for row in tables[table]
        ]
    for at, entry in enumerate(tables["journal"]):
        if entry["tbl"] == "memories":
            sides = {one: rename_session(entry[one], names.sessions) for one in ("image", "after")}
            if (sides["image"], sides["after"]) != (entry["image"], entry["after"]):
                tables["journal"][at] = {**entry, **sides}
                touched.add(entry["operation"])
    return touched


def _find_told(tables: Mapping[str, list[Row]], table: str, tells: Tells) -> set[int]:
    """Returns the keys of a table's rows that tell it in the journal."""
    return {
        entry["key"]
        for entry in tables["journal"]
        if entry["tbl"] == table
        if tells(words_in(entry["image"])) or tells(words_in(entry["after"]))
    }


def _blank_former(tables: Tables, table: str, keys: Iterable[int], by: str) -> set[int]:
    """Blanks the former wordings of rows that stay; returns the operations they belonged to."""
    wanted = set(keys)
    places: dict[int, list[int]] = defaultdict(list)
    for at, entry in enumerate(tables["journal"]):
        if entry["tbl"] == table and entry["key"] in wanted:
            places[entry["key"]].append(at)
    touched: set[int] = set()
    for of_row in places.values():
        journal = tables["journal"]
        worded = [at for at in of_row if changes_words(table, journal[at]["image"])]
        for at in of_row:
            if not worded or at > worded[-1]:
                break
            image, after = journal[at]["image"], journal[at]["after"]
            # The last of them leads to what the row says now, which stays.
            anew = blank_images(table, image, after, by, keep_after=at == worded[-1])
            if anew is not None:
                journal[at] = {**journal[at], "image": anew[0], "after": anew[1]}
                touched.add(journal[at]["operation"])
    return touched


def _forget(
    tables: Tables,
    memories: Mapping[int, str],
    texts: Iterable[str],
    operations: set[int],
    tells: Tells,
) -> None:
    """Takes the texts out of vectors, recalls, plans and the records of operations.

    The records of operations are sealed anew.
    """
    quoted = repeating(texts)

    def repeats(text: str) -> bool:
        return quoted(text) or tells(text)

    tables["vectors"] = [row for row in tables["vectors"] if row["memory"] not in memories]
    tables["plans"] = [
        row for row in tables["plans"]
        if not repeats(words_in(row["body"]))
        and not any(one in row["body"] for one in memories.values())
    ]  # fmt: skip
    tables["queue"] = [
        row for row in tables["queue"]
        if not any(repeats(words_in(row[column])) for column in ("payload", "report"))
        and not any(one in row["payload"] for one in memories.values())
    ]  # fmt: skip
    tables["schedules"] = [
        {**row, "outcome": None} if repeats(row["outcome"] or "") else row
        for row in tables["schedules"]
    ]
    tables["recalls"] = [
        {**row, "query": ""} if repeats(row["query"]) else row for row in tables["recalls"]
    ]
    rows = {row["key"]: dict(row) for row in tables["operations"]}
    operations = operations | {
        key
        for key, row in rows.items()
        if tells(row["reason"] or "")
        or (row["details"] != "{}" and tells(words_in(row["details"])))
    }
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
