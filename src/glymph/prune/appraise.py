"""The worth of memories side by side: need, information, redundancy and supersession."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from glymph.decay import need
from glymph.decay.sections import SUMMARY_KIND
from glymph.prune.worth import redundancy, worth
from glymph.store.contract import Row
from glymph.text import information


@dataclass(frozen=True, slots=True)
class Appraisal:
    """The worth of a memory among those it is compared with, and the parts it is made of."""

    worth: float
    information: float
    need: float
    redundancy: float


def appraise(rows: Iterable[Row], *, now: int) -> dict[int, Appraisal]:
    """Returns the appraisal of each row by its key.

    Rarity and repetition are judged among these rows.
    """
    given = sorted(rows, key=lambda row: int(row["key"]))
    if not given:
        return {}
    texts = [row["text"] for row in given]
    told = information.score_texts(texts)
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
        superseded=[float(row["superseded_by"] is not None) for row in given],
    )
    return {
        row["key"]: Appraisal(*figures)
        for row, *figures in zip(
            given, found.total.tolist(), told.tolist(), wanted.tolist(), again.tolist(), strict=True
        )
    }
