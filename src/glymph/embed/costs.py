"""The cost of a text, so that a caller can embed it at once or leave it for later."""

from __future__ import annotations

import statistics
import time

from glymph.embed.contract import Embedder

SAMPLE = (
    "The team in Lisbon moved the release to Thursday because the payment tests failed twice, "
    "and Anna asked everyone to check the invoices again before noon."
)
RUNS = 5


def ms_per_text(embedder: Embedder, *, runs: int = RUNS) -> float:
    """Returns the median milliseconds of embedding a text of 25 words.

    One text is embedded first and not counted. For a model on this machine that is its CPU time,
    which a busy machine does not change. An embedder that leaves the CPU idle for most of the time
    waits for somebody else, such as a remote service; then the time on the wall counts, for that is
    what the caller waits. An embedder with a number in `ms_per_text` is taken at its word.
    """
    declared = getattr(embedder, "ms_per_text", None)
    if declared is not None:
        return float(declared)
    embedder.embed([SAMPLE])
    return statistics.median(_one_run(embedder) for _ in range(runs))


def _one_run(embedder: Embedder) -> float:
    wall, cpu = time.perf_counter(), time.process_time()
    embedder.embed([SAMPLE])
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return 1000 * (cpu if cpu >= wall / 2 else wall)
