"""Here the local model is meant, so it is not hidden as in the other tests."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _no_model_unless_asked():
    """Takes the place of the fixture of the same name that hides the model."""
