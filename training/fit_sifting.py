"""Fit how much each sign tells that a sentence of a conversation is worth keeping.

    python -m training.fit_sifting [SET ...]

Prints the weights for `glymph.learn.sift`, learnt from marked transcripts that the reader in use
has not learnt from (left out of `training.fit_keeping`), and how well the others of them tell of
each. A minute and a half for each set.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.extraction import FOLDER
from benchmarks.harness.forgetting_cases import lines
from benchmarks.harness.transcripts import find_agreed, find_turn, list_lines
from glymph.learn.extract import _number_turns
from glymph.learn.sift import MOST, Signs, _ask_about, _read_sentences, find_signs
from glymph.learn.windows import windows
from glymph.reader.automatic import open_automatic
from glymph.reader.contract import Reader
from glymph.text.normal import normalise

Floats = NDArray[np.float64]
SETS = ("tenth", "eleventh")
HELD_BACK, STEPS = 3.0, 30  # how strongly weights are held small, and steps of Newton's method
SOUGHT = (0.70, 0.75, 0.80)  # of what is worth keeping


class Row(NamedTuple):
    """A sentence that may be worth keeping: what tells it, and whether two of three marked it."""

    part: str
    signs: Signs
    marked: bool


def read_rows(reader: Reader, part: str) -> Iterator[Row]:
    """Give the sentences of a set that are read twice."""
    for case in lines(FOLDER / f"{part}.jsonl"):
        heard: dict[str, str] = {}
        agreed = [(turn, normalise(text)) for turn, text in find_agreed(case)]
        for window in windows(_number_turns(list_lines(case)), 0):
            for turn in window.turns:
                if turn.text:
                    number = find_turn(case, turn.at)
                    marked = [text for at, text in agreed if at == number]
                    yield from _read_turn(reader, part, turn.role, turn.text, heard, marked)


def _read_turn(
    reader: Reader, part: str, role: str, text: str, heard: dict[str, str], marked: Sequence[str]
) -> Iterator[Row]:
    sentences = list(islice(_read_sentences(text), MOST))
    asked = _ask_about(role, sentences, heard.get("assistant" if role == "user" else "user", ""))
    signs = find_signs(reader, asked, reader.sift(asked), opens="assistant" not in heard)
    for at, own in signs.items():
        said = normalise(sentences[at].text)
        yield Row(part, own, any(said in one or one in said for one in marked))
    heard[role] = " ".join(one.text for one in sentences) or heard.get(role, "")


def fit(rows: Sequence[Row]) -> Floats:
    """Fit the shift and the weights of the signs, by logistic regression."""
    signs = np.array([row.signs for row in rows])
    marked = np.array([row.marked for row in rows], dtype=float)
    middle, spread = signs.mean(axis=0), signs.std(axis=0) + 1e-9
    told = np.c_[np.ones(len(rows)), (signs - middle) / spread]
    held = np.diag([0.0] + [HELD_BACK] * signs.shape[1])
    weights = np.zeros(told.shape[1])
    for _ in range(STEPS):
        shares = 1 / (1 + np.exp(-told @ weights))
        curve = told.T @ (told * (shares * (1 - shares))[:, None]) + held
        weights -= np.linalg.solve(curve, told.T @ (shares - marked) + held @ weights)
    plain: Floats = weights[1:] / spread
    return np.concatenate([[weights[0] - float(plain @ middle)], plain])


def judge(rows: Sequence[Row], odds: Floats) -> str:
    """Tell how many of 100 are worth keeping, where so many of those that are have been found."""
    marked = np.array([row.marked for row in rows])[np.argsort(-odds)].cumsum()
    places = [int(np.searchsorted(marked, share * marked[-1])) for share in SOUGHT]
    return ", ".join(
        f"{100 * marked[at] / (at + 1):.1f} at {100 * share:.0f}"
        for at, share in zip(places, SOUGHT, strict=True)
    )


def fit_sifting(parts: Sequence[str]) -> None:
    """Fit on all sets, and tell of each what those fitted on the others do with it."""
    reader = open_automatic()
    rows = [row for part in parts for row in read_rows(reader, part)]
    signs = np.array([row.signs for row in rows])
    odds = np.zeros(len(rows))
    for part in parts:
        weights = fit([row for row in rows if row.part != part])
        own = np.array([row.part == part for row in rows])
        odds[own] = weights[0] + signs[own] @ weights[1:]
        print(f"{part}, left out:", *(f"{one:.2f}" for one in weights))
    print("by the share alone:", judge(rows, signs[:, 0]))
    print("by weights of the other sets:", judge(rows, odds))
    weights = fit(rows)
    print(f"SHIFT = {weights[0]:.2f}", Signs(*(round(float(one), 2) for one in weights[1:])))


if __name__ == "__main__":
    fit_sifting(sys.argv[1:] or SETS)
