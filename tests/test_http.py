"""The one way to a service, against real servers that misbehave by script."""

from __future__ import annotations

import ssl
import threading
import time
import traceback
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from glymph.errors import InvalidInput
from glymph.http import (
    ATTEMPTS,
    PASSING,
    CalledOff,
    Rejected,
    RemoteFailed,
    Service,
    TooLate,
    Unreached,
    Unusable,
)
from glymph.llm.failures import without_secrets
from tests.llm.scripted import drips, hangs_up, raw, refuses, says, service, stalls

KEY = "sk-very-secret"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
PATIENCE = 20.0  # seconds: a call that is not ended by what is tested takes far longer


def opened(url, **options):
    """A service that notes its waits instead of waiting, and adds no luck to them."""
    waits = []
    given = {"sleep": waits.append, "jitter": lambda: 0.0} | options
    headers = {"Authorization": f"Bearer {KEY}"}
    return Service(url, "/ask", setting="model", key=KEY, headers=headers, **given), waits


def test_an_answer_comes_back_as_json():
    with service(says({"a": [1, "ü"]})) as (url, requests):
        assert opened(url)[0].post({"q": "ü"}, timeout=PATIENCE) == {"a": [1, "ü"]}
    assert requests[0]["path"] == "/v1/ask"
    assert requests[0]["body"] == {"q": "ü"}
    assert requests[0]["headers"]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(("given", "path"), [("/ask/", "/v1/ask"), ("/?api=2", "/v1/ask?api=2")])
def test_an_address_may_name_the_endpoint_and_a_query(given, path):
    with service(says({})) as (url, requests):
        opened(url + given)[0].post({}, timeout=PATIENCE)
    assert requests[0]["path"] == path


def test_the_wait_that_the_server_asks_for_is_kept():
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=9), usegmt=True)
    with service(
        refuses(429, Retry_After="7"), refuses(429, Retry_After=soon), then=says("ok")
    ) as (url, _):
        remote, waits = opened(url)
        assert remote.post({}, timeout=60) == "ok"
    assert waits == [7, pytest.approx(8, abs=1.5)]


@pytest.mark.parametrize("status", sorted(PASSING))
def test_a_refusal_that_passes_is_tried_again_with_growing_waits(status):
    with service(*[refuses(status)] * 3, says("ok")) as (url, requests):
        remote, waits = opened(url)
        assert remote.post({}, timeout=60) == "ok"
    assert waits == [0.5, 1.0, 2.0]
    assert len(requests) == 4


def test_luck_takes_up_to_half_of_a_wait():
    with service(*[refuses(503)] * 3, says("ok")) as (url, _):
        remote, waits = opened(url, jitter=lambda: 1.0)
        remote.post({}, timeout=60)
    assert waits == [0.25, 0.5, 1.0]


def test_it_gives_up_after_some_attempts():
    with (
        service(then=refuses(500, b"out of memory")) as (url, requests),
        pytest.raises(Rejected) as caught,
    ):
        opened(url)[0].post({}, timeout=60)
    assert len(requests) == ATTEMPTS
    assert (caught.value.status, caught.value.said) == (500, "out of memory")
    assert not caught.value.charged


@pytest.mark.parametrize("wait", ["30", "86400"])
def test_a_wait_beyond_the_deadline_is_not_begun(wait):
    with service(refuses(429, b"slow down", Retry_After=wait)) as (url, requests):
        remote, waits = opened(url)
        with pytest.raises(Rejected, match="slow down"):
            remote.post({}, timeout=PATIENCE)
    assert (len(requests), waits) == (1, [])


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 501])
def test_any_other_refusal_is_raised_at_once(status):
    with (
        service(refuses(status)) as (url, requests),
        pytest.raises(Rejected, match=str(status)) as caught,
    ):
        opened(url)[0].post({}, timeout=PATIENCE)
    assert len(requests) == 1
    assert caught.value.next_step


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(status):
    with (
        service() as (elsewhere, reached),
        service(refuses(status, Location=elsewhere)) as (url, _),
    ):
        with pytest.raises(Rejected, match=str(status)):
            opened(url)[0].post({}, timeout=PATIENCE)
        assert reached == []


@pytest.mark.parametrize(
    "fault", [hangs_up, raw(b"nonsense\r\n\r\n"), raw(HEAD, b'Content-Length: 99\r\n\r\n{"cut": ')]
)
def test_a_broken_connection_is_tried_again(fault):
    with service(fault, fault, says("ok")) as (url, _):
        remote, waits = opened(url)
        assert remote.post({}, timeout=60) == "ok"
    assert waits == [0.5, 1.0]


