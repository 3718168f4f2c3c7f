"""Grades: what the reader holds memories to be worth, and keeps beside their vectors.

A grade is four shares: of noise, of passing, lasting and vital. It is kept like a vector of a model
that is called after the reader: so it belongs to one wording, goes with its memory for good, and
travels with it.

What may be vital and names days that are all over is graded a second time without them, and that
grade counts: an appointment or a day's record was vital for its day, an illness still is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from glymph.context import Context
from glymph.decay.sections import SECTIONS, Section
from glymph.embed.embedding import wording
from glymph.moments import micros
from glymph.reader.no_reader import NoReader
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader
from glymph.write.days_over import hide_days, is_over, was_ahead
from glymph.write.days_over import is_to_come as names_day_to_come

MODEL = "grades of "  # and the reader's name
WITHOUT_DAYS = " without days"  # behind it, of texts whose days are over
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


def settle(grade: Grade, without_days: Grade | None) -> Grade:
    """Returns the grade that counts; a text that says nothing without its days keeps its own."""
    if without_days is None or without_days[NOISE] >= 0.5 > grade[NOISE]:
        return grade
    return without_days


def has_had_its_day(row: Row, grade: Grade | None, now: int) -> bool:
    """Tells whether a memory named a day to come, which is over, and is vital for nothing else."""
    told_at = row["event_at"] or row["created_at"]
    return (
        grade is not None
        and not is_vital(grade)
        and was_ahead(row["text"], told_at)
        and is_over(row["text"], now)
    )


def is_to_come(row: Row, now: int) -> bool:
    """Tells whether a memory is of a day that is still to come; no figure of a moment is."""
    if row["kind"] in RECORDS:
        return False
    told_at = row["event_at"] or row["created_at"]
    return told_at > now or names_day_to_come(row["text"], told_at, now)


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
    fresh: list[tuple[str, Row, Grade]] = field(default_factory=list)  # model, of what, and grade

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
        name, now = name_model(self.ctx), micros(self.ctx.now())
        first = self._read(reader, rows, name)
        over = [row for row in rows if _is_to_be_settled(row, first.get(row["key"]), now)]
        second = self._read(reader, over, name + WITHOUT_DAYS, hide_days)
        return _weigh_all(rows, first, second)

    def _read(
        self, reader: Reader, rows: Sequence[Row], model: str,
        word: Callable[[str], str] | None = None,
    ) -> dict[int, Grade]:  # fmt: skip
        """Returns grades that are kept, or that were read in this run, or are read now."""
        known = _find_kept(reader, rows, model)
        known |= {row["key"]: grade for name, row, grade in self.fresh if name == model}
        unread = [row for row in rows if row["key"] not in known][: self.left]
        if not unread:
            return known
        self.left -= len(unread)
        texts = [word(row["text"]) if word else row["text"] for row in unread]
        judged = self.ctx.reader.grade(texts)
        found = [(row, one.shares) for row, one in zip(unread, judged, strict=True) if one.shares]
        self.fresh += [(model, row, shares) for row, shares in found]
        return known | {row["key"]: shares for row, shares in found}

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
            for model in sorted({model for model, _, _ in self.fresh}):
                rows = [
                    (row["key"], wording(row["content_hash"]), np.array(grade, "<f2").tobytes())
                    for name, row, grade in self.fresh
                    if name == model
                ]
                key = writer.add_model(model, 4, at=micros(self.ctx.now()))
                writer.add_vectors(key, rows)
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
    settled = find_grades(ctx, reader, list(rows.values()))
    known = {key: settled.get(key) or weigh(grades[key], rows[key]) for key in rows}
    return [key for key in likely if key in known and known[key][VITAL] >= least]


def find_grades(ctx: Context, reader: Reader, rows: Sequence[Row]) -> dict[int, Grade]:
    """Returns the grades that are kept of what memories say now, by key."""
    name, now = name_model(ctx), micros(ctx.now())
    first = _find_kept(reader, rows, name)
    over = [row for row in rows if _is_to_be_settled(row, first.get(row["key"]), now)]
    return _weigh_all(rows, first, _find_kept(reader, over, name + WITHOUT_DAYS))


def _is_to_be_settled(row: Row, grade: Grade | None, now: int) -> bool:
    """Tells whether a second grade may change what becomes of a memory."""
    return grade is not None and grade[VITAL] >= CONCEIVABLY_VITAL and is_over(row["text"], now)


def _weigh_all(
    rows: Sequence[Row], first: Mapping[int, Grade], second: Mapping[int, Grade]
) -> dict[int, Grade]:
    return {
        row["key"]: weigh(settle(first[row["key"]], second.get(row["key"])), row)
        for row in rows
        if row["key"] in first
    }


def _find_kept(reader: Reader, rows: Sequence[Row], name: str) -> dict[int, Grade]:
    """Returns what is kept under such a name of what memories say now, as it was read."""
    model = reader.model_key(name, 4) if rows else None
    if model is None:
        return {}
    of_key: Mapping[int, Row] = {row["key"]: row for row in rows}
    return {
        key: _unpack(kept)
        for key, said, kept in reader.vectors_of(model, list(of_key))
        if said == wording(of_key[key]["content_hash"])
    }


def _unpack(kept: bytes) -> Grade:
    return tuple(np.frombuffer(kept, "<f2").astype(float).tolist())
