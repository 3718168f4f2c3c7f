"""The lessons there are: which of them say the same as a new one, are refuted by it, or stand near.

Lessons that statistics found are compared by the condition they state, the others by their words
and vectors.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from glymph.context import Context, every_row
from glymph.store import records
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader
from glymph.text.bands import BANDS, Bands
from glymph.text.similarity import differences
from glymph.text.words import drop_stop_words, split_words
from glymph.write.draft import Draft
from glymph.write.neighbours import kept_bands

KINDS = ("lesson", "playbook")
SAME_WORDS, NEAR_WORDS = 0.7, 0.45  # of the words of two lessons, numbers apart, that both have
CHUNK = 1_000
# What keeps two lessons apart however near they are. That counts differ does not: evidence grows.
APART = frozenset({"negation", "names", "direction", "modality", "identifiers"})
OTHER = APART - {"negation", "modality"}  # what lets two lessons speak of different things
FAR = 0.2  # difference of two success rates that is no longer the same
OPPOSITE = {"=": "!=", "!=": "=", ">": "<=", ">=": "<", "<": ">=", "<=": ">"}

Stated = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """A lesson that stands near a new one.

    It says the same, is refuted by the new one, or is close to it.
    """

    row: Row
    same: bool
    refuted: bool = False


@dataclass(slots=True)
class KnownLessons:
    """The live lessons of a space, read once.

    So each new one is compared with all of them quickly.
    """

    ctx: Context
    bands: Bands = BANDS
    rows: dict[int, Row] = field(default_factory=dict)  # by key
    said: dict[int, frozenset[str]] = field(default_factory=dict)
    holding: dict[str, set[int]] = field(default_factory=dict)  # lessons by their words
    counted: dict[Stated, int] = field(
        default_factory=dict
    )  # those of statistics, by what they state
    groups: dict[int, Any] = field(default_factory=dict)  # that they were found in
    meant: dict[int, Any] = field(default_factory=dict)  # vectors

    def put(self, row: Row, vector: bytes | None = None) -> None:
        """Takes a lesson in, or what has become of one."""
        key = row["key"]
        if vector is not None:
            self.meant[key] = _read_vector(vector)
        self.rows[key], attributes = row, records.attributes(row)
        self.groups[key] = attributes.get("group")
        if (stated := _read_stated(attributes)) is not None:
            self.counted[stated] = key
            return
        own = _list_words(row["title"], row["text"])
        for word in self.said.get(key, frozenset()) - own:
            self.holding[word].discard(key)
        self.said[key] = own
        for word in own:
            self.holding.setdefault(word, set()).add(key)

    def find_near(self, new: Draft, vector: bytes | None, group: str) -> Iterator[Known]:
        """Yields the lessons near a new one, those that say the same first.

        Lessons that statistics found are told apart by the condition they state, never by their
        words, since these are the same in all of them.
        """
        stated = _read_stated(json.loads(new.attributes))
        if stated is not None:
            if (key := self.counted.get(stated)) is not None:
                yield Known(self.rows[key], True)
            for other in _find_refuted(stated):
                if (key := self.counted.get(other)) is not None:
                    yield Known(self.rows[key], False, refuted=True)
            return
        own = _list_words(new.title, new.text)
        shared = Counter(key for word in own for key in self.holding.get(word, ()))
        cosines = self._cosines(vector)
        found = []
        for key in {*shared, *cosines}:
            share = shared[key] / max(len(own | self.said.get(key, own)), 1)
            if (standing := self._rank(new, key, share, cosines.get(key), group)) is not None:
                found.append(standing)
        for _, known in sorted(found, key=lambda one: -one[0]):
            yield known

    def _cosines(self, vector: bytes | None) -> dict[int, float]:
        if vector is None or not self.meant:
            return {}
        keys = [key for key in self.meant if key in self.said]
        if not keys:
            return {}
        near = np.stack([self.meant[key] for key in keys]) @ _read_vector(vector)
        return {
            key: float(one)
            for key, one in zip(keys, near, strict=True)
            if one >= self.bands.connect
        }

    def _rank(
        self, new: Draft, key: int, share: float, cosine: float | None, group: str
    ) -> tuple[float, Known] | None:
        """Returns how near a known lesson is to a new one; None if it is neither near nor refuted.

        The same ones come first, then those it refutes, and of these the one of this group. What is
        refuted need not be near: with what no longer holds, most of its words were cut from the new
        one.
        """
        row, of = self.rows[key], self.groups[key]
        same = share >= SAME_WORDS or (cosine is not None and cosine >= self.bands.duplicate)
        near = same or share >= NEAR_WORDS or cosine is not None
        if of not in (None, group):
            return (max(share, cosine or 0.0), Known(row, False)) if near else None
        mine, its = json.loads(new.attributes), records.attributes(row)
        refuted = of == group and refutes(mine, its) and (near or bool(_where(mine)))
        if not near and not refuted:
            return None
        named = (records.words(new.entities), records.words(row["entities"]))
        unlike = set(differences(new.text, row["text"], names=named)) if same or refuted else set()
        same = same and not APART & unlike and agree(mine, its)
        refuted = refuted and not same and not OTHER & unlike
        if not near and not refuted:
            return None
        rank = 3.0 if same else 2.0 if refuted else 0.0
        return rank + (of == group) + max(share, cosine or 0.0), Known(row, same, refuted)


# what is stated


def agree(mine: Mapping[str, Any], its: Mapping[str, Any]) -> bool:
    """Returns whether two lessons state the same, judged by their attributes.

    They do if they speak of the same, under the same conditions, about as often.
    """
    if _is_far(_rate(mine), _rate(its)):
        return False
    first, second = mine.get("stated"), its.get("stated")
    if not isinstance(first, dict) or not isinstance(second, dict):
        return True
    ends = {first.get("outcome"), second.get("outcome")} - {None}
    return _where(mine) == _where(its) and len(ends) < 2


def refutes(mine: Mapping[str, Any], its: Mapping[str, Any]) -> bool:
    """Returns whether two lessons state different success rates under the very same conditions."""
    where = _where(mine)
    return where is not None and where == _where(its) and _is_far(_rate(mine), _rate(its))


def is_turned_round(mine: Mapping[str, Any], its: Mapping[str, Any]) -> bool:
    """Returns whether things mostly went well by one lesson and mostly wrong by the other."""
    first, second = _rate(mine), _rate(its)
    return first is not None and second is not None and (first > 0.5) != (second > 0.5)


def _is_far(first: float | None, second: float | None) -> bool:
    if first is None or second is None:
        return False
    return (first - 0.5) * (second - 0.5) < 0 or abs(first - second) > FAR


def _where(attributes: Mapping[str, Any]) -> list[Any] | None:
    stated = attributes.get("stated")
    return list(stated.get("where", ())) if isinstance(stated, dict) else None


def _rate(attributes: Mapping[str, Any]) -> float | None:
    """Returns the success rate that a lesson states, or that of the episodes it rests on.

    None if the lesson is not about that.
    """
    stated, counted, playbook = (
        attributes.get(name) for name in ("stated", "evidence", "playbook")
    )
    if isinstance(playbook, dict) and playbook.get("conditions") and playbook.get("n"):
        return float(playbook["successes"] / playbook["n"])  # it was counted on since
    if isinstance(stated, dict):
        rate = stated.get("rate")
        return float(rate) if isinstance(rate, int | float) else None
    if not isinstance(counted, dict):
        return None
    won, lost = counted.get("successes"), counted.get("failures")
    if not isinstance(won, int) or not isinstance(lost, int) or won + lost < 1:
        return None
    return won / (won + lost)


def _find_refuted(stated: Stated) -> list[Stated]:
    """Returns what a finding of statistics refutes.

    That is the same condition with the other end, or the other side of the condition.
    """
    group, name, relation, fixed, better = stated
    other = [(group, name, OPPOSITE[relation], fixed, better)] if relation in OPPOSITE else []
    return [(group, name, relation, fixed, not better), *other]


def list_lessons(reader: Reader, at: int) -> list[Row]:
    """Returns all lessons and playbooks of a space that are live at a moment, oldest first."""
    return list(every_row(reader, Filter(kinds=KINDS, live_at=at), CHUNK))[::-1]


def hold_lessons(ctx: Context, reader: Reader, rows: Iterable[Row]) -> KnownLessons:
    """Returns these lessons, ready to be compared, with the vectors they have."""
    model, _ = ctx.embedding.try_model()
    key = None if model is None else reader.model_key(*model)
    found = KnownLessons(ctx, BANDS if key is None else kept_bands(ctx, reader))
    for row in rows:
        found.put(row)
    if key is not None and found.said:
        found.meant = {
            one: _read_vector(vector) for one, _, vector in reader.vectors_of(key, list(found.said))
        }
    return found


def _read_vector(vector: bytes) -> Any:
    return np.frombuffer(vector, dtype="<f2").astype(np.float32)


def _list_words(title: str, text: str) -> frozenset[str]:
    """Returns the words of a lesson, numbers apart."""
    return frozenset(
        word for word in drop_stop_words(split_words(f"{title} {text}")) if not word[0].isdigit()
    )


def _read_stated(attributes: Mapping[str, Any]) -> Stated | None:
    """Returns what a lesson of statistics says: which group, which condition, better or worse.

    A threshold may move as episodes come in; which side of it is meant may not.
    """
    found = attributes.get("finding")
    if not isinstance(found, dict) or not {"name", "relation", "value", "better"} <= set(found):
        return None
    value = found["value"]
    fixed = (
        None
        if isinstance(value, int | float) and found["relation"] not in ("=", "!=")
        else str(value)
    )
    return (
        str(attributes.get("group")),
        str(found["name"]),
        str(found["relation"]),
        fixed,
        bool(found["better"]),
    )
