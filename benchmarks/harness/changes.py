"""What changes in the data, and pairs that say the same.

The changes are BEAM's updates and contradictions, and HaluMem's events.

The files are for measuring only and never part of this repository; their licences say so.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.harness import dialogues
from benchmarks.harness.contract import Options
from benchmarks.harness.dialogues import Dialogue

Places = frozenset[int]


@dataclass(frozen=True, slots=True)
class Update:
    """A question whose answer changed: the places of what is stale, and of what is newer."""

    text: str
    stale: Places
    newer: Places


@dataclass(slots=True)
class Chat:
    """A chat as the user's messages, and what is known of them."""

    dialogue: Dialogue
    updates: list[Update] = field(default_factory=list)
    contradictions: list[tuple[Places, Places]] = field(default_factory=list)
    needed: set[int] = field(default_factory=set)  # by some question, other than as what is stale
    stale: set[int] = field(default_factory=set)


def beam(options: Options) -> list[Chat]:
    """One per chat, with its clean updates.

    Clean are those of which both sides are stored messages of the user.
    """
    chats = {dialogue.name: Chat(dialogue) for dialogue in dialogues.beam(options)}
    for question in _lines(options.dataset("beam_questions.jsonl")):
        chat = chats[question["chat"]]
        old, new = _places(chat, question.get("old_ids")), _places(chat, question.get("new_ids"))
        chat.needed |= _places(chat, question["source_ids"]) - old
        if old - new and new:
            chat.updates.append(Update(question["question"], old - new, new))
            chat.stale |= old - new
        first, second = (
            _places(chat, question.get("first_ids")),
            _places(chat, question.get("second_ids")),
        )
        if first and second:
            chat.contradictions.append((first, second))
    return list(chats.values())


def _places(chat: Chat, numbers: Iterable[object] | None) -> Places:
    known = chat.dialogue.places
    return frozenset(known[number] for number in numbers or () if number in known)


@dataclass(frozen=True, slots=True)
class Event:
    """A change of a preference: the memory it concerns, and what is said now."""

    user: int
    direction: str
    old: str
    said: str


def halumem(options: Options) -> dict[int, list[Event]]:
    """The events of each user. A deletion is told as what happened, a change as the new point."""
    found: dict[int, list[Event]] = {}
    for row in _lines(options.dataset("halumem_events.jsonl")):
        deleted = row["direction"] == "Delete"
        said = row["event_text"] if deleted else _point(row["after"], row["changed_index"])
        event = Event(
            row["user"], row["direction"].lower(), _point(row["before"], row["changed_index"]), said
        )
        found.setdefault(row["user"], []).append(event)
    return found


def _point(points: list[dict[str, str]], index: int | None) -> str:
    point = points[index] if index is not None and 0 <= index < len(points) else points[0]
    return f"{point['type_description']}: {point['specific_item']}. {point['reason']}"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts, whether they say the same, and whether they are a trap: near, and not the same."""

    a: str
    b: str
    same: bool
    trap: bool


SCORED = {
    "stsb": "dev",
    "msrp": "val",
    "sick": "trial",
    "abt_buy": "test",
}  # the part that is not for fitting


def pairs(options: Options, name: str, *, scored: bool = True) -> list[Pair]:
    """The pairs of a set's scored part, or all others."""
    suffix = "" if name == "sick" else ".gz"
    rows = _lines(options.dataset(f"neardup_{name}.jsonl{suffix}"))
    return [
        Pair(row["a"], row["b"], bool(row["label"]), _is_trap(name, row))
        for row in rows
        if (row["part"] == SCORED[name]) == scored
    ]


def _is_trap(name: str, row: Mapping[str, Any]) -> bool:
    """Whether it is one of SICK's contradictions, or two products that are not the same.

    Such products differ in a model number.
    """
    return row.get("relation") == "CONTRADICTION" or (name == "abt_buy" and not row["label"])


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    with (
        gzip.open(path, "rt", encoding="utf-8")
        if path.suffix == ".gz"
        else path.open(encoding="utf-8") as lines
    ):
        for line in lines:
            yield json.loads(line)
