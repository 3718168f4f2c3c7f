"""Keeps lessons: new ones with links to their episodes, or more evidence for known ones."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from glymph.context import Context, OpenOperation
from glymph.decay.edges import DEFAULT_WEIGHTS
from glymph.learn.episodes import Episode
from glymph.learn.evidence.tally import tally_episodes
from glymph.learn.playbook import otherwise
from glymph.model import State
from glymph.store import records
from glymph.store.contract import Row
from glymph.store.reader import Reader
from glymph.write.add import get_or_create
from glymph.write.draft import Draft
from glymph.write.edit import consequences

SOURCE = "consolidation"
RESTS_ON = "generalizes"
GAIN = 0.05  # by which a link to an episode grows when the same is found again
ANEW = ("stated", "finding", "wrote")  # attributes that change with the words


def sign_words(title: str, text: str) -> str:
    """Returns a mark of words that consolidation wrote: while it fits, nobody has edited them."""
    return hashlib.sha256(f"{title}\n{text}".encode()).hexdigest()[:16]


def is_untouched(row: Row) -> bool:
    """Returns whether the words of a lesson are still those that consolidation wrote."""
    return row["source"] == SOURCE and records.attributes(row).get("wrote") == sign_words(
        row["title"], row["text"]
    )


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
    before = find_linked(op.writer, lesson["key"], [row["key"] for row in live])
    new = [row for row in live if row["key"] not in before]
    fresh = [own[row["id"]] for row in new if row["id"] in own]
    attributes = records.attributes(lesson)
    changes: dict[str, Any] = {}
    if lesson["source"] == SOURCE:
        changes["trust"] = min([lesson["trust"], *(one.trust for one in fresh)])
        if isinstance(kept := attributes.get("playbook"), dict) and not kept.get("conditions"):
            attributes["playbook"] = _continue_playbook(kept, episodes, fresh)
        elif playbook is not None:
            attributes["playbook"] = dict(playbook)
            changes["kind"] = "playbook"
        if said is not None and is_untouched(lesson):
            changes |= {"title": said.title, "text": said.text}
            attributes |= {n: v for n, v in json.loads(said.attributes).items() if n in ANEW}
        if changes.keys() & {"kind", "text"}:
            changes |= consequences(lesson, changes)
    attributes["evidence"] = add_evidence(attributes.get("evidence"), fresh)
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


def _continue_playbook(
    kept: Mapping[str, Any], episodes: Iterable[Episode], fresh: Iterable[Episode]
) -> dict[str, Any]:
    """Returns a playbook without conditions with the outcomes of episodes it had not counted."""
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


def add_evidence(before: Any, fresh: Sequence[Episode]) -> dict[str, Any]:
    """Returns the counts of a lesson's evidence with those of new episodes."""
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


def find_linked(reader: Reader, lesson: int, episodes: Sequence[int]) -> set[int]:
    """Returns the keys of those episodes that a lesson is linked to."""
    edges = reader.edges_touching(episodes)
    return {target for source, target, kind, *_ in edges if (source, kind) == (lesson, RESTS_ON)}


def link(op: OpenOperation, lesson: Row, episodes: Iterable[str]) -> None:
    """Links a lesson to more episodes."""
    _link(op, [(lesson["key"], row["key"], RESTS_ON) for row in _live(op, episodes)])
