"""What a search costs in spaces of 10,000 to a million memories.

And whether it finds what is truly nearest.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.harness import keeping, shelf
from benchmarks.harness.clocks import children_cpu
from benchmarks.harness.contract import Figure, Figures, Options
from benchmarks.harness.shelf import SPARE, Shelf

QUESTION = "What does a search cost at 10k, 100k and 1M memories, and does it find what is nearest?"

QUERIES = {"10k": 60, "100k": 60, "1m": 30}
SIZES = {"10k": 10_000, "100k": 100_000, "1m": 1_000_000}
VECTOR_MS = {"10k": 3.0, "100k": 12.0, "1m": 40.0}
HYBRID_MS = {"10k": 6.0, "100k": 15.0, "1m": 60.0}
SPREAD = 2.5  # p99 of a search over its p50, at most
RESIDENT_MB = {"100k": 150.0, "1m": 900.0}
COLD_AT = "100k"
REPEATS = 5

# One thread, so that the CPU time of a search is the time it takes on one core.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def run(options: Options) -> Figures:
    """Percentiles of CPU milliseconds, beside what the machine allows.

    The embedding of the query is left out.
    """
    figures: dict[str, Figure] = {}
    for size, full in SIZES.items():
        count = options.count(full, least=50)
        queries = SPARE + options.count(QUERIES[size], least=5)
        make = shelf.real if size == "10k" else shelf.made_up
        found = make(count, queries=min(queries, SPARE + QUERIES[size]), seed=options.seed)
        figures |= _figures(size, count, found, json.loads(_seek(found)))
        if size == COLD_AT:
            figures |= _cold(found, options)
        if size in RESIDENT_MB:
            figures |= _resident(size, found)
    return figures


def _figures(size: str, count: int, found: Shelf, costs: Mapping[str, Any]) -> dict[str, Figure]:
    figures = {f"memories_{size}": Figure(count, _what(found))}
    for suffix, note in (("", ""), ("_filtered", ", a filter letting one in ten through")):
        vector, hybrid = costs[f"vector{suffix}"], costs[f"hybrid{suffix}"]
        figures |= {
            f"vector_p50_{size}{suffix}": Figure(
                _p50(vector), f"ms for the 250 nearest{note}", at_most=VECTOR_MS[size], limit=costs["reading"]
            ),
            f"vector_p95_{size}{suffix}": Figure(_p95(vector), "of the same"),
            f"vector_recall_{size}{suffix}": Figure(
                costs[f"recall{suffix}"], f"of the 10 truly nearest in float32, found{note}", at_least=0.99
            ),
            f"vector_recall250_{size}{suffix}": Figure(costs[f"recall_pool{suffix}"], "of the 250 truly nearest"),
            f"hybrid_p50_{size}{suffix}": Figure(
                _p50(hybrid), f"ms of a whole search, each query for the first time{note}",
                at_most=None if suffix else HYBRID_MS[size], limit=_p50(costs["text"]) + costs["reading"],
            ),
            f"hybrid_p95_{size}{suffix}": Figure(_p95(hybrid), "of the same"),
        }  # fmt: skip
    figures[f"hybrid_p99_ratio_{size}"] = Figure(
        max(costs["hybrid"]) / _p50(costs["hybrid"]),
        "the dearest of these searches over the usual one; stricter than p99", at_most=SPREAD,
    )  # fmt: skip
    if "same_ten" in costs:
        figures[f"same_ten_{size}"] = Figure(
            costs["same_ten"], "of queries whose first ten are those of comparing everything",
            at_least=0.99,
        )  # fmt: skip
    if "reread" in costs:
        figures[f"reread_p50_{size}"] = Figure(
            _p50(costs["reread"]), "ms of a whole search whose best hits a reader reads"
        )
    return figures | {
        f"fts5_p50_{size}": Figure(_p50(costs["text"]), "ms of FTS5 alone for the same words"),
        f"mask_p50_{size}": Figure(
            _p50(costs["mask"]), "ms for telling which memories pass the default filter"
        ),
        f"scan_limit_{size}": Figure(
            costs["reading"], f"ms to read {costs['scanned_mb']:.0f} MB once: the limit of vector"
        ),
        f"warming_cpu_s_{size}": Figure(
            costs["warming_s"], "the first search of a handle: loads the columns"
        ),
    }


def _what(found: Shelf) -> str:
    if found.real:
        return "English sentences with the vectors of the local model"
    return "made-up texts with clustered vectors; the local model is not used or not installed"


def _cold(found: Shelf, options: Options) -> dict[str, Figure]:
    """The whole life of a process that asks one question."""
    imports = [_child_cpu(["-c", "import numpy, apsw"]) for _ in range(options.count(REPEATS))]
    once = ["-m", "benchmarks.harness.first_answer", str(found.folder)]
    spent = [_child_cpu(once) for _ in range(options.count(REPEATS))]
    return {
        "cold_first_answer_cpu_s": Figure(
            statistics.median(spent), f"start, open {COLD_AT}, search once, end", at_most=0.6,
            limit=statistics.median(imports),
        ),
        "cold_imports_cpu_s": Figure(statistics.median(imports), "start, import numpy and apsw, end: its limit"),
    }  # fmt: skip


def _resident(size: str, found: Shelf) -> dict[str, Figure]:
    """The memory of a process that has searched some times, its libraries included."""
    told = json.loads(_child([*_seeker(found), "--resident"]).stdout)
    return {
        f"rss_mb_{size}": Figure(
            told["searched"], "resident after ten searches, the most there was",
            at_most=RESIDENT_MB[size], limit=told["imported"],
        ),
        f"rss_mb_{size}_libraries": Figure(told["imported"], "of it, before the store is opened"),
    }  # fmt: skip


def _seeker(found: Shelf) -> list[str]:
    return ["-m", "benchmarks.harness.seeker", str(found.folder)]


def _seek(found: Shelf) -> str:
    return _child(_seeker(found)).stdout


def _child_cpu(arguments: Sequence[str]) -> float:
    before = children_cpu()
    _child(arguments)
    return children_cpu() - before


def _child(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """A Python process with one thread for its arithmetic."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=keeping.REPOSITORY, env=os.environ | ONE_THREAD, stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip


def _p50(costs: Sequence[float]) -> float:
    return statistics.median(costs)


def _p95(costs: Sequence[float]) -> float:
    return sorted(costs)[int(0.95 * len(costs))]
