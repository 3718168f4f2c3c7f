"""An agent's day by token: names below the token's share it, another token has its own."""

from __future__ import annotations

import pytest

from glymph import Glymph, errors
from glymph.mcp.spaces import Handles
from glymph.service.access import Access, Role
from glymph.service.limits import Limits
from glymph.service.serving import Service
from tests.grounds.serving import open_gate


@pytest.fixture
def service(url, clock):
    own = {"compare": "off", "agent_daily": 6}
    with Glymph.open(url, clock=clock, embedder="none", reader="none", settings=own) as glymph:
        yield Service(Handles(glymph, url=glymph.url), open_gate(), Limits(per_second=0))


def sign(service, access, name=None):
    actor = service.choose_actor(access, name)
    return service.open(access, "default", actor, create=False)


def token(actor, role=Role.CURATE):
    return Access("a token", actor, ("default",), role)


def test_names_below_a_token_share_its_day_and_another_token_has_its_own(service):
    first = service.handles.first
    ids = [one.id for one in first.add_many([f"Note {n} of the depot." for n in range(30)])]
    night, day = token("agent:night"), token("agent:day")
    sign(service, night).delete(ids[:3])
    sign(service, night, "agent:night:two").delete(ids[3:6])
    for name in (None, "agent:night-3", "agent:night:two"):
        with pytest.raises(errors.TooManyToday):
            sign(service, night, name).delete(ids[6:7])
    assert len(sign(service, day).delete(ids[6:11]).succeeded) == 5
    with pytest.raises(errors.TooManyToday):
        sign(service, day).delete(ids[11:13])


def test_whoever_signs_as_an_agent_of_no_token_shares_the_day_of_all(service):
    first = service.handles.first
    ids = [one.id for one in first.add_many([f"Note {n} of the depot." for n in range(30)])]
    admin = token("user", Role.ADMIN)
    sign(service, admin, "agent:a").delete(ids[:5])
    with pytest.raises(errors.TooManyToday):
        sign(service, admin, "agent:b").delete(ids[5:10])
    with pytest.raises(errors.TooManyToday):
        sign(service, token("agent:c", Role.ADMIN), "agent:d").delete(ids[5:10])
    assert len(sign(service, admin).delete(ids[5:10]).succeeded) == 5
