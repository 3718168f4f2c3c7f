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
from tests.grounds.serving import serving
from tests.pace import NIGHTLY
from tests.recall.test_recall import *  # noqa: F403
from tests.undo.test_restore import *  # noqa: F403

# Not asked of the server; `resolve` asks by `answer`.
LOCAL = {"close", "open", "url", "shown_url", "space", "actor", "resolve"}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One server for all tests; each gives it a store of its own."""
    path = tmp_path_factory.mktemp("first")
    with Glymph.open(f"sqlite:///{path}/memory.db") as first, serving(first) as served:
        yield served


@pytest.fixture
def glymph(url, clock, server):
    with Glymph.open(url, clock=clock) as here:
        server.service.handles.__init__(here, url=url)
        with Glymph.open(server.url) as remote:
            remote._ctx = here.context  # for tests that look into the store
            yield remote


# Hundreds of calls each: by night.
if not NIGHTLY:
    del test_no_query_raises_or_reaches_another_space  # noqa: F821
    del test_a_long_chain_of_undo_and_redo_stays_usable  # noqa: F821


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
