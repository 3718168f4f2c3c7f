"""A model behind an OpenAI-compatible address, against a real server that misbehaves by script."""

from __future__ import annotations

import threading
import traceback

import pytest

from glymph.errors import InvalidInput, ModelCancelled, ModelFailed, ModelTimedOut
from glymph.http import ATTEMPTS, Service
from glymph.llm.dialogue import FREE, UNKNOWN, Message, Prices, Usage
from glymph.llm.providers.openai import OpenAIModel
from tests.llm.scripted import drips, hangs_up, refuses, says, service, stalls

KEY = "sk-very-secret"
ASKED = [Message("system", "Answer in JSON."), Message("user", "Where does Ana live?")]
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
SECONDS = 60.0


def answer(text='{"city": "Lisbon"}', ended="stop", **changes):
    message = {"role": "assistant", "content": text} | changes.pop("message", {})
    choice = {"index": 0, "message": message, "finish_reason": ended}
    return {"choices": [choice], "usage": {"prompt_tokens": 12, "completion_tokens": 7}} | changes


def opened(url, **options):
    headers = {"Authorization": f"Bearer {KEY}"}
    remote = Service(
        url,
        "/chat/completions",
        setting="model",
        key=KEY,
        headers=headers,
        sleep=lambda _: None,
        **options,
    )
    return OpenAIModel("small", url=url, key=KEY, service=remote)


def test_a_question_is_answered():
    with service(says(answer())) as (url, requests):
        reply = OpenAIModel("small", url=url, key=KEY).complete(ASKED, SCHEMA, max_tokens=99)
    assert (reply.text, reply.usage, reply.ended) == ('{"city": "Lisbon"}', Usage(12, 7), "done")
    assert requests[0]["path"] == "/v1/chat/completions"
    assert requests[0]["headers"]["Authorization"] == f"Bearer {KEY}"
    held = {"name": "answer", "schema": SCHEMA, "strict": True}
    assert requests[0]["body"] == {
        "model": "small",
        "messages": [{"role": m.role, "content": m.content} for m in ASKED],
        "max_tokens": 99,
        "response_format": {"type": "json_schema", "json_schema": held},
    }


def test_without_a_schema_no_form_is_asked_for_and_a_key_may_be_missing():
    with service(says(answer())) as (url, requests):
        OpenAIModel("small", url=url).complete(ASKED)
    assert "response_format" not in requests[0]["body"]
    assert "Authorization" not in requests[0]["headers"]


@pytest.mark.parametrize("status", [400, 422, 500])
def test_a_server_that_knows_no_schema_is_asked_more_loosely_from_then_on(status):
    no_schema = refuses(status, b'{"error": "response_format type json_schema is not supported"}')
    no_form = refuses(400, b'{"error": "unknown field response_format"}')
    tries = ATTEMPTS if status == 500 else 1  # a 500 may pass, so it is tried again first
    with service(*[no_schema] * tries, no_form, then=says(answer())) as (url, requests):
        model = opened(url)
        assert model.complete(ASKED, SCHEMA).text == '{"city": "Lisbon"}'
        model.complete(ASKED, SCHEMA)
    forms = [request["body"].get("response_format", {}).get("type") for request in requests]
    assert forms == ["json_schema"] * tries + ["json_object", None, None]


def test_a_schema_that_one_server_dislikes_says_nothing_about_the_next_one():
    dislikes = refuses(
        400, b"Invalid schema for response_format 'answer': additionalProperties must be false"
    )
    with service(dislikes, then=says(answer())) as (url, requests):
        model = opened(url)
        model.complete(ASKED, SCHEMA)
        model.complete(ASKED, SCHEMA)
    forms = [request["body"]["response_format"]["type"] for request in requests]
    assert forms == ["json_schema", "json_object", "json_schema"]


def test_the_name_of_the_limit_is_changed_once_if_the_server_wants_the_other():
    wants = refuses(
        400, b"Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens'."
    )
    with service(wants, says(answer()), wants) as (url, requests):
        model = opened(url)
        model.complete(ASKED, max_tokens=9)
        with pytest.raises(ModelFailed, match="400"):
            model.complete(ASKED, max_tokens=9)
    limits = [
        sorted(set(request["body"]) & {"max_tokens", "max_completion_tokens"})
        for request in requests
    ]
    assert limits == [["max_tokens"], ["max_completion_tokens"], ["max_completion_tokens"]]


def test_a_limit_that_is_too_high_is_not_taken_for_a_wrong_name():
    with (
        service(refuses(400, b"max_tokens is too large")) as (url, requests),
        pytest.raises(ModelFailed),
    ):
        opened(url).complete(ASKED)
    assert len(requests) == 1


def test_openai_itself_gets_the_new_name_of_the_limit():
    with service(says(answer())) as (url, requests):
        remote = Service(url, "/chat/completions", setting="model")
        remote.host = "api.openai.com"
        OpenAIModel("small", service=remote).complete(ASKED, max_tokens=5)
    assert requests[0]["body"]["max_completion_tokens"] == 5