@pytest.mark.parametrize(
    "fault", [hangs_up, raw(b"nonsense\r\n\r\n"), raw(HEAD, b'Content-Length: 99\r\n\r\n{"cut": ')]
)
def test_what_is_paid_for_is_not_sent_again_once_it_may_have_been_processed(fault):
    with service(fault) as (url, requests):
        remote, waits = opened(url)
        with pytest.raises(Unreached) as caught:
            remote.post({}, timeout=60, once=True)
    assert (len(requests), waits) == (1, [])
    assert caught.value.charged


def test_what_is_paid_for_is_sent_again_if_it_was_refused_or_never_went_out():
    with service(refuses(429), refuses(503), says("ok")) as (url, requests):
        remote, waits = opened(url)
        assert remote.post({}, timeout=60, once=True) == "ok"
    assert len(requests) == 3
    with pytest.raises(Unreached) as caught:  # nobody is there any more
        remote.post({}, timeout=60, once=True)
    assert len(waits) == 2 + ATTEMPTS - 1
    assert not caught.value.charged


@pytest.mark.parametrize("status", [401, 500])
def test_any_key_that_a_service_quotes_is_masked(status):
    quoted = "sk-ant-api03-" + "Ab1" * 12
    step = refuses(status, f"Wrong key {quoted}.".encode())
    with service(then=step) as (url, _), pytest.raises(Rejected, match=r"Wrong key \[secret\]"):
        opened(url, mask=without_secrets)[0].post({}, timeout=60)


def test_nobody_there_is_an_error_that_names_the_setting():
    with service() as (url, _):
        remote, waits = opened(url)
    with pytest.raises(Unreached, match="no answer from 127") as caught:
        remote.post({}, timeout=60)
    assert len(waits) == ATTEMPTS - 1
    assert "model_url" in caught.value.next_step
    assert not caught.value.charged


@pytest.mark.parametrize(
    "fault",
    [stalls, drips(b""), drips(b"HTTP/1.1 200 OK\r\nX-A: "), drips(HEAD + b"\r\n"), drips(HEAD + b"\r\n{"),
     drips(HEAD + b"Content-Length: 1000000\r\n\r\n")],
)  # fmt: skip
def test_the_deadline_holds_against_a_server_that_drips(fault):
    began = time.monotonic()
    with service(fault) as (url, _):
        with pytest.raises(TooLate) as caught:
            opened(url)[0].post({}, timeout=0.2)
        assert 0.2 <= time.monotonic() - began < PATIENCE
    assert caught.value.charged


def test_the_deadline_counts_all_attempts():
    with (
        service(refuses(503, Retry_After="0"), then=stalls) as (url, requests),
        pytest.raises(TooLate),
    ):
        opened(url)[0].post({}, timeout=1.0)
    assert len(requests) == 2


@pytest.mark.parametrize("timeout", [0.0, -1.0])
def test_no_time_is_no_request(timeout):
    with service() as (url, requests), pytest.raises(TooLate) as caught:
        opened(url)[0].post({}, timeout=timeout)
    assert requests == []
    assert not caught.value.charged


def test_what_is_abandoned_leaves_no_thread_behind():
    with service(stalls) as (url, _):
        with pytest.raises(TooLate):
            opened(url)[0].post({}, timeout=0.1)
        for thread in threading.enumerate():
            if thread.name == "glymph-remote":
                thread.join(PATIENCE)
                assert not thread.is_alive()


def test_calling_off_ends_a_read():
    cancel = threading.Event()

    def called_off_meanwhile(handler):
        cancel.set()
        stalls(handler)

    began = time.monotonic()
    with service(called_off_meanwhile) as (url, _):
        with pytest.raises(CalledOff):
            opened(url)[0].post({}, timeout=600, cancel=cancel)
        assert time.monotonic() - began < PATIENCE


def test_calling_off_ends_a_wait():
    cancel = threading.Event()

    def luck():  # it is thrown just before the wait
        cancel.set()
        return 0.0

    with service(refuses(503)) as (url, requests), pytest.raises(CalledOff):
        opened(url, sleep=None, jitter=luck)[0].post({}, timeout=600, cancel=cancel)
    assert len(requests) == 1


