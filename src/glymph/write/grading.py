"""Grades: what the reader holds memories to be worth, and keeps beside their vectors.

A grade is four shares: of noise, of passing, lasting and vital. It is kept like a vector of a model
that is called after the reader: so it belongs to one wording, goes with its memory for good, and
travels with it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from glymph.context import Context
from glymph.decay.sections import SECTIONS, Section
from glymph.embed.embedding import wording
from glymph.moments import micros
from glymph.reader.no_reader import NoReader
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader

MODEL = "grades of "  # and the reader's name
NOISE, PASSING, LASTING, VITAL = range(4)
# The share from which on a memory is likely to be vital, so that a plan that people look at leaves
# it; may be, so that no unattended run takes it; and might be, so that it does not go for what it
# says alone. Of vital ones by writers that the reader had not learnt from, 17 in 100 are below the
# first, 6 below the second, 1 below the third; of others, 10, 24 and 47 in 100 are above them.
LIKELY_VITAL, PERHAPS_VITAL, CONCEIVABLY_VITAL = 0.2, 0.05, 0.01
MOSTLY_PASSING = 0.9  # the share of noise and passing from which on nothing is lost with it
MOST_GRADED = 400  # texts that one run reads

# Kinds that are figures of a moment, by what they are called: only a pin makes one vital. Of
# another episode a share of vital counts a quarter: vital ones are rarer there, and a text with a
# day and figures in it reads like an appointment.
RECORDS = frozenset("signal watchpoint trade_entry trade_close trade_modify".split())
OF_EPISODES = 0.25

Grade = tuple[float, ...]
NOT_READ: Grade = (0.0, 0.0, 1.0, 0.0)


def is_grades(model: str) -> bool:
    """Tells whether a model of the store is no embedder, but the grades of a reader."""
    return model.startswith(MODEL)


def is_vital(grade: Grade | None) -> bool:
    """Tells whether losing a memory may hurt somebody; none was read, so nobody knows."""
    return grade is not None and grade[VITAL] >= PERHAPS_VITAL


def weigh(grade: Grade, row: Row) -> Grade:
    """Returns a grade of a text as that of the memory it is; what is less vital is more lasting."""
    if row["kind"] in RECORDS:
        share = 0.0
    elif SECTIONS[Section(row["section"])].role == "source":
        share = OF_EPISODES
    else:
        return grade
    noise, passing, lasting, vital = grade
    return (noise, passing, lasting + (1 - share) * vital, share * vital)


def measure_passing(grade: Grade | None) -> float:
    """Returns the share of noise and passing; 0 if it may conceivably be vital, NaN if not read."""
    if grade is None:
        return math.nan
    return 0.0 if grade[VITAL] >= CONCEIVABLY_VITAL else grade[NOISE] + grade[PASSING]


@dataclass(slots=True)
class Grader:
    """Grades memories while the store is read, and keeps the new grades afterwards."""

    ctx: Context
    left: int = MOST_GRADED  # texts that may still be read
    fresh: list[tuple[Row, Grade]] = field(default_factory=list)

    @property
    def may_read(self) -> bool:
        """Tells whether there is a reader, and time for it."""
        return self.can_grade and (self.left > 0 or bool(self.fresh))

    @property
    def can_grade(self) -> bool:
        return type(self.ctx.reader) is not NoReader

    def grade(self, reader: Reader, rows: Sequence[Row]) -> dict[int, Grade]:
        """Returns the grades of memories by key; without one are those there was no time for."""
        if not self.can_grade or not rows:
            return {}
        known = find_grades(self.ctx, reader, rows)
        known |= {row["key"]: weigh(grade, row) for row, grade in self.fresh}
        unread = [row for row in rows if row["key"] not in known][: self.left]
        self.left -= len(unread)
        judged = self.ctx.reader.grade([row["text"] for row in unread])
        found = [(row, one.shares) for row, one in zip(unread, judged, strict=True) if one.shares]
        self.fresh += found
        return known | {row["key"]: weigh(shares, row) for row, shares in found}

    def find_vital(self, reader: Reader, ids: Sequence[str], *, least: float) -> set[str]:
        """Returns the ids of those that hold still, and are vital to somebody by such a share."""
        if not self.can_grade:
            return set()
        rows = [row for row in reader.memories(ids).values() if row["superseded_by"] is None]
        grades = self.grade(reader, rows)
        return {row["id"] for row in rows if grades.get(row["key"], NOT_READ)[VITAL] >= least}

    def keep(self) -> None:
        """Stores the grades that were read, for the next time."""
        if not self.fresh:
            return
        with self.ctx.store.writing(self.ctx.space, None) as writer:
            model = writer.add_model(name_model(self.ctx), 4, at=micros(self.ctx.now()))
            rows = [
                (row["key"], wording(row["content_hash"]), np.array(grade, "<f2").tobytes())
                for row, grade in self.fresh
            ]
            writer.add_vectors(model, rows)
        self.fresh.clear()


def name_model(ctx: Context) -> str:
    """Returns the name under which the grades of a handle's reader are kept."""
    return f"{MODEL}{ctx.reader.name}"


def find_vital_keys(
    ctx: Context, reader: Reader, keys: Sequence[int], *, least: float
) -> list[int]:
    """Returns those of some memories that have a kept grade of at least so vital, in their order.

    The grade may be that of an earlier wording.
    """
    model = reader.model_key(name_model(ctx), 4)
    if model is None:
        return []
    kept = reader.vectors_of(model, keys)
    grades = {key: _unpack(grade) for key, _, grade in kept}
    likely = [key for key in keys if key in grades and grades[key][VITAL] >= least]
    rows = reader.by_key(likely, Filter())
    return [key for key in likely if key in rows and weigh(grades[key], rows[key])[VITAL] >= least]


def find_grades(ctx: Context, reader: Reader, rows: Sequence[Row]) -> dict[int, Grade]:
    """Returns the grades that are kept of what memories say now, by key."""
    model = reader.model_key(name_model(ctx), 4)
    if model is None:
        return {}
    of_key: Mapping[int, Row] = {row["key"]: row for row in rows}
    return {
        key: weigh(_unpack(kept), of_key[key])
        for key, said, kept in reader.vectors_of(model, list(of_key))
        if said == wording(of_key[key]["content_hash"])
    }


def _unpack(kept: bytes) -> Grade:
    return tuple(np.frombuffer(kept, "<f2").astype(float).tolist())
