"""Asks which things of a conversation will matter in later ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from glymph.errors import MalformedReply
from glymph.learn.transcript import Turn
from glymph.llm.answers import fields, strict_json
from glymph.llm.dialogue import Message, Question
from glymph.llm.fence import fence_records, rule

KINDS = ("fact", "preference", "decision", "lesson", "goal", "note")
MOST, LONGEST = 24, 400  # memories of one answer, characters of one memory
MAX_TOKENS = 4000

SYSTEM = """\
You keep the long-term memory of an AI agent. You are shown a part of a conversation and list \
what will still matter in later conversations, with other questions and other files open.

Keep: decisions and why they were taken, standing preferences and rules of the user, lasting \
facts about people, projects, systems and their names, lessons from what went wrong or right, \
goals and deadlines.
Leave out: requests and steps of the work at hand, questions, politeness, what is true only now, \
what everybody knows, what the code itself shows, guesses, and suggestions of the assistant that \
the user did not accept. Never keep passwords, keys or anything shown as [secret].

Write each as one sentence that is understood without the conversation: names instead of "it" or \
"this". Say only what was said: every name, number and date must stand in the turns, in the \
language of the turns. Write "yesterday", "today" and "tomorrow" as the date they mean; a turn's \
`at` tells when it was said. Leave other dates as they are.

Answer with one JSON object: {{"memories": [{{"text": "…", "kind": "…", "turn": 1}}]}}. kind is \
one of {kinds}. turn is the number of the turn that says it. At most {most} memories, each of at \
most {longest} characters; the most useful first. Most parts hold few or none: then the list is \
empty.

{rule}"""


def _schema(turns: int) -> dict[str, Any]:
    """Returns the schema of an answer.

    A model that is held to it cannot name a turn that does not exist.
    """
    memory = {
        "type": "object",
        "properties": {
            "text": {"type": "string", "maxLength": LONGEST},
            "kind": {"type": "string", "enum": list(KINDS)},
            "turn": {"type": "integer", "minimum": 1, "maximum": turns},
        },
        "required": ["text", "kind", "turn"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"memories": {"type": "array", "maxItems": MOST, "items": memory}},
        "required": ["memories"],
        "additionalProperties": False,
    }


@dataclass(frozen=True, slots=True)
class Extracted:
    """One thing to remember. `turn` is the place of the turn that says it, from 0."""

    text: str
    kind: str
    turn: int


def question(turns: Sequence[Turn], *, nonce: str, today: date) -> Question[tuple[Extracted, ...]]:
    """Returns what of these turns will matter later."""
    system = SYSTEM.format(kinds=", ".join(KINDS), most=MOST, longest=LONGEST, rule=rule(nonce))
    shown = fence_records((_show_turn(number, turn) for number, turn in enumerate(turns, 1)), nonce)
    asked = f"Today is {today.isoformat()}. The conversation:\n{shown}\nList what will matter \
later, as JSON."
    return Question(
        (Message("system", system), Message("user", asked)),
        _schema(len(turns)),
        lambda text: _parse(text, len(turns)),
        MAX_TOKENS,
    )


def _show_turn(number: int, turn: Turn) -> dict[str, Any]:
    record: dict[str, Any] = {"turn": number, "role": turn.role}
    if turn.at is not None:
        record["at"] = turn.at.strftime("%Y-%m-%d %A")
    return record | {"text": turn.text}


def _parse(text: str, count: int) -> tuple[Extracted, ...]:
    memories = fields(strict_json(text), {"memories": list})["memories"]
    if len(memories) > MOST:
        raise MalformedReply(f"it lists {len(memories)} memories, and at most {MOST} are asked for")
    return tuple(_parse_one(each, f"memories[{at}]", count) for at, each in enumerate(memories))


def _parse_one(value: Any, where: str, count: int) -> Extracted:
    found = fields(value, {"text": str, "kind": str, "turn": int}, where)
    said = " ".join(found["text"].split())
    if not said:
        raise MalformedReply(f"'text' in {where} is empty")
    if len(said) > LONGEST:
        raise MalformedReply(
            f"'text' in {where} has {len(said)} characters, and at most {LONGEST} are asked for"
        )
    if found["kind"] not in KINDS:
        raise MalformedReply(
            f"'kind' in {where} is {found['kind'][:40]!r} and not one of {', '.join(KINDS)}"
        )
    if not 1 <= found["turn"] <= count:
        raise MalformedReply(f"'turn' in {where} is {found['turn']}, and there are {count} turns")
    return Extracted(said, found["kind"], found["turn"] - 1)
