"""Finds the part of a text that a request means, from what the network says of its tokens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from glymph.reader.wording import Span

INSIDE, BEGINS, ENDS = range(3)  # what the network says of each token, as log odds


def find_spans(says: npt.NDArray[np.float32], offsets: Sequence[Span]) -> tuple[Span, ...]:
    """Returns the best stretches of tokens as places in the text; at least one where there are any.

    A stretch is worth the odds of its tokens to lie inside, of its first to begin it and of its
    last to end it. The best choice of stretches is found from left to right.
    """
    count = len(offsets)
    if not count:
        return ()
    outside, inside = 0.0, -np.inf  # the best that ends before this token, by whether it is within
    came: list[tuple[bool, bool]] = []  # per token: is `outside` from within, does `inside` go on
    for at in range(count):
        opened = outside + says[at, BEGINS]
        goes_on = inside > opened
        within = max(inside, opened) + says[at, INSIDE]
        closed = within + says[at, ENDS]
        came.append((closed > outside, bool(goes_on)))
        outside, inside = max(outside, closed), within
    found: list[Span] = []
    at, end = count - 1, -1
    while at >= 0:
        if end < 0 and came[at][0]:
            end = at
        if end >= 0 and not came[at][1]:
            found.append((at, end))
            end = -1
        at -= 1
    if not found:
        best = int(np.argmax(says[:count].sum(axis=1)))
        found = [(best, best)]
    return tuple((offsets[a][0], offsets[b][1]) for a, b in reversed(found))
