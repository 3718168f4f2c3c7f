"""An embedder behind an address, against a real server that misbehaves by script."""

from __future__ import annotations

import base64
import traceback
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import numpy as np
import pytest

from glymph.embed.providers.openai import MOST_CHARACTERS, MOST_TEXTS, OpenAIEmbedder
from glymph.errors import EmbedderFailed, InvalidInput
from glymph.http import ATTEMPTS, LONGEST_WAIT
from tests.embed.models import answer, ok, service, vector

KEY = "sk-very-secret"


def status(code, body=b"", **headers):
    return lambda texts: (
        code,
        body,
        {name.replace("_", "-"): value for name, value in headers.items()},
    )


def says(body):
    return lambda texts: (200, body, {})


def opened(url, **options):
    """An embedder that notes its waits instead of waiting, and adds no luck to them."""
    waits = []
    return OpenAIEmbedder(
        "small", url=url, key=KEY, sleep=waits.append, jitter=lambda: 0.0, **options
    ), waits


def expected(*texts):
    rows = np.array([vector(text) for text in texts])
    return pytest.approx(rows / np.linalg.norm(rows, axis=1, keepdims=True), abs=1e-6)


def test_vectors_come_back_in_order_at_length_one():
    with service() as (url, requests):
        embedder, _ = opened(url)
        assert embedder.embed(["one", "three"]) == expected("one", "three")
        assert embedder.embed(["x"]).dtype == np.float32
    assert requests[0]["path"] == "/v1/embeddings"
    assert requests[0]["model"] == "small"
    assert requests[0]["headers"]["Authorization"] == f"Bearer {KEY}"


def test_the_address_may_name_the_endpoint_already_and_a_key_may_be_missing():
    with service() as (url, requests):
        OpenAIEmbedder("small", url=f"{url}/embeddings/").embed(["one"])
    assert requests[0]["path"] == "/v1/embeddings"
    assert "Authorization" not in requests[0]["headers"]


def test_an_answer_in_another_order_is_put_right():
    with service(lambda texts: (200, {"data": answer(texts)["data"][::-1]}, {})) as (url, _):
        assert opened(url)[0].embed(["one", "three", "x"]) == expected("one", "three", "x")


def test_base64_is_understood():
    def packed(texts):
        items = [
            {
                "index": at,
                "embedding": base64.b64encode(np.array(vector(text), "<f4").tobytes()).decode(),
            }
            for at, text in enumerate(texts)
        ]
        return 200, {"data": items}, {}

    with service(then=packed) as (url, _):
        assert opened(url)[0].embed(["one", "three"]) == expected("one", "three")


def test_many_texts_go_in_several_requests():
    texts = [f"text {number}" for number in range(2 * MOST_TEXTS + 5)]
    with service() as (url, requests):
        assert opened(url)[0].embed(texts) == expected(*texts)
    assert [len(request["input"]) for request in requests] == [MOST_TEXTS, MOST_TEXTS, 5]


def test_blank_texts_are_not_sent_and_long_and_broken_ones_are_made_fit():
    with service() as (url, requests):
        rows = opened(url)[0].embed(["", "one", " \n", "\ud800", "é" * 10_000])
    assert not rows[[0, 2]].any()
    assert requests[0]["input"] == ["one", "?", "é" * MOST_CHARACTERS]
    assert rows[[1]] == expected("one")


def test_the_dimension_is_asked_for_once():
    with service() as (url, requests):
        embedder, _ = opened(url)
        assert embedder.dimension == embedder.dimension == 3
        assert len(requests) == 1
        assert embedder.embed([]).shape == (0, 3)
        assert len(requests) == 1


@pytest.mark.parametrize("code", [429, 500, 502, 503, 529])
def test_a_refusal_that_passes_is_tried_again_with_growing_waits(code):
    with service(status(code), status(code), status(code)) as (url, requests):
        embedder, waits = opened(url)
        assert embedder.embed(["one"]) == expected("one")
    assert waits == [0.5, 1.0, 2.0]
    assert len(requests) == 4


def test_a_lost_connection_is_tried_again():
    with service(None, None) as (url, _):
        embedder, waits = opened(url)
        assert embedder.embed(["one"]) == expected("one")
    assert len(waits) == 2


