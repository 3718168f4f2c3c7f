"""Extraction, AI prune and the surface with a real model on this machine.

The model is tiny: only form is looked at.
"""

from __future__ import annotations

import json

import pytest

from glymph import Glymph
from glymph.llm import open_model
from glymph.testing import FrozenClock
from glymph.text.tokens import tokens
from tests.llm.test_real_model import LACKING, WEIGHTS

pytestmark = [pytest.mark.nightly, pytest.mark.skipif(bool(LACKING), reason=LACKING)]

MOST_TOKENS = 64
SAID = [
    {
        "role": "user",
        "content": "We decided to move the release of the payment service to Thursday.",
    },
    {"role": "assistant", "content": "Noted: the release of the payment service is on Thursday."},
]
KNOWN = [
    "The payment tests run every night at two.",
    "The payment tests are run at 2 every night.",
    "Ines reviews every change of the ledger.",
    "The office printer was out of paper on Monday.",
    "The ledger keeps cents as whole numbers.",
    "Rui prefers short commit messages.",
    "The staging server stands in Frankfurt.",
    "The build takes eleven minutes.",
    "Lunch on Tuesday was late.",
]


class Terse:
    """The real model, held to answers so short that they end within a few tokens."""

    def __init__(self, model):
        self.model, self.name, self.prices = model, model.name, model.prices
        self.replies = []

    def complete(self, messages, schema=None, *, max_tokens=1024, timeout=60.0, cancel=None):
        reply = self.model.complete(
            messages,
            tight(schema),
            max_tokens=MOST_TOKENS,
            timeout=max(timeout, 120.0),
            cancel=cancel,
        )
        self.replies.append(reply)
        return reply

    def close(self):
        self.model.close()


def tight(schema):
    if not isinstance(schema, dict):
        return [tight(one) for one in schema] if isinstance(schema, list) else schema
    found = {name: tight(value) for name, value in schema.items()}
    if found.get("type") == "array":
        found["maxItems"] = 1
    if found.get("type") == "string" and "enum" not in found:
        found["maxLength"] = 24
    return found


@pytest.fixture(scope="module")
def asleep(tmp_path_factory):
    clock = FrozenClock()
    model = Terse(open_model(f"gguf:{WEIGHTS}"))
    url = f"sqlite:///{tmp_path_factory.mktemp('real')}/memory.db"
    with Glymph.open(url, clock=clock, model=model, embedder="none") as g:
        yield g, model, clock


def test_a_real_model_extracts_prunes_and_its_calls_are_in_the_ledger(asleep):
    g, model, clock = asleep
    read = g.extract(SAID, session="real")
    assert read.by == "model"
    assert read.problem is None
    assert read.calls == len(model.replies) >= 1
    g.add_many([{"text": text, "kind": "fact"} for text in KNOWN])
    clock.advance(days=10)
    before = {memory.id for memory in g.list(limit=100)}
    pruned = g.ai_prune()
    assert pruned.ran
    assert pruned.complete, pruned.failed_batches
    assert set(pruned.archived) <= before
    whole = [
        reply for reply in model.replies if reply.ended == "done"
    ]  # one cut off is asked for again
    assert len(whole) >= 2
    assert all(isinstance(json.loads(reply.text), dict) for reply in whole)
    assert all(0 < reply.usage.tokens_out <= MOST_TOKENS for reply in model.replies)
    assert len(model.replies) <= 8
    costs = g.costs()
    assert [one.name for one in costs.by_job] == ["ai_prune", "extract"]
    assert costs.total.calls == len(model.replies)
    assert costs.total.tokens_in == sum(reply.usage.tokens_in for reply in model.replies)
    assert costs.total.cost_usd == 0
    assert (costs.total.failed, costs.total.unsettled) == (0, 0)


def test_the_surface_follows_what_the_model_did(asleep):
    g, model, _ = asleep
    calls = len(model.replies)
    digest = g.surface()
    assert 0 < tokens(digest) <= 2000
    archived = [memory.text for memory in g.list(limit=100, states=["ARCHIVED"])]
    assert all(text not in digest for text in archived)
    assert len(model.replies) == calls
    assert g.verify().ok
