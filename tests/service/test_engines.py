"""What the service keeps in a store, on both engines: tokens, and requests that were applied."""

from __future__ import annotations

import pytest

from glymph import Glymph
from glymph.errors import KeyReused, Unauthorized, VersionChanged
from glymph.service import tokens
from glymph.store.once import AppliedBefore, OnceRequest, applying_once
from tests.grounds.serving import make_token, token_gate


def test_a_token_is_known_to_every_server_of_a_store_until_it_ends(url, glymph, clock):
    secret = make_token(glymph, "scout", "default", role="curate", days=2)
    with Glymph.open(url, clock=clock) as other:
        gate = token_gate(other, remembered_s=0.0)
        assert gate.admit(secret).spaces == ("default",)
        clock.advance(days=3)
        with pytest.raises(Unauthorized, match="expired"):
            gate.admit(secret)
        [kept] = tokens.list_all(glymph.context.store)
        assert tokens.revoke(glymph.context.store, kept.id, now=clock()).revoked_at == clock()
        with pytest.raises(Unauthorized):
            gate.admit(secret)
    assert glymph.verify().ok


def test_a_request_is_applied_with_its_operation_or_not_at_all(url, glymph, clock):
    request = OnceRequest("key", "as it was sent")
    with applying_once(request):
        made = glymph.add("The ferry leaves at nine.")
        glymph.add("The next one leaves at ten.")  # the same request goes on
    assert request.operation == made.operation_id
    with Glymph.open(url, clock=clock) as other:
        with applying_once(OnceRequest("key", "as it was sent")), pytest.raises(AppliedBefore):
            other.add("The ferry leaves at nine.")
        with applying_once(OnceRequest("key", "otherwise")), pytest.raises(KeyReused):
            other.add("The ferry leaves at noon.")
        assert other.get(made.id).access_count == 0
        assert other.unfinished() == 0
    failed = OnceRequest("another", "")
    with applying_once(failed), pytest.raises(LookupError):
        glymph.update("01900000-0000-7000-8000-000000000000", title="None")
    assert failed.operation is None
    with applying_once(OnceRequest("another", "")):
        assert glymph.update(made.id, title="Ferry").succeeded


def test_a_change_expects_a_version_in_its_own_transaction(glymph):
    made = glymph.add("The gate is green.").id
    version = glymph.get(made).version
    with applying_once(OnceRequest(expects=(made, version))):
        glymph.update(made, title="Gate")
    with applying_once(OnceRequest(expects=(made, version))), pytest.raises(VersionChanged):
        glymph.update(made, title="Gate again")
    assert glymph.get(made).title == "Gate"
