"""Checking that a store tells the truth: pages and guards by the engine, invariants by the journal."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from glymph.core.model import Problem, Verdict
from glymph.core.text import content_hash
from glymph.services.workplace import Workplace
from glymph.store.contract import JOURNALLED, Row
from glymph.store.writer import seal

CHECKS = (
    "pages, references, full text and guards",
    "one protected live identity per space",
    "every row has the journal entry of its birth, and none that was deleted is there",
    "no journal entry without an operation, and every operation's seal holds",
    "contents match their hashes",
    "links, clusters and chains stay inside their space",
    "undo never points at a later operation",
)


def verify(place: Workplace) -> Verdict:
    """Every problem of the whole store, named."""
    problems = place.store.check()
    for space in place.store.spaces():
        tables: dict[str, list[Row]] = defaultdict(list)
        for table, row in place.store.dump(space["name"]):
            tables[table].append(row)
        problems += [Problem(check, f"space {space['name']}: {detail}") for check, detail in _space(tables)]
    return Verdict(CHECKS, tuple(problems))


def _space(tables: Mapping[str, list[Row]]) -> Iterable[tuple[str, str]]:
    yield from _identity(tables["memories"])
    yield from _births(tables)
    yield from _seals(tables)
    yield from _contents(tables["memories"])
    yield from _links(tables)
    yield from _undos(tables["operations"])


def _identity(memories: list[Row]) -> Iterable[tuple[str, str]]:
    selves = [m for m in memories if m["kind"] == "self"]
    if len(selves) != 1:
        yield "identity", f"{len(selves)} identity memories instead of one"
    for m in selves:
        if m["state"] != "LIVE" or not m["protected"]:
            yield "identity", f"{m['id']} is {m['state']} and {'' if m['protected'] else 'not '}protected"


def _births(tables: Mapping[str, list[Row]]) -> Iterable[tuple[str, str]]:
    alive: dict[tuple[str, int], bool] = {}
    for entry in tables["journal"]:
        place = (entry["tbl"], entry["key"])
        if entry["action"] != "insert" and not alive.get(place):
            yield "journal", f"{entry['action']} of {entry['tbl']} {entry['key']}, which was not there"
        alive[place] = entry["action"] != "delete"
    present = {(table, row["key"]) for table in JOURNALLED for row in tables[table]}
    for table, key in present - {place for place, there in alive.items() if there}:
        yield "journal", f"{table} {key} is there without the journal entry of its creation"
    for table, key in {place for place, there in alive.items() if there} - present:
        yield "journal", f"{table} {key} is gone without a journal entry"


def _seals(tables: Mapping[str, list[Row]]) -> Iterable[tuple[str, str]]:
    entries: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for e in tables["journal"]:
        entries[e["operation"]].append((e["tbl"], e["key"], e["action"], e["image"]))
    children: dict[int, list[str]] = defaultdict(list)
    for operation in tables["operations"]:
        if operation["parent"] is not None:
            children[operation["parent"]].append(operation["hash"])
    for operation in tables["operations"]:
        own = entries.pop(operation["key"], [])
        if operation["hash"] == "":
            yield (
                "operations",
                f"{operation['id']} ({operation['verb']}) was cut short; undo it or repeat the call",
            )
        elif seal(own, {}, children[operation["key"]]) != operation["hash"]:
            yield "operations", f"the journal of {operation['id']} ({operation['verb']}) was tampered with"
    for key in entries:
        yield "journal", f"{len(entries[key])} entries of an operation {key} that does not exist"


def _contents(memories: list[Row]) -> Iterable[tuple[str, str]]:
    for m in memories:
        if content_hash(m["text"], m["kind"], m["event_at"]) != m["content_hash"]:
            yield "contents", f"{m['id']} does not match its hash"
    for memory_id, count in Counter(m["id"] for m in memories).items():
        if count > 1:
            yield "contents", f"{memory_id} exists {count} times"


def _links(tables: Mapping[str, list[Row]]) -> Iterable[tuple[str, str]]:
    keys = {m["key"] for m in tables["memories"]}
    ids = {m["id"] for m in tables["memories"]}
    clusters = {c["key"] for c in tables["clusters"]}
    for e in tables["edges"]:
        if e["source"] not in keys or e["target"] not in keys:
            yield "links", f"link {e['key']} leaves its space"
    for m in tables["memberships"]:
        if m["memory"] not in keys or m["cluster"] not in clusters:
            yield "clusters", f"membership {m['key']} leaves its space"
    for m in tables["memories"]:
        if m["superseded_by"] is not None and m["superseded_by"] not in ids:
            yield "links", f"{m['id']} is superseded by {m['superseded_by']}, which is not there"


def _undos(operations: list[Row]) -> Iterable[tuple[str, str]]:
    for operation in operations:
        for pointer in ("undoes", "parent"):
            if operation[pointer] is not None and operation[pointer] >= operation["key"]:
                yield "operations", f"{operation['id']} {pointer} a later operation"