def test_the_server_says_how_long_to_wait_within_bounds():
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=9), usegmt=True)
    past = format_datetime(datetime.now(UTC) - timedelta(days=9), usegmt=True)
    script = [status(429, Retry_After=value) for value in ("7", soon, "86400")]
    with service(*script, ok, status(503, Retry_After=past), status(503, Retry_After="later")) as (
        url,
        _,
    ):
        embedder, waits = opened(url)
        embedder.embed(["one"])
        embedder.embed(["one"])
    assert waits == [7, pytest.approx(8, abs=1.5), LONGEST_WAIT, 0, 1.0]


@pytest.mark.parametrize(
    ("step", "attempts", "message"),
    [
        (status(500, b"out of memory"), ATTEMPTS, "500 .*out of memory"),
        (status(429), ATTEMPTS, "429 .*higher limit"),
        (None, ATTEMPTS, "no answer from .*embedder_url"),
        (status(401, b"bad key"), 1, "401 .*embedder_key"),
        (status(404), 1, "404 .*name of the model"),
        (status(400, b"too long"), 1, "400 .*too long"),
        (status(302, Location="http://127.0.0.1:1/"), 1, "302"),
        (says(b"<html>Welcome</html>"), 1, "cannot be used"),
        (says(b"\xff\xfe"), 1, "cannot be used"),
        (says([]), 1, "cannot be used"),
        (says({"error": "no"}), 1, "cannot be used"),
        (says({"data": [{"index": 0}]}), 1, "cannot be used"),
        (says({"data": [None, None]}), 1, "cannot be used"),
        (says(answer(["one"])), 1, "1 vectors for 2 texts"),
        (says(answer(["one", "two", "three"])), 1, "3 vectors for 2 texts"),
        (says(answer(["one", "two"], index=0)), 1, "indexes"),
        (says(answer(["one", "two"], embedding=[float("nan"), 1, 1])), 1, "finite"),
        (says(answer(["one", "two"], embedding=[float("inf"), 1, 1])), 1, "finite"),
        (says(answer(["one", "two"], embedding=[None, 1, 1])), 1, "finite"),
        (says(answer(["one", "two"], embedding=[])), 1, "empty"),
        (says(answer(["one", "two"], embedding=[[1.0]])), 1, "list of numbers"),
        (says(answer(["one", "two"], embedding={"a": 1})), 1, "cannot be used"),
        (says(answer(["one", "two"], embedding="***")), 1, "base64"),
        (says(answer(["one", "two"], embedding="abcd")), 1, "cannot be used"),
    ],
)
def test_what_does_not_pass_is_one_clear_error(step, attempts, message):
    with service(then=step) if step else service(*[None] * ATTEMPTS) as (url, requests):
        embedder, waits = opened(url)
        with pytest.raises(EmbedderFailed, match=message) as caught:
            embedder.embed(["one", "two"])
    assert len(requests) == attempts == len(waits) + 1
    assert caught.value.embedder == embedder.name


def test_a_model_that_changes_its_size_is_not_mixed_with_the_old_one():
    with service(ok, says(answer(["one"], embedding=[1.0, 2.0]))) as (url, _):
        embedder, _ = opened(url)
        embedder.embed(["one"])
        with pytest.raises(EmbedderFailed, match="had 3 numbers and now have 2"):
            embedder.embed(["one"])


def test_nobody_there_is_an_error_that_names_the_setting():
    with service() as (url, _):
        embedder, waits = opened(url)
    with pytest.raises(EmbedderFailed, match="embedder_url"):
        embedder.embed(["one"])
    assert len(waits) == ATTEMPTS - 1


def test_the_key_is_in_no_message():
    with service(status(401, f"Incorrect key {KEY}".encode())) as (url, _):
        embedder, _ = opened(url)
        with pytest.raises(EmbedderFailed) as caught:
            embedder.embed(["one"])
    shown = (
        "".join(traceback.format_exception(caught.value))
        + repr(embedder)
        + str(embedder)
        + embedder.name
    )
    assert KEY not in shown
    assert "[key]" in shown


@pytest.mark.parametrize(
    "url", ["", "api.openai.com/v1", "file:///etc/passwd", "ftp://host/", "https://"]
)
def test_only_web_addresses_are_accepted(url):
    with pytest.raises(InvalidInput, match="embedder_url"):
        OpenAIEmbedder("small", url=url)


@pytest.mark.parametrize("key", ["abc\n", "a\r\nHost: x", "schlüssel"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key):
    with pytest.raises(InvalidInput, match="embedder_key") as caught:
        OpenAIEmbedder("small", url="https://example.org", key=key)
    assert key not in str(caught.value)
