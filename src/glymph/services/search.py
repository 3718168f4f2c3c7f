"""Finding memories: by words, by meaning, by session and by links. Looking never reinforces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Unpack

import numpy as np

from glymph.core import activation, ranking
from glymph.core.draft import checked_space, checked_text
from glymph.core.model import Hit, Memory
from glymph.core.ranking import Weights
from glymph.core.timing import micros
from glymph.errors import InvalidInput
from glymph.services.candidates import Pool, follow_links, gather
from glymph.services.filters import Filters, check_kinds, checked_limit, listed, wanted
from glymph.services.search_past import by_words_only, search_past
from glymph.services.workplace import Workplace
from glymph.store import records
from glymph.store.contract import Filter

MAX_QUERY_CHARS = 20_000
SPARE = 40  # candidates read beyond the limit: the standing of a memory may change the order


class SearchOptions(Filters, total=False):
    """The filters, and how much to give back from where and when."""

    limit: int
    spaces: Sequence[str] | None
    budget_tokens: int | None
    at: datetime | None


def search(place: Workplace, query: str, **options: Unpack[SearchOptions]) -> list[Hit]:
    """The best hits, without touching anything."""
    return find(place, query, **options)[0]


def find(
    place: Workplace, query: str, *, limit: int = 10, spaces: Sequence[str] | None = None,
    budget_tokens: int | None = None, at: datetime | None = None, **filters: Unpack[Filters],
) -> tuple[list[Hit], str | None]:  # fmt: skip
    """The best hits, and what a caller should know about them."""
    checked_text("query", query, MAX_QUERY_CHARS)
    checked_limit(place, limit)
    now = place.now()
    matching = replace(wanted(filters), live_at=micros(now))
    given = listed("spaces", spaces)
    names = [place.space] if given is None else [checked_space(name) for name in given]
    unique = list(dict.fromkeys(names))
    with ExitStack() as stack:
        readers = [stack.enter_context(place.reading(name)) for name in unique]
        for reader in readers:
            check_kinds(reader, matching)
        if at is None:
            pools = [gather(place, reader, query, matching, limit=limit) for reader in readers]
            hits = ranked(pools, matching, limit=limit, now=now, weights=place.weights)
            lacking = [pool.lacking for pool in pools]
        else:
            past = [search_past(place, reader, query, matching, at=at, limit=limit) for reader in readers]
            hits = sorted((hit for found, _ in past for hit in found), key=lambda hit: -hit.score)[:limit]
            lacking = [reason for _, reason in past]
    return within_budget(hits, budget_tokens), next((by_words_only(why) for why in lacking if why), None)


def ranked(pools: Sequence[Pool], matching: Filter, *, limit: int, now: datetime, weights: Weights) -> list[Hit]:
    """The candidates of every space in one order, measured on one scale."""
    nearest = max((ranking.nearest(pool.cosines, pool.unrelated) for pool in pools), default=0.0)
    best_text = max((float(pool.keywords.max(initial=0.0)) for pool in pools), default=0.0)
    hits: list[Hit] = []
    for pool in pools:
        scores = _scores(pool, nearest, best_text, weights, now=micros(now))
        first = sorted(scores, key=lambda key: (-scores[key].relevance, key))[: limit + SPARE]
        rows = pool.reader.by_key([*first, *_sources(pool, first)], matching)
        memories = dict(zip(rows, records.memories(list(rows.values()), pool.reader, now), strict=True))
        hits += [_hit(pool, key, scores[key], memories) for key in first if key in memories]
    return sorted(hits, key=lambda hit: -hit.score)[:limit]


@dataclass(slots=True)
class Score:
    relevance: float
    parts: dict[str, float]


def _scores(pool: Pool, nearest: float, best_text: float, weights: Weights, *, now: int) -> dict[int, Score]:
    """The relevance of everything found, by memory key, with its parts."""
    words = ranking.scaled(pool.keywords, best_text)
    meaning = ranking.semantic_parts(pool.cosines, pool.unrelated, nearest, otherwise=words)
    parts = {"keyword": words, "semantic": meaning}
    own = ranking.relevance(parts, pool.sections, weights)
    session = ranking.beside(own, pool.before, pool.after)
    pool.reached = follow_links(pool, own, now=now)
    keys = [int(key) for key in pool.keys]
    links = np.asarray([r.activation if (r := pool.reached.get(key)) else 0.0 for key in keys])
    parts |= {"graph": np.minimum(session + links, 1.0), "affinity": pool.affinity}
    total = ranking.relevance(parts, pool.sections, weights)
    parts |= {"session": session, "links": links}
    scores = {
        key: Score(float(total[at]), {name: float(values[at]) for name, values in parts.items()})
        for at, key in enumerate(keys)
        if total[at] > 0
    }
    return scores | _brought_in(pool, weights, scores)


def _brought_in(pool: Pool, weights: Weights, scores: Mapping[int, Score]) -> dict[int, Score]:
    """Memories that no channel found and links alone lead to."""
    keys = [key for key in pool.reached if key not in scores]
    links = np.asarray([pool.reached[key].activation for key in keys])
    nothing = np.zeros(len(keys))
    parts = {"keyword": nothing, "semantic": nothing, "affinity": nothing, "graph": links}
    total = ranking.relevance(parts, pool.sections_of(pool.view.slots(keys)), weights)
    return {
        key: Score(float(total[at]), {"graph": float(links[at]), "links": float(links[at])})
        for at, key in enumerate(keys)
    }


def _sources(pool: Pool, keys: Sequence[int]) -> set[int]:
    """The memories from which activation came to these, for telling why."""
    return {step.source for key in keys if key in pool.reached for _, step in activation.path(key, pool.reached)}


def _hit(pool: Pool, key: int, score: Score, memories: Mapping[int, Memory]) -> Hit:
    memory = memories[key]
    standing = ranking.standing(
        memory.section, recency=memory.retrievability, authority=1.0 if memory.pinned else memory.trust
    )
    parts = {name: value for name, value in score.parts.items() if value > 0} | {"standing": standing}
    if not pool.has_vector(key):
        parts.pop("semantic", None)
    return Hit(memory, score.relevance * standing, parts, _why(pool, key, parts, memories))


def _why(pool: Pool, key: int, parts: Mapping[str, float], memories: Mapping[int, Memory]) -> str:
    """The reasons a memory was found, in words."""
    reasons = []
    if "keyword" in parts:
        reasons.append("its text matches the words of the query")
    if "semantic" in parts:
        reasons.append("its meaning is near the query")
    if "affinity" in parts:
        carried = [name for name in memories[key].entities if name in pool.question.names]
        reasons.append(f"it is about {', '.join(carried)}" if carried else "it is about a name in the query")
    if "session" in parts:
        reasons.append("what was said next to it in its session matches")
    if "links" in parts:
        reasons.append(_path(pool, key, memories))
    if pool.lacking:
        reasons.append(by_words_only(pool.lacking))
    return "; ".join(reasons)


def _path(pool: Pool, key: int, memories: Mapping[int, Memory]) -> str:
    steps = activation.path(key, pool.reached)
    origin = memories.get(steps[0][1].source)
    told = [f"{origin.title!r}" if origin else "a memory that was found"]
    for place, step in steps:
        through = memories.get(place)
        name = "this" if place == key else f"{through.title!r}" if through else "another"
        told.append(f"{step.type} ({step.weight:.2f}) → {name}")
    return "linked: " + " → ".join(told)


def within_budget(hits: Sequence[Hit], budget_tokens: int | None) -> list[Hit]:
    """The hits, best first, that fit a token budget."""
    if budget_tokens is None:
        return list(hits)
    if isinstance(budget_tokens, bool) or not isinstance(budget_tokens, int) or budget_tokens < 1:
        raise InvalidInput(
            "budget_tokens", f"{budget_tokens!r} is not a whole number of at least 1. Pass one, or leave it out."
        )
    costs = [ranking.tokens(hit.memory.text) for hit in hits]
    return [hits[at] for at in ranking.packed(costs, budget_tokens)]
