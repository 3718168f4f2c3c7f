"""The question which memories a request to forget means, and how a model's answer is read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from glymph.errors import MalformedReply
from glymph.llm.answers import fields, strict_json
from glymph.llm.dialogue import Message, Question, Schema
from glymph.llm.fence import fence_records, rule

MOST_MEMORIES = 30  # in one question
MOST_TEXT = 1_000  # characters of a memory that are shown; of more no part can be cut out
TOKENS, TOKENS_EACH = 200, 120  # of an answer: at all, and for each memory that is shown

Verb = Literal["release", "purge", "supersede"]
ASKED: dict[Verb, str] = {
    "release": "A person asks that something is no longer brought up.",
    "purge": "A person asks that something is erased for good.",
    "supersede": "A description says which earlier belief is out of date; the new statement takes "
    "its place.",
}

TASK = """You keep an agent's long-term memory. {asked} Read the request exactly and tell for each \
memory whether the request means it:
- all: the whole memory is meant, or without what is meant nothing of use is left of it.
- part: it also holds something that is not meant. "left" is then the memory without what is \
meant: the same words, nothing added, corrected only as far as grammar needs.
- none: it is not meant.
Read the memories together: one may say who is meant, what somebody is also called, or which value \
is the current one. "Everything about" a subject means all that is told because of it, under every \
name and by description, but no namesake and nothing that is excepted. One fact means that fact \
alone, in whatever words. "Old", "former" and "used to" mean what is out of date, never what is \
current. A source or a time means only what was told by it or then. If nothing is meant, the list \
is empty. Name only memories that are not none. Answer with JSON only: \
{{"memories":[{{"id":"m1","meant":"all","left":""}}]}}.
{rule}"""


@dataclass(frozen=True, slots=True)
class Shown:
    """A memory as a model may see it."""

    said: date
    text: str


@dataclass(frozen=True, slots=True)
class Meant:
    """What a model says of a memory: whether it is meant, and what is left of it in part."""

    kind: Literal["none", "all", "part"] = "none"
    left: str = ""


Answer = tuple[Meant, ...]


def question(
    verb: Verb, request: str, new: str | None, memories: Sequence[Shown]
) -> Question[Answer]:
    """Asks about some memories. The same request and memories make the same question."""
    aliases = [f"m{number}" for number in range(1, len(memories) + 1)]
    asked: dict[str, Any] = {"request": request} | ({"new statement": new} if new else {})
    shown = [
        {"id": alias, "said": one.said.isoformat(), "text": _cut(one.text)}
        for alias, one in zip(aliases, memories, strict=True)
    ]
    records = [asked, *shown]
    nonce = hashlib.sha256(json.dumps([verb, *records]).encode()).hexdigest()[:16]
    task = TASK.format(asked=ASKED[verb], rule=rule(nonce))
    return Question(
        messages=(Message("system", task), Message("user", fence_records(records, nonce))),
        schema=_schema(aliases),
        parse=lambda text: _parse(text, aliases),
        max_tokens=TOKENS + TOKENS_EACH * len(aliases),
    )


def _cut(text: str) -> str:
    return text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 1] + "…"


def _schema(aliases: Sequence[str]) -> Schema:
    memory = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "enum": list(aliases)},
            "meant": {"type": "string", "enum": ["all", "part"]},
            "left": {"type": "string"},
        },
        "required": ["id", "meant", "left"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"memories": {"type": "array", "maxItems": len(aliases), "items": memory}},
        "required": ["memories"],
        "additionalProperties": False,
    }


def _parse(text: str, aliases: Sequence[str]) -> Answer:
    """Returns what is said of every memory, or raises MalformedReply."""
    found: dict[str, Meant] = {}
    told = fields(strict_json(text), {"memories": list})["memories"]
    for number, value in enumerate(told, start=1):
        where = f"memory {number}"
        one: dict[str, Any] = fields(value, {"id": str, "meant": str, "left": str}, where)
        if one["id"] not in aliases:
            raise MalformedReply(f"{where} is not one of those shown")
        if one["id"] in found:
            raise MalformedReply(f"it names {one['id']} twice")
        if one["meant"] not in ("all", "part"):
            raise MalformedReply(f"{where} is neither all nor part")
        if one["meant"] == "part" and not one["left"].strip():
            raise MalformedReply(f"{where} is part, and does not say what is left")
        found[one["id"]] = Meant(one["meant"], one["left"].strip())
    return tuple(found.get(alias, Meant()) for alias in aliases)
