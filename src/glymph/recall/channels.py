"""The channels of recall in one space: words, meaning, session and links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from glymph.context import Context
from glymph.decay.sections import Weights
from glymph.recall import rank, spread
from glymph.recall.rank import Figures
from glymph.recall.spread import HOPS, MOST_NODES, Reached
from glymph.store.arrays import find_slots
from glymph.store.contract import Filter
from glymph.store.postings import Counts, join_counts
from glymph.store.reader import Reader
from glymph.store.scan import Slots, Vectors
from glymph.store.view import View
from glymph.text.query import Question, Words, read_query

FEW = 3  # of the nearest that are always compared exactly
POOL = 250  # of the best that each channel names, or as many as are asked for
NEIGHBOURED = 60  # of each channel's best whose neighbours in the session are looked up
SEEDS = 50  # of the best whose links are followed
COMMON_WORD = 0.05  # a word in more of the texts than this finds too much to be worth its time
COMMON_FROM = 20_000  # memories; in a smaller space every word may count


@dataclass(slots=True)
class Pool:
    """The candidates of one space, in arrays of equal length."""

    reader: Reader
    view: View
    passing: NDArray[np.bool_]
    question: Question
    slots: NDArray[np.intp]
    cosines: Figures
    keywords: Figures
    affinity: Figures
    unrelated: float
    before: NDArray[np.intp]  # place in the pool of the one before it in its session, or -1
    after: NDArray[np.intp]
    blurred: Vectors | None = None  # the query's vector, if the cosines are estimates
    lacking: str = ""  # why meaning could not be asked although there are vectors
    reached: dict[int, Reached] = field(default_factory=dict)

    def number_sections(self, slots: Slots, weights: Weights) -> NDArray[np.intp]:
        """Returns the places of the sections of some slots among the weights."""
        places = rank.number_sections(list(self.view.codes["section"]), weights)
        found: NDArray[np.intp] = places[self.view["section"][slots]]
        return found

    def sharpen(self, best: Slots, *, pairs: int) -> float:
        """Compares the vectors of the best exactly, if cosines are estimates.

        So are those of the nearest, and those next to the first `pairs` of the best in their
        sessions. Returns how far the nearest is above an unrelated memory.
        """
        if self.blurred is None or not len(self.slots):
            return rank.nearest(self.cosines, self.unrelated)
        beside = np.concatenate([self.before[best[:pairs]], self.after[best[:pairs]]])
        near = np.argsort(-self.cosines)[:FEW]  # what has no vector comes last
        some = np.unique(np.concatenate([best, beside[beside >= 0], near]))
        self.cosines[some] = self.view.cosines(self.blurred, self.slots[some], reader=self.reader)
        return rank.nearest(self.cosines[some], self.unrelated)

    @property
    def keys(self) -> NDArray[np.int64]:
        return self.view["key"][self.slots]


def count_words(ctx: Context, readers: Sequence[Reader], query: str) -> Counts | None:
    """Counts the query's words in spaces that are searched together, for one scale of all.

    None for one space alone, and where the store weighs words itself.
    """
    if len(readers) < 2:
        return None
    counted = []
    for reader in readers:
        view = ctx.embedding.mirrors.view(reader, ctx.embedding.try_model()[0])
        words = read_query(query, view.entities.starting, view.share).words
        if view.postings is None:
            return None
        counted.append(view.postings.count(reader, view, words))
    return join_counts(counted)


def gather(
    ctx: Context, reader: Reader, query: str, wanted: Filter, *, limit: int = 0,
    counts: Counts | None = None,
) -> Pool:  # fmt: skip
    """Gathers the candidates of a space: by words, by meaning, and beside those in a session.

    `counts` are those of `count_words`, where several spaces are searched.
    """
    model, lacking = ctx.embedding.try_model()
    view = ctx.embedding.mirrors.view(reader, model)
    question = read_query(query, view.entities.starting, view.share)
    passing = view.mask(wanted)
    if wanted.source is not None:  # which a mirror does not keep
        passing &= np.isin(view["key"], reader.from_source(wanted.source))
    depth = max(POOL, limit)
    words = _by_text(reader, view, question, wanted, passing, depth=depth, counts=counts)
    texts = _best(words, depth=depth)
    vector, lacking = (
        ctx.embedding.try_query(question.text) if view.model_key is not None else (None, lacking)
    )
    near, cosines, exact = np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.float32), True
    if vector is not None:
        near, cosines, exact = view.nearest_about(vector, passing, limit=depth, reader=reader)
    first = list(dict.fromkeys([*texts[:NEIGHBOURED], *near[:NEIGHBOURED].tolist()]))
    spoken = view.find_in_sessions(first)
    earlier, later = view.find_beside(spoken)
    beside = np.stack([earlier, later], axis=1).ravel()
    beside = beside[beside >= 0]
    slots = list(dict.fromkeys([*near.tolist(), *texts, *beside[passing[beside]].tolist()]))
    among = np.asarray(slots, dtype=np.intp)
    before, after = _join_neighbours(among, earlier, spoken, later)
    known = np.full(len(slots), np.nan)
    if vector is not None:
        known[: len(near)] = cosines
        known[len(near) :] = view.cosines_about(vector, among[len(near) :], reader=reader)
    unrelated = (
        0.0 if vector is None or view.vectors is None else view.vectors.unrelated_cosine(vector)
    )
    return Pool(
        reader=reader, view=view, passing=passing, question=question, slots=among, cosines=known,
        keywords=words[among],
        affinity=_affinity(view, question, among), unrelated=unrelated, before=before, after=after,
        blurred=None if exact else vector, lacking=lacking,
    )  # fmt: skip


def _by_text(
    reader: Reader,
    view: View,
    question: Question,
    wanted: Filter,
    passing: NDArray[np.bool_],
    *,
    depth: int,
    counts: Counts | None,
) -> Figures:
    """Returns a score for each slot that is let through and holds words of the question; else 0.

    A store that weighs words itself is asked for the best alone.
    """
    words = worth_asking(reader, view, question.words)
    if view.postings is not None:
        scores = view.postings.score(reader, view, words, counts=counts)
    else:
        scores = np.zeros(view.size)
        _raise(scores, view, reader.match(words, wanted, limit=depth))
    if question.pieces:
        most = float(scores.max(initial=0.0, where=passing)) or 1.0
        pieces = reader.match_pieces(question.pieces, wanted, limit=depth)
        _raise(scores, view, [(key, most * share) for key, share in pieces])
    scores *= passing
    return scores


def _raise(scores: Figures, view: View, found: Sequence[tuple[int, float]]) -> None:
    """Raises the scores of keys that the mirror knows to those found."""
    slots = view.slots([key for key, _ in found])
    given = np.asarray([score for _, score in found], dtype=np.float64)
    known = slots >= 0
    np.maximum.at(scores, slots[known], given[known])


def _best(scores: Figures, *, depth: int) -> list[int]:
    """Returns the slots with the best scores above 0, best first; of equal ones the oldest."""
    slots = np.flatnonzero(scores)
    if len(slots) > 2 * depth:  # those below the last that can be among the best need no sorting
        of_found = scores[slots]
        slots = slots[of_found >= np.partition(of_found, len(slots) - depth)[len(slots) - depth]]
    found: list[int] = slots[np.lexsort((slots, -scores[slots]))[:depth]].tolist()
    return found


def worth_asking(reader: Reader, view: View, words: Words) -> Words:
    """Drops words that a large part of a large space holds, unless all are such."""
    if view.size < COMMON_FROM:
        return words
    rare = []
    for word in words.words:
        share, size = view.frequencies.get(word, (0.0, 0))
        if view.size > 1.25 * size:
            share = reader.frequency(word, most=COMMON_WORD)
            view.frequencies[word] = (share, view.size)
        if share <= COMMON_WORD:
            rare.append(word)
    return words.only(rare) if rare else words


def _join_neighbours(
    among: Slots, earlier: Slots, spoken: Slots, later: Slots
) -> tuple[Slots, Slots]:
    """Returns the places of each candidate's neighbours in its session, which are mutual."""
    before, after = np.full((2, len(among)), -1, dtype=np.intp)
    order = np.argsort(among)
    first, second = (
        find_slots(among[order], side)
        for side in (np.append(earlier, spoken), np.append(spoken, later))
    )
    both = (first >= 0) & (second >= 0)
    first, second = order[first[both]], order[second[both]]
    before[second], after[first] = first, second
    return before, after


