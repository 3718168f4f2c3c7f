"""Two servers on two PostgreSQL, three workers beside them, many spaces, and a kill of each in the middle."""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.harness import cluster_judge, cluster_stage
from benchmarks.harness.cluster_judge import Verdict
from benchmarks.harness.cluster_stage import SERVERS, THREADS, WORKERS, Beats, Plan, Stage, staged
from benchmarks.harness.contract import Figure, Figures, Options, Unavailable
from glymph.testing.postgres import absence

QUESTION = "Do two servers and three workers on two databases keep spaces apart, lose nothing and do jobs once?"

SPACES, SECONDS, LEAST_SECONDS = 200, 75.0, 8.0
DRAIN = 120.0  # seconds that workers have for what is still due when the load ends
SHOWN = 5  # errors that are told in words
WRITES = ("add", "update", "link", "archive", "undo", "forget", "report")


@dataclass(frozen=True, slots=True)
class Limits:
    """What the machine allows, measured before the load."""

    fsync_ms: float
    query_ms: float


def run(options: Options) -> Figures:
    """Rates and waits of a mixed load, and what must be 0 after a worker, a server and a database were killed."""
    if reason := absence():
        raise Unavailable(f"needs a PostgreSQL: {reason}")
    plan = Plan(options.count(SPACES, least=8), max(LEAST_SECONDS, SECONDS * options.scale), options.seed)
    with tempfile.TemporaryDirectory(prefix="glymph-cluster-") as folder, staged(Path(folder), plan) as stage:
        limits = _limits(stage)
        beats = _performed(stage)
        finished_s = cluster_judge.await_jobs(stage, beats, DRAIN)
        stage.end()
        verdict = cluster_judge.judged(stage, beats)
        lines = [line for line in stage.lines("load *") if "at" in line]
        outage = _outage(stage, lines)
    return {
        **_scene(plan, stage, limits),
        **_rates(lines, outage),
        **_verdict(verdict),
        "jobs_finished_after_s": Figure(finished_s, "from the end of the load until all jobs were done"),
    }


def _performed(stage: Stage) -> Beats:
    """The load, the workers and the kills, until the load has ended."""
    for _ in range(WORKERS):
        stage.start_worker()
    for _ in range(SERVERS):
        stage.start_load()
    stage.await_all()
    began, seconds = time.time(), stage.plan.seconds
    beats = Beats(stage, began + 0.8 * seconds)
    beats.start()
    for share, act in (
        (0.3, stage.kill_worker),
        (0.45, stage.kill_load),
        (0.65, stage.kill_postgres),
        (1.0, stage.end_load),
    ):
        time.sleep(max(0.0, began + share * seconds - time.time()))
        act()
    beats.join()
    return beats


# figures


def _limits(stage: Stage) -> Limits:
    with psycopg.connect(stage.databases["east"], autocommit=True) as connection:
        query = _median_ms(200, lambda: connection.execute("SELECT 1").fetchone())
    with (stage.folder / "probe").open("wb", buffering=0) as probe:

        def durable() -> None:
            probe.write(bytes(8192))
            os.fsync(probe.fileno())

        return Limits(_median_ms(50, durable), query)


def _median_ms(times: int, call: Callable[[], object]) -> float:
    found = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        found.append(1000 * (time.perf_counter() - began))
    return statistics.median(found)


