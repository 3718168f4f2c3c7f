"""Every benchmark runs to its end in its smallest size. Nightly: together they take many minutes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.harness import discovery
from tests.pace import NIGHTLY

ROOT = Path(__file__).parents[1]
SMALLEST = "0.001"
DATA = os.environ.get("GLYMPH_BENCH_DATA")  # read now: tests run without variables of Glymph
UNAVAILABLE = 2  # what a benchmark ends with that lacks a data set, a package or a program


@pytest.mark.skipif(not NIGHTLY, reason="takes long: make test-nightly")
@pytest.mark.parametrize("name", discovery.names())
def test_a_benchmark_runs_to_its_end(name, tmp_path):
    command = [sys.executable, "-m", "benchmarks", name, "--json", "--scale", SMALLEST]
    command += ["--data", DATA] if DATA else []
    environment = os.environ | {"GLYMPH_BENCH_CACHE": str(tmp_path)}
    run = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    if run.returncode == UNAVAILABLE:
        pytest.skip(run.stderr.strip().splitlines()[-1])
    assert run.returncode == 0, run.stderr[-2000:]
    assert json.loads(run.stdout.splitlines()[-1])["commit"]