def _affinity(view: View, question: Question, slots: NDArray[np.intp]) -> Figures:
    """Returns 1 for memories that carry an entity the question names, else 0."""
    named = np.zeros(len(slots), dtype=np.bool_)
    for name in question.names:
        named |= view.find_naming(name, slots)
    return named.astype(np.float64)


def follow_links(pool: Pool, relevance: Figures, *, now: int) -> dict[int, Reached]:
    """Spreads activation from the best candidates over links; nothing hidden passes it on."""
    best = np.argsort(-relevance, kind="stable")[:SEEDS]
    frontier = {
        int(key): float(value) for key, value in zip(pool.keys[best], relevance[best], strict=True)
    }
    frontier = {key: value for key, value in frontier.items() if value > 0}
    visited = set(frontier)
    reached: dict[int, Reached] = {}
    for hop in range(1, HOPS + 1):
        found = spread.spread(
            frontier, pool.reader.edges_touching(list(frontier)), hop=hop, now=now
        )
        slots = pool.view.slots(list(found))
        shown = {
            k: r
            for (k, r), slot in zip(found.items(), slots, strict=True)
            if slot >= 0 and pool.passing[slot]
        }
        new = spread.strongest(
            {k: r for k, r in shown.items() if k not in visited}, MOST_NODES - len(visited)
        )
        if hop == 1:
            # A link between two finds speaks for both; activation never comes back where it went.
            reached = {k: r for k, r in shown.items() if k in visited}
        reached |= new
        visited |= new.keys()
        frontier = {key: r.activation for key, r in new.items()}
        if not frontier or len(visited) >= MOST_NODES:
            break
    return reached
