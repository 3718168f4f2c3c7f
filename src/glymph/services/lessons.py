"""Keeping lessons: a new one with links to its episodes, or more evidence for one that says the same already."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from glymph.core.bands import BANDS, Bands
from glymph.core.draft import Draft
from glymph.core.edges import DEFAULT_WEIGHTS
from glymph.core.episodes import Episode
from glymph.core.evidence.counting import tallied
from glymph.core.information import terms, words
from glymph.core.model import State
from glymph.core.similarity import differences
from glymph.services.compare import kept_bands
from glymph.services.edit import consequences
from glymph.services.remember import told
from glymph.services.workplace import Operating, Workplace, every_row
from glymph.store import records
from glymph.store.contract import Filter, Reader, Row

SOURCE = "consolidation"
RESTS_ON = "generalizes"
KINDS = ("lesson", "playbook")
GAIN = 0.05  # by which a link to an episode grows when the same is found again
SAME_WORDS, NEAR_WORDS = 0.7, 0.45  # of the words of two lessons, numbers apart, that both have
CHUNK = 1_000
# What keeps two lessons apart however near they are. That counts differ does not: evidence grows.
APART = frozenset({"negation", "names", "direction", "modality", "identifiers"})

Stated = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """A lesson that stands near a new one: it says the same, or something close to it."""

    row: Row
    same: bool


@dataclass(slots=True)
class Shelf:
    """The live lessons of a space, read once, so that each new one is compared with all of them quickly."""

    place: Workplace
    bands: Bands = BANDS
    rows: dict[int, Row] = field(default_factory=dict)  # by key
    said: dict[int, frozenset[str]] = field(default_factory=dict)
    holding: dict[str, set[int]] = field(default_factory=dict)  # lessons by their words
    counted: dict[Stated, int] = field(default_factory=dict)  # those of statistics, by what they state
    groups: dict[int, Any] = field(default_factory=dict)  # that they were found in
    meant: dict[int, Any] = field(default_factory=dict)  # vectors

    def put(self, row: Row, vector: bytes | None = None) -> None:
        """Takes a lesson in, or what has become of one."""
        key = row["key"]
        if vector is not None:
            self.meant[key] = _numbers(vector)
        self.rows[key], attributes = row, records.attributes(row)
        self.groups[key] = attributes.get("group")
        if (stated := _stated(attributes)) is not None:
            self.counted[stated] = key
            return
        own = self.said[key] = _words(row["title"], row["text"])
        for word in own:
            self.holding.setdefault(word, set()).add(key)

    def near(self, new: Draft, vector: bytes | None, group: str) -> Iterator[Known]:
        """The lessons near a new one, those that say the same first. Such as statistics found are told apart by
        the condition they state, never by their words: these are the same in all of them."""
        stated = _stated(json.loads(new.attributes))
        if stated is not None:
            if (key := self.counted.get(stated)) is not None:
                yield Known(self.rows[key], True)
            return
        own = _words(new.title, new.text)
        shared = Counter(key for word in own for key in self.holding.get(word, ()))
        cosines = self._cosines(vector)
        found = []
        for key in {*shared, *cosines}:
            share = shared[key] / max(len(own | self.said.get(key, own)), 1)
            if (standing := self._standing(new, key, share, cosines.get(key), group)) is not None:
                found.append(standing)
        for _, known in sorted(found, key=lambda one: -one[0]):
            yield known

    def _cosines(self, vector: bytes | None) -> dict[int, float]:
        if vector is None or not self.meant:
            return {}
        keys = [key for key in self.meant if key in self.said]
        if not keys:
            return {}
        near = np.stack([self.meant[key] for key in keys]) @ _numbers(vector)
        return {key: float(one) for key, one in zip(keys, near, strict=True) if one >= self.bands.connect}

    def _standing(
        self, new: Draft, key: int, share: float, cosine: float | None, group: str
    ) -> tuple[float, Known] | None:
        """How near a lesson is, the same ones first, and of these the one of this group."""
        row = self.rows[key]
        same = share >= SAME_WORDS or (cosine is not None and cosine >= self.bands.duplicate)
        if not same and share < NEAR_WORDS and cosine is None:
            return None
        of = self.groups[key]
        if of not in (None, group):
            same = False
        elif same:
            named = (records.words(new.entities), records.words(row["entities"]))
            same = not APART & set(differences(new.text, row["text"], names=named))
        return (2.0 if same else 0.0) + (of == group) + max(share, cosine or 0.0), Known(row, same)


def rows_at(reader: Reader, at: int) -> list[Row]:
    """All lessons and playbooks of a space that are live at a moment, oldest first."""
    return list(every_row(reader, Filter(kinds=KINDS, live_at=at), CHUNK))[::-1]


def shelf(place: Workplace, reader: Reader, rows: Iterable[Row]) -> Shelf:
    """The shelf of these lessons, with the vectors they have."""
    model, _ = place.meaning.reached()
    key = None if model is None else reader.model_key(*model)
    found = Shelf(place, BANDS if key is None else kept_bands(place, reader))
    for row in rows:
        found.put(row)
    if key is not None and found.said:
        found.meant = {one: _numbers(vector) for one, _, vector in reader.vectors_of(key, list(found.said))}
    return found


def _numbers(vector: bytes) -> Any:
    return np.frombuffer(vector, dtype="<f2").astype(np.float32)


def _words(title: str, text: str) -> frozenset[str]:
    """The words of a lesson, numbers apart."""
    return frozenset(word for word in terms(words(f"{title} {text}")) if not word[0].isdigit())


def _stated(attributes: Mapping[str, Any]) -> Stated | None:
    """What a lesson of statistics says: of which group, under which condition, better or worse. A threshold may
    move as episodes come in; which side of it is meant may not."""
    found = attributes.get("finding")
    if not isinstance(found, dict) or not {"name", "relation", "value", "better"} <= set(found):
        return None
    value = found["value"]
    fixed = None if isinstance(value, int | float) and found["relation"] not in ("=", "!=") else str(value)
    return str(attributes.get("group")), str(found["name"]), str(found["relation"]), fixed, bool(found["better"])


# writing


def create(
    place: Workplace, op: Operating, new: Draft, meant: Mapping[str, bytes], episodes: Iterable[str],
    close: Row | None,
) -> Row:  # fmt: skip
    """Stores a lesson with a link to each episode it rests on, and one to a lesson that is close to it."""
    row = told(place, op, new, meant, by=SOURCE)
    wanted = [(row["key"], other["key"], RESTS_ON) for other in _live(op, episodes)]
    if close is not None and close["key"] != row["key"]:
        wanted.append((row["key"], close["key"], "related_to"))
    _link(op, wanted)
    return row


def strengthen(
    op: Operating, lesson: Row, episodes: Sequence[Episode], playbook: Mapping[str, Any] | None = None,
    linked: Iterable[str] = (),
) -> None:  # fmt: skip
    """Lets the evidence of a lesson grow: links to new episodes, stronger ones to those known.

    Its counts grow by the new ones and its trust sinks to theirs; its words stay. With what makes a playbook it
    becomes one. `linked` are episodes it is linked to as well. Of a lesson that somebody wrote only the evidence
    is touched.
    """
    own = {one.id: one for one in episodes}
    live = _live(op, [*own, *linked])
    before = linked_to(op.writer, lesson["key"], [row["key"] for row in live])
    new = [row for row in live if row["key"] not in before]
    fresh = [own[row["id"]] for row in new if row["id"] in own]
    attributes = records.attributes(lesson)
    changes: dict[str, Any] = {}
    if lesson["source"] == SOURCE:
        changes["trust"] = min([lesson["trust"], *(one.trust for one in fresh)])
        if playbook is not None:
            attributes["playbook"] = dict(playbook)
            changes["kind"] = "playbook"
            changes |= consequences(lesson, changes)
    attributes["evidence"] = grown(attributes.get("evidence"), fresh)
    changes["attributes"] = json.dumps(attributes, ensure_ascii=False)
    stamp = {"updated_at": op.now, "version": lesson["version"] + 1}
    op.writer.change("memories", {lesson["key"]: {**changes, **stamp}})
    again = [op.writer.edge(lesson["key"], row["key"], RESTS_ON) for row in live if row["key"] in before]
    stronger = {
        edge["key"]: {"weight": min(1.0, edge["weight"] + GAIN), "last_used_at": op.now}
        for edge in again
        if edge is not None
    }
    op.writer.change("edges", stronger)
    _link(op, [(lesson["key"], row["key"], RESTS_ON) for row in new])


def grown(before: Any, fresh: Sequence[Episode]) -> dict[str, Any]:
    """The counts of a lesson's evidence with those of new episodes."""
    kept = dict(before) if isinstance(before, dict) else {}
    tally = tallied(fresh)
    for name, more in (("episodes", len(fresh)), ("successes", tally.successes), ("failures", tally.failures)):
        had = kept.get(name)
        kept[name] = (had if isinstance(had, int) else 0) + more
    return kept


