"""The memories a language model is shown, in batches of similar ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glymph.context import Context
from glymph.decay.sections import IDENTITY_KIND
from glymph.model import State
from glymph.moments import MICROS_PER_DAY, micros
from glymph.prune import staleness
from glymph.prune.ai_prune_prompt import Shown, record
from glymph.prune.batches import MOST, bag_vectors, similar_batches
from glymph.prune.marks import UNTOUCHED_DAYS, is_recently_used
from glymph.prune.vectors import load_vectors
from glymph.store import columns as store_columns
from glymph.store import guards
from glymph.store.arrays import STATES, Columns
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader
from glymph.store.scan import Vectors
from glymph.text.tokens import tokens

MOST_BATCHES = 25  # in a run
MOST_TOKENS = 5_500  # of the records of a batch: with what is asked about them, 6,000
COMPARED = 1_000  # characters of a text that are compared where there are no vectors


@dataclass(frozen=True, slots=True)
class Nominee:
    """A memory that a model may nominate, and how it stood when it was shown."""

    shown: Shown
    version: int
    last_used_at: int | None


@dataclass(frozen=True, slots=True)
class Picked:
    """The batches of a run, and how many memories might have been in them."""

    eligible: int
    batches: tuple[tuple[Nominee, ...], ...] = ()

    @property
    def shown(self) -> int:
        return sum(map(len, self.batches))

    @property
    def ids(self) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(one.shown.id for one in batch) for batch in self.batches)


def pick_nominees(ctx: Context, reader: Reader) -> Picked:
    """Returns what a run shows: live and current, neither pinned nor protected nor young.

    What somebody uses, has just changed or brought back is not shown: a person's word stands
    against a model's. Of more than a run takes, the least retrievable come first, and of these the
    least used.
    """
    now = micros(ctx.now())
    columns = store_columns.read(reader).columns
    slots = _eligible(columns, now)
    since = now - UNTOUCHED_DAYS * MICROS_PER_DAY
    keys = columns.memories["key"][slots]
    slots = slots[~np.isin(keys, list(reader.touched_since(keys.tolist(), since)))]
    vitals = staleness.measure_vitals(
        columns.memories, columns.kinds, curves=reader.curves(), now=now
    ).at(slots)
    order = np.lexsort(
        (slots, columns.memories["access_count"][slots], np.round(vitals.retrievability, 6))
    )
    first = columns.memories["key"][slots[order[: MOST_BATCHES * MOST]]].tolist()
    found = reader.by_key(first, Filter(states=(State.LIVE,)))
    rows = [found[key] for key in first if key in found]
    nominees = [_nominee(row, now) for row in rows]
    costs = [
        tokens(json.dumps(record("m10", one.shown), ensure_ascii=False)) + 1 for one in nominees
    ]
    taken = int(np.searchsorted(np.cumsum(costs), MOST_BATCHES * MOST_TOKENS, side="right"))
    vectors = _vectors(ctx, reader, rows[:taken])
    batches = similar_batches(vectors, costs[:taken], most=MOST, most_tokens=MOST_TOKENS)[
        :MOST_BATCHES
    ]
    return Picked(len(slots), tuple(tuple(nominees[at] for at in batch) for batch in batches))


def _eligible(columns: Columns, now: int) -> NDArray[np.intp]:
    memories = columns.memories
    fits = (memories["state"] == STATES.index(State.LIVE)) & ~columns.of_kind(IDENTITY_KIND)
    fits &= ~(memories["superseded"] | memories["pinned"] | memories["protected"])
    fits &= now - memories["created_at"] >= guards.YOUNG_DAYS * MICROS_PER_DAY
    return np.flatnonzero(fits & ~is_recently_used(memories, now))


def _nominee(row: Row, now: int) -> Nominee:
    age = (now - row["created_at"]) // MICROS_PER_DAY
    return Nominee(
        Shown(row["id"], row["kind"], age, row["title"], row["text"]),
        row["version"],
        row["last_used_at"],
    )


def _vectors(ctx: Context, reader: Reader, rows: Sequence[Row]) -> Vectors:
    """Returns the vectors of memories by the handle's model.

    Where some have none, their words are used as well.
    """
    said = load_vectors(ctx, reader, rows)
    if said is not None and said.any(axis=1).all():
        return said
    words = bag_vectors([f"{row['title']} {row['text'][:COMPARED]}" for row in rows])
    return words if said is None else np.concatenate([said, words], axis=1)
