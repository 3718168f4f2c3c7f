"""BEAM's chats as they were held: what the user said and what the assistant answered, both.

`dialogues.beam` has the user's words only, which is what is stored for a search. A history keeps
the whole chat.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.harness.contract import Options
from benchmarks.harness.dialogues import Dialogue

CARRIED = "%B-%d-%Y"  # the form of a day, which holds until another one is given


def beam(options: Options) -> list[Dialogue]:
    """One dialogue per chat, and every question that names messages.

    A question's group is its ability.
    """
    found: dict[str, Dialogue] = {}
    since: dict[str, datetime] = {}
    for message in _lines(options.dataset("beam_messages.jsonl.gz")):
        chat = message["chat"]
        if message["time"]:
            since[chat] = datetime.strptime(message["time"], CARRIED).replace(tzinfo=UTC)
        item = {"text": message["text"], "role": message["role"], "event_at": since.get(chat)}
        found.setdefault(chat, Dialogue(chat)).say(message["id"], item)
    for question in _lines(options.dataset("beam_questions.jsonl")):
        evidence = set(question["source_ids"])
        found[question["chat"]].ask(
            question["question"], evidence, question["ability"], whole=len(evidence)
        )
    return list(found.values())


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    with (
        gzip.open(path, "rt", encoding="utf-8")
        if path.suffix == ".gz"
        else path.open(encoding="utf-8") as lines
    ):
        for line in lines:
            yield json.loads(line)
