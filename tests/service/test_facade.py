"""The tests of the library, run on a handle over the wire; and what such a handle cannot do."""

from __future__ import annotations

import inspect

import pytest

from glymph import Glymph
from glymph.accessors import Accessor, OlderName
from glymph.wire.methods import METHODS, NOT_OVER_THE_WIRE, SAME
from tests.client.test_api import *  # noqa: F403
from tests.client.test_inputs import *  # noqa: F403
from tests.forget.test_trash import *  # noqa: F403
from tests.recall.test_recall import *  # noqa: F403
from tests.undo.test_restore import *  # noqa: F403
from tests.grounds.serving import serving

# Not asked of the server; `resolve` asks by `answer`.
LOCAL = {"close", "open", "url", "shown_url", "space", "actor", "resolve"}


@pytest.fixture
def glymph(url, clock):
    with (
        Glymph.open(url, clock=clock) as here,
        serving(here) as served,
        Glymph.open(served.url) as remote,
    ):
        yield remote


def _methods():
    for name in (name for name in dir(Glymph) if not name.startswith("_")):
        found = inspect.getattr_static(Glymph, name)
        if isinstance(found, OlderName) or name in LOCAL:
            continue
        yield name
        if isinstance(found, Accessor):
            group = getattr(Glymph, name)
            yield from (f"{name}.{own}" for own in vars(group) if not own.startswith("_"))


def test_every_method_goes_over_the_wire_or_says_what_to_do_instead():
    decided = METHODS.keys() | NOT_OVER_THE_WIRE.keys() | SAME.keys()
    assert set(_methods()) == decided
    assert not METHODS.keys() & NOT_OVER_THE_WIRE.keys()
