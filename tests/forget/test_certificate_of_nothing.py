"""A purge that finds nothing proves nothing: its certificate says so, and is not complete."""

from __future__ import annotations

import json

import pytest

from glymph.forget.certificate import list_certificates
from glymph.forget.complete_certificates import complete_certificates
from glymph.forget.purge import purge_certified
from glymph.plain import plain
from tests.grounds.purging import open_at


@pytest.fixture
def glymph(place, clock):
    with open_at(place[1], clock) as handle:
        handle.add("Ben waters the plants")
        yield handle


def proves_nothing(certificate):
    assert not certificate.found
    assert not certificate.complete
    assert certificate.places == ()
    assert "nothing was found" in certificate.text
    assert "nothing was removed" in certificate.text
    assert "complete" not in certificate.text
    assert certificate.text.startswith("No erase certificate")


@pytest.mark.parametrize(
    "request_",
    ["moira@nordlicht.example", "+49 170 5551234", "everything about Zoe Kessler", "all"],
)
def test_a_request_that_names_nothing_here_proves_no_erasure(glymph, request_):
    done = glymph.forget(request_, mode="purge", apply=True)
    assert not done.succeeded
    proves_nothing(done.certificate)
    for one in list_certificates(glymph._ctx):
        proves_nothing(one)
    assert list_certificates(glymph._ctx, pending=True) == complete_certificates(glymph._ctx) == []
    assert json.loads(json.dumps(plain(done.certificate)))["found"] is False


def test_ids_of_nothing_prove_no_erasure(glymph):
    proves_nothing(purge_certified(glymph._ctx, "0190-no-such-memory").certificate)


def test_what_stood_beside_the_memories_was_found(glymph):
    glymph.pin(glymph.list()[0].id, reason="moira@nordlicht.example asked")
    found = glymph.forget("moira@nordlicht.example", mode="purge", apply=True).certificate
    assert (found.found, found.complete, bool(found.places)) == (True, True, True)


def test_what_a_conversation_said_was_found(glymph):
    said = {"role": "user", "content": "Write to moira@nordlicht.example. Thanks!"}
    glymph.conversations("store").append("day", said)
    found = glymph.forget("moira@nordlicht.example", mode="purge", apply=True).certificate
    assert (found.found, found.complete) == (True, True)
    proves_nothing(glymph.forget("moira@nordlicht.example", mode="purge", apply=True).certificate)
