"""Lays two texts out as the numbers that the reader's network takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from tokenizers import Tokenizer


START, FILL, END = 0, 1, 2  # the numbers of <s>, <pad> and </s>
FILL_SIDE = -1
Numbers = npt.NDArray[np.int64]


class Layout(NamedTuple):
    """A pair as tokens, and where each token of its second text stands in that text."""

    ids: list[int]
    sides: list[int]
    second_at: int
    offsets: list[tuple[int, int]]


class Pieces(NamedTuple):
    """A text as tokens, and where each stands in it."""

    ids: list[int]
    offsets: list[tuple[int, int]]


def cut_to_pieces(tokenizer: Tokenizer, text: str) -> Pieces:
    """Cuts a text into the tokens of the vocabulary."""
    found = tokenizer.encode(text, add_special_tokens=False)
    return Pieces(found.ids, found.offsets)


def lay_out(first: Pieces, second: Pieces) -> Layout:
    """Puts the tokens of two texts into one row, each ended by a mark."""
    ids = [START, *first.ids, END]
    at = len(ids)
    sides = [0] * at
    if second.ids:
        ids += [*second.ids, END]
        sides += [1] * (len(second.ids) + 1)
    return Layout(ids, sides, at, second.offsets)


def fill_up(rows: Sequence[Layout]) -> tuple[Numbers, Numbers]:
    """Returns tokens and sides of several rows, filled up to the longest of them."""
    longest = max(len(row.ids) for row in rows)
    ids = np.full((len(rows), longest), FILL, np.int64)
    sides = np.full((len(rows), longest), FILL_SIDE, np.int64)
    for at, row in enumerate(rows):
        ids[at, : len(row.ids)] = row.ids
        sides[at, : len(row.sides)] = row.sides
    return ids, sides
