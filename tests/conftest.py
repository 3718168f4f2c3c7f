"""Shared fixtures: a real store in a temporary folder and a clock that stands still."""

from __future__ import annotations

import os
import socket

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


@pytest.fixture(autouse=True, scope="session")
def _only_this_machine():
    """No test reaches beyond this machine: real calls cost money and make tests depend on the weather."""

    def guarded(real):
        def connect(line, address):
            leads_away = line.family in (socket.AF_INET, socket.AF_INET6)
            if leads_away and address[0] not in ("localhost", "::1") and not address[0].startswith("127."):
                raise AssertionError(f"a test wants to connect to {address[0]}; real calls are forbidden in tests")
            return real(line, address)

        return connect

    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex"):
            patch.setattr(socket.socket, name, guarded(getattr(socket.socket, name)))
        yield


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
