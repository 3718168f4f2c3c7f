"""What it costs to go from a file to a stored plan of stale groups.

Measured with 10,000 to a million memories.
"""

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
from benchmarks.harness.contract import Figure, Figures, Options

QUESTION = (
    "What does it cost to find the stale groups among a million memories and three million links?"
)

SIZES = {"10k": 10_000, "100k": 100_000, "1m": 1_000_000}
CPU_S = {"100k": 0.2, "1m": 1.5}
PEAK_MB = {"1m": 1000.0}
REPEATS = 5
STEPS = ("open", "read", "graph", "score", "rank", "members")
FLOOR = "import numpy, apsw, time; print(time.process_time())"

# One thread, and modules that are compiled already, as those of an installed package are.
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": ""}


def run(options: Options) -> Figures:
    """CPU seconds of a fresh process for each size, and where they go.

    What the machine allows stands beside them.
    """
    figures: dict[str, Figure] = {}
    worked: dict[str, float] = {}
    floors: list[float] = []
    counts = {size: options.count(full, least=50) for size, full in SIZES.items()}
    for size, count in counts.items():
        file = grown.planted(count, options.seed)
        fresh = _told("phases", file, "--first")
        runs = []
        for _ in range(options.count(REPEATS)):  # in turns, so that both meet the same machine
            floors.append(float(_child(["-c", FLOOR])))
            runs.append(_told("analyst", file))
        found = sorted(runs, key=lambda run: sum(run["costs"].values()))[len(runs) // 2]
        worked[size] = found["costs"]["open"] + found["costs"]["analyze"]
        steps = _told("phases", file)
        figures |= _cold(size, found, statistics.median(floors) + steps["reading"]) | _steps(
            size, steps
        )
        figures |= _other(size, fresh, _told("phases", file, "--changed"))
    linear = counts["1m"] / counts["100k"]
    figures["growth_100k_1m"] = Figure(
        worked["1m"] / worked["100k"] / linear,
        "how the work, imports left out, grows from 100k to 1m: 1 is linear",
        at_most=1.0,
    )
    figures["floor_cpu_s"] = Figure(
        statistics.median(floors),
        f"of `python -c 'import numpy, apsw'`, median of {len(floors)} in the same run",
    )
    return figures


def _cold(size: str, found: Mapping[str, Any], limit: float) -> dict[str, Figure]:
    """What a program sees: from its start to the plan, stored and in its hands."""
    costs = found["costs"]
    told = f"start, open, analyse, store a plan of {found['listed']} groups and {found['members']} memories"
    return {
        f"cpu_s_{size}": Figure(sum(costs.values()), told, at_most=CPU_S.get(size), limit=limit),
        f"import_cpu_s_{size}": Figure(
            costs["python"] + costs["import"], "of that, starting and importing"
        ),
        f"open_cpu_s_{size}": Figure(costs["open"], "of that, opening the store"),
        f"analyze_cpu_s_{size}": Figure(
            costs["analyze"], "of that, from open store to stored plan"
        ),
        f"peak_mb_{size}": Figure(found["peak_mb"], "memory at most", at_most=PEAK_MB.get(size)),
        f"groups_{size}": Figure(
            found["groups"], f"connected; besides {found['isolated']} isolated memories"
        ),
    }


def _steps(size: str, steps: Mapping[str, Any]) -> dict[str, Figure]:
    """Where the work goes, measured in a process of its own without a facade."""
    costs = steps["costs"]
    figures = {
        f"largest_{size}": Figure(steps["largest"], "memories in the largest group", at_most=200),
        f"chunk_mb_{size}": Figure(steps["chunk_mb"], "of columns, kept in the file"),
        f"reading_limit_{size}": Figure(
            steps["reading"], "CPU s to read as many bytes from the page cache"
        ),
    }
    total = sum(costs.values())
    return figures | {
        f"share_{step}_{size}": Figure(costs[step] / total, "of the work") for step in STEPS
    }


def _other(size: str, fresh: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, Figure]:
    return {
        f"first_read_cpu_s_{size}": Figure(
            fresh["costs"]["read"], "reading without chunks: from every row"
        ),
        f"keep_cpu_s_{size}": Figure(
            fresh["costs"]["keep"], f"writing all {fresh['chunks']} chunks"
        ),
        f"keep_lock_s_{size}": Figure(
            fresh["lock_s"], "wall: the longest write lock of that", at_most=2.0
        ),
        f"changed_read_cpu_s_{size}": Figure(
            changed["costs"]["read"],
            f"reading when {changed['changed']} rows were changed since: one in a hundred",
        ),
    }


def _told(process: str, file: Path, *arguments: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(
        _child(["-m", f"benchmarks.harness.{process}", str(file), *arguments])
    )
    return told


def _child(arguments: Sequence[str]) -> str:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=keeping.REPOSITORY, env=os.environ | ENVIRONMENT, stdout=subprocess.PIPE, text=True, check=True,
    ).stdout  # fmt: skip
