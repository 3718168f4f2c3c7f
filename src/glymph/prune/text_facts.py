"""Facts from the texts of a few memories: what of them is said elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from glymph.context import Context
from glymph.decay.sections import IDENTITY_KIND, SECTIONS, SUMMARY_KIND
from glymph.model import State
from glymph.prune.marks import is_source
from glymph.prune.rules.duplicate import SAID_ELSEWHERE
from glymph.prune.worth import redundancy
from glymph.store.arrays import STATES, Columns, Slots
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader
from glymph.text.information import Frequency
from glymph.text.query import Words, asked_words
from glymph.text.words import drop_stop_words, split_words
from glymph.write.neighbours import MOST_WORDS, rarest

LEAST_SAMPLED = 20  # memories: among fewer, every word would be common
MOST_SAMPLED = 2_000  # memories by which it is judged how much the others tell
NEAR = 5  # others a memory is compared with
TARGETS = tuple(section for section, profile in SECTIONS.items() if profile.role == "target")
KEPT = Filter(states=(State.LIVE, State.ARCHIVED), include_superseded=True)


@dataclass(frozen=True, slots=True)
class Sample:
    """Texts of target sections by which others are judged, and how often each word is in them."""

    texts: Sequence[str]
    frequency: Frequency


@dataclass(frozen=True, slots=True)
class Repeat:
    """The share of a memory that another one says, which has to stay for that to hold."""

    share: float
    other_id: str
    other_key: int


def load_sample(reader: Reader, columns: Columns) -> Sample:
    """Reads some memories, evenly spread over their ages: the same ones every time.

    Archived ones are among them: a tenth of what is live would be another tenth after every run,
    until none was left.
    """
    state = columns.memories["state"]
    kept = (state == STATES.index(State.LIVE)) | (state == STATES.index(State.ARCHIVED))
    slots: Slots = np.flatnonzero(kept & ~is_source(columns) & ~columns.of_kind(IDENTITY_KIND))
    if len(slots) > MOST_SAMPLED:
        slots = slots[np.linspace(0, len(slots) - 1, MOST_SAMPLED).astype(np.int64)]
    rows = reader.by_key(columns.memories["key"][slots].tolist(), KEPT)
    texts = [row["text"] for row in rows.values()]
    counts = Counter(word for text in texts for word in drop_stop_words(split_words(text)))
    return Sample(texts, counts.__getitem__)


def find_repeats(
    ctx: Context, reader: Reader, rows: Mapping[int, Row], sample: Sample, *, now: int
) -> dict[int, Repeat]:
    """Returns those of these live memories that another live one already covers."""
    found = _find_copies(reader, rows, now=now)
    left = {key: row for key, row in rows.items() if key not in found}
    return _drop_outdated(reader, found | _find_covered(ctx, reader, left, sample, now=now), now)


def _drop_outdated(reader: Reader, found: Mapping[int, Repeat], now: int) -> dict[int, Repeat]:
    """Leaves out what only an outdated memory says as well: the current one stays."""
    links = [
        (source, target)
        for source, target, edge_type, *_ in reader.edges_touching(
            [repeat.other_key for repeat in found.values()]
        )
        if edge_type == "supersedes"
    ]
    newer = reader.by_key({source for source, _ in links}, Filter(live_at=now))
    outdated = {target for source, target in links if source in newer}
    return {key: repeat for key, repeat in found.items() if repeat.other_key not in outdated}


def _find_copies(reader: Reader, rows: Mapping[int, Row], *, now: int) -> dict[int, Repeat]:
    """Returns those of which an older live memory has the very content."""
    older = reader.by_content({row["content_hash"] for row in rows.values()}, live_at=now)
    return {
        key: Repeat(1.0, first["id"], first["key"])
        for key, row in rows.items()
        if (first := older.get(row["content_hash"])) is not None and first["key"] != key
    }


def _find_covered(
    ctx: Context, reader: Reader, rows: Mapping[int, Row], sample: Sample, *, now: int
) -> dict[int, Repeat]:
    """Returns those that a better live memory among their nearest already covers."""
    wanted = Filter(sections=TARGETS, live_at=now)
    near = {key: _near(ctx, reader, row, wanted) for key, row in rows.items()}
    for source, target, edge_type, *_ in reader.edges_touching(list(rows)):
        if edge_type == "similar_to":
            for one, other in ((source, target), (target, source)):
                if one in near:
                    near[one].append(other)
    others = {
        key: other
        for key, other in reader.by_key(
            {other for several in near.values() for other in several}, wanted
        ).items()
        if other["kind"] != SUMMARY_KIND  # it repeats others so that they may fade
    }
    total = max(len(sample.texts), LEAST_SAMPLED)
    found: dict[int, Repeat] = {}
    for key, row in rows.items():
        if row["kind"] == SUMMARY_KIND:
            continue
        several = [
            others[other] for other in dict.fromkeys(near[key]) if other in others and other != key
        ]
        if (repeat := _find_cover(row, several, sample.frequency, total)) is not None:
            found[key] = repeat
    return found


def _near(ctx: Context, reader: Reader, row: Row, wanted: Filter) -> list[int]:
    words = rarest(ctx, reader, asked_words(row["text"], MOST_WORDS))
    if not words:
        return []
    return [key for key, _ in reader.match(Words(tuple(words)), wanted, limit=NEAR + 1)]


def _find_cover(row: Row, others: Sequence[Row], frequency: Frequency, total: int) -> Repeat | None:
    """Returns the first of the others that says what a memory says.

    All of them at once are tried first, for a cover is rare.
    """
    if _measure_cover(row, others, frequency, total) < SAID_ELSEWHERE:
        return None
    for other in others:
        share = _measure_cover(row, [other], frequency, total)
        if share >= SAID_ELSEWHERE:
            return Repeat(share, other["id"], other["key"])
    return None


def _measure_cover(row: Row, others: Sequence[Row], frequency: Frequency, total: int) -> float:
    """Returns how much of a memory's text one of the others says."""
    rows = sorted([row, *others], key=lambda one: int(one["key"]))
    said = redundancy([one["text"] for one in rows], frequency=frequency, total=total)
    return float(said[rows.index(row)])
