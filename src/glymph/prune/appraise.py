"""The worth of memories side by side.

It is made of need, information, redundancy, supersession, and what a reader holds them for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from glymph.decay import need
from glymph.decay.sections import SUMMARY_KIND
from glymph.prune.worth import redundancy, worth
from glymph.store.contract import Row
from glymph.text import information
from glymph.write.grading import LASTING, NOISE, VITAL, Grade

NOT_READ = 0.5  # as likely noise as not


@dataclass(frozen=True, slots=True)
class Appraisal:
    """The worth of a memory among those it is compared with, and the parts it is made of."""

    worth: float
    information: float
    need: float
    redundancy: float


def appraise(rows: Iterable[Row], *, now: int, grades: Mapping[int, Grade]) -> dict[int, Appraisal]:
    """Returns the appraisal of each row by its key; grades are a reader's, by key as well.

    Rarity and repetition are judged among these rows.
    """
    given = sorted(rows, key=lambda row: int(row["key"]))
    if not given:
        return {}
    texts = [row["text"] for row in given]
    known = [grades.get(row["key"]) for row in given]
    lasting = [np.nan if grade is None else grade[LASTING] + grade[VITAL] for grade in known]
    told = information.score_texts(texts, lasting=lasting)
    # A summary repeats others so that they may fade, not so that they may go at once.
    again = redundancy(["" if row["kind"] == SUMMARY_KIND else row["text"] for row in given])
    last = [np.nan if row["last_used_at"] is None else row["last_used_at"] for row in given]
    wanted = need.chance(
        need.activation(
            [row["access_count"] for row in given],
            [row["created_at"] for row in given],
            last,
            now=now,
        )
    )
    found = worth(
        told,
        need=wanted,
        redundancy=again,
        noise=[NOT_READ if grade is None else grade[NOISE] for grade in known],
        superseded=[float(row["superseded_by"] is not None) for row in given],
    )
    return {
        row["key"]: Appraisal(*figures)
        for row, *figures in zip(
            given, found.total.tolist(), told.tolist(), wanted.tolist(), again.tolist(), strict=True
        )
    }
