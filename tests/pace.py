"""How thorough this run is, and when to give something up that does not end.

`make test` is quick, `make test-nightly` takes its time.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

NIGHTLY = os.environ.get("GLYMPH_TEST_PROFILE") == "nightly"
LONG = 100_000 if NIGHTLY else 20_000  # characters of a text that must not take long
HOPELESS = 60.0  # CPU seconds, where a second or two are usual


@contextmanager
def must_end() -> Iterator[None]:
    """Gives up what goes on and on, as a search that tries every way through a text does.

    What it costs when all is well is measured by the benchmarks.
    """

    def give_up(*_: object) -> None:
        raise AssertionError(f"not at its end after {HOPELESS:.0f} CPU seconds")

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, HOPELESS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
