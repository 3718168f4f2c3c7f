"""Shared fixtures: a real store in a temporary folder and a clock that stands still."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

from glymph import Glymph
from glymph.testing import FrozenClock

_COMMON = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
}
settings.register_profile("ci", max_examples=100, derandomize=True, **_COMMON)
settings.register_profile("nightly", max_examples=2000, **_COMMON)
settings.load_profile(os.environ.get("GLYMPH_TEST_PROFILE", "ci"))


@pytest.fixture(autouse=True)
def _home(tmp_path_factory, monkeypatch):
    """No test reads or writes the real home folder or the caller's environment."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name in [name for name in os.environ if name.startswith("GLYMPH_") and name != "GLYMPH_TEST_PROFILE"]:
        monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def _no_model_unless_asked(monkeypatch):
    """A handle opened without naming an embedder has none: loading a model takes a third of a second."""
    monkeypatch.setattr("glymph.embed.absence", lambda: "not in tests")
    monkeypatch.setenv("GLYMPH_EMBEDDER", "none")  # for commands started by tests


@pytest.fixture
def clock():
    return FrozenClock()


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/memory.db"


@pytest.fixture
def glymph(url, clock):
    with Glymph.open(url, clock=clock) as handle:
        yield handle
