"""A model behind the Messages API, against a real server that misbehaves by script."""

from __future__ import annotations

import json
import traceback

import pytest

from glymph.errors import InvalidInput, ModelFailed, ModelTimedOut
from glymph.http import Service
from glymph.llm.dialogue import FREE, Message, Prices, Usage
from glymph.llm.providers.anthropic import AnthropicModel
from tests.llm.scripted import refuses, says, service, stalls

KEY = "sk-ant-very-secret"
ASKED = [Message("system", "Be brief."), Message("user", "Where?"), Message("system", "Use JSON.")]
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
USED = {
    "input_tokens": 12,
    "cache_creation_input_tokens": 100,
    "cache_read_input_tokens": 30,
    "output_tokens": 7,
}


def answer(*blocks, ended="end_turn", usage=USED):
    return {"type": "message", "content": list(blocks), "stop_reason": ended, "usage": usage}


def text(said):
    return {"type": "text", "text": said}


def call(value):
    return {"type": "tool_use", "id": "t1", "name": "answer", "input": value}


def test_a_question_is_answered_through_a_tool_that_must_be_called():
    with service(says(answer(text("Well:"), call({"city": "Évora"}), ended="tool_use"))) as (
        url,
        requests,
    ):
        reply = AnthropicModel("haiku", url=url, key=KEY).complete(ASKED, SCHEMA, max_tokens=99)
    assert json.loads(reply.text) == {"city": "Évora"}
    assert (reply.usage, reply.ended) == (Usage(142, 7), "done")
    sent = requests[0]
    assert sent["path"] == "/v1/messages"
    headers = {name.lower(): value for name, value in sent["headers"].items()}
    assert (headers["x-api-key"], headers["anthropic-version"]) == (KEY, "2023-06-01")
    tool = sent["body"].pop("tools")[0]
    assert (tool["name"], tool["input_schema"]) == ("answer", SCHEMA)
    assert sent["body"] == {
        "model": "haiku",
        "max_tokens": 99,
        "system": "Be brief.\n\nUse JSON.",
        "messages": [{"role": "user", "content": "Where?"}],
        "tool_choice": {"type": "tool", "name": "answer"},
    }


def test_without_a_schema_the_answer_is_text():
    with service(says(answer(text("In "), text("Lisbon.")))) as (url, requests):
        assert AnthropicModel("haiku", url=url).complete(ASKED[1:2]).text == "In Lisbon."
    assert not {"tools", "system"} & set(requests[0]["body"])


@pytest.mark.parametrize(
    ("sent", "said", "ended"),
    [
        (answer(call({}), ended="max_tokens"), "{}", "length"),
        (answer(text("half"), ended="max_tokens"), "half", "length"),
        (answer(ended="refusal"), "", "refused"),
        (answer(text("x"), ended=None), "x", "done"),
    ],
)
def test_why_an_answer_ended_is_told(sent, said, ended):
    with service(says(sent)) as (url, _):
        reply = AnthropicModel("haiku", url=url).complete(ASKED, SCHEMA)
    assert (reply.text, reply.ended) == (said, ended)


@pytest.mark.parametrize("usage", [None, {}, [], {"input_tokens": "many"}, {"input_tokens": -3}])
def test_usage_is_estimated_where_it_is_not_said(usage):
    with service(says(answer(text("In Lisbon."), usage=usage))) as (url, _):
        used = AnthropicModel("haiku", url=url).complete(ASKED).usage
    assert used.tokens_in > 12
    assert used.tokens_out == 3


@pytest.mark.parametrize(
    "body", [[], {}, None, {"content": None}, {"content": [1]}, {"content": [{"type": "text"}]}]
)
def test_an_answer_that_cannot_be_read_is_one_clear_error(body):
    with (
        service(says(body)) as (url, _),
        pytest.raises(ModelFailed, match="cannot be used") as caught,
    ):
        AnthropicModel("haiku", url=url).complete(ASKED)
    assert caught.value.charged


@pytest.mark.parametrize("step", [refuses(401, KEY.encode()), says({"error": KEY})])
def test_the_key_is_in_no_message(step):
    with service(step) as (url, _):
        model = AnthropicModel("haiku", url=url, key=KEY)
        with pytest.raises(ModelFailed) as caught:
            model.complete(ASKED)
    assert KEY not in "".join(traceback.format_exception(caught.value)) + repr(model) + model.name


def test_an_overloaded_service_is_asked_again():
    with service(refuses(529), says(answer(text("x")))) as (url, _):
        remote = Service(url, "/messages", setting="model", sleep=lambda _: None)
        assert AnthropicModel("haiku", service=remote).complete(ASKED).text == "x"


def test_no_answer_in_time_is_told():
    with service(stalls) as (url, _), pytest.raises(ModelTimedOut):
        AnthropicModel("haiku", url=url).complete(ASKED, timeout=0.1)


@pytest.mark.parametrize("url", ["localhost", "http://[::1", "https://"])
def test_a_bad_address_names_the_setting(url):
    with pytest.raises(InvalidInput, match="model_url"):
        AnthropicModel("haiku", url=url)


def test_names_addresses_and_prices():
    assert AnthropicModel("haiku").name == "anthropic:haiku"
    assert AnthropicModel("haiku", url="http://localhost:9").name == "anthropic:haiku@localhost:9"
    assert AnthropicModel("haiku", url="http://localhost:9").prices == FREE
    assert AnthropicModel("haiku", prices="1/5").prices == Prices(1.0, 5.0)
    with service(says(answer(text("x")))) as (url, requests):
        AnthropicModel("haiku", url=url.removesuffix("/v1")).complete(ASKED)
    assert requests[0]["path"] == "/v1/messages"
