"""The question what later statements do to earlier ones, and how a model's answer is read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from glymph.errors import MalformedReply
from glymph.llm.answers import fields, strict_json
from glymph.llm.dialogue import Message, Question, Schema
from glymph.llm.fence import fence_records, rule

MOST_PAIRS = 20  # in one question
MOST_TEXT = 600  # characters of a statement that are shown
# Of so many pairs, the share that one answer may hide; a model that says more obeys what it reads.
MANY, MOST_HIDDEN = 8, 0.8
HIDING = ("replaces", "same")
TOKENS, TOKENS_EACH = 100, 25  # of an answer: at all, and for each pair that is shown

RELATIONS: Mapping[str, str] = {
    "replaces": "the earlier statement as a whole is no longer how things stand: its value "
    "changed, it was cancelled, postponed, done, settled, ended, found or corrected",
    "part": "the earlier statement holds several facts, and only some of them are out of date",
    "same": "both say the same; without one of them nothing that matters would be lost",
}

TASK = """You keep an agent's long-term memory up to date. A record has a later statement \
and earlier ones that were stored before it, each with its date. Tell what the later one does to \
each earlier one:
{relations}
- none: both stay true. So it is with an addition, a further detail, another person or thing, \
another event of a series, another line of a list, the past, a reason, a wish, an opinion.
When in doubt: none. Name only pairs that are not none. Answer with JSON only: \
{{"pairs":[{{"id":"p1","relation":"replaces"}}]}}; the list may be empty.
{rule}"""


@dataclass(frozen=True, slots=True)
class Statement:
    """A memory as a model may see it."""

    said: date
    text: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """A later statement, and the earlier ones that it may concern."""

    later: Statement
    earlier: tuple[Statement, ...]


Answer = tuple[tuple[str | None, ...], ...]  # a relation for each earlier statement of each doubt


def question(doubts: Sequence[Doubt]) -> Question[Answer]:
    """Asks about some doubts. The same doubts make the same question, word for word."""
    records: list[dict[str, Any]] = []
    places: dict[str, tuple[int, int]] = {}
    for number, doubt in enumerate(doubts):
        earlier = []
        for place, one in enumerate(doubt.earlier):
            alias = f"p{len(places) + 1}"
            places[alias] = number, place
            earlier.append({"id": alias, **_show(one)})
        records.append({"later": _show(doubt.later), "earlier": earlier})
    nonce = hashlib.sha256(json.dumps(records).encode()).hexdigest()[:16]
    told = "\n".join(f"- {name}: {meaning}" for name, meaning in RELATIONS.items())
    task = TASK.format(relations=told, rule=rule(nonce))
    counts = [len(doubt.earlier) for doubt in doubts]
    return Question(
        messages=(Message("system", task), Message("user", fence_records(records, nonce))),
        schema=_schema(list(places)),
        parse=lambda text: _parse(text, places, counts),
        max_tokens=TOKENS + TOKENS_EACH * len(places),
    )


def _show(one: Statement) -> dict[str, str]:
    text = " ".join(one.text.split())
    cut = text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 1] + "…"
    return {"said": one.said.isoformat(), "text": cut}


def _schema(aliases: list[str]) -> Schema:
    pair = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "enum": aliases},
            "relation": {"type": "string", "enum": list(RELATIONS)},
        },
        "required": ["id", "relation"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"pairs": {"type": "array", "maxItems": len(aliases), "items": pair}},
        "required": ["pairs"],
        "additionalProperties": False,
    }


def _parse(text: str, places: Mapping[str, tuple[int, int]], counts: Sequence[int]) -> Answer:
    """Returns the relation of every pair, or raises MalformedReply."""
    found: list[list[str | None]] = [[None] * count for count in counts]
    for number, value in enumerate(fields(strict_json(text), {"pairs": list})["pairs"], start=1):
        told: dict[str, Any] = fields(value, {"id": str, "relation": str}, f"pair {number}")
        if told["id"] not in places:
            raise MalformedReply(f"pair {number} is not one of those shown")
        if told["relation"] not in RELATIONS:
            raise MalformedReply(f"the relation of pair {number} is none of {', '.join(RELATIONS)}")
        doubt, place = places[told["id"]]
        if found[doubt][place] is not None:
            raise MalformedReply(f"it names {told['id']} twice")
        found[doubt][place] = told["relation"]
    hidden = sum(word in HIDING for several in found for word in several)
    if len(places) >= MANY and hidden > MOST_HIDDEN * len(places):
        raise MalformedReply(
            f"it would hide {hidden} of {len(places)} statements, and most of them stay true"
        )
    return tuple(tuple(several) for several in found)
