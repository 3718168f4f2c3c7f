"""The search in what was known at a moment.

Today's index serves for what has not changed since, the journal for the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np

from glymph.context import Context
from glymph.embed.embedding import wording
from glymph.errors import TooMuchHistory
from glymph.model import Hit
from glymph.moments import iso, micros
from glymph.recall import rank
from glymph.recall.channels import POOL, worth_asking
from glymph.recall.history import cut_at, matches, rewound_rows
from glymph.recall.rank import Figures
from glymph.store import records
from glymph.store.contract import Filter
from glymph.store.journal import by_place
from glymph.store.reader import Reader
from glymph.store.scan import Vectors
from glymph.store.view import View
from glymph.text.query import Question, read_query

MOST_CHANGED = 100_000
CHUNK = 1_000


def search_past(
    ctx: Context, reader: Reader, query: str, wanted: Filter, *, at: datetime, limit: int
) -> tuple[list[Hit], str]:
    """Returns the best hits among the texts valid at a moment, by words and by meaning.

    And why the latter could not be.

    Vectors outlive the wordings they were made for, so meaning counts wherever one is still kept.
    Links and neighbours do not: they are not known as they were.
    """
    model, lacking = ctx.embedding.try_model()
    view = ctx.embedding.mirrors.view(reader, model)
    question = read_query(query, view.entities.starting, view.share)
    vector, lacking = (
        ctx.embedding.try_query(question.text) if view.model_key is not None else (None, lacking)
    )
    then = replace(wanted, live_at=micros(at, "at"))
    rows, changed = _candidates(ctx, reader, view, question, vector, then, at, max(POOL, limit))
    keys = list(rows)
    words = _by_text(reader, rows, question)
    told = _scale(np.asarray([words.get(key, 0.0) for key in keys]))
    cosines, unrelated = _cosines(reader, view, vector, rows)
    nearest = rank.nearest(cosines, unrelated)
    parts = {
        "keyword": told,
        "semantic": rank.semantic_parts(cosines, unrelated, nearest, otherwise=told),
        "affinity": np.asarray([float(_carries(rows[key], question.names)) for key in keys]),
    }
    relevance = rank.relevance(parts, [row["section"] for row in rows.values()], ctx.weights)
    best = [int(i) for i in np.argsort(-relevance, kind="stable")[: limit * 2] if relevance[i] > 0]
    memories = records.memories([rows[keys[i]] for i in best], reader, at)
    places = [("memories", keys[i]) for i in best if keys[i] in changed]
    today = {key: row for (_, key), row in reader.rows(places).items()}
    hits = []
    for i, memory in zip(best, memories, strict=True):
        authority = 1.0 if memory.pinned else memory.trust
        standing = rank.weigh_standing(
            memory.section, recency=memory.retrievability, authority=authority
        )
        own = {name: float(values[i]) for name, values in parts.items() if values[i] > 0}
        if np.isnan(cosines[i]):
            own.pop("semantic", None)
        since = (
            "it says so to this day"
            if keys[i] not in changed
            else _since(rows[keys[i]], today.get(keys[i]))
        )
        why = f"{since} (at {iso(at)})" + (f"; {by_words_only(lacking)}" if lacking else "")
        hits.append(Hit(memory, float(relevance[i]) * standing, {**own, "standing": standing}, why))
    return sorted(hits, key=lambda hit: -hit.score)[:limit], lacking


def _since(then: Mapping[str, Any], now: Mapping[str, Any] | None) -> str:
    """Returns what became of a memory that was changed since."""
    if now is None:
        return "it said so then, and is gone"
    if now["content_hash"] != then["content_hash"]:
        return "it said so then, and says something else now"
    if now["state"] != then["state"]:
        return f"it said so then, and is {now['state']} now"
    if now["superseded_by"] != then["superseded_by"]:
        return "it said so then, and a newer statement has replaced it"
    return "it says so to this day"


def by_words_only(problem: str) -> str:
    return f"by words only: {problem}"


def _candidates(
    ctx: Context, reader: Reader, view: View, question: Question, vector: Vectors | None,
    then: Filter, at: datetime, depth: int,
) -> tuple[dict[int, Mapping[str, Any]], set[int]]:  # fmt: skip
    """Returns rows as they stood, by key.

    They are the best of those untouched since, and all of the changed that pass the filter.
    """
    entries = by_place(reader.entries_since("memories", cut_at(ctx, reader, at)))
    changed = {key for _, key in entries}
    past: dict[int, Mapping[str, Any]] = {}
    for row in rewound_rows(reader, entries):
        if matches(row, then):
            past[row["key"]] = row
            if len(past) > MOST_CHANGED:
                raise TooMuchHistory(MOST_CHANGED)
    untouched = replace(then, without=sorted(changed))
    words = worth_asking(reader, view, question.words)
    found = [key for key, _ in reader.match(words, untouched, limit=depth)]
    if question.pieces:
        found += [key for key, _ in reader.match_pieces(question.pieces, untouched, limit=depth)]
    if vector is not None:
        passing = view.mask(then)
        slots = view.slots(sorted(changed))
        passing[slots[slots >= 0]] = False
        near, _ = view.nearest(vector, passing, limit=depth, reader=reader)
        found += view["key"][near].tolist()
    return {**reader.by_key(found, untouched), **past}, changed


def _by_text(
    reader: Reader, rows: Mapping[int, Mapping[str, Any]], question: Question
) -> dict[int, float]:
    """Returns how well each row's text holds the question's words.

    Where words are not separated, the pieces of the question are taken.
    """
    scores = dict(reader.match_among(rows.values(), question.words, limit=len(rows)))
    most = max(scores.values(), default=1.0)
    for key, row in rows.items() if question.pieces else ():
        said = "\n".join(row[column] for column in ("text", "title", "tags", "entities"))
        held = sum(piece in said for piece in question.pieces) / len(question.pieces)
        scores[key] = max(scores.get(key, 0.0), most * held)
    return scores


def _cosines(
    reader: Reader, view: View, vector: Vectors | None, rows: Mapping[int, Mapping[str, Any]]
) -> tuple[Figures, float]:
    """Returns the cosine of each row's wording with the query, NaN where no vector is kept.

    That of an unrelated one.
    """
    keys = list(rows)
    cosines = np.full(len(keys), np.nan)
    if vector is None or view.model_key is None or view.vectors is None:
        return cosines, 0.0
    wanted = {(key, wording(row["content_hash"])): at for at, (key, row) in enumerate(rows.items())}
    for start in range(0, len(keys), CHUNK):
        for key, kept, stored in reader.vectors_of(view.model_key, keys[start : start + CHUNK]):
            place = wanted.get((key, kept))
            if place is not None:
                cosines[place] = float(
                    np.frombuffer(stored, dtype="<f2").astype(np.float32) @ vector
                )
    return cosines, view.vectors.unrelated_cosine(vector)


def _carries(row: Mapping[str, Any], names: frozenset[str]) -> bool:
    return bool(names) and not names.isdisjoint(records.words(row["entities"]))


def _scale(scores: Figures) -> Figures:
    return rank.scale(scores, float(scores.max(initial=0.0)))