def _live(op: Operating, ids: Iterable[str]) -> list[Row]:
    return [row for row in op.writer.memories(ids).values() if row["state"] == State.LIVE]


def _link(op: Operating, wanted: Sequence[tuple[int, int, str]]) -> None:
    """Makes those of the links that are not there; asked of the episodes, for a lesson may have any number."""
    there = {edge[:3] for edge in op.writer.edges_touching([target for _, target, _ in wanted])}
    fresh = [one for one in dict.fromkeys(wanted) if one not in there]
    edges = [
        {"source": a, "target": b, "type": kind, "weight": DEFAULT_WEIGHTS[kind], "created_at": op.now}
        for a, b, kind in fresh
    ]
    op.writer.insert("edges", edges)
    op.writer.bump({end for a, b, _ in fresh for end in (a, b)})


def linked_to(reader: Reader, lesson: int, episodes: Sequence[int]) -> set[int]:
    """The keys of those episodes that a lesson is linked to."""
    edges = reader.edges_touching(episodes)
    return {target for source, target, kind, *_ in edges if (source, kind) == (lesson, RESTS_ON)}


def link(op: Operating, lesson: Row, episodes: Iterable[str]) -> None:
    """Links a lesson to more episodes."""
    _link(op, [(lesson["key"], row["key"], RESTS_ON) for row in _live(op, episodes)])
