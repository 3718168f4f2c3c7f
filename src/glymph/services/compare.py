"""What a new statement does to those that stand near it: found and judged before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from glymph.core.draft import Draft
from glymph.core.lexicon import kin
from glymph.core.query import Words, asked_words
from glymph.core.sections import SECTIONS
from glymph.core.supersession import Statement, decide
from glymph.services.workplace import Workplace
from glymph.store import records
from glymph.store.contract import Filter, Reader, Row

NEAR = 10  # older statements a new one is compared with
LONGEST = 2_000  # characters; a longer text is a document, not a statement
MOST_WORDS = 24  # of a statement that are looked up
MOST_COMPARED = 100  # statements in one call; a larger load is compared by the sweep

Target = tuple[Row, str]  # an older memory, and why


@dataclass(slots=True)
class Judged:
    """What is to happen to older memories when a statement is added."""

    repeats: Row | None = None
    replaces: list[Target] = field(default_factory=list)  # out of recall from now on
    updates: list[Target] = field(default_factory=list)  # which also say other things, so they stay
    conflicts: list[Target] = field(default_factory=list)
    connects: list[Target] = field(default_factory=list)


NOTHING = Judged()


def judged(
    place: Workplace, drafts: Sequence[Draft], meanings: Sequence[bytes] | None, *, now: int
) -> list[Judged]:
    """The judgement on each draft, by what is stored now. Large loads and `compare = off` get none."""
    if place.settings.compare == "off" or not 0 < len(drafts) <= MOST_COMPARED:
        return [NOTHING] * len(drafts)
    vectors: Sequence[bytes | None] = meanings or [None] * len(drafts)
    with place.reading() as reader:
        same = reader.by_content([d.content_hash for d in drafts], live_at=now)
        return [
            NOTHING if d.content_hash in same else _judged(place, reader, d, vector, now=now)
            for d, vector in zip(drafts, vectors, strict=True)
        ]


def _judged(place: Workplace, reader: Reader, d: Draft, vector: bytes | None, *, now: int) -> Judged:
    target = SECTIONS[d.section].role == "target"
    if len(d.text) > LONGEST or (not target and vector is None):
        return Judged()  # episodes are only ever connected, and only by their meaning
    near = _near(place, reader, d, vector, now=now)
    rows = {row["key"]: row for row, _ in near}
    new = Statement(0, d.text, str(d.section), tuple(records.words(d.entities)), now)
    result = Judged()
    for verdict in decide(new, [(_statement(row), cosine) for row, cosine in near]):
        row = rows[verdict.target]
        if verdict.kind == "duplicate" and result.repeats is None:
            result.repeats = row
        elif verdict.kind == "supersedes":
            (result.replaces if verdict.whole else result.updates).append((row, verdict.reason))
        elif verdict.kind == "conflict":
            result.conflicts.append((row, verdict.reason))
        elif verdict.kind == "connect":
            result.connects.append((row, verdict.reason))
    return result


def _statement(row: Row) -> Statement:
    names = tuple(records.words(row["entities"]))
    return Statement(row["key"], row["text"], row["section"], names, row["created_at"])


def _near(
    place: Workplace, reader: Reader, d: Draft, vector: bytes | None, *, now: int
) -> list[tuple[Row, float | None]]:
    """The live, current memories that share most words with a draft or are nearest to it, with their cosines."""
    wanted = Filter(live_at=now)
    words = asked_words(d.text, MOST_WORDS)
    asked = Words(tuple(dict.fromkeys([*words, *sorted(kin(word.casefold() for word in words))])))
    keys = [key for key, _ in reader.matching(asked, wanted, limit=NEAR)]
    cosines: dict[int, float] = {}
    model = place.meaning.model if vector is not None else None
    if vector is not None and model is not None:
        view = place.meaning.mirrors.view(reader, model)
        query = np.frombuffer(vector, dtype="<f2").astype(np.float32)
        slots, _ = view.nearest(query, view.mask(wanted), limit=NEAR, reader=reader)
        slots = np.unique(np.concatenate([slots, view.slots(keys)]))
        slots = slots[slots >= 0]
        found = view.cosines(query, slots, reader=reader)
        known = zip(view["key"][slots].tolist(), found.tolist(), strict=True)
        cosines = {key: cosine for key, cosine in known if cosine == cosine}
        keys += [key for key in cosines if key not in keys]
    rows = {key: row for key, row in reader.by_key(keys, wanted).items() if len(row["text"]) <= LONGEST}
    return [(rows[key], cosines.get(key)) for key in keys if key in rows]
