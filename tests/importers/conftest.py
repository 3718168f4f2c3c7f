"""A store that the real mem0 wrote, once for all tests that only read it."""

from __future__ import annotations

import pytest

from tests.importers import peers


@pytest.fixture(scope="session")
def mem0(tmp_path_factory):
    return peers.write_mem0(tmp_path_factory.mktemp("peer") / "mem0")