def _outage(stage: Stage, lines: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    """From the kill of a database until a call to one of its spaces was answered again."""
    _, killed, back = next(kill for kill in stage.kills if kill[0] == "postgresql")
    answered = [
        line["at"] + line["ms"] / 1000
        for line in lines
        if line["end"] == "ok" and stage.part_of(line["space"]) == "east"
    ]
    return killed, min((moment for moment in answered if moment > back), default=back)


def _scene(plan: Plan, stage: Stage, limits: Limits) -> dict[str, Figure]:
    kills = Counter(what for what, _, _ in stage.kills)
    return {
        "spaces": Figure(plan.spaces, "split between two PostgreSQL servers by a map, fsync on"),
        "servers": Figure(SERVERS, f"processes with the map open, {THREADS} callers each, by library calls"),
        "workers": Figure(WORKERS, "`glymph worker` processes, two jobs at once for each database; short times"),
        "kills_worker": Figure(kills["worker"], "worker killed with -9, another started"),
        "kills_server": Figure(kills["server"], "server under load killed with -9, another started"),
        "kills_postgresql": Figure(kills["postgresql"], "PostgreSQL killed with -9, all of it, and started"),
        "cores": Figure(os.cpu_count() or 1, "of the machine; databases, servers and workers share them"),
        "fsync_ms": Figure(limits.fsync_ms, "8 KiB made durable on this disk, median, before the load"),
        "query_ms": Figure(limits.query_ms, "SELECT 1 and back, median, before the load"),
    }


def _rates(lines: Sequence[Mapping[str, Any]], outage: tuple[float, float]) -> dict[str, Figure]:
    done = [line for line in lines if line["end"] == "ok"]
    wall = max(line["at"] + line["ms"] / 1000 for line in done) - min(line["at"] for line in done)
    touched = [line for line in done if _touches(line, outage)]
    usual = [line for line in done if not _touches(line, outage)]
    failed = [line for line in lines if line["end"] != "ok"]
    within = [line for line in failed if _touches(line, outage)]
    for line in [line for line in failed if line not in within][:SHOWN]:
        print(f"cluster: {line['kind']} failed: {line['end']}: {line['why']}", file=sys.stderr)
    figures = {
        "operations": Figure(len(done), "calls that were acknowledged"),
        "operations_per_s": Figure(len(done) / wall, "the same per second of wall time, kills included"),
        "writes_per_s": Figure(sum(line["kind"] in WRITES for line in done) / wall, "of them durable writes"),
        "p50_ms": Figure(_part(usual, 0.5), "all kinds, without calls that the outage touched"),
        "p99_ms": Figure(_part(usual, 0.99), "all kinds, without calls that the outage touched"),
        "p99_ms_with_outage": Figure(_part(done, 0.99), "all kinds, all acknowledged calls"),
        "longest_ms": Figure(max(line["ms"] for line in done), "of all acknowledged calls"),
        "outage_s": Figure(outage[1] - outage[0], "from the kill of PostgreSQL until its spaces answered again"),
        "outage_calls": Figure(len(touched), "acknowledged calls in that time, of both databases' spaces"),
        "errors_outage": Figure(len(within), "calls that failed because the database was away"),
        "errors": Figure(len(failed) - len(within), "calls that failed for any other reason", exactly=0),
    }
    for kind in sorted({line["kind"] for line in usual}):
        one = [line for line in usual if line["kind"] == kind]
        figures[f"{kind}_p50_ms"] = Figure(_part(one, 0.5), f"of {len(one)}")
        figures[f"{kind}_p99_ms"] = Figure(_part(one, 0.99), f"of {len(one)}")
    return figures


def _touches(line: Mapping[str, Any], outage: tuple[float, float]) -> bool:
    """Whether a call was under way at some moment of the outage."""
    return bool(line["at"] <= outage[1] and line["at"] + line["ms"] / 1000 >= outage[0])


def _part(lines: Sequence[Mapping[str, Any]], share: float) -> float:
    found = sorted(float(line["ms"]) for line in lines)
    return found[min(len(found) - 1, int(share * len(found)))] if found else 0.0


def _verdict(verdict: Verdict) -> dict[str, Figure]:
    return {
        "read": Figure(verdict.read, "memories and changes that reads gave back, each looked at for its mark"),
        "cross_space_reads": Figure(verdict.foreign, "of them with the mark of another space", exactly=0),
        "jobs": Figure(verdict.jobs, f"sessions ended and chores let due ({', '.join(cluster_stage.CHORES)})"),
        "beats": Figure(verdict.beats, "runs of chores that came to their end, natural ones included"),
        "double_runs": Figure(verdict.doubled, "sessions counted twice, beats that ended twice", exactly=0),
        "jobs_unfinished": Figure(verdict.unfinished, "jobs that nobody brought to an end", exactly=0),
        "checked": Figure(verdict.checked, "acknowledged memories, links, operations and recalls looked for"),
        "lost": Figure(verdict.lost, "of them gone or different", exactly=0),
        "verify_failures": Figure(verdict.unsound, "problems that verify() finds in all spaces", exactly=0),
    }
