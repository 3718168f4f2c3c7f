"""Tests of embedders choose among the models that are installed, as everybody else does."""

from __future__ import annotations

import pytest

from tests.grounds.reading import installed_models


@pytest.fixture(autouse=True)
def _as_installed(monkeypatch):
    for name in ("GLYMPH_EMBEDDER", "GLYMPH_READER"):
        monkeypatch.delenv(name)
    with installed_models():
        yield
