"""What it costs to go from a file to the ranked list of stale groups, with 10,000 to a million memories."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.harness import grown, keeping
from benchmarks.harness.clocks import children_cpu
from benchmarks.harness.contract import Figure, Figures, Options

QUESTION = "What does it cost to find the stale groups among a million memories and three million links?"

SIZES = {"10k": 10_000, "100k": 100_000, "1m": 1_000_000}
CPU_S = {"100k": 0.2, "1m": 1.5}
PEAK_MB = {"1m": 1000.0}
REPEATS = 3
STEPS = ("import", "open", "read", "graph", "score", "rank", "members")

# One thread, and modules that are compiled already, as those of an installed package are.
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": ""}


def run(options: Options) -> Figures:
    """CPU seconds of a fresh process for each size, by step, beside what the machine allows."""
    figures: dict[str, Figure] = {}
    worked: dict[str, float] = {}
    counts = {size: options.count(full, least=50) for size, full in SIZES.items()}
    imports = statistics.median(_cpu(["-c", "import numpy, apsw"]) for _ in range(REPEATS))
    for size, count in counts.items():
        file = grown.planted(count, options.seed)
        fresh = _analyst(file, "--first")
        runs = [_analyst(file) for _ in range(REPEATS)]
        runs.sort(key=lambda run: sum(run["costs"].values()))
        found = runs[REPEATS // 2]
        worked[size] = _spent(found["costs"]) - found["costs"]["import"]
        figures |= _warm(size, found, imports) | _other(size, fresh, _analyst(file, "--changed"))
    linear = counts["1m"] / counts["100k"]
    figures["growth_100k_1m"] = Figure(
        worked["1m"] / worked["100k"] / linear,
        "how the work, imports left out, grows from 100k to 1m: 1 is linear",
        at_most=1.0,
    )
    return figures


def _warm(size: str, found: Mapping[str, Any], imports: float) -> dict[str, Figure]:
    costs = found["costs"]
    total = _spent(costs)
    limit = imports + found["reading"]
    figures = {
        f"cpu_s_{size}": Figure(
            total, f"start, open, find the 20 stalest groups, read their {found['members']} members",
            at_most=CPU_S.get(size), limit=limit,
        ),
        f"work_cpu_s_{size}": Figure(total - costs["import"], "of that, after everything is imported"),
        f"peak_mb_{size}": Figure(found["peak_mb"], "memory at most", at_most=PEAK_MB.get(size)),
        f"groups_{size}": Figure(found["groups"], f"connected; besides {found['isolated']} isolated memories"),
        f"largest_{size}": Figure(found["largest"], "memories in the largest group", at_most=200),
        f"chunk_mb_{size}": Figure(found["chunk_mb"], "of columns, kept in the file"),
        f"reading_limit_{size}": Figure(found["reading"], "CPU s to read as many bytes from the page cache"),
    }  # fmt: skip
    for step in STEPS:
        figures[f"share_{step}_{size}"] = Figure(costs[step] / total, "of the whole")
    return figures


def _other(size: str, fresh: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, Figure]:
    return {
        f"first_read_cpu_s_{size}": Figure(fresh["costs"]["read"], "reading without chunks: from every row"),
        f"keep_cpu_s_{size}": Figure(fresh["costs"]["keep"], f"writing all {fresh['chunks']} chunks"),
        f"keep_lock_s_{size}": Figure(fresh["lock_s"], "wall: the longest write lock of that", at_most=2.0),
        f"changed_read_cpu_s_{size}": Figure(
            changed["costs"]["read"],
            f"reading when {changed['changed']} rows were changed since: one in a hundred",
        ),
    }


def _spent(costs: Mapping[str, float]) -> float:
    return sum(costs.values())


def _analyst(file: Path, *arguments: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(_child(["-m", "benchmarks.harness.analyst", str(file), *arguments]))
    return told


def _cpu(arguments: Sequence[str]) -> float:
    before = children_cpu()
    _child(arguments)
    return children_cpu() - before


def _child(arguments: Sequence[str]) -> str:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=keeping.REPOSITORY, env=os.environ | ENVIRONMENT, stdout=subprocess.PIPE, text=True, check=True,
    ).stdout  # fmt: skip
