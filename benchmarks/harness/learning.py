"""Episodes that ended, and a model that says of each group what is true of it, for `consolidation`."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from glymph.llm.contract import TIMEOUT
from glymph.llm.dialogue import Message, Reply, Schema
from glymph.testing import ScriptedModel
from glymph.testing.scripted_model import Answer

THINGS = "kettle harbour lantern orchard saddle violin glacier thimble rudder pigeon quarry mirror".split()
DEEDS = "moved opened painted weighed sorted mended counted folded washed traded".split()
HIGH = 0.5


def episodes(
    count: int, groups: int, seed: int, *, at: datetime | None = None
) -> list[dict[str, Any]]:
    """Items for `add_many`: what was tried, with whom, under which load, and how it ended."""
    drawn = random.Random(seed)
    found = []
    for number in range(count):
        load = round(drawn.random(), 3)
        name = f"Customer{number % groups:03d}"
        text = (
            f"{name} wanted a {drawn.choice(THINGS)} {drawn.choice(DEEDS)} by noon, order {seed}-{number}; the "
            f"load of the workshop was {load}, and it took {drawn.randint(2, 90)} minutes."
        )
        told = {
            "load": load,
            "success": drawn.random() < (0.8 if load > HIGH else 0.4),
            "shift": number % 3,
        }
        found.append(
            {"text": text, "kind": "event", "entities": [name], "attributes": told, "event_at": at},
        )
    return found


class Speaker(ScriptedModel):
    """Answers with a pattern whose every number is true, and knows what CPU time its own work took."""

    def __init__(self) -> None:
        super().__init__(_said)
        self.cpu_s = 0.0

    def complete(
        self, messages: Sequence[Message], schema: Schema | None = None, *, max_tokens: int = 1024,
        timeout: float = TIMEOUT, cancel: threading.Event | None = None,
    ) -> Reply:  # fmt: skip
        begun = time.process_time()
        try:
            return super().complete(
                messages, schema, max_tokens=max_tokens, timeout=timeout, cancel=cancel
            )
        finally:
            self.cpu_s += time.process_time() - begun


def _said(messages: Sequence[Message], schema: Schema | None) -> Answer:
    group, *told = (json.loads(line) for line in messages[1].content.split("\n")[1:-1])
    if schema and "sentences" in schema["properties"]:
        return {"sentences": [_state(one) for one in told]}
    high = [one for one in told if one["values"]["load"] > HIGH]
    won = sum(one.get("outcome") == "success" for one in high)
    name = group["group"]
    said = f"When the load of {name} is above {HIGH}, {won} of {len(high)} orders succeeded."
    claim = {
        "text": said, "measure": "successes", "where": [{"name": "load", "is": ">", "value": HIGH}],
        "stated": won, "out_of": len(high), "episodes": [one["id"] for one in high],
    }  # fmt: skip
    body = f"{said} I look at the load before I promise {name} anything, and say so when it is low."
    answer = {
        "pattern": True, "title": f"{name} is served well under load", "body": body, "claims": [claim],
        "trigger": f"{name} wants something under load", "direction": "promise",
    }  # fmt: skip
    return answer if high else {"pattern": False}


def _state(told: dict[str, Any]) -> dict[str, Any]:
    """Say what a sentence of a pattern states."""
    numbers = [int(word) for word in told["sentence"].split() if word.isdigit()]
    where = [{"name": "load", "is": ">", "value": HIGH}]
    counted = {"measure": "successes", "where": where}
    return {
        "n": told["n"],
        "statements": [
            counted | {"stated": stated, "out_of": out_of}
            for stated, out_of in [numbers][: len(numbers) // 2]
        ],
    }
