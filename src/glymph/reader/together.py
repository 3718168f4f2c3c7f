"""Puts the texts that a request may mean into scenes, which are read as one row each.

What is meant often shows only beside the other texts: who the landlady is, which address is the old
one, whom a nickname stands for. Each text still gets a judgement of its own, from its own tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from glymph.reader.calibration import Floats
from glymph.reader.layout import Layout
from glymph.reader.spans import find_spans
from glymph.reader.wording import Span

MARKS = 3  # of every token: does it lie inside what is meant, begin it, end it; then its judgement
BREAK = 3  # tokens that stand between two texts, at most


def gather(sizes: Sequence[int], room: int) -> Iterator[list[int]]:
    """Yields which texts are read together: as many as fit, in their order."""
    group: list[int] = []
    used = 0
    for at, size in enumerate(sizes):
        if group and used + size + BREAK > room:
            yield group
            group, used = [], 0
        group.append(at)
        used += size + BREAK
    if group:
        yield group


def judge_texts(told: Floats, row: Layout, starts: Sequence[int]) -> Floats:
    """Returns the judgement of each text of a scene: the mean of what is said of its tokens.

    A text that was cut off has no tokens; every answer is as likely for it.
    """
    tokens = told[row.second_at : row.second_at + len(row.offsets), MARKS:]
    number = _number_tokens(row, starts)
    means = np.zeros((len(starts), tokens.shape[1]), np.float32)
    for at in np.unique(number):
        means[at] = tokens[number == at].mean(axis=0)
    return means


def mark_texts(told: Floats, row: Layout, starts: Sequence[int]) -> list[tuple[Span, ...]]:
    """Returns the stretches of each text of a scene that are meant if a part of it is."""
    tokens = told[row.second_at : row.second_at + len(row.offsets), :MARKS]
    number = _number_tokens(row, starts)
    found: list[tuple[Span, ...]] = []
    for at, begins in enumerate(starts):
        own = np.flatnonzero(number == at)
        places = [(row.offsets[one][0] - begins, row.offsets[one][1] - begins) for one in own]
        found.append(find_spans(tokens[own], places))
    return found


def _number_tokens(row: Layout, starts: Sequence[int]) -> npt.NDArray[np.intp]:
    """Returns in which text of a scene each token stands."""
    begins = np.array([start for start, _ in row.offsets])
    return np.searchsorted(np.array(starts), begins, "right") - 1
