"""Keeps lessons: new ones with links to their episodes, or more evidence for known ones.

A known lesson gets the evidence if it says the same already.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from glymph.context import Context, OpenOperation, every_row
from glymph.decay.edges import DEFAULT_WEIGHTS
from glymph.learn.episodes import Episode
from glymph.learn.evidence.tally import tally_episodes
from glymph.learn.playbook import otherwise
from glymph.model import State
from glymph.store import records
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader
from glymph.text.bands import BANDS, Bands
from glymph.text.similarity import differences
from glymph.text.words import drop_stop_words, split_words
from glymph.write.add import get_or_create
from glymph.write.draft import Draft
from glymph.write.edit import consequences
from glymph.write.neighbours import kept_bands

SOURCE = "consolidation"
RESTS_ON = "generalizes"
KINDS = ("lesson", "playbook")
GAIN = 0.05  # by which a link to an episode grows when the same is found again
SAME_WORDS, NEAR_WORDS = 0.7, 0.45  # of the words of two lessons, numbers apart, that both have
CHUNK = 1_000
# What keeps two lessons apart however near they are. That counts differ does not: evidence grows.
APART = frozenset({"negation", "names", "direction", "modality", "identifiers"})
OTHER = APART - {"negation", "modality"}  # what lets two lessons speak of different things
FAR = 0.2  # difference of two success rates that is no longer the same
ANEW = ("stated", "finding", "wrote")  # attributes that change with the words
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
class Shelf:
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
            self.meant[key] = _numbers(vector)
        self.rows[key], attributes = row, records.attributes(row)
        self.groups[key] = attributes.get("group")
        if (stated := _read_stated(attributes)) is not None:
            self.counted[stated] = key
            return
        own = _words(row["title"], row["text"])
        for word in self.said.get(key, frozenset()) - own:
            self.holding[word].discard(key)
        self.said[key] = own
        for word in own:
            self.holding.setdefault(word, set()).add(key)

    def near(self, new: Draft, vector: bytes | None, group: str) -> Iterator[Known]:
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
        own = _words(new.title, new.text)
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
        near = np.stack([self.meant[key] for key in keys]) @ _numbers(vector)
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
    if _far(_rate(mine), _rate(its)):
        return False
    first, second = mine.get("stated"), its.get("stated")
    if not isinstance(first, dict) or not isinstance(second, dict):
        return True
    ends = {first.get("outcome"), second.get("outcome")} - {None}
    return _where(mine) == _where(its) and len(ends) < 2


def refutes(mine: Mapping[str, Any], its: Mapping[str, Any]) -> bool:
    """Returns whether two lessons state different success rates under the very same conditions."""
    where = _where(mine)
    return where is not None and where == _where(its) and _far(_rate(mine), _rate(its))


def turned_round(mine: Mapping[str, Any], its: Mapping[str, Any]) -> bool:
    """Returns whether things mostly went well by one lesson and mostly wrong by the other."""
    first, second = _rate(mine), _rate(its)
    return first is not None and second is not None and (first > 0.5) != (second > 0.5)


def _far(first: float | None, second: float | None) -> bool:
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


def wrote(title: str, text: str) -> str:
    """A mark of words that consolidation wrote: while it fits, nobody has edited them."""
    return hashlib.sha256(f"{title}\n{text}".encode()).hexdigest()[:16]


def is_untouched(row: Row) -> bool:
    """Returns whether the words of a lesson are still those that consolidation wrote."""
    return row["source"] == SOURCE and records.attributes(row).get("wrote") == wrote(
        row["title"], row["text"]
    )


def rows_at(reader: Reader, at: int) -> list[Row]:
    """All lessons and playbooks of a space that are live at a moment, oldest first."""
    return list(every_row(reader, Filter(kinds=KINDS, live_at=at), CHUNK))[::-1]


def shelf(ctx: Context, reader: Reader, rows: Iterable[Row]) -> Shelf:
    """The shelf of these lessons, with the vectors they have."""
    model, _ = ctx.embedding.try_model()
    key = None if model is None else reader.model_key(*model)
    found = Shelf(ctx, BANDS if key is None else kept_bands(ctx, reader))
    for row in rows:
        found.put(row)
    if key is not None and found.said:
        found.meant = {
            one: _numbers(vector) for one, _, vector in reader.vectors_of(key, list(found.said))
        }
    return found


def _numbers(vector: bytes) -> Any:
    return np.frombuffer(vector, dtype="<f2").astype(np.float32)


def _words(title: str, text: str) -> frozenset[str]:
    """The words of a lesson, numbers apart."""
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


# writing


def create(
    ctx: Context, op: OpenOperation, new: Draft, meant: Mapping[str, bytes],
    episodes: Iterable[str], close: Row | None = None,
) -> Row:  # fmt: skip
    """Stores a lesson with links to the episodes it rests on and to a lesson close to it."""
    row = get_or_create(ctx, op, new, meant, by=SOURCE)
    wanted = [(row["key"], other["key"], RESTS_ON) for other in _live(op, episodes)]
    if close is not None and close["key"] != row["key"]:
        wanted.append((row["key"], close["key"], "related_to"))
    _link(op, wanted)
    return row


def strengthen(
    op: OpenOperation, lesson: Row, episodes: Sequence[Episode],
    playbook: Mapping[str, Any] | None = None, linked: Iterable[str] = (),
    said: Draft | None = None,
) -> None:  # fmt: skip
    """Lets the evidence of a lesson grow: links to new episodes, stronger ones to those known.

    Its counts grow by the new ones and its trust sinks to theirs. Its words become those now
    `said`, unless somebody edited them. With what makes a playbook it becomes one; the counts of
    one without conditions go on. `linked` are episodes it is linked to as well. Of a lesson that
    somebody wrote only the evidence is touched.
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
        if isinstance(kept := attributes.get("playbook"), dict) and not kept.get("conditions"):
            attributes["playbook"] = _gone_on(kept, episodes, fresh)
        elif playbook is not None:
            attributes["playbook"] = dict(playbook)
            changes["kind"] = "playbook"
        if said is not None and is_untouched(lesson):
            changes |= {"title": said.title, "text": said.text}
            attributes |= {n: v for n, v in json.loads(said.attributes).items() if n in ANEW}
        if changes.keys() & {"kind", "text"}:
            changes |= consequences(lesson, changes)
    attributes["evidence"] = grown(attributes.get("evidence"), fresh)
    changes["attributes"] = json.dumps(attributes, ensure_ascii=False)
    stamp = {"updated_at": op.now, "version": lesson["version"] + 1}
    op.writer.change("memories", {lesson["key"]: {**changes, **stamp}})
    again = [
        op.writer.edge(lesson["key"], row["key"], RESTS_ON) for row in live if row["key"] in before
    ]
    stronger = {
        edge["key"]: {"weight": min(1.0, edge["weight"] + GAIN), "last_used_at": op.now}
        for edge in again
        if edge is not None
    }
    op.writer.change("edges", stronger)
    _link(op, [(lesson["key"], row["key"], RESTS_ON) for row in new])


