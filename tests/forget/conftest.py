"""Stores of both engines for what is purged."""

from __future__ import annotations

import pytest

from tests.grounds.purging import ENGINES, make_stores


@pytest.fixture(params=ENGINES)
def store(request):
    """Makes stores of one engine, as many as a test asks for."""
    yield from make_stores(request)


@pytest.fixture
def place(store):
    """A store of its own: its folder and its URL."""
    return store()
