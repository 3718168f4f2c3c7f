"""The memories that a request may mean, found by look-ups: a large space is never read through."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from glymph.context import every_row
from glymph.forget.requests import Request, Statement, forms
from glymph.forget.spelling import of_name
from glymph.model import State
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader
from glymph.text.identifiers import Closure, aliases
from glymph.text.query import Words

# memories: a space of fewer is read whole, so that names in other scripts are found as well
SMALL = 200
MOST = 1_000  # memories that one request may be compared with
ROUNDS = 2  # of looking up what a text says somebody is also known as
LIVE = Filter(include_superseded=True)
EVERYTHING = Filter(states=tuple(state.value for state in State), include_superseded=True)


def find_statements(
    reader: Reader, request: Request, wanted: Filter
) -> tuple[list[Statement], dict[str, Row]]:
    """Returns the statements that may be meant, and their rows."""
    found = {row["id"]: row for row in islice(every_row(reader, wanted, SMALL + 1), SMALL + 1)}
    if len(found) > SMALL:
        found = _look_up(reader, request, wanted)
    heirs = _find_heirs(reader, found.values())
    found |= {row["id"]: row for row in heirs.values() if row["state"] == State.LIVE}
    return [_statement(row, heirs) for row in found.values()], found


def name_statements(rows: dict[str, Row]) -> tuple[list[Statement], dict[str, Row]]:
    """Memories that were named themselves."""
    return [_statement(row, {}) for row in rows.values()], rows


def _look_up(reader: Reader, request: Request, wanted: Filter) -> dict[str, Row]:
    """Returns the rows whose text has one of the spellings, or what those say is the same."""
    found: dict[str, Row] = {}
    asked: set[str] = set()
    spellings: Iterable[str] = forms(request)
    if request.names and not (request.identifiers or request.figures):
        spellings = [form for run in request.names for form in _of_run(run)]
        if not _find_holding(reader, list(spellings), wanted, 1):
            spellings = forms(request)
    for _ in range(ROUNDS):
        new = [form for form in dict.fromkeys(spellings) if form not in asked]
        if not new:
            break
        asked |= set(new)
        found |= _find_holding(reader, new, wanted, MOST)
        spellings = _find_other_names(request, found.values())
    return found


def _of_run(run: Sequence[str]) -> list[str]:
    """A name of several words as a phrase, and each of its words in every spelling."""
    return [" ".join(run)] if len(run) > 1 else list(of_name(run[0]))


def _find_holding(
    reader: Reader, phrases: Sequence[str], wanted: Filter, most: int
) -> dict[str, Row]:
    keys = [key for key, _ in reader.match(Words(tuple(phrases)), wanted, limit=most)]
    return {row["id"]: row for row in reader.by_key(keys, wanted).values()}


def _find_other_names(request: Request, rows: Iterable[Row]) -> list[str]:
    closure = Closure(pair for row in rows for pair in aliases(row["text"]))
    asked = [" ".join(run) for run in request.names]
    asked += [each.text for each in request.strong] if request.whole else []
    return [name for one in asked for name in sorted(closure.of(one)) if name != one]


def _find_heirs(reader: Reader, rows: Iterable[Row]) -> dict[str, Row]:
    """For each replaced memory the one at the end of its chain, by the replaced one's id."""
    known = {row["id"]: row for row in rows}
    heirs: dict[str, Row] = {}
    for start in list(known.values()):
        row, seen = start, {start["id"]}
        while (following := row["superseded_by"]) is not None and following not in seen:
            seen.add(following)
            if following not in known:
                known |= reader.memories([following])
            if following not in known:
                break
            row = known[following]
        if row is not start:
            heirs[start["id"]] = row
    return heirs


def _statement(row: Row, heirs: Mapping[str, Row]) -> Statement:
    heir = heirs.get(row["id"])
    return Statement(
        id=row["id"], text=row["text"], version=row["version"],
        entities=tuple(json.loads(row["entities"] or "[]")),
        pinned=bool(row["pinned"]), protected=bool(row["protected"]),
        current=row["superseded_by"] is None and row["state"] == State.LIVE,
        heir=heir["id"] if heir is not None else None,
    )  # fmt: skip
