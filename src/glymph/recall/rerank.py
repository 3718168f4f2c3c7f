"""Reads the best hits of a search once more, to tell which of them answer the question.

What the channels say of a hit is a place in an order: the best has about 1, however little it
answers. Behind a reader the score is how likely the hit answers, which is the same scale for every
question. A long text says many things, and is read sentence by sentence: it answers as likely as
the likeliest of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from glymph.reader.contract import Reader
from glymph.reader.window import count_shared
from glymph.text.sentences import NOTES, split_sentences

WHOLE = 320  # characters; a longer text is read sentence by sentence
# Sentences of a long text that are read. Of those that answer, 92 in 100 are among the six that
# share most with the question.
MOST_PASSAGES = 6
LEAST_READ = 3  # hits; where fewer fit the budget, reading them would change little
MOST_READ = 10  # reading more of them cost more and found no more
# What a sure answer is worth beside the channels, whose best hit has about 1. More of it puts what
# merely sounds like an answer above what the words and the meaning agree on.
OF_READING = 0.15
# How likely a hit answers that was not read: logistic regression over the questions of our own
# conversations that the reader was not trained on.
ALONE, ALONE_SHIFT = 5.79, -3.72


class Reading(NamedTuple):
    """How likely a hit answers, and the passage of it that does."""

    likely: float
    passage: str


def cut_passages(text: str, question: str) -> list[str]:
    """Returns what is read of a text: itself, or the sentences of a long one.

    Of many sentences those that share words with the question are read, then the first.
    """
    if len(text) <= WHOLE:
        return [text]
    sentences = split_sentences(text, NOTES) or [text]
    if len(sentences) <= MOST_PASSAGES:
        return sentences
    shared = count_shared(sentences, question)
    best = sorted(range(len(sentences)), key=lambda at: (-shared[at], at))[:MOST_PASSAGES]
    return [sentences[at] for at in sorted(best)]


def score_best(
    reader: Reader, question: str, hits: Sequence[Sequence[str]], budget_ms: float
) -> list[Reading]:
    """Returns what the reader says of the best hits, each given by its passages.

    As many are read as the budget allows; none, if the reader cannot tell or fewer than a few fit.
    """
    hits = hits[:MOST_READ]
    if not hits or budget_ms <= 0:
        return []
    costs = [sum(reader.estimate_ms(question, passages)) for passages in hits]
    readable = hits[: count_readable(costs, budget_ms)]
    scores = reader.score(question, [passage for passages in readable for passage in passages])
    if not scores:
        return []
    said = iter(scores)
    return [max(Reading(next(said), passage) for passage in passages) for passages in readable]


def count_readable(costs_ms: Sequence[float], budget_ms: float) -> int:
    """Returns how many of the hits, best first, can be read within the budget."""
    spent = 0.0
    for count, cost in enumerate(costs_ms):
        spent += cost
        if spent > budget_ms:
            return count if count >= LEAST_READ else 0
    return len(costs_ms)


def find_scores(said: Sequence[float | None], channels: Sequence[float]) -> list[float]:
    """Returns for each hit, best first, how likely it or one below it answers.

    So scores fall from hit to hit, and whoever cuts the list at a score loses no likelier one.
    `said` holds None for a hit that was not read; such a one is no likelier than those above it.
    """
    least = min((own for own in said if own is not None), default=1.0)
    likeliest: float | None = None  # of this hit and those below it
    scores: list[float] = []
    for own, channel in zip(reversed(said), reversed(channels), strict=True):
        if own is not None:
            likeliest = max(own, likeliest or 0.0)
        unread = min(least, guess_unread(channel))
        scores.append(unread if likeliest is None else likeliest)
    return scores[::-1]


def guess_unread(channel: float) -> float:
    """Returns how likely a hit answers that was not read."""
    return 1 / (1 + math.exp(-(ALONE * channel + ALONE_SHIFT)))
