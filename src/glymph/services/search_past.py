"""Searching what was known at a moment: today's index for what has not changed since, the journal for the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np

from glymph.core import ranking
from glymph.core.journal import by_place
from glymph.core.model import Hit
from glymph.core.query import Words, understood
from glymph.core.ranking import Figures
from glymph.core.scan import Vectors
from glymph.core.timing import iso, micros
from glymph.errors import TooMuchHistory
from glymph.services.candidates import POOL, worth_asking
from glymph.services.history import cut_at, matches, rewound_rows
from glymph.services.meaning import wording
from glymph.services.workplace import Workplace
from glymph.store import records
from glymph.store.contract import Filter, Reader
from glymph.store.view import View

MOST_CHANGED = 100_000
CHUNK = 1_000


def search_past(
    place: Workplace, reader: Reader, query: str, wanted: Filter, *, at: datetime, limit: int
) -> list[Hit]:
    """The best hits among the texts valid at a moment, by words and by meaning.

    Vectors outlive the wordings they were made for, so meaning counts wherever one is still kept. Links and
    neighbours do not: they are not known as they were.
    """
    view = place.meaning.mirrors.view(reader, place.meaning.model)
    question = understood(query, view.entities.starting, lambda name: view.entities.share(name, view.size))
    vector = place.meaning.query(question.text) if view.model_key is not None else None
    then = replace(wanted, live_at=micros(at, "at"))
    rows, changed = _candidates(place, reader, view, question.words, vector, then, at)
    keys = list(rows)
    words = dict(reader.matching_among(rows.values(), question.words, limit=len(rows)))
    told = _scaled(np.asarray([words.get(key, 0.0) for key in keys]))
    cosines, unrelated = _cosines(reader, view, vector, rows)
    nearest = ranking.nearest(cosines, unrelated)
    parts = {
        "keyword": told,
        "semantic": ranking.semantic_parts(cosines, unrelated, nearest, otherwise=told),
        "affinity": np.asarray([float(_carries(rows[key], question.names)) for key in keys]),
    }
    relevance = ranking.relevance(parts, [row["section"] for row in rows.values()], place.weights)
    best = [int(i) for i in np.argsort(-relevance, kind="stable")[: limit * 2] if relevance[i] > 0]
    memories = records.memories([rows[keys[i]] for i in best], reader.space, at)
    hits = []
    for i, memory in zip(best, memories, strict=True):
        standing = ranking.standing(memory.section, recency=memory.retrievability, authority=memory.trust)
        own = {name: float(values[i]) for name, values in parts.items() if values[i] > 0}
        since = "it said so then, and has changed since" if keys[i] in changed else "it says so to this day"
        hits.append(
            Hit(memory, float(relevance[i]) * standing, {**own, "standing": standing}, f"{since} (at {iso(at)})")
        )
    return sorted(hits, key=lambda hit: -hit.score)[:limit]


def _candidates(
    place: Workplace, reader: Reader, view: View, words: Words, vector: Vectors | None, then: Filter,
    at: datetime,
) -> tuple[dict[int, Mapping[str, Any]], set[int]]:  # fmt: skip
    """Rows as they stood, by key: the best of those untouched since, all of the changed that pass the filter."""
    entries = by_place(reader.entries_since("memories", cut_at(place, reader, at)))
    changed = {key for _, key in entries}
    past: dict[int, Mapping[str, Any]] = {}
    for row in rewound_rows(reader, entries):
        if matches(row, then):
            past[row["key"]] = row
            if len(past) > MOST_CHANGED:
                raise TooMuchHistory(MOST_CHANGED)
    untouched = replace(then, without=sorted(changed))
    found = [key for key, _ in reader.matching(worth_asking(reader, view, words), untouched, limit=POOL)]
    if vector is not None:
        passing = view.mask(then)
        slots = view.slots(sorted(changed))
        passing[slots[slots >= 0]] = False
        near, _ = view.nearest(vector, passing, limit=POOL, reader=reader)
        found += view["key"][near].tolist()
    return {**reader.by_key(found, untouched), **past}, changed


def _cosines(
    reader: Reader, view: View, vector: Vectors | None, rows: Mapping[int, Mapping[str, Any]]
) -> tuple[Figures, float]:
    """The cosine of each row's wording with the query, NaN where no vector is kept; and that of an unrelated one."""
    keys = list(rows)
    cosines = np.full(len(keys), np.nan)
    if vector is None or view.model_key is None or view.vectors is None:
        return cosines, 0.0
    wanted = {(key, wording(row["content_hash"])): at for at, (key, row) in enumerate(rows.items())}
    for start in range(0, len(keys), CHUNK):
        for key, kept, stored in reader.vectors_of(view.model_key, keys[start : start + CHUNK]):
            place = wanted.get((key, kept))
            if place is not None:
                cosines[place] = float(np.frombuffer(stored, dtype="<f2").astype(np.float32) @ vector)
    return cosines, view.vectors.unrelated(vector)


def _carries(row: Mapping[str, Any], names: frozenset[str]) -> bool:
    return bool(names) and not names.isdisjoint(records.words(row["entities"]))


def _scaled(scores: Figures) -> Figures:
    return ranking.scaled(scores, float(scores.max(initial=0.0)))
