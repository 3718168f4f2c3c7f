"""A token that is named by what was purged goes on letting its owner in, under another name."""

from __future__ import annotations

import pytest

from glymph import Glymph
from glymph.mcp.spaces import Handles
from glymph.service import tokens
from glymph.service.limits import Limits
from glymph.service.serving import Service
from glymph.text.quotes import GONE
from tests.grounds.purging import find_traces

MAIL = "vera@rooms.example"
AGENT = f"agent:{GONE}"


@pytest.fixture
def glymph(url, clock):
    with Glymph.open(url, clock=clock, embedder="none", reader="none") as opened:
        yield opened


def test_the_owner_of_a_token_goes_on_without_the_name(glymph, clock):
    store = glymph.context.store
    gate = tokens.TokenGate(store, clock, remembered_s=0)
    service = Service(Handles(glymph, url=glymph.url), gate, Limits(per_second=0))
    secret, _ = tokens.create(store, MAIL, spaces=["default"], role="write", now=clock())
    other, _ = tokens.create(store, f"of {MAIL}", spaces=["elsewhere"], role="read", now=clock())

    def sign_in():
        access = gate.admit(secret)
        return service.open(access, "default", service.choose_actor(access, None), create=False)

    before = sign_in()
    before.add("The depot opens at eight.")
    before.recall("when does the depot open?")
    glymph.add(f"Her mail is {MAIL}")
    assert glymph.forget(MAIL, mode="purge", apply=True).certificate.complete
    after = sign_in()
    assert after.actor == AGENT
    for handle in (before, after):
        handle.add(f"The depot closes at six, says {id(handle)}.")
        handle.recall("when does the depot close?")
        assert {one.actor for one in handle.operations()} == {"user", AGENT}
        assert find_traces(glymph, [MAIL]) == []
    assert gate.admit(other).name == f"of {MAIL}"  # a token of another space is not its business
    assert glymph.verify().ok
