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
MOST_READ = 50
# How the reader's odds and the order of the channels make one probability: logistic regression
# over the questions of our own conversations that the reader was not trained on.
OF_READER, OF_CHANNELS, SHIFT = 0.74, 3.88, -1.23
ALONE, ALONE_SHIFT = 5.79, -3.72  # the same for a hit that was not read


def count_readable(costs_ms: Sequence[float], budget_ms: float) -> int:
    """Returns how many of the hits, best first, can be read within the budget."""
    spent = 0.0
    for count, cost in enumerate(costs_ms):
        spent += cost
        if spent > budget_ms:
            return count if count >= LEAST_READ else 0
    return len(costs_ms)


def find_relevance(
    reader: Reader, question: str, texts: Sequence[str], channels: Sequence[float], budget_ms: float
) -> list[tuple[float, float | None]] | None:
    """Returns for each hit, best first, how likely it answers, and what the reader alone says.

    None means that the reader cannot tell or that the budget is too small: the order stays.
    """
    texts, tail = texts[:MOST_READ], channels[MOST_READ:]
    if not texts or budget_ms <= 0:
        return None
    count = count_readable(reader.estimate_ms(question, texts), budget_ms)
    said = reader.score(question, texts[:count]) if count else None
    if said is None:
        return None
    read = [(fuse(own, channel), own) for own, channel in zip(said, channels[:count], strict=True)]
    least = min(whole for whole, _ in read)
    unread = [*channels[count : len(texts)], *tail]
    return [*read, *((min(least, guess_unread(channel)), None) for channel in unread)]


def fuse(relevance: float, channel: float) -> float:
    """Returns how likely a hit answers, from what the reader and the channels say."""
    odds = math.log(max(relevance, 1e-6) / max(1 - relevance, 1e-6))
    return _share(OF_READER * odds + OF_CHANNELS * channel + SHIFT)


def guess_unread(channel: float) -> float:
    """Returns how likely a hit answers that was not read."""
    return _share(ALONE * channel + ALONE_SHIFT)


def _share(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))
