"""Playbooks in the store: found by a situation they fit, and counted on as later episodes end."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast, get_args

from glymph.checks import checked_attributes, checked_text, show
from glymph.context import Context
from glymph.errors import InvalidInput
from glymph.learn.conditions import Condition, Relation
from glymph.learn.episodes import GENERAL, Episode, Group, group_episodes, make_episode
from glymph.learn.keep_lessons import (
    SOURCE,
    add_evidence,
    find_linked,
    is_untouched,
    link,
    sign_words,
)
from glymph.learn.lesson import percent
from glymph.learn.playbook import LEAST_RATE, Playbook, match, otherwise
from glymph.model import State
from glymph.moments import micros
from glymph.store import records
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader
from glymph.write.edit import consequences

KIND = "playbook"
MOST = 1_000  # playbooks that are looked at
LONGEST = 10_000  # characters of a situation
MOST_ENDS = 500  # counted episodes whose ends a playbook remembers
RELATIONS = get_args(Relation)
_BY_NOW = re.compile(r" By now it is \d+ of \d+ \([\d.]+ %\)\.$")


@dataclass(frozen=True, slots=True)
class PlaybookMatch:
    """A playbook that fits a situation.

    It has what the playbook says to do, how often that went well, and how much it counts.
    """

    id: str
    title: str
    text: str
    direction: str
    success_rate: float
    outcomes: int
    fit: float
    score: float


def as_attribute(
    playbook: Playbook, *, still_open: Iterable[str] = (), ends: Mapping[str, bool] | None = None
) -> dict[str, Any]:
    """Returns the playbook as a memory's attribute.

    `still_open` are episodes it is linked to that had not ended, `ends` how those ended that it
    has counted: an outcome that is corrected later corrects the counts. The newest are kept.
    """
    return {
        "terms": sorted(playbook.terms),
        "conditions": [[one.name, one.relation, one.value] for one in playbook.conditions],
        "direction": playbook.direction,
        "successes": playbook.successes,
        "n": playbook.n,
        "open": sorted(still_open),
        "ends": dict(list((ends or {}).items())[-MOST_ENDS:]),
    }


def list_ends(episodes: Iterable[Episode]) -> dict[str, bool]:
    """Returns how those of some episodes ended that ended well or badly."""
    return {
        one.id: one.outcome.success
        for one in episodes
        if one.outcome is not None and one.outcome.success is not None
    }


def match_playbooks(
    ctx: Context, situation: str, *, attributes: Mapping[str, Any] | None = None, limit: int = 5
) -> list[PlaybookMatch]:
    """Finds the playbooks that fit a situation, the best first.

    They are ordered by success rate × fit × min(1, outcomes / 10). One that goes well less often
    than a lesson must to become a playbook is left out.
    """
    checked_text("situation", situation, LONGEST)
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= 100:
        raise InvalidInput(
            "limit", f"{show(limit)} is not a whole number from 1 to 100. Pass e.g. 5."
        )
    given = json.loads(checked_attributes(attributes, ctx.settings))
    at = micros(ctx.now())
    now = make_episode("", "situation", at, situation, situation, attributes=given)
    with ctx.reading() as reader:
        known = {row["id"]: row for row in _rows(reader, at) if _of_its_group(row, now)}
    held = [playbook for row in known.values() if (playbook := playbook_of(row)) is not None]
    found = match([one for one in held if one.rate >= LEAST_RATE], now)
    return [
        PlaybookMatch(
            id=one.playbook.id, title=known[one.playbook.id]["title"],
            text=known[one.playbook.id]["text"], direction=one.playbook.direction,
            success_rate=round(one.playbook.rate, 4), outcomes=one.playbook.n,
            fit=round(one.fit, 4), score=round(one.score, 4),
        )
        for one in found[:limit]
    ]  # fmt: skip


def _of_its_group(row: Row, situation: Episode) -> bool:
    """Returns whether a situation may be one of those a playbook speaks of.

    It is not if it names another symbol, for example.
    """
    way, _, name = str(records.attributes(row).get("group", "")).partition(":")
    if way != "symbol":
        return True
    (group,) = group_episodes([situation], [way])
    return group.key == GENERAL or group.label == name


# counting on


def count_on(
    ctx: Context, playbooks: Iterable[Row], groups: Sequence[Group], rows: Mapping[str, Row],
    parent: Callable[[], int],
) -> int:  # fmt: skip
    """Lets playbooks know how later episodes of their group ended; how many playbooks were changed.

    An episode counts once: it is linked then. If its outcome is corrected later, so are the counts.
    One that was done the other way does not count, and nor does any for a playbook without
    conditions. `parent` gives the operation that the change
    belongs to, if there is any.
    """
    by_key = {group.key: group for group in groups}
    with ctx.reading() as reader:
        found = [
            one for one in playbooks if one["kind"] == KIND and _later(reader, one, by_key, rows)
        ]
    if not found:
        return 0
    with ctx.operation("consolidate", reason="outcomes of playbooks", parent=parent()) as op:
        for row in op.writer.memories([one["id"] for one in found]).values():
            later, playbook = _later(op.writer, row, by_key, rows), playbook_of(row)
            if not later or playbook is None or row["state"] != State.LIVE:
                continue
            attributes = records.attributes(row)
            ends = dict(attributes["playbook"].get("ends", {}))
            turned = [one for one in later if one.id in ends]  # counted, and ended otherwise
            lost = sum(ends[one.id] for one in turned)
            playbook = replace(
                playbook, successes=playbook.successes - lost, n=playbook.n - len(turned)
            )
            for one in later:
                playbook = playbook.after(one.outcome.success if one.outcome else None)
            known = {*ends, *attributes["playbook"].get("open", ())}
            evidence = add_evidence(
                attributes.get("evidence"), [one for one in later if one.id not in known]
            )
            evidence["successes"] += len(turned) - 2 * lost
            evidence["failures"] -= len(turned) - 2 * lost
            ends |= list_ends(later)
            still = {*attributes["playbook"].get("open", ())} - {one.id for one in later}
            kept = {
                **attributes, "playbook": as_attribute(playbook, still_open=still, ends=ends),
                "evidence": evidence,
            }  # fmt: skip
            stamp = {"updated_at": op.now, "version": row["version"] + 1}
            said = _by_now(row, playbook)
            kept |= {"wrote": sign_words(row["title"], said["text"])} if said else {}
            kept_text = json.dumps(kept, ensure_ascii=False)
            trust = min([row["trust"], *(one.trust for one in later)])
            op.writer.change(
                "memories", {row["key"]: {"attributes": kept_text, "trust": trust, **said, **stamp}}
            )
            link(op, row, [one.id for one in later])
            op.succeeded.append(row["id"])
    ctx.settle_soon(op.succeeded)
    return len(op.succeeded)


def _by_now(row: Row, playbook: Playbook) -> dict[str, Any]:
    """Returns the change that gives a playbook of statistics its counts as they are now.

    The counts are in its text. There is no change if somebody edited it.
    """
    if records.attributes(row).get("by") != "statistics" or not is_untouched(row):
        return {}
    counts = f"{playbook.successes} of {playbook.n} ({percent(playbook.rate)} %)"
    said = {"text": f"{_BY_NOW.sub('', row['text'])} By now it is {counts}."}
    return said | consequences(row, {**said, "title": row["title"]})


def _later(
    reader: Reader, row: Row, groups: Mapping[str, Group], rows: Mapping[str, Row]
) -> list[Episode]:
    """The episodes of a playbook's group that ended and that it has not counted so."""
    playbook, attributes = playbook_of(row), records.attributes(row)
    group = groups.get(str(attributes.get("group")))
    if playbook is None or not playbook.conditions or group is None or row["source"] != SOURCE:
        return []
    ended = [
        one for one in group.episodes
        if one.outcome is not None and one.outcome.success is not None and not otherwise(one,
        playbook.direction)
        and all(condition.holds(one) for condition in playbook.conditions)
    ]  # fmt: skip
    if not ended:
        return []
    linked = find_linked(reader, row["key"], [rows[one.id]["key"] for one in ended])
    still, ends = (attributes["playbook"].get(name, ()) for name in ("open", "ends"))
    return [
        one
        for one in ended
        if one.id in still
        or rows[one.id]["key"] not in linked
        or (one.id in ends and one.outcome and ends[one.id] is not one.outcome.success)
    ]


def _rows(reader: Reader, at: int) -> list[Row]:
    return reader.page(Filter(kinds=(KIND,), live_at=at), before=None, limit=MOST)


def playbook_of(row: Row) -> Playbook | None:
    """Returns the playbook of a memory, if it has one that can be matched.

    None if it was written by hand and says nothing that can be matched.
    """
    kept = records.attributes(row).get("playbook")
    if not isinstance(kept, dict):
        return None
    try:
        return Playbook(
            id=row["id"],
            title=row["title"],
            terms=frozenset(map(str, kept.get("terms", ()))),
            conditions=tuple(_condition(*one) for one in kept.get("conditions", ())),
            direction=str(kept.get("direction", "")),
            successes=int(kept.get("successes", 0)),
            n=int(kept.get("n", 0)),
        )
    except (TypeError, ValueError):
        return None


def _condition(name: object, relation: object, value: object) -> Condition:
    if (
        not isinstance(name, str)
        or relation not in RELATIONS
        or not isinstance(value, str | int | float)
    ):
        raise ValueError("no condition")
    return Condition(name, cast(Relation, relation), value)
