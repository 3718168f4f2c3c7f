"""Finds memories by words, by meaning, by session and by links. Looking never reinforces.

    find          checks what is asked for
    gather        asks the channels of each space: every candidate, with its figures (channels.py)
    rank_pools    puts the candidates of all spaces into one order (rank.py)
      _score      fuses what the channels say of a candidate into its relevance
      _read_again  reads the best ones, to tell which of them answer (rerank.py)
      _newer_first  moves what updates a hit directly above it
    make_hit      says how a memory scored, and why it was found (hits.py)

A search `at` a moment in the past goes through past.py instead.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from glymph import telemetry
from glymph.checks import checked_space, checked_text, show
from glymph.context import Context
from glymph.decay.sections import Weights
from glymph.errors import InvalidInput
from glymph.model import Hit
from glymph.moments import micros
from glymph.reader.no_reader import NoReader
from glymph.recall import rank, spread
from glymph.recall.channels import Pool, count_words, follow_links, gather
from glymph.recall.filters import (
    Filters,
    check_filters,
    check_kinds,
    check_limit,
    check_list,
    check_score,
)
from glymph.recall.hits import Candidate, Score, lift, make_hit
from glymph.recall.newer_first import (
    Place,
    Updates,
    compare_answers,
    newer_first,
    skip_hidden,
    updates_of,
)
from glymph.recall.past import by_words_only, search_past
from glymph.recall.rank import Figures
from glymph.recall.rerank import MOST_READ, OF_READING, cut_passages, find_scores, score_best
from glymph.recall.summaries import find_outdated
from glymph.store import records
from glymph.store.contract import Filter, Row
from glymph.store.scan import Slots
from glymph.text.tokens import tokens

MAX_QUERY_CHARS = 20_000
UNANSWERED = 0.1  # where a reader holds no hit to be likelier than this, none answers
MOST_NAMES = 3  # of a memory that a reader is told
OF_BUDGET = 0.8  # of what reading may cost; the rest compares those that answer
FEWEST = 10  # of the best among which the newer is put first, also where fewer are asked for
SPARE = 30  # candidates read beyond the limit: age and trust may change the order


class SearchOptions(Filters, total=False):
    """The filters, and how much to return, from where and when."""

    limit: int
    spaces: Sequence[str] | None
    budget_tokens: int | None
    min_score: float | None
    at: datetime | None


@telemetry.observe_calls("search")
def search(ctx: Context, query: str, **options: Unpack[SearchOptions]) -> list[Hit]:
    """Returns the best hits, without touching anything."""
    return find(ctx, query, **options)[0]


def find(
    ctx: Context, query: str, *, limit: int = 10, spaces: Sequence[str] | None = None,
    budget_tokens: int | None = None, min_score: float | None = None,
    at: datetime | None = None, **filters: Unpack[Filters],
) -> tuple[list[Hit], str | None]:  # fmt: skip
    """Returns the best hits, and what a caller should know about them."""
    checked_text("query", query, MAX_QUERY_CHARS)
    check_limit(ctx, limit)
    check_score(min_score)
    now = ctx.now()
    matching = replace(check_filters(filters), live_at=micros(now))
    given = check_list("spaces", spaces)
    names = [ctx.space] if given is None else [checked_space(name) for name in given]
    if at is None:
        ctx.settle_few()
    with ExitStack() as stack:
        readers = [stack.enter_context(ctx.reading(name)) for name in dict.fromkeys(names)]
        for reader in readers:
            check_kinds(reader, matching)
        if at is None:
            counts = count_words(ctx, readers, query)
            pools = [
                gather(ctx, reader, query, matching, limit=limit, counts=counts)
                for reader in readers
            ]
            hits = rank_pools(
                pools, matching, limit=limit, now=now, weights=ctx.weights,
                judge=partial(_read_again, ctx, query),
            )  # fmt: skip
            lacking = [pool.lacking for pool in pools]
        else:
            past = [
                search_past(ctx, reader, query, matching, at=at, limit=limit) for reader in readers
            ]
            hits = sorted((hit for found, _ in past for hit in found), key=lambda hit: -hit.score)
            hits = hits[:limit]
            lacking = [reason for _, reason in past]
    notice = next((by_words_only(why) for why in lacking if why), None) or say_unanswered(hits)
    if min_score is not None:
        hits = [hit for hit in hits if hit.score >= min_score]
    return within_budget(hits, budget_tokens), notice


def say_unanswered(hits: Sequence[Hit]) -> str | None:
    """Says that nothing was found that answers, if the reader found none among what it read."""
    read = [hit.parts["relevance"] for hit in hits if "relevance" in hit.parts]
    if not read or max(read) >= UNANSWERED:
        return None
    return "Nothing here seems to answer that: these are only the nearest memories."


def rank_pools(
    pools: Sequence[Pool], matching: Filter, *, limit: int, now: datetime, weights: Weights,
    judge: Callable[[list[Candidate]], Updates] | None = None,
) -> list[Hit]:  # fmt: skip
    """Puts the candidates of every space into one order, measured on one scale.

    `judge` may change the order of the candidates, which it gets best first, and says which of them
    may put which others out of date.
    """
    nearest = max((rank.nearest(pool.cosines, pool.unrelated) for pool in pools), default=0.0)
    best_text = max((float(pool.keywords.max(initial=0.0)) for pool in pools), default=0.0)
    most = limit + SPARE
    sharpened = [
        pool.sharpen(_guess_best(pool, nearest, best_text, weights)[:most], pairs=2 * limit)
        for pool in pools
    ]
    nearest = max(sharpened, default=0.0)
    found: list[Candidate] = []
    for pool in pools:
        scores = _score(pool, nearest, best_text, weights, most=most, now=micros(now))
        rows = pool.reader.by_key([*scores, *_sources(pool, scores)], matching)
        for key in find_outdated(pool.reader, rows.values()):
            scores.pop(key, None)
        read = _read_candidates(pool, rows, scores, now)
        found += [read[key] for key in scores if key in read]
    found.sort(key=lambda one: -one.total)
    told = judge(found) if judge is not None else {}
    ordered, updates = _newer_first(found[: max(limit, FEWEST)], told)
    ids = {one.place: one.rows[one.key]["id"] for one, _ in ordered}
    hits: list[Hit] = []
    for one, older in reversed(ordered):
        newer = (ids[place] for place in updates.get(one.place, ()) if place in ids)
        hit = make_hit(one, tuple(newer))
        hits.append(hit if older is None else lift(hit, older, least=hits[-1].score))
    return hits[::-1][:limit]


def _read_again(ctx: Context, query: str, found: list[Candidate]) -> Updates:
    """Reads the best candidates, and says how likely each answers; what does moves up.

    Returns which of those that answer may be out of date.
    """
    if ctx.reader.name == NoReader.name:  # nor are there passages to be cut for it
        return {}
    passages = [_tell(one.rows[one.key], query) for one in found[:MOST_READ]]
    budget = ctx.settings.rerank_ms
    said = score_best(ctx.reader, query, passages, budget * OF_BUDGET)
    if not said:
        return {}
    for one, own in zip(found, said, strict=False):
        one.score.parts["relevance"] = own.likely
        one.score.relevance += OF_READING * own.likely
        one.passage = own.passage
    found.sort(key=lambda one: -one.total)
    scores = find_scores(
        [one.score.parts.get("relevance") for one in found],
        [one.score.relevance for one in found],
    )
    for one, likely in zip(found, scores, strict=True):
        one.likely = likely
    return compare_answers(ctx.reader, [one.as_answer() for one in found if one.passage])


def _tell(row: Row, query: str) -> list[str]:
    """Returns the passages of a memory, each after the names that the memory does not say itself.

    Those are the names it is about.
    """
    text: str = row["text"]
    said = text.casefold()
    unsaid = [name for name in records.words(row["entities"]) if name.casefold() not in said]
    names = f"{', '.join(unsaid[:MOST_NAMES])}: " if unsaid else ""
    return [f"{names}{passage}" for passage in cut_passages(text, query)]


def _newer_first(
    best: Sequence[Candidate], told: Updates
) -> tuple[list[tuple[Candidate, Candidate | None]], Updates]:
    """Puts what updates one of the best directly above it, if it is one of them itself.

    Links say what does, and the reader that has just read them.
    """
    updates: dict[Place, Sequence[Place]] = {}
    for pool in {id(one.pool): one.pool for one in best}.values():
        here = [one for one in best if one.pool is pool]
        found_itself = {one.key for one in here if one.was_found_itself}
        updates |= updates_of(pool.reader, [one.key for one in here], found_itself)
    for place, several in told.items():
        updates[place] = list(dict.fromkeys([*updates.get(place, ()), *several]))
    newer = {one.place: one for one in best}
    shown = skip_hidden(updates, newer)
    return newer_first(best, lambda one: one.place, shown, newer), shown


@dataclass(slots=True)
class Speaking:
    """What speaks for each candidate of a pool, links apart."""

    sections: NDArray[np.intp]  # as places among the weights
    parts: dict[str, Figures]
    own: Figures  # the relevance of its words and its meaning
    session: Figures  # what those next to it in its session lend it


def _listen(pool: Pool, nearest: float, best_text: float, weights: Weights) -> Speaking:
    words = rank.scale(pool.keywords, best_text)
    meaning = rank.semantic_parts(pool.cosines, pool.unrelated, nearest, otherwise=words)
    parts = {"keyword": words, "semantic": meaning}
    sections = pool.number_sections(pool.slots, weights)
    own = rank.fuse(parts, sections, weights)
    return Speaking(sections, parts, own, rank.beside(own, pool.before, pool.after))


def _guess_best(pool: Pool, nearest: float, best_text: float, weights: Weights) -> Slots:
    """Returns the places of candidates, about the best first, if their cosines are estimates."""
    if pool.blurred is None:
        return np.zeros(0, dtype=np.intp)
    heard = _listen(pool, nearest, best_text, weights)
    parts = heard.parts | {"graph": heard.session, "affinity": pool.affinity}
    return np.argsort(-rank.fuse(parts, heard.sections, weights))


def _score(
    pool: Pool, nearest: float, best_text: float, weights: Weights, *, most: int, now: int
) -> dict[int, Score]:
    """Returns the scores of the most relevant candidates by memory key, best first."""
    heard, keys = _listen(pool, nearest, best_text, weights), pool.keys
    pool.reached = follow_links(pool, heard.own, now=now)
    links = np.zeros(len(keys))
    for at in np.flatnonzero(np.isin(keys, list(pool.reached))) if pool.reached else ():
        links[at] = pool.reached[int(keys[at])].activation
    graph = np.minimum(heard.session + links, 1.0)
    parts = heard.parts | {"graph": graph, "affinity": pool.affinity}
    total = rank.fuse(parts, heard.sections, weights)
    parts |= {"session": heard.session, "links": links}
    parts["semantic"] = np.where(np.isnan(pool.cosines), 0.0, parts["semantic"])
    best = np.lexsort((keys, -total))[:most]
    best = best[total[best] > 0]
    told = zip(*(values[best].tolist() for values in parts.values()), strict=True)
    scores = {
        key: Score(own, dict(zip(parts, said, strict=True)))
        for key, own, said in zip(keys[best].tolist(), total[best].tolist(), told, strict=True)
    }
    if pool.reached:
        scores |= _score_linked(pool, weights, set(keys.tolist()))
    return dict(sorted(scores.items(), key=lambda item: (-item[1].relevance, item[0]))[:most])


def _score_linked(pool: Pool, weights: Weights, known: Container[int]) -> dict[int, Score]:
    """Scores the memories that no channel found and links alone lead to."""
    keys = [key for key in pool.reached if key not in known]
    links = np.asarray([pool.reached[key].activation for key in keys])
    nothing = np.zeros(len(keys))
    parts = {"keyword": nothing, "semantic": nothing, "affinity": nothing, "graph": links}
    total = rank.fuse(parts, pool.number_sections(pool.view.slots(keys), weights), weights)
    return {
        key: Score(float(total[at]), {"graph": float(links[at]), "links": float(links[at])})
        for at, key in enumerate(keys)
    }


def _sources(pool: Pool, keys: Iterable[int]) -> set[int]:
    """Returns the memories from which activation came to these, for saying why."""
    return {
        step.source
        for key in keys
        if key in pool.reached
        for _, step in spread.path(key, pool.reached)
    }


def _read_candidates(
    pool: Pool, rows: Mapping[int, Row], scores: Mapping[int, Score], now: datetime
) -> dict[int, Candidate]:
    """Returns the candidates among the rows by their keys, weighed by age and trust."""
    recencies = records.retrievabilities(list(rows.values()), pool.reader, now)
    candidates: dict[int, Candidate] = {}
    for (key, row), recency in zip(rows.items(), recencies, strict=True):
        if key in scores:
            authority = 1.0 if row["pinned"] else row["trust"]
            share = rank.weigh_standing(row["section"], recency=recency, authority=authority)
            candidates[key] = Candidate(pool, key, scores[key], recency, share, rows)
    return candidates


def within_budget(hits: Sequence[Hit], budget_tokens: int | None) -> list[Hit]:
    """Returns the hits, best first, that fit a token budget."""
    if budget_tokens is None:
        return list(hits)
    if isinstance(budget_tokens, bool) or not isinstance(budget_tokens, int) or budget_tokens < 1:
        raise InvalidInput(
            "budget_tokens",
            f"{show(budget_tokens)} is not a whole number of at least 1. "
            "Pass one, or leave it out.",
        )
    costs = [tokens(hit.memory.text) for hit in hits]
    return [hits[at] for at in rank.fit_budget(costs, budget_tokens)]