@pytest.mark.parametrize(
    ("sent", "text", "ended"),
    [
        (answer("{", "length"), "{", "length"),
        (answer(None, "length"), "", "length"),
        (answer("no", "content_filter"), "no", "refused"),
        (answer(None, message={"refusal": "I will not."}), "I will not.", "refused"),
        (answer("x", None), "x", "done"),
        (answer("x", "eos"), "x", "done"),
    ],
)
def test_why_an_answer_ended_is_told(sent, text, ended):
    with service(says(sent)) as (url, _):
        reply = opened(url).complete(ASKED, SCHEMA)
    assert (reply.text, reply.ended) == (text, ended)


@pytest.mark.parametrize(
    "usage", [None, {}, "12", {"prompt_tokens": 1}, {"prompt_tokens": -1, "completion_tokens": 1}]
)
def test_usage_is_estimated_where_it_is_not_said(usage):
    with service(says(answer(usage=usage))) as (url, _):
        used = opened(url).complete(ASKED).usage
    assert used.tokens_in > 8
    assert used.tokens_out > 1


@pytest.mark.parametrize(
    "body",
    [b"<html>", [], {}, "text", None, {"choices": []}, {"choices": [None]}, {"choices": [{"message": None}]},
     {"error": {"message": "no such model"}}, {"choices": [{"message": {"content": [1]}}]}, answer(5)],
)  # fmt: skip
def test_an_answer_that_cannot_be_read_is_one_clear_error(body):
    with (
        service(says(body)) as (url, requests),
        pytest.raises(ModelFailed, match="cannot be used") as caught,
    ):
        opened(url).complete(ASKED)
    assert len(requests) == 1
    assert caught.value.charged
    assert "model_url" in str(caught.value)


@pytest.mark.parametrize(
    ("step", "attempts", "message"),
    [
        (refuses(401, b"bad key"), 1, "401 .*bad key.*model_key"),
        (refuses(404), 1, "404 .*name of the model"),
        (refuses(400, b"too long"), 1, "400 .*too long"),
        (refuses(302, Location="http://127.0.0.1:1/"), 1, "302"),
        (refuses(429), ATTEMPTS, "429 .*higher limit"),
        (refuses(503), ATTEMPTS, "503"),
        (hangs_up, 1, "no answer from .*model_url"),
    ],
)
def test_a_refusal_is_one_clear_error(step, attempts, message):
    with service(then=step) as (url, requests), pytest.raises(ModelFailed, match=message) as caught:
        opened(url, jitter=lambda: 0.0).complete(ASKED, SCHEMA)
    assert len(requests) == attempts
    assert caught.value.charged == (step is hangs_up)


def test_an_answer_that_is_too_large_is_an_error():
    with (
        service(says(answer("x" * 1000))) as (url, _),
        pytest.raises(ModelFailed, match="larger than 500 bytes"),
    ):
        opened(url, most_bytes=500).complete(ASKED)


@pytest.mark.parametrize("step", [stalls, drips(b"HTTP/1.1 200 OK\r\n\r\n")])
def test_no_answer_in_time_is_told_with_the_time(step):
    with service(step) as (url, _), pytest.raises(ModelTimedOut, match=r"within 0\.2 s") as caught:
        opened(url).complete(ASKED, timeout=0.2)
    assert caught.value.charged


def test_a_call_can_be_called_off():
    cancel = threading.Event()

    def called_off_meanwhile(handler):
        cancel.set()
        stalls(handler)

    with service(called_off_meanwhile) as (url, _), pytest.raises(ModelCancelled):
        opened(url).complete(ASKED, timeout=600, cancel=cancel)


@pytest.mark.parametrize(
    "step",
    [
        refuses(401, f"Incorrect key {KEY}".encode()),
        says({"error": KEY}),
        says(f"<{KEY}>".encode()),
    ],
)
def test_the_key_is_in_no_message(step):
    with service(step) as (url, _):
        model = opened(url)
        with pytest.raises(ModelFailed) as caught:
            model.complete(ASKED)
    shown = (
        "".join(traceback.format_exception(caught.value))
        + repr(model)
        + str(vars(caught.value))
        + model.name
    )
    assert KEY not in shown


def test_its_name_tells_where_it_is():
    assert OpenAIModel("gpt-4o-mini").name == "openai:gpt-4o-mini"
    assert (
        OpenAIModel("qwen", url="http://localhost:11434/v1").name == "openai:qwen@localhost:11434"
    )


def test_prices_are_stated_or_published_or_nothing_here_or_unknown():
    assert OpenAIModel("gpt-4o-mini", prices="1/2.5").prices == Prices(1.0, 2.5)
    assert OpenAIModel("qwen", url="http://127.0.0.1:1/v1").prices == FREE
    assert OpenAIModel("qwen", url="http://127.0.0.1:1/v1", prices="1/2").prices == Prices(1.0, 2.0)
    assert OpenAIModel("no-such-model").prices == UNKNOWN
    assert OpenAIModel("gpt-4o-mini", url="https://models.example/v1").prices == UNKNOWN


@pytest.mark.parametrize("prices", ["1", "1/2/3", "a/b", "-1/2", "nan/1", "1/inf", "/"])
def test_prices_that_cannot_be_read_are_refused(prices):
    with pytest.raises(InvalidInput, match="model_prices"):
        OpenAIModel("gpt-4o-mini", prices=prices)


def test_a_bad_address_names_the_setting():
    with pytest.raises(InvalidInput, match="model_url"):
        OpenAIModel("gpt-4o-mini", url="localhost")
