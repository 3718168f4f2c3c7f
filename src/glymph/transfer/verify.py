"""Checks a store: pages and guards by its engine, invariants by its journal."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from glymph.context import Context
from glymph.errors import CorruptStore, PartsAway, SpaceNotFound, StoreError
from glymph.model import Problem, Verdict
from glymph.store.contract import JOURNALLED, Row
from glymph.store.journal import PURGED, Place
from glymph.store.keyring import Keyring
from glymph.store.seals import is_edit, seal
from glymph.store.store import Store
from glymph.text.normal import content_hash

CHECKS = (
    "pages, references, full text and guards",
    "one protected live identity per space",
    "every row is what its journal leads to",
    "every operation's record and journal are as they were sealed",
    "what was blanked in the journal names the purge that did it",
    "contents match their hashes",
    "links, clusters and chains stay inside their space",
    "undo never points at a later operation",
    "vectors have the size of their model and belong to memories of their space",
    "tombstones have the key by which they are recognised",
)


UNFINISHED = "unfinished"  # a bulk operation that was cut off between two of its transactions


def verify(ctx: Context) -> Verdict:
    """Checks the whole store and names every problem."""
    try:
        problems = ctx.store.check()
        for space in _list_reachable_spaces(ctx.store):
            problems += _space(ctx, space)
    except CorruptStore as error:
        problems = [Problem("pages", str(error))]
    return Verdict(CHECKS, tuple(problems))


def _list_reachable_spaces(store: Store) -> Sequence[str]:
    """Returns the spaces that can be read; the store itself reports why others cannot."""
    try:
        return [space["name"] for space in store.spaces()]
    except PartsAway as error:
        return error.spaces


def _space(ctx: Context, name: str) -> list[Problem]:
    tables: dict[str, list[Row]] = defaultdict(list)
    try:
        for table, row in ctx.store.dump(name):
            tables[table].append(row)
        found = [*find_problems(tables), *_keys(tables, ctx.store.keyring)]
        return [Problem(check, f"space {name}: {detail}") for check, detail in found]
    except SpaceNotFound:
        return []  # deleted or renamed by somebody else meanwhile
    except json.JSONDecodeError as error:
        return [Problem("journal", f"space {name}: an image is not JSON ({error})")]


def find_problems(tables: Mapping[str, list[Row]]) -> Iterator[tuple[str, str]]:
    """Yields what is wrong with the rows of one space, as pairs of check and detail.

    Raises JSONDecodeError if an image of the journal is not a JSON object.
    """
    yield from _identity(tables["memories"])
    yield from _past(tables)
    yield from _seals(tables)
    yield from _purges(tables)
    yield from _contents(tables["memories"])
    yield from _links(tables)
    yield from _undos(tables["operations"])
    yield from _vectors(tables)


def _identity(memories: list[Row]) -> Iterator[tuple[str, str]]:
    selves = [m for m in memories if m["kind"] == "self"]
    if len(selves) != 1:
        yield "identity", f"{len(selves)} identity memories instead of one"
    for m in selves:
        if m["state"] != "LIVE" or not m["protected"]:
            yield (
                "identity",
                f"{m['id']} is {m['state']} and {'' if m['protected'] else 'not '}protected",
            )


def _past(tables: Mapping[str, list[Row]]) -> Iterator[tuple[str, str]]:
    """Lives through the journal again: what it leads to must be what is there."""
    told: dict[Place, dict[str, Any]] = {}
    for entry in tables["journal"]:
        yield from _replay(entry, told)
    rows: dict[Place, Row] = {
        (table, row["key"]): row for table in JOURNALLED for row in tables[table]
    }
    for place in rows.keys() - told.keys():
        yield (
            "journal",
            f"{_name_row(place, rows[place])} is there without the journal entry of its creation",
        )
    for place in told.keys() - rows.keys():
        yield "journal", f"{_name_row(place, told[place])} is gone without a journal entry"
    for place in told.keys() & rows.keys():
        for column, value in told[place].items():
            if column not in rows[place]:
                what = _name_row(place, rows[place])
                yield "journal", f"{what}: the journal tells of a column {column!r}"
            elif rows[place][column] != value:
                what = _name_row(place, rows[place])
                yield (
                    "journal",
                    f"{what}: {column} is {rows[place][column]!r}, the journal says {value!r}",
                )


def _replay(entry: Row, told: dict[Place, dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Applies one journal entry to what was told so far, and names where it does not fit."""
    place = (entry["tbl"], entry["key"])
    action, image, after = entry["action"], _read_image(entry, "image"), _read_image(entry, "after")
    before = told.get(place)
    if action == "rejected":
        return
    if (before is None) != (action == "insert"):
        yield "journal", f"{action} of {place[0]} {place[1]} does not fit what came before it"
    elif any(
        before[column] != value for column, value in image.items() if before and column in before
    ):
        yield (
            "journal",
            f"{action} of {_name_row(place, before or {})} does not fit what came before it",
        )
    if action == "delete":
        told.pop(place, None)
    else:
        told[place] = {**(before or {}), **after}


