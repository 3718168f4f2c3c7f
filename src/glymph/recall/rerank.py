"""Reads the best hits of a search once more, to tell which of them answer the question.

What the channels say of a hit is a place in an order: the best has about 1, however little it
answers. Behind a reader the score is how likely the hit answers, which is the same scale for every
question.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from glymph.reader.contract import Reader

LEAST_READ = 3  # hits; where fewer fit the budget, reading them would change little
MOST_READ = 10  # reading more of them cost more and found no more
# What a sure answer is worth beside the channels, whose best hit has about 1. More of it puts what
# merely sounds like an answer above what the words and the meaning agree on.
OF_READING = 0.15
# How likely a hit answers that was not read: logistic regression over the questions of our own
# conversations that the reader was not trained on.
ALONE, ALONE_SHIFT = 5.79, -3.72


def score_best(
    reader: Reader, question: str, texts: Sequence[str], budget_ms: float
) -> list[float]:
    """Returns what the reader says of the best hits, of as many as the budget allows.

    None of them, if it cannot tell or if the budget is too small.
    """
    texts = texts[:MOST_READ]
    if not texts or budget_ms <= 0:
        return []
    count = count_readable(reader.estimate_ms(question, texts), budget_ms)
    return (reader.score(question, texts[:count]) if count else None) or []


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
