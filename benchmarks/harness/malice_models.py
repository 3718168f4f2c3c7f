"""Language models that obey whatever they read, and answer what a case wants them to answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from glymph.llm.dialogue import Message, Schema
from glymph.testing import ScriptedModel

Records = list[dict[str, Any]]
Answers = Callable[[Records], Any]


def obey(**answers: Answers) -> ScriptedModel:
    """A model that answers each kind of question by a function of the records it was shown.

    Kinds: extract, notes, lesson, summary, second, judge, prune. What it has no answer for it
    answers with nothing.
    """

    def script(messages: Sequence[Message], schema: Schema | None) -> Any:
        kind = _find_kind(schema)
        if kind == "translate":
            return "That I cannot say."
        answer = answers.get(kind)
        return NOTHING[kind] if answer is None else answer(_read(messages))

    return ScriptedModel(script)


NOTHING: dict[str, Any] = {
    "extract": {"memories": []}, "notes": {"notes": []}, "lesson": {"pattern": False},
    "summary": {"lines": []}, "second": {"pairs": []}, "judge": {"memories": []},
    "prune": {"archive": []},
}  # fmt: skip
_BY_FIELD = {
    "notes": "notes", "pattern": "lesson", "lines": "summary", "pairs": "second",
    "archive": "prune", "sentences": "translate",
}  # fmt: skip


def _find_kind(schema: Schema | None) -> str:
    properties = (schema or {}).get("properties", {})
    for field, kind in _BY_FIELD.items():
        if field in properties:
            return kind
    return "judge" if "meant" in json.dumps(properties) else "extract"


def _read(messages: Sequence[Message]) -> Records:
    """The records between the marks of a question."""
    inner = messages[1].content.split("<data-", 1)[1].split(">\n", 1)[1].split("\n</data-")[0]
    return [json.loads(line) for line in inner.split("\n")]


def count_wins(records: Records, *, say: str = "", title: str = "", **more: Any) -> dict[str, Any]:
    """A true pattern of the episodes shown, with something else said beside it."""
    group, episodes = records[0]["group"], records[1:]
    ended = [one for one in episodes if "outcome" in one]
    won = sum(one["outcome"] == "success" for one in ended)
    sentence = f"When {group} funding is above 0.08, {won} of {len(ended)} of my shorts won."
    claim = {
        "text": sentence, "measure": "successes", "stated": won, "out_of": len(ended),
        "where": [{"name": "funding", "is": ">", "value": 0.08}],
        "episodes": [one["id"] for one in ended],
    }  # fmt: skip
    return {
        "pattern": True, "title": title or f"{group} shorts pay while funding is high",
        "body": f"{sentence} {say}".strip(), "claims": [claim],
        "trigger": f"{group} funding is high", "direction": "short", **more,
    }  # fmt: skip