def test_what_is_called_off_before_it_began_makes_no_request():
    cancel = threading.Event()
    cancel.set()
    with service() as (url, requests), pytest.raises(CalledOff):
        opened(url)[0].post({}, timeout=PATIENCE, cancel=cancel)
    assert requests == []


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html>", "not JSON"),
        (b"", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON|larger"),
    ],
)
def test_an_answer_that_is_no_json_is_an_error(body, message):
    with service(says(body)) as (url, requests), pytest.raises(Unusable, match=message) as caught:
        opened(url)[0].post({}, timeout=PATIENCE)
    assert len(requests) == 1
    assert caught.value.charged


@pytest.mark.parametrize("answer", [says(b'"' + b"x" * 200 + b'"'), drips(HEAD + b"\r\n")])
def test_an_answer_that_is_too_large_is_not_read_to_its_end(answer):
    with service(answer) as (url, _), pytest.raises(Unusable, match="larger than 100 bytes"):
        opened(url, most_bytes=100)[0].post({}, timeout=PATIENCE)


@pytest.mark.parametrize(
    "fault",
    [refuses(401, f"Incorrect key {KEY}".encode()), refuses(500, KEY.encode()), says(f"<{KEY}>".encode()),
     raw(f"{KEY}\r\n\r\n".encode()), raw(f"HTTP/1.1 418 {KEY}\r\n\r\n".encode())],
)  # fmt: skip
def test_the_key_is_in_no_message(fault):
    with service(then=fault) as (url, _):
        remote, _ = opened(url)
        with pytest.raises(RemoteFailed) as caught:
            remote.post({}, timeout=60)
    assert (
        KEY
        not in "".join(traceback.format_exception(caught.value))
        + repr(remote)
        + caught.value.next_step
    )


@pytest.mark.parametrize(
    "url",
    ["", "api.openai.com/v1", "file:///etc/passwd", "https://", "http://host:port/", "http://[::1"],
)
def test_only_web_addresses_are_accepted(url):
    with pytest.raises(InvalidInput, match="model_url"):
        opened(url)


@pytest.mark.parametrize("key", ["abc\n", "a\r\nHost: x", "schlüssel"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key):
    with pytest.raises(InvalidInput, match="model_key") as caught:
        Service("https://example.org", "/ask", setting="model", key=key)
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "host", "is_here"),
    [("https://api.openai.com/v1", "api.openai.com", False), ("http://localhost:11434", "localhost:11434", True),
     ("http://127.0.0.1/v1", "127.0.0.1", True), ("http://[::1]:8080", "[::1]:8080", True),
     ("http://user:pass@10.0.0.1/", "10.0.0.1", False)],
)  # fmt: skip
def test_it_knows_what_is_on_this_machine(url, host, is_here):
    remote, _ = opened(url)
    assert (remote.host, remote.is_here) == (host, is_here)


def test_a_proxy_of_the_environment_is_used(monkeypatch):
    with service(says("ok")) as (proxy, requests):
        monkeypatch.setenv("http_proxy", proxy.replace("http://", "http://me:pass@"))
        assert opened("http://models.example/v1")[0].post({}, timeout=PATIENCE) == "ok"
    assert requests[0]["path"] == "http://models.example/v1/ask"
    assert requests[0]["headers"]["Proxy-Authorization"] == "Basic bWU6cGFzcw=="


def test_a_proxy_sees_no_key_of_a_secure_service(monkeypatch):
    with service() as (proxy, requests):
        monkeypatch.setenv("https_proxy", proxy)
        with pytest.raises(Unreached, match="403"):
            opened("https://models.example/v1")[0].post({}, timeout=60)
    assert {request["path"] for request in requests} == {"models.example:443"}
    assert KEY not in str(requests)


def test_no_proxy_is_used_for_this_machine(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with service(says("ok")) as (url, _):
        assert opened(url)[0].post({}, timeout=PATIENCE) == "ok"


def test_a_certificate_that_nobody_vouches_for_is_not_accepted(tmp_path):
    server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(_self_signed(tmp_path))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *_: None
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    try:
        with pytest.raises(Unreached, match="certificate"):
            opened(f"https://127.0.0.1:{server.server_port}")[0].post({}, timeout=60)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _self_signed(folder):
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    begin = datetime.now(UTC) - timedelta(days=1)
    built = x509.CertificateBuilder(
        name, name, key.public_key(), 1, begin, begin + timedelta(days=9)
    )
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ) + built.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    path = folder / "own.pem"
    path.write_bytes(pem)
    return path
