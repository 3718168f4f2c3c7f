"""The question which of some memories may be archived, and how the model's answer is read.

A model only nominates. It sees short aliases instead of ids, is told to keep what it doubts, and is
never shown more than the beginning of a text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from glymph.errors import MalformedReply
from glymph.llm.answers import fields, strict_json
from glymph.llm.dialogue import Message, Question, Schema
from glymph.llm.fence import fence_records, rule

MOST_TEXT = 140  # characters of a memory's text that are shown
MOST_TITLE = 100
MOST_REASON = 200  # characters
MOST_ID = 64  # characters of an id nobody knows that are repeated to people
TOKENS, TOKENS_EACH = 200, 30  # of an answer: at all, and for each memory that is shown

CRITERIA: Mapping[str, str] = {
    "redundant": "another one here says the same; keep the better",
    "stale": "was true once, surely is not now",
    "too granular": "a detail nobody will ask for",
    "one-time": "mattered to one task that is over",
    "generic": "common knowledge, nothing of its own",
    "superseded": "a newer one here replaces it",
}

TASK = """You tidy an agent's long-term memory. Today is {today}. Name the memories to \
archive. Criteria:
{criteria}
When in doubt, keep: most memories stay. Decisions, preferences, lessons and facts about people \
stay unless another memory here makes them redundant or superseded. Of duplicates always keep one, \
and name it in the reason.
A record has id, kind, age in days, title and the start of the text; "text" continues a \
title it does not repeat.
Answer with JSON only: {{"archive":[{{"id":"m1","criterion":"redundant","reason":"same as m2"}}]}};\
 the list may be empty. A reason has at most 15 words.
{rule}"""

_ALIAS = re.compile(r"\bm[1-9]\d{0,5}\b")
_UNREADABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Shown:
    """A memory as a model may see it."""

    id: str
    kind: str
    age_days: int
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Nomination:
    """A memory that a model wants archived.

    One not `known` was not shown: its id is what the model wrote. `others` are the memories shown
    that the reason names.
    """

    id: str
    criterion: str | None
    reason: str
    known: bool = True
    others: tuple[str, ...] = ()


def question(
    shown: Sequence[Shown], *, nonce: str, today: date
) -> Question[tuple[Nomination, ...]]:
    """Asks which of these memories may be archived. `nonce` is random; see `fence`."""
    ids = {f"m{number}": one.id for number, one in enumerate(shown, start=1)}
    criteria = "\n".join(f"- {name}: {meaning}" for name, meaning in CRITERIA.items())
    task = TASK.format(today=today.isoformat(), criteria=criteria, rule=rule(nonce))
    records = [record(alias, one) for alias, one in zip(ids, shown, strict=True)]
    return Question(
        messages=(Message("system", task), Message("user", fence_records(records, nonce))),
        schema=_schema(list(ids)),
        parse=lambda text: _parse(text, ids),
        max_tokens=TOKENS + TOKENS_EACH * len(shown),
    )


def record(alias: str, one: Shown) -> dict[str, Any]:
    """Returns what a model sees of a memory.

    Where the title is the start of the text, the text goes on from there.
    """
    title, text = " ".join(one.title.split()), " ".join(one.text.split())
    start = title.removesuffix("…")
    text = text[len(start) :].lstrip() if start and text.startswith(start) else text
    told = {
        "id": alias,
        "kind": one.kind,
        "age": one.age_days,
        "title": _shorten(title, MOST_TITLE),
    }
    return told | ({"text": _shorten(text, MOST_TEXT)} if text else {})


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _schema(aliases: list[str]) -> Schema:
    nomination = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "enum": aliases},
            "criterion": {"type": "string", "enum": list(CRITERIA)},
            "reason": {"type": "string", "maxLength": MOST_REASON},
        },
        "required": ["id", "criterion", "reason"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"archive": {"type": "array", "maxItems": len(aliases), "items": nomination}},
        "required": ["archive"],
        "additionalProperties": False,
    }


# reading


def _parse(text: str, ids: Mapping[str, str]) -> tuple[Nomination, ...]:
    """Returns the nominations of an answer, or raises MalformedReply.

    A bare list without criteria will do.
    """
    answer = strict_json(text)
    bare = isinstance(answer, list)
    listed = answer if bare else fields(answer, {"archive": list})["archive"]
    if len(listed) > len(ids):
        raise MalformedReply(f"it names {len(listed):,} memories and {len(ids):,} were shown")
    found = tuple(
        _nomination(one, ids, f"nomination {number}", bare)
        for number, one in enumerate(listed, start=1)
    )
    if len({one.id for one in found}) < len(found):
        raise MalformedReply("it names a memory twice")
    return found


def _nomination(value: Any, ids: Mapping[str, str], where: str, bare: bool) -> Nomination:
    needed: dict[str, type] = {"id": str, "criterion": str, "reason": str}
    if bare and isinstance(value, dict) and "criterion" not in value:
        del needed["criterion"]
    told = fields(value, needed, where)
    criterion = told.get("criterion")
    if criterion is not None and criterion not in CRITERIA:
        raise MalformedReply(f"'criterion' in {where} is none of {', '.join(CRITERIA)}")
    reason = _readable(told["reason"])
    if not reason:
        raise MalformedReply(f"'reason' in {where} is blank")
    if len(reason) > MOST_REASON:
        raise MalformedReply(f"'reason' in {where} has more than {MOST_REASON} characters")
    named = told["id"]
    known = ids.get(named) or (named if named in ids.values() else None)
    others = tuple(
        ids[alias]
        for alias in dict.fromkeys(_ALIAS.findall(reason))
        if ids.get(alias, known) != known
    )
    reason = _ALIAS.sub(lambda match: ids.get(match[0], match[0]), reason)
    return Nomination(
        known or _readable(named)[:MOST_ID], criterion, reason, known is not None, others
    )


def _readable(text: str) -> str:
    """Returns the text without what no store keeps and no line shows."""
    return " ".join(_UNREADABLE.sub(" ", text).split())
