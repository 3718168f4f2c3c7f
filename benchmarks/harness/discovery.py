"""Finding the benchmarks: every module of the package that is not private."""

from __future__ import annotations

import importlib
import pkgutil

import benchmarks
from benchmarks.harness.contract import Benchmark


def names() -> list[str]:
    """The names of all benchmarks, in order."""
    found = pkgutil.iter_modules(benchmarks.__path__)
    return sorted(m.name for m in found if not m.ispkg and not m.name.startswith("_"))


def load(name: str) -> Benchmark:
    """The benchmark of that name."""
    module = importlib.import_module(f"benchmarks.{name}")
    return Benchmark(name, module.QUESTION, module.run)
