"""Marked transcripts: what three people hold to be worth keeping, and how much of it was found."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from glymph.text.normal import normalise
from glymph.text.words import drop_stop_words, split_words

Case = Mapping[str, Any]
Place = tuple[int, str]  # the number of a turn, and a sentence of it
AGREED = 2  # of three people
LEAST_SHARED = 0.25  # of a sentence's words, that a statement of the same turn repeats


@dataclass(frozen=True, slots=True)
class Thing:
    """One thing worth keeping: the sentences that say it."""

    places: frozenset[Place]


@dataclass(slots=True)
class Score:
    """How much was found, and how much of what was found is worth it."""

    things: int = 0
    things_found: int = 0
    statements: int = 0
    statements_worth: int = 0
    secrets: int = 0
    orders: int = 0
    missed: list[str] = field(default_factory=list)
    needless: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        return 100 * self.things_found / max(1, self.things)

    @property
    def precision(self) -> float:
        return 100 * self.statements_worth / max(1, self.statements)

    def count(self, case: Case, told: Sequence[tuple[int, str]]) -> None:
        """Count what was taken from one transcript: the turn of each statement, and its words."""
        things, worth = find_things(case), find_agreed(case)
        sources = [find_sources(case, turn, text) for turn, text in told]
        said = frozenset().union(*sources) if sources else frozenset()
        for thing in things:
            self.things += 1
            if thing.places & said:
                self.things_found += 1
            else:
                self.missed.append(f"{case['id']}: {sorted(thing.places)}")
        for source, (_, text) in zip(sources, told, strict=True):
            self.statements += 1
            if source & worth:
                self.statements_worth += 1
            else:
                self.needless.append(f"{case['id']}: {text}")
            self.secrets += any(secret in text for secret in case["secrets"])
            self.orders += any(_holds(text, order) for order in case["orders"])


def list_lines(case: Case) -> list[str]:
    """Give a transcript as a host writes it: each turn a minute after the one before."""
    began = datetime.fromisoformat(case["date"]).replace(hour=9, tzinfo=UTC)
    lines = []
    for number, turn in enumerate(case["turns"], 1):
        at = (began + timedelta(minutes=number)).isoformat()
        role, content = turn["role"], turn["text"]
        parts = _show_tool(number, content) if role == "tool" else [(role, content)]
        for role, content in parts:
            record = {"type": role, "message": {"role": role, "content": content}}
            lines.append(json.dumps(record | {"timestamp": at, "sessionId": case["id"]}))
    return lines


def _show_tool(number: int, text: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Give what a tool was asked, where that is a command, and what it printed."""
    for at, piece in enumerate(re.split(r"^(?=\$ )", text, flags=re.MULTILINE)):
        ran = f"{number}.{at}"
        first, _, rest = piece.partition("\n")
        if first.startswith("$ "):
            asked = {"type": "tool_use", "id": ran, "name": "Bash", "input": {"command": first[2:]}}
            yield "assistant", [asked]
            piece = rest
        yield "user", [{"type": "tool_result", "tool_use_id": ran, "content": piece}]


def find_turn(case: Case, at: datetime | None) -> int:
    """Tell the number of the turn that was said at a moment."""
    began = datetime.fromisoformat(case["date"]).replace(hour=9, tzinfo=UTC)
    return 0 if at is None else round((at - began) / timedelta(minutes=1))


def find_things(case: Case) -> list[Thing]:
    """Tell what two of three people hold to be worth keeping.

    Entries that share a sentence are one thing.
    """
    groups: list[tuple[set[Place], set[int]]] = []
    for person, entries in enumerate(case["marks"]):
        for entry in entries:
            places, people = {(number, text) for number, text in entry}, {person}
            apart = []
            for other in groups:
                if other[0] & places:
                    places |= other[0]
                    people |= other[1]
                else:
                    apart.append(other)
            groups = [*apart, (places, people)]
    worth = find_agreed(case)
    found = [
        frozenset(places & worth) or frozenset(places)
        for places, people in groups
        if len(people) >= AGREED
    ]
    return [Thing(places) for places in sorted(found, key=min)]


def find_agreed(case: Case) -> frozenset[Place]:
    """Tell the sentences that two of three people marked."""
    marked = [
        {(number, text) for entry in entries for number, text in entry} for entries in case["marks"]
    ]
    every = set().union(*marked)
    return frozenset(place for place in every if sum(place in own for own in marked) >= AGREED)


def find_sources(case: Case, turn: int, text: str) -> frozenset[Place]:
    """Tell which sentences a statement is taken from: word for word, or the marked ones it retells.

    A statement in other words retells the one marked sentence of its turn, or those of several of
    which it repeats some words. One that takes a sentence word for word may retell others besides,
    in the words that are left.
    """
    own = dict.fromkeys(place for place in _list_sentences(case) if place[0] == turn)
    told = normalise(text)
    whole = frozenset(place for place in own if normalise(place[1]) in told)
    agreed = find_agreed(case)
    marked = [place for place in own if place in agreed and place not in whole]
    for _, taken in whole:
        told = told.replace(normalise(taken), " ")
    words = drop_stop_words(split_words(told))
    near = frozenset(
        place
        for place in marked
        if (said := drop_stop_words(split_words(place[1])))
        and len(words & said) >= LEAST_SHARED * len(said)
    )
    return whole | near or frozenset(marked[:1] if len(marked) == 1 else ())


def _list_sentences(case: Case) -> Iterable[Place]:
    """The sentences of a transcript that anybody marked, and all others of its turns."""
    from glymph.learn.turn_lines import read_said_lines
    from glymph.text.sentences import SPOKEN, split_sentences

    for number, turn in enumerate(case["turns"], 1):
        if turn["role"] != "tool":
            for line in read_said_lines(turn["text"]):
                yield from ((number, one) for one in split_sentences(line.text, SPOKEN))
    for entries in case["marks"]:
        yield from ((number, text) for entry in entries for number, text in entry)


def _holds(text: str, order: str) -> bool:
    """Tell whether a statement repeats most of an order."""
    said, wanted = (drop_stop_words(split_words(one)) for one in (text, order))
    return bool(wanted) and len(said & wanted) >= 0.6 * len(wanted)


def judge_people(cases: Sequence[Case]) -> float:
    """Tell how well one person's marks agree with what the two others both marked, as an F-score."""
    hits = marked = wanted = 0
    for case in cases:
        own = [
            {(number, text) for entry in entries for number, text in entry}
            for entries in case["marks"]
        ]
        for person, mine in enumerate(own):
            first, second = (own[other] for other in range(len(own)) if other != person)
            both, any_of = first & second, first | second
            hits += len(mine & any_of) + len(mine & both)
            marked += len(mine)
            wanted += len(both)
    return 100 * hits / max(1, marked + wanted)
