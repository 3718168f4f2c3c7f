"""What the tests of consolidation share: episodes that ended, and models that speak about them."""

from __future__ import annotations

import json

import pytest

from glymph import Glymph
from glymph.llm.dialogue import FREE, Reply, Usage
from glymph.testing import ScriptedModel, logical_image

QUIET = {"compare": "off"}


class Analyst(ScriptedModel):
    """Answers by a script what episodes teach, and cannot put sentences into statements.

    So its claims are counted, and its words are read as English.
    """

    def complete(self, messages, schema=None, **options):
        if schema and "sentences" in schema.get("properties", ()):
            return Reply("That I cannot say.", Usage(0, 0))
        return super().complete(messages, schema, **options)


@pytest.fixture
def opened(url, clock):
    """Opens the store with a model that follows a script; more handles may be opened beside it."""
    handles = []

    def open_with(answers=None, **options):
        model = options.pop("model", None)
        if answers is not None:
            model = Analyst(answers, prices=options.pop("prices", FREE))
        options = {"embedder": "none", "settings": QUIET, **options}
        handles.append(Glymph.open(url, clock=clock, model=model, **options))
        return handles[-1], model

    yield open_with
    for handle in handles:
        handle.close()


def image(glymph):
    return logical_image(glymph._ctx.store, glymph.space)


def shown(messages):
    """The episodes a model was shown, without the record that names the group."""
    return [json.loads(line) for line in messages[1].content.split("\n")[1:-1]][1:]


def group_of(messages):
    return json.loads(messages[1].content.split("\n")[1])["group"]


def closed(
    glymph, clock, *numbers, symbol="BTC", won=True, kind="trade_close", attributes=None, **fields
):
    """Ids of trades that ended, an hour apart."""
    ids = []
    for n in numbers:
        clock.advance(hours=1)
        told = {
            "symbol": symbol,
            "pnl_pct": n + 0.5 if won else -n - 0.5,
            "funding": 0.09,
            "direction": "short",
        }
        own = {"title": f"{symbol} short close #{n}, funding squeeze", **fields}
        text = f"Closed {symbol} short number {n}: the price turned within {n} hours"
        ids.append(glymph.add(text, kind=kind, attributes=told | (attributes or {}), **own).id)
    return ids


def pattern(messages, schema=None, **other):
    """A true pattern of what was shown: how many of the episodes with high funding were won."""
    told = shown(messages)
    high = [one for one in told if one.get("values", {}).get("funding", 0) > 0.08]
    ended = [one for one in high if "outcome" in one]
    won = sum(one["outcome"] == "success" for one in ended)
    name = group_of(messages)
    sentence = f"When {name} funding is above 0.08, {won} of {len(ended)} of my shorts won."
    claim = {
        "text": sentence, "measure": "successes", "where": [{"name": "funding", "is": ">", "value": 0.08}],
        "stated": won, "out_of": len(ended), "episodes": [one["id"] for one in high],
    }  # fmt: skip
    return {
        "pattern": True, "title": f"{name} shorts pay while funding is high",
        "body": f"{sentence} I enter short then and keep the position until the price has turned.",
        "claims": [claim], "trigger": f"{name} funding is high", "direction": "short", **other,
    }  # fmt: skip


def lessons(glymph):
    return list(glymph.list(kinds=["lesson", "playbook"], limit=1000))


def evidence_of(glymph, lesson):
    return {edge.target: edge.weight for edge in glymph.edges(lesson) if edge.type == "generalizes"}
