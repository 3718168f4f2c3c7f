"""Checks a store: pages and guards by its engine, invariants by its journal.

Rows are read one after the other; no table is ever held as a whole. Nothing that is found ends it:
what cannot be read is named, and the rest is looked at.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from glymph.context import Context
from glymph.errors import CorruptStore, GlymphError, PartsAway, SpaceNotFound, StoreError
from glymph.model import Problem, Verdict
from glymph.store.contract import JOURNALLED, Row
from glymph.store.damage import UNREADABLE
from glymph.store.journal import PURGED, Place
from glymph.store.keyring import Keyring
from glymph.store.seals import is_edit
from glymph.store.snapshots import Past, SealedOperation
from glymph.store.store import Store
from glymph.text.normal import content_hash

CHECKS = (
    "pages, references, full text, checksums and guards",
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
MOST = 100  # problems of one kind that are named in a space

Found = Iterator[tuple[str, str]]  # check and detail


class SpaceRows(Protocol):
    """The rows of one space, wherever they lie."""

    def rows(self, *, tables: Collection[str]) -> Iterator[tuple[str, Row]]: ...
    def pasts(self, table: str) -> Iterator[Past]: ...
    def sealed_operations(self) -> Iterator[SealedOperation]: ...
    def lost_entries(self) -> Iterator[tuple[int, int]]: ...


@dataclass(slots=True)
class _Known:
    """What one step has learnt about a space and a later one needs."""

    purges: set[str] = field(default_factory=set)  # ids
    selves: list[Row] = field(default_factory=list)
    memories: set[int] = field(default_factory=set)
    former: set[int] = field(default_factory=set)  # memories that an undo took away
    ids: set[str] = field(default_factory=set)
    clusters: set[int] = field(default_factory=set)
    superseded: dict[str, str] = field(default_factory=dict)
    buried: bool = False  # it has tombstones
    whole: bool = True  # every row could be read


Step = Callable[[SpaceRows, _Known], Found]


def verify(ctx: Context) -> Verdict:
    """Checks the whole store and names every problem."""
    problems: list[Problem] = []
    spaces: Sequence[str] = ()
    try:
        problems += ctx.store.check()
    except CorruptStore as error:
        problems.append(Problem("pages", str(error)))
    try:
        spaces = _list_reachable_spaces(ctx.store)
    except CorruptStore as error:
        problems.append(Problem("pages", str(error)))
    for space in spaces:
        problems += [
            Problem(check, f"space {space}: {detail}") for check, detail in _space(ctx, space)
        ]
    return Verdict(CHECKS, tuple(problems))


def _list_reachable_spaces(store: Store) -> Sequence[str]:
    """Returns the spaces that can be read; the store itself reports why others cannot."""
    try:
        return [space["name"] for space in store.spaces()]
    except PartsAway as error:
        return error.spaces


def _space(ctx: Context, name: str) -> Found:
    """Yields what is wrong with a space: all steps see one moment of it, while others may write.

    Where one of them fails, the next ones look at another moment; a space that cannot even be shown
    is not looked at again.
    """
    known = _Known()
    left = list(STEPS)
    while left:
        count = len(left)
        found: list[tuple[str, str]] = []
        try:
            with ctx.store.snapshot(name) as shot:
                while left:
                    found.extend(_name_most(_guard(left.pop(0), shot, known)))
        except SpaceNotFound:
            return  # deleted or renamed by somebody else meanwhile
        except CorruptStore as error:
            known.whole = False
            found.append(("pages", str(error)))
        except UNREADABLE as error:
            if isinstance(error, GlymphError):
                raise
            known.whole = False
            found.append(("rows", f"its record cannot be read ({error!r})"))
        yield from found
        if len(left) == count:
            break
    yield from _keys(known, ctx.store.keyring)


def _name_most(found: Found) -> Found:
    """Yields the first problems of each kind, and says where there are more."""
    named: dict[str, int] = {}
    for check, detail in found:
        named[check] = named.get(check, 0) + 1
        if named[check] <= MOST:
            yield check, detail
    for check, count in named.items():
        if count > MOST:
            yield check, f"{count - MOST:,} more of this kind"


def find_problems(space: SpaceRows) -> Found:
    """Yields what is wrong with the rows of one space, as pairs of check and detail."""
    known = _Known()
    for step in STEPS:
        yield from _guard(step, space, known)


def _guard(step: Step, space: SpaceRows, known: _Known) -> Found:
    """Yields what a step finds; where it stumbles over a damaged row, that is one more problem.

    What was not read cannot be missed: steps that compare rows with those of others do so only
    where all could be read.
    """
    if not known.whole and step not in READING:
        return
    try:
        yield from step(space, known)
    except GlymphError:
        raise
    except UNREADABLE as error:
        known.whole = False
        yield "rows", f"not everything can be read ({error!r})"


# operations


def _operations(space: SpaceRows, known: _Known) -> Found:
    for sealed in space.sealed_operations():
        operation = sealed.operation
        if operation["verb"] == "purge":
            known.purges.add(operation["id"])
        yield from _seal(sealed)
        for pointer in ("undoes", "parent"):
            if operation[pointer] is not None and operation[pointer] >= operation["key"]:
                yield "operations", f"{operation['id']} {pointer} a later operation"
    for key, count in space.lost_entries():
        yield "journal", f"{count} entries of an operation {key} that does not exist"


def _seal(sealed: SealedOperation) -> Found:
    operation = sealed.operation
    name = f"{operation['id']} ({operation['verb']})"
    changes = len(sealed.entries) + sum(child["changes"] for child in sealed.children)
    edits = sum(is_edit(t, a, i) for t, _, a, i, _ in sealed.entries) + sum(
        child["edits"] for child in sealed.children
    )
    if not operation["hash"]:
        way = "if nothing runs, undo it and repeat the call"
        yield UNFINISHED, f"{name} is under way or was cut short; {way}"
    elif sealed.seal() != operation["hash"]:
        yield "operations", f"the record or the journal of {name} was altered"
    elif (operation["changes"], operation["edits"]) != (changes, edits):
        yield (
            "operations",
            f"{name} counts {operation['changes']} changes; the journal has {changes}",
        )


# rows and what the journal tells of them


def _pasts(space: SpaceRows, known: _Known) -> Found:
    """Lives through the journal again: what it leads to must be what is there."""
    for table in JOURNALLED:
        for past in space.pasts(table):
            try:
                yield from _past(table, past, known)
            except UNREADABLE as error:
                what = _name_row((table, past.key), past.row or {})
                yield "journal", f"{what} or its journal cannot be read ({error!r})"


def _past(table: str, past: Past, known: _Known) -> Found:
    place, row = (table, past.key), past.row
    if row is not None:
        yield from _note(table, row, known)
    if table == "memories":
        known.former.add(past.key)
    entries = [
        (entry["action"], json.loads(entry["image"]), json.loads(entry["after"]))
        for entry in past.entries
    ]
    told: dict[str, Any] | None = None
    for action, image, after in entries:
        if action != "rejected":
            yield from _fit(place, action, image, told)
            told = None if action == "delete" else {**(told or {}), **after}
    if row is not None and told is None:
        yield (
            "journal",
            f"{_name_row(place, row)} is there without the journal entry of its creation",
        )
    elif row is None and told is not None:
        yield "journal", f"{_name_row(place, told)} is gone without a journal entry"
    elif row is not None and told is not None:
        yield from _compare(place, row, told)
    yield from _blanks(place, [image for _, image, _ in entries], known, stays=row is not None)


def _fit(
    place: Place, action: str, image: Mapping[str, Any], before: Mapping[str, Any] | None
) -> Found:
    """Names an entry that does not fit what came before it."""
    if (before is None) != (action == "insert"):
        yield "journal", f"{action} of {place[0]} {place[1]} does not fit what came before it"
    elif before is not None and any(
        before[column] != value for column, value in image.items() if column in before
    ):
        yield "journal", f"{action} of {_name_row(place, before)} does not fit what came before it"


def _compare(place: Place, row: Row, told: Mapping[str, Any]) -> Found:
    for column, value in told.items():
        if column not in row:
            yield "journal", f"the journal tells of {column!r}, which {place[0]} do not have"
        elif row[column] != value:
            yield (
                "journal",
                f"{_name_row(place, row)}: {column} is {row[column]!r}, the journal says {value!r}",
            )


def _blanks(
    place: Place, images: Iterable[Mapping[str, Any]], known: _Known, *, stays: bool
) -> Found:
    """A blanked journal row names a purge; of what was purged nothing but blanked rows is left.

    Of what stays they are the first ones."""
    marks = []
    for image in images:
        by = image.get(PURGED)
        if by is not None and by not in known.purges:
            yield (
                "journal",
                f"an entry of {place[0]} {place[1]} is blank without a purge that did it",
            )
        marks.append(by is not None)
    # Of a row that stays, former wordings may have been purged: all of them, up to the last.
    former = marks == sorted(marks, reverse=True)
    if any(marks) and not (former if stays else all(marks)):
        yield "journal", f"{place[0]} {place[1]} was purged, but not everywhere"


def _name_row(place: Place, row: Mapping[str, Any]) -> str:
    return f"{place[0]} {row.get('id') or place[1]}"


# rows by themselves


def _note(table: str, row: Row, known: _Known) -> Found:
    """Notes what later rows are checked against, and names what is wrong with this one."""
    if table == "memories":
        known.memories.add(row["key"])
        if row["id"] in known.ids:
            yield "contents", f"{row['id']} exists more than once"
        known.ids.add(row["id"])
        if row["kind"] == "self":
            known.selves.append(row)
        if row["superseded_by"] is not None:
            known.superseded[row["id"]] = row["superseded_by"]
        if content_hash(row["text"], row["kind"], row["event_at"]) != row["content_hash"]:
            yield "contents", f"{row['id']} does not match its hash"
    elif table == "clusters":
        known.clusters.add(row["key"])
    elif table == "edges":
        if not {row["source"], row["target"]} <= known.memories:
            yield "links", f"link {row['key']} leaves its space"
    elif table == "memberships":
        if row["memory"] not in known.memories or row["cluster"] not in known.clusters:
            yield "clusters", f"membership {row['key']} leaves its space"
    elif table == "tombstones":
        known.buried = True


def _identity(_: SpaceRows, known: _Known) -> Found:
    if len(known.selves) != 1:
        yield "identity", f"{len(known.selves)} identity memories instead of one"
    for m in known.selves:
        if m["state"] != "LIVE" or not m["protected"]:
            yield (
                "identity",
                f"{m['id']} is {m['state']} and {'' if m['protected'] else 'not '}protected",
            )


def _chains(_: SpaceRows, known: _Known) -> Found:
    for memory_id, successor in known.superseded.items():
        if successor not in known.ids:
            yield "links", f"{memory_id} is superseded by {successor}, which is not there"
    for memory_id in _find_cycles(known.superseded):
        way = "unsupersede one of them"
        yield "links", f"{memory_id} is superseded, link by link, by itself; {way}"


def _find_cycles(successors: Mapping[str, str]) -> Iterator[str]:
    """Yields one memory of each circle, in which every one hides another and none is shown."""
    seen: set[str] = set()
    for first in successors:
        way: dict[str, None] = {}
        at: str | None = first
        while at is not None and at not in seen:
            seen.add(at)
            way[at] = None
            at = successors.get(at)
        if at in way:
            yield at


def _vectors(space: SpaceRows, known: _Known) -> Found:
    sizes: dict[int, int] = {}
    for table, row in space.rows(tables=("models", "vectors")):
        if table == "models":
            sizes[row["key"]] = 2 * row["dimension"]
        elif row["memory"] not in known.former:
            yield "vectors", f"vector {row['key']} belongs to no memory of this space"
        elif sizes.get(row["model"]) != len(row["vector"]):
            size = len(row["vector"])
            yield "vectors", f"vector {row['key']} has {size} bytes, not the size of its model"


READING: Sequence[Step] = (_operations, _pasts)
STEPS: Sequence[Step] = (*READING, _identity, _chains, _vectors)


def _keys(known: _Known, keyring: Keyring) -> Found:
    """Yields missing keys: a space with tombstones takes in nothing new without theirs."""
    for identity in [m["id"] for m in known.selves] if known.buried else []:
        try:
            if keyring.get(identity) is None:
                why = keyring.explain_missing(identity)
                yield "keys", f"it has tombstones, but {why}; until then it takes in nothing new"
        except StoreError as error:
            yield "keys", str(error)
