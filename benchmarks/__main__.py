"""`python -m benchmarks [NAME | all] [--json]`: runs a benchmark, or lists them when none is named."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from benchmarks.harness import discovery, report
from benchmarks.harness.clocks import children_cpu
from benchmarks.harness.contract import DEFAULT_SEED, Benchmark, Figures, Options, Unavailable

MOST = 10_000  # times the full size, or minutes
LASTING = ("soak", "serve")  # benchmarks that last as long as they are told to


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs what was asked for; 0 if any of it ran, 2 if what it needs is missing."""
    known = discovery.names()
    parser = _parser(known)
    asked = parser.parse_args(arguments)
    if asked.minutes is not None and asked.name not in LASTING:
        parser.error(f"--minutes is for {', '.join(LASTING)}: the others end when they are done")
    if asked.name is None:
        for name in known:
            print(f"{name:<16}{discovery.load(name).question}")
        return 0
    # Installed packages have their bytecode: a process that a benchmark starts shall not compile.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    options = Options(asked.scale, asked.seed, _data_folder(asked.data), asked.minutes)
    wanted = known if asked.name == "all" else [asked.name]
    return _run_each([discovery.load(name) for name in wanted], options, as_json=asked.json)


def _parser(known: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure Glymph.")
    parser.add_argument(
        "name", nargs="?", choices=[*known, "all"], help="which one; without it, all are listed"
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object instead of a table"
    )
    parser.add_argument(
        "--data", type=Path, help="folder of outside data sets (else GLYMPH_BENCH_DATA)"
    )
    parser.add_argument(
        "--scale", type=_share, default=1.0, help="share of the full size, for a quick look"
    )
    parser.add_argument(
        "--seed", type=int, default=DEFAULT_SEED, help="seed of texts and random moments"
    )
    parser.add_argument(
        "--minutes", type=_share, help=f"how long it lasts, for {', '.join(LASTING)}"
    )
    return parser


def _share(text: str) -> float:
    value = float(text)
    if not 0 < value <= MOST:
        raise argparse.ArgumentTypeError(f"{text} is not above 0 and at most {MOST}")
    return value


def _data_folder(given: Path | None) -> Path | None:
    from_environment = os.environ.get("GLYMPH_BENCH_DATA")
    return given or (Path(from_environment) if from_environment else None)


def _run_each(wanted: Sequence[Benchmark], options: Options, *, as_json: bool) -> int:
    console = Console()
    collected: dict[str, object] = {}
    total = {"wall_s": 0.0, "cpu_s": 0.0}
    ran = 0
    for benchmark in wanted:
        prefix = f"{benchmark.name}." if len(wanted) > 1 else ""
        try:
            figures, spent = _measured(benchmark, options)
        except Unavailable as lack:
            print(f"{benchmark.name} {lack}", file=sys.stderr)
            continue
        ran += 1
        collected |= report.flat(figures, prefix=prefix)
        total = {name: round(total[name] + spent[name], 3) for name in total}
        if not as_json:
            report.show(console, benchmark, figures, spent)
    if as_json and ran:
        print(json.dumps(collected | report.circumstances(options.seed) | total))
    return 0 if ran else 2


def _measured(benchmark: Benchmark, options: Options) -> tuple[Figures, dict[str, float]]:
    wall, cpu = time.monotonic(), time.process_time() + children_cpu()
    figures = benchmark.run(options)
    spent = time.process_time() + children_cpu() - cpu
    return figures, {"wall_s": time.monotonic() - wall, "cpu_s": spent}


if __name__ == "__main__":
    sys.exit(main())
