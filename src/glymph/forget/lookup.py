"""The memories that a request may mean, found by look-ups: a large space is never read through.

They are found by identifiers and names in every spelling, by other names that texts declare, by the
words of the request, by its meaning, and over what has replaced them. A small space is taken whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from glymph.context import Context, every_row
from glymph.decay.sections import SUMMARY_KIND
from glymph.forget.recognise import list_joined
from glymph.forget.requests import Request, Statement, forms
from glymph.forget.reword import EVERY_FIELD
from glymph.forget.spelling import of_name
from glymph.model import State
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader
from glymph.text.identifiers import Closure, aliases
from glymph.text.identifiers.shortened import CUT
from glymph.text.query import Words, asked_words
from glymph.text.words import UNSPACED_OR_HANGUL

# memories: a space of fewer is read whole, so that names in other scripts are found as well
SMALL = 200
MOST = 1_000  # memories that one request may be compared with
LIKEST = 60  # memories found by the words and by the meaning of a request, of each
MOST_SAID = 200  # memories found by its words, where it names nothing
MOST_WORDS = 12  # of a request that are looked up
ROUNDS = 2  # of looking up what a text says somebody is also known as
SHORTEST_END = 4  # characters of an identifier, or of an end of it, that are sought within words
LIVE = Filter(include_superseded=True)
EVERYTHING = Filter(states=tuple(state.value for state in State), include_superseded=True)


class Candidates(NamedTuple):
    """What a request may mean: statements, their rows, and how like the request each is."""

    statements: list[Statement]
    rows: dict[str, Row]
    likeness: dict[str, float]

    def say_cut(self) -> str:
        """Returns what to do where there may be more than a request is compared with."""
        if len(self.statements) < MOST:
            return ""
        return f"only {MOST:,} memories were looked at; carry the plan out, and ask again"


def find_candidates(ctx: Context, reader: Reader, request: Request, wanted: Filter) -> Candidates:
    """Returns the memories that a request may mean."""
    found = {row["id"]: row for row in islice(every_row(reader, wanted, SMALL + 1), SMALL + 1)}
    near = _Nearness(ctx, reader, request)
    if len(found) > SMALL:
        named = request.names or request.identifiers or request.figures
        found = _look_up(reader, request, wanted) if named else {}
        if wanted is EVERYTHING or UNSPACED_OR_HANGUL.search(request.text):
            found |= _find_inside(reader, request, wanted)
        if not request.strong or request.says_more:  # a name of its own alone needs no likeness
            words = asked_words(request.text, MOST_WORDS)
            found |= _find_likest(reader, words, wanted, LIKEST if named else MOST_SAID)
            found |= {row["id"]: row for row in near.find_nearest(wanted, LIKEST)}
    heirs = _find_heirs(reader, found.values())
    found |= {row["id"]: row for row in heirs.values() if row["state"] == State.LIVE}
    # A summary says what others say, and goes out of sight with one of them.
    found = {one: row for one, row in found.items() if row["kind"] != SUMMARY_KIND}
    statements = [_statement(row, heirs) for row in found.values()]
    return Candidates(statements, found, near.measure(found.values()))


def name_candidates(rows: dict[str, Row]) -> Candidates:
    """Returns memories that were named themselves."""
    return Candidates([_statement(row, {}) for row in rows.values()], rows, {})


class _Nearness:
    """How near memories are to a request by their vectors, where there are any."""

    def __init__(self, ctx: Context, reader: Reader, request: Request) -> None:
        self._reader = reader
        self._view = self._vector = None
        model, _ = ctx.embedding.try_model()
        named = request.strong and not request.says_more
        if model is None or named or request.empty:
            return
        view = ctx.embedding.mirrors.view(reader, model)
        if view.model_key is not None:
            self._view = view
            self._vector, _ = ctx.embedding.try_query(request.text)

    def find_nearest(self, wanted: Filter, most: int) -> list[Row]:
        """Returns the memories nearest to the request."""
        if self._view is None or self._vector is None:
            return []
        slots, _ = self._view.nearest(
            self._vector, self._view.mask(wanted), limit=most, reader=self._reader
        )
        return list(self._reader.by_key(self._view["key"][slots].tolist(), wanted).values())

    def measure(self, rows: Iterable[Row]) -> dict[str, float]:
        """Returns the cosine to the request of each memory that has a vector, by id."""
        if self._view is None or self._vector is None:
            return {}
        ids = {row["key"]: row["id"] for row in rows}
        slots = self._view.slots(list(ids))
        known = np.unique(slots[slots >= 0])
        cosines = self._view.cosines(self._vector, known, reader=self._reader)
        pairs = zip(self._view["key"][known].tolist(), cosines.tolist(), strict=True)
        return {ids[key]: cosine for key, cosine in pairs if cosine == cosine}


def _look_up(reader: Reader, request: Request, wanted: Filter) -> dict[str, Row]:
    """Returns the rows whose text has one of the spellings, or what those say is the same."""
    found: dict[str, Row] = {}
    asked: set[str] = set()
    spellings: Iterable[str] = [*forms(request), *list_joined(request.text)]
    if request.names and not (request.identifiers or request.figures):
        of_names = [form for run in request.names for form in _of_run(run)]
        if reader.hold(of_names, wanted, limit=1):
            spellings = of_names
    for _ in range(ROUNDS):
        new = [form for form in dict.fromkeys(spellings) if form not in asked]
        if not new:
            break
        asked |= set(new)
        keys = reader.hold(new, wanted, limit=MOST)
        found |= {row["id"]: row for row in reader.by_key(keys, wanted).values()}
        spellings = _find_other_names(request, found.values())
    return found


def _of_run(run: Sequence[str]) -> list[str]:
    """A name of several words as a phrase, and each of its words in every spelling."""
    return [" ".join(run)] if len(run) > 1 else list(of_name(run[0]))


def _find_likest(reader: Reader, words: Sequence[str], wanted: Filter, most: int) -> dict[str, Row]:
    keys = [key for key, _ in reader.match(Words(tuple(words)), wanted, limit=most)]
    return {row["id"]: row for row in reader.by_key(keys, wanted).values()}


def _find_inside(reader: Reader, request: Request, wanted: Filter) -> dict[str, Row]:
    """Returns the rows that hold an identifier of the request, or its ends, in whatever field.

    No index tells that: the space is read through, as a purge must, and as is needed where words
    stand side by side without spaces.
    """
    pieces = {
        form
        for each in request.strong
        for end in (each.text, *each.key.split(CUT))
        for form in (end, end.lower(), end.upper())
        if len(end) >= SHORTEST_END
    }
    if not pieces:
        return {}
    sought = sorted(pieces)
    keys = [key for key, _ in reader.match_pieces(sought, wanted, limit=MOST, fields=EVERY_FIELD)]
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
