"""Conversations with questions whose evidence is known.

They are LoCoMo's and BEAM's, read from the data folder.

The files are for measuring only and never part of this repository; their licences say so.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.harness.contract import Options

NO_FACTS = {
    "abstention",
    "event_ordering",
    "summarization",
}  # abilities that no single message answers


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the places of the items that answer it, and its category or ability."""

    text: str
    evidence: frozenset[int]
    whole: int  # pieces of evidence there are, stored or not
    group: str


@dataclass(slots=True)
class Dialogue:
    """What was said, as items for `add_many`, and what is asked about it."""

    name: str
    items: list[dict[str, Any]] = field(default_factory=list)
    questions: list[Asked] = field(default_factory=list)
    places: dict[object, int] = field(
        default_factory=dict
    )  # of the items, by their ids in the data

    def say(self, number: object, item: dict[str, Any]) -> None:
        self.places[number] = len(self.items)
        self.items.append({"kind": "event", **item})

    def ask(
        self, text: str, evidence: set[object], group: str, *, whole: int | None = None
    ) -> None:
        """Notes a question, unless nothing that is stored answers it."""
        found = frozenset(self.places[number] for number in evidence if number in self.places)
        if found:
            self.questions.append(Asked(text, found, len(found) if whole is None else whole, group))


def locomo(options: Options) -> list[Dialogue]:
    """One dialogue per conversation of two friends; a question's group is its category."""
    found: dict[str, Dialogue] = {}
    for turn in _lines(options.dataset("locomo_turns.jsonl")):
        dialogue = found.setdefault(turn["conv"], Dialogue(turn["conv"]))
        photo = f" [shares a photo: {turn['photo']}]" if turn.get("photo") else ""
        item = {
            "text": turn["text"] + photo,
            "entities": [turn["speaker"]],
            "session": f"{turn['conv']}:{turn['session']}",
            "event_at": _moment(turn["date"], "%I:%M %p on %d %B, %Y"),
        }
        dialogue.say(turn["id"], item)
    for question in _lines(options.dataset("locomo_questions.jsonl")):
        evidence = set(question["evidence"])
        group = f"cat{question['category']}"
        found[question["conv"]].ask(question["question"], evidence, group, whole=len(evidence))
    return list(found.values())


def beam(options: Options) -> list[Dialogue]:
    """One dialogue per chat with an assistant, the user's messages only.

    A question's group is its ability.
    """
    found: dict[str, Dialogue] = {}
    since: dict[str, datetime] = {}
    for message in _lines(options.dataset("beam_messages.jsonl.gz")):
        chat = message["chat"]
        dialogue = found.setdefault(chat, Dialogue(chat))
        if message["time"]:
            since[chat] = _moment(message["time"], "%B-%d-%Y")
        if message["role"] == "user":
            item = {
                "text": message["text"],
                "session": f"{chat}:{message['batch']}",
                "event_at": since.get(chat),
            }
            dialogue.say(message["id"], item)
    for question in _lines(options.dataset("beam_questions.jsonl")):
        if question["ability"] not in NO_FACTS:
            found[question["chat"]].ask(
                question["question"], set(question["source_ids"]), question["ability"]
            )
    return list(found.values())


def _moment(text: str, form: str) -> datetime:
    return datetime.strptime(text, form).replace(tzinfo=UTC)


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    with (
        gzip.open(path, "rt", encoding="utf-8")
        if path.suffix == ".gz"
        else path.open(encoding="utf-8") as lines
    ):
        for line in lines:
            yield json.loads(line)