def _gone_on(
    kept: Mapping[str, Any], episodes: Iterable[Episode], fresh: Iterable[Episode]
) -> dict[str, Any]:
    """A playbook without conditions with the outcomes of episodes it had not counted."""
    still, new = set(kept.get("open", ())), {one.id for one in fresh}
    ends = {
        one.id: one.outcome.success
        for one in episodes
        if one.id in still | new and one.outcome is not None and one.outcome.success is not None
        and not otherwise(one, str(kept.get("direction", "")))
    }  # fmt: skip
    return {
        **kept, "successes": int(kept.get("successes", 0)) + sum(map(bool, ends.values())),
        "n": int(kept.get("n", 0)) + len(ends), "open": sorted((still | new) - ends.keys()),
    }  # fmt: skip


def grown(before: Any, fresh: Sequence[Episode]) -> dict[str, Any]:
    """The counts of a lesson's evidence with those of new episodes."""
    kept = dict(before) if isinstance(before, dict) else {}
    tally = tally_episodes(fresh)
    for name, more in (
        ("episodes", len(fresh)),
        ("successes", tally.successes),
        ("failures", tally.failures),
    ):
        had = kept.get(name)
        kept[name] = (had if isinstance(had, int) else 0) + more
    return kept


def _live(op: OpenOperation, ids: Iterable[str]) -> list[Row]:
    return [row for row in op.writer.memories(ids).values() if row["state"] == State.LIVE]


def _link(op: OpenOperation, wanted: Sequence[tuple[int, int, str]]) -> None:
    """Makes those of the links that are not there yet.

    Existing links are asked of the episodes, for a lesson may have any number.
    """
    there = {edge[:3] for edge in op.writer.edges_touching([target for _, target, _ in wanted])}
    fresh = [one for one in dict.fromkeys(wanted) if one not in there]
    edges = [
        {
            "source": a,
            "target": b,
            "type": kind,
            "weight": DEFAULT_WEIGHTS[kind],
            "created_at": op.now,
        }
        for a, b, kind in fresh
    ]
    op.writer.insert("edges", edges)
    op.writer.bump({end for a, b, _ in fresh for end in (a, b)})


def linked_to(reader: Reader, lesson: int, episodes: Sequence[int]) -> set[int]:
    """The keys of those episodes that a lesson is linked to."""
    edges = reader.edges_touching(episodes)
    return {target for source, target, kind, *_ in edges if (source, kind) == (lesson, RESTS_ON)}


def link(op: OpenOperation, lesson: Row, episodes: Iterable[str]) -> None:
    """Links a lesson to more episodes."""
    _link(op, [(lesson["key"], row["key"], RESTS_ON) for row in _live(op, episodes)])
