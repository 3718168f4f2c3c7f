"""Second reasons: what, besides having faded, lets a memory of knowledge go. Found in the texts of
a few.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from glymph.context import Context
from glymph.decay.sections import IDENTITY_KIND, SECTIONS
from glymph.model import State
from glymph.prune.dormancy import is_source
from glymph.prune.rules.duplicate import SAID_ELSEWHERE
from glymph.prune.worth import redundancy
from glymph.store.arrays import STATES, Columns, Slots
from glymph.store.contract import Filter, Reader, Row
from glymph.text import information
from glymph.text.information import Frequency
from glymph.text.query import Words, asked_words
from glymph.text.words import drop_stop_words, split_words
from glymph.write.compare import MOST_WORDS, rarest

SAMPLE = 2_000  # memories by which it is judged how much the others tell
LEAST_SAMPLE = 20  # below which a tenth of them is nothing to go by
LOWEST = 0.1  # the share of memories that tell least
NEAR = 5  # others a memory is compared with
TARGETS = tuple(section for section, profile in SECTIONS.items() if profile.role == "target")
EVERY_LIVE = Filter(states=(State.LIVE,), include_superseded=True)
KEPT = Filter(states=(State.LIVE, State.ARCHIVED), include_superseded=True)


@dataclass(frozen=True, slots=True)
class Second:
    """Why a memory may go, and the memory that must stay for that to hold.

    The reason names that other by its id and quotes nothing: a purge empties records that quote
    what it removes.
    """

    why: str
    instead: int | None = None  # its key


def second_reasons(
    ctx: Context, reader: Reader, columns: Columns, keys: Sequence[int], *, now: int
) -> dict[int, Second]:
    """The second reason of each of these live memories that has one."""
    rows = reader.by_key(keys, EVERY_LIVE)
    if not rows:
        return {}
    sample = [row["text"] for row in reader.by_key(_sampled(columns), KEPT).values()]
    counts = Counter(word for text in sample for word in drop_stop_words(split_words(text)))
    found = _least_telling(rows, sample, counts.__getitem__)
    left = {key: row for key, row in rows.items() if key not in found}
    found |= _copies(reader, left, now=now)
    left = {key: row for key, row in left.items() if key not in found}
    total = max(len(sample), LEAST_SAMPLE)  # among a few, every word would be common
    return found | _said_elsewhere(ctx, reader, left, counts.__getitem__, total, now=now)


def _sampled(columns: Columns) -> list[int]:
    """The keys of some memories of target sections, evenly spread over their ages: the same ones
    every time.

    Archived ones are among them: a tenth of what is live would be another tenth after every run,
    until none was left.
    """
    state = columns.memories["state"]
    kept = (state == STATES.index(State.LIVE)) | (state == STATES.index(State.ARCHIVED))
    slots: Slots = np.flatnonzero(kept & ~is_source(columns) & ~columns.of_kind(IDENTITY_KIND))
    if len(slots) > SAMPLE:
        slots = slots[np.linspace(0, len(slots) - 1, SAMPLE).astype(np.int64)]
    keys: list[int] = columns.memories["key"][slots].tolist()
    return keys


def _least_telling(
    rows: Mapping[int, Row], sample: Sequence[str], frequency: Frequency
) -> dict[int, Second]:
    if len(sample) < LEAST_SAMPLE:
        return {}
    usual = information.scored(sample, frequency=frequency, total=len(sample))
    least = float(np.quantile(usual, LOWEST))
    own = information.scored(
        [row["text"] for row in rows.values()], frequency=frequency, total=len(sample)
    )
    why = "it is among the tenth of the space that tells least"
    return {key: Second(why) for key, told in zip(rows, own.tolist(), strict=True) if told < least}


def _copies(reader: Reader, rows: Mapping[int, Row], *, now: int) -> dict[int, Second]:
    """Those whose very content an older live memory has."""
    older = reader.by_content({row["content_hash"] for row in rows.values()}, live_at=now)
    return {
        key: Second(f"it repeats {first['id']}", first["key"])
        for key, row in rows.items()
        if (first := older.get(row["content_hash"])) is not None and first["key"] != key
    }


def _said_elsewhere(
    ctx: Context,
    reader: Reader,
    rows: Mapping[int, Row],
    frequency: Frequency,
    total: int,
    *,
    now: int,
) -> dict[int, Second]:
    """Those of which a better live memory among their nearest says all but nothing less."""
    wanted = Filter(sections=TARGETS, live_at=now)
    near = {key: _near(ctx, reader, row, wanted) for key, row in rows.items()}
    for source, target, edge_type, *_ in reader.edges_touching(list(rows)):
        if edge_type == "similar_to":
            for one, other in ((source, target), (target, source)):
                if one in near:
                    near[one].append(other)
    others = reader.by_key({other for several in near.values() for other in several}, wanted)
    found: dict[int, Second] = {}
    for key, row in rows.items():
        several = [
            others[other] for other in dict.fromkeys(near[key]) if other in others and other != key
        ]
        if (same := _says_it(row, several, frequency, total)) is not None:
            found[key] = Second(f"{same['id']} says it as well", same["key"])
    return found


def _near(ctx: Context, reader: Reader, row: Row, wanted: Filter) -> list[int]:
    words = rarest(ctx, reader, asked_words(row["text"], MOST_WORDS))
    if not words:
        return []
    return [key for key, _ in reader.matching(Words(tuple(words)), wanted, limit=NEAR + 1)]


def _says_it(row: Row, others: Sequence[Row], frequency: Frequency, total: int) -> Row | None:
    """The one of the others that says what a memory says, if there is any; all at once first, for
    that is rare.
    """
    if _again(row, others, frequency, total) < SAID_ELSEWHERE:
        return None
    return next(
        (other for other in others if _again(row, [other], frequency, total) >= SAID_ELSEWHERE),
        None,
    )


def _again(row: Row, others: Sequence[Row], frequency: Frequency, total: int) -> float:
    rows = sorted([row, *others], key=lambda one: int(one["key"]))
    said = redundancy([one["text"] for one in rows], frequency=frequency, total=total)
    return float(said[rows.index(row)])
