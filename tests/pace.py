"""How thorough this run is: `make test` is quick, `make test-nightly` takes its time."""

from __future__ import annotations

import os

NIGHTLY = os.environ.get("GLYMPH_TEST_PROFILE") == "nightly"
LONG = 100_000 if NIGHTLY else 20_000  # characters of a text that must not take long