def _read_image(entry: Row, column: str) -> dict[str, Any]:
    try:
        image = json.loads(entry[column])
    except (ValueError, RecursionError) as error:  # also a number with too many digits
        raise json.JSONDecodeError(str(error)[:100], entry[column][:100], 0) from error
    if not isinstance(image, dict):
        raise json.JSONDecodeError("not an object", entry[column][:100], 0)
    return image


def _name_row(place: Place, row: Mapping[str, Any]) -> str:
    return f"{place[0]} {row.get('id') or place[1]}"


def _seals(tables: Mapping[str, list[Row]]) -> Iterator[tuple[str, str]]:
    entries: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for e in tables["journal"]:
        entries[e["operation"]].append((e["tbl"], e["key"], e["action"], e["image"], e["after"]))
    children: dict[int, list[Row]] = defaultdict(list)
    for operation in tables["operations"]:
        if operation["parent"] is not None:
            children[operation["parent"]].append(operation)
    for operation in tables["operations"]:
        name = f"{operation['id']} ({operation['verb']})"
        own, parts = entries.pop(operation["key"], []), children[operation["key"]]
        changes = len(own) + sum(child["changes"] for child in parts)
        edits = sum(is_edit(t, a, i) for t, _, a, i, _ in own) + sum(
            child["edits"] for child in parts
        )
        if not operation["hash"]:
            way = "if nothing runs, undo it or repeat the call"
            yield UNFINISHED, f"{name} is under way or was cut short; {way}"
        elif seal(operation, own, {}, [child["hash"] for child in parts]) != operation["hash"]:
            yield "operations", f"the record or the journal of {name} was altered"
        elif (operation["changes"], operation["edits"]) != (changes, edits):
            yield (
                "operations",
                f"{name} counts {operation['changes']} changes; the journal has {changes}",
            )
    for key, orphans in entries.items():
        yield "journal", f"{len(orphans)} entries of an operation {key} that does not exist"


def _purges(tables: Mapping[str, list[Row]]) -> Iterator[tuple[str, str]]:
    """A blanked journal row names a purge; of what was purged nothing but blanked rows is left.

    Of what stays they are the first ones."""
    purges = {operation["id"] for operation in tables["operations"] if operation["verb"] == "purge"}
    blank: dict[Place, list[bool]] = defaultdict(list)
    for entry in tables["journal"]:
        by = _read_image(entry, "image").get(PURGED)
        if by is not None and by not in purges:
            yield (
                "journal",
                f"an entry of {entry['tbl']} {entry['key']} is blank without a purge that did it",
            )
        blank[entry["tbl"], entry["key"]].append(by is not None)
    rows = {(table, row["key"]) for table in JOURNALLED for row in tables[table]}
    for place, marks in blank.items():
        # Of a row that stays, former wordings may have been purged: all of them, up to the last.
        former = marks == sorted(marks, reverse=True)
        if any(marks) and not (former if place in rows else all(marks)):
            yield "journal", f"{place[0]} {place[1]} was purged, but not everywhere"


def _contents(memories: list[Row]) -> Iterator[tuple[str, str]]:
    for m in memories:
        if content_hash(m["text"], m["kind"], m["event_at"]) != m["content_hash"]:
            yield "contents", f"{m['id']} does not match its hash"
    for memory_id, count in Counter(m["id"] for m in memories).items():
        if count > 1:
            yield "contents", f"{memory_id} exists {count} times"


def _links(tables: Mapping[str, list[Row]]) -> Iterator[tuple[str, str]]:
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


def _undos(operations: list[Row]) -> Iterator[tuple[str, str]]:
    for operation in operations:
        for pointer in ("undoes", "parent"):
            if operation[pointer] is not None and operation[pointer] >= operation["key"]:
                yield "operations", f"{operation['id']} {pointer} a later operation"


def _vectors(tables: Mapping[str, list[Row]]) -> Iterator[tuple[str, str]]:
    known = {m["key"] for m in tables["memories"]}
    known |= {
        e["key"] for e in tables["journal"] if e["tbl"] == "memories"
    }  # those an undo took away
    sizes = {m["key"]: 2 * m["dimension"] for m in tables["models"]}
    for v in tables["vectors"]:
        if v["memory"] not in known:
            yield "vectors", f"vector {v['key']} belongs to no memory of this space"
        elif sizes.get(v["model"]) != len(v["vector"]):
            size = len(v["vector"])
            yield "vectors", f"vector {v['key']} has {size} bytes, not the size of its model"


def _keys(tables: Mapping[str, list[Row]], keyring: Keyring) -> Iterator[tuple[str, str]]:
    """Yields missing keys: a space with tombstones takes in nothing new without theirs."""
    for identity in (
        [m["id"] for m in tables["memories"] if m["kind"] == "self"] if tables["tombstones"] else []
    ):
        try:
            if keyring.get(identity) is None:
                why = keyring.explain_missing(identity)
                yield "keys", f"it has tombstones, but {why}; until then it takes in nothing new"
        except StoreError as error:
            yield "keys", str(error)
