"""Two MCP servers on two PostgreSQL, with three workers and many spaces.

A server, a database and a worker are each killed in the middle.
"""

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

import anyio
import psycopg

from benchmarks.harness import cluster_judge, cluster_stage
from benchmarks.harness.cluster_clients import Caller
from benchmarks.harness.cluster_judge import Verdict
from benchmarks.harness.cluster_load import AWAY, FLOOR, UNKNOWN, WRONG, space_name
from benchmarks.harness.cluster_stage import (
    CLIENTS,
    LOADS,
    SERVERS,
    WORKERS,
    Beats,
    Plan,
    Pulse,
    Stage,
    staged,
)
from benchmarks.harness.contract import Figure, Figures, Options, Unavailable
from glymph.testing.postgres import absence

QUESTION = "Do two servers and three workers on two databases keep spaces apart, lose nothing and do jobs once?"

SPACES, SECONDS, LEAST_SECONDS = 200, 75.0, 8.0
DRAIN = 120.0  # seconds that workers have for what is still due when the load ends
SHOWN = 5  # errors that are told in words
WRITES = ("add", "update", "link", "archive", "undo", "forget", "report")

Line = Mapping[str, Any]
Outages = Mapping[str, tuple[float, float]]  # of what, from when, until when


@dataclass(frozen=True, slots=True)
class Limits:
    """What the machine allows, measured before the load."""

    fsync_ms: float
    query_ms: float
    insert_ms: float
    commit_ms: float
    call_ms: float


def run(options: Options) -> Figures:
    """Rates and waits of a mixed load, and what must be 0 after the kills.

    A worker, a server and a database are killed.
    """
    if reason := absence():
        raise Unavailable(f"needs a PostgreSQL: {reason}")
    plan = Plan(
        options.count(SPACES, least=8), max(LEAST_SECONDS, SECONDS * options.scale), options.seed
    )
    with (
        tempfile.TemporaryDirectory(prefix="glymph-cluster-") as folder,
        staged(Path(folder), plan) as stage,
    ):
        stage.servers += [stage.start_server(number) for number in range(SERVERS)]
        stage.await_servers()
        limits, pulse = _limits(stage), Pulse(stage.databases["west"])
        pulse.start()
        try:
            beats = _performed(stage)
        finally:
            pulse.end()
        finished_s = cluster_judge.await_jobs(stage, beats, DRAIN)
        stage.end()
        verdict = cluster_judge.judged(stage, beats)
        lines = [line for line in stage.lines("load *") if "at" in line]
        outages = _outages(stage, lines)
    floors = _floors([line for line in lines if line["kind"] == FLOOR], outages, pulse)
    return {
        **_scene(plan, stage, limits),
        **_rates([line for line in lines if line["kind"] != FLOOR], outages, floors),
        **floors,
        **_kept(lines, outages, verdict),
        **_verdict(verdict),
        "jobs_finished_after_s": Figure(
            finished_s, "from the end of the load until all jobs were done"
        ),
    }


def _performed(stage: Stage) -> Beats:
    """The load, the workers and the kills, until the load has ended."""
    for _ in range(WORKERS):
        stage.start_worker()
    for _ in range(LOADS):
        stage.start_load()
    stage.await_all()
    began, seconds = time.time(), stage.plan.seconds
    beats = Beats(stage, began + 0.8 * seconds)
    beats.start()
    for share, act in (
        (0.3, stage.kill_worker),
        (0.45, stage.kill_server),
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
        connection.execute("CREATE TABLE IF NOT EXISTS public.floor(at int)")
        write = "INSERT INTO public.floor VALUES (1)"
        commit = _median_ms(200, lambda: connection.execute(write))
        connection.execute("SET synchronous_commit = off")
        insert = _median_ms(200, lambda: connection.execute(write))
    with (stage.folder / "probe").open("wb", buffering=0) as probe:

        def durable() -> None:
            probe.write(bytes(8192))
            os.fsync(probe.fileno())

        return Limits(
            _median_ms(50, durable), query, insert, commit,
            statistics.median(anyio.run(_trifles, stage, 200)),
        )  # fmt: skip


async def _trifles(stage: Stage, times: int) -> list[float]:
    """Milliseconds that calls take which a server answers without its store, one after the other."""
    found = []
    async with anyio.create_task_group() as sessions:
        caller = Caller(stage.addresses, stage.token, group=sessions, seed=stage.plan.seed)
        await caller.open_all()
        for _ in range(times):
            began = time.perf_counter()
            await caller.trifle(space_name(0))
            found.append(1000 * (time.perf_counter() - began))
        await caller.close()
    return found


def _median_ms(times: int, call: Callable[[], object]) -> float:
    found = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        found.append(1000 * (time.perf_counter() - began))
    return statistics.median(found)


def _outages(stage: Stage, lines: Sequence[Line]) -> Outages:
    """From when until when a server and a database were away.

    A server is away until it is healthy again, a database until a call to one of its spaces was
    answered.
    """
    spans = {what: (killed, back) for what, killed, back in stage.kills if what != "worker"}
    killed, back = spans["postgresql"]
    answered = [
        line["at"] + line["ms"] / 1000
        for line in lines
        if line["end"] == "ok" and line["kind"] != FLOOR and stage.part_of(line["space"]) == "east"
    ]
    return spans | {
        "postgresql": (killed, min((moment for moment in answered if moment > back), default=back))
    }


def _scene(plan: Plan, stage: Stage, limits: Limits) -> dict[str, Figure]:
    kills = Counter(what for what, _, _ in stage.kills)
    clients = f"{LOADS} processes of {CLIENTS} MCP clients, a session with each server, spaces and servers at random"
    return {
        "spaces": Figure(plan.spaces, "split between two PostgreSQL servers by a map, fsync on"),
        "servers": Figure(SERVERS, "`glymph mcp --http --any-space` processes on the map"),
        "clients": Figure(LOADS * CLIENTS, clients),
        "workers": Figure(
            WORKERS,
            "`glymph sleep worker` processes, two jobs at once for each database; short times",
        ),
        "kills_worker": Figure(kills["worker"], "worker killed with -9, another started"),
        "kills_server": Figure(
            kills["server"], "MCP server under load killed with -9 and started again"
        ),
        "kills_postgresql": Figure(
            kills["postgresql"], "PostgreSQL killed with -9, all of it, and started"
        ),
        "cores": Figure(
            os.cpu_count() or 1,
            "of the machine; databases, servers, workers and clients share them",
        ),
        "fsync_ms": Figure(
            limits.fsync_ms, "8 KiB made durable on this disk, median, before the load"
        ),
        "query_ms": Figure(limits.query_ms, "SELECT 1 and back, median, before the load"),
        "insert_ms": Figure(
            limits.insert_ms, "a row put in, in one round trip, not durable; before the load"
        ),
        "commit_ms": Figure(limits.commit_ms, "the same and durable; before the load"),
        "call_ms": Figure(
            limits.call_ms, "an MCP call that needs no store and back, median, before the load"
        ),
    }


def _rates(
    lines: Sequence[Line], outages: Outages, floors: Mapping[str, Figure]
) -> dict[str, Figure]:
    """Rates and waits; beside those of calls stands what the protocol alone takes at the same time."""
    least, most = floors["floor_call_p50_ms"].value, floors["floor_call_p99_ms"].value
    done = [line for line in lines if line["end"] == "ok"]
    wall = max(_ended(line) for line in done) - min(line["at"] for line in done)
    usual = [line for line in done if not _touched(line, outages)]
    figures = {
        "operations": Figure(len(done), "calls that were acknowledged"),
        "operations_per_s": Figure(
            len(done) / wall, "the same per second of wall time, kills included"
        ),
        "writes_per_s": Figure(
            sum(line["kind"] in WRITES for line in done) / wall, "of them durable writes"
        ),
        "p50_ms": Figure(
            _part(usual, 0.5), "all kinds, without calls that an outage touched", limit=least
        ),
        "p99_ms": Figure(
            _part(usual, 0.99), "all kinds, without calls that an outage touched", limit=most
        ),
        "p99_per_p50": Figure(_part(usual, 0.99) / _part(usual, 0.5), "of these"),
        "p50_ms_with_outages": Figure(
            _part(done, 0.5), "all kinds, all acknowledged calls, all tries"
        ),
        "p99_ms_with_outages": Figure(
            _part(done, 0.99), "all kinds, all acknowledged calls, all tries"
        ),
        "longest_ms": Figure(
            max(line["ms"] for line in done), "of all acknowledged calls, all tries"
        ),
    }
    for kind in sorted({line["kind"] for line in done}):
        every, one = ([line for line in some if line["kind"] == kind] for some in (done, usual))
        if one:  # else there is nothing to tell: a zero would be a lie
            figures[f"{kind}_p50_ms"] = Figure(_part(one, 0.5), f"of {len(one)}", limit=least)
            figures[f"{kind}_p99_ms"] = Figure(_part(one, 0.99), f"of {len(one)}", limit=most)
        figures[f"{kind}_p99_ms_with_outages"] = Figure(_part(every, 0.99), f"of {len(every)}")
    return figures


def _floors(lines: Sequence[Line], outages: Outages, pulse: Pulse) -> dict[str, Figure]:
    """What the same calls would cost if there were nothing to do, under the same load."""
    calls = sorted(
        line["ms"] for line in lines if line["end"] == "ok" and not _touched(line, outages)
    )
    queries = sorted(pulse.ms)
    return {
        "floor_call_p50_ms": Figure(
            _share(calls, 0.5), f"of {len(calls)} MCP calls that need no store, under load"
        ),
        "floor_call_p99_ms": Figure(_share(calls, 0.99), f"of {len(calls)}"),
        "floor_query_p50_ms": Figure(
            _share(queries, 0.5), f"of {len(queries)} SELECT 1, under load"
        ),
        "floor_query_p99_ms": Figure(_share(queries, 0.99), f"of {len(queries)}"),
    }


def _kept(lines: Sequence[Line], outages: Outages, verdict: Verdict) -> dict[str, Figure]:
    """What became of calls that met a kill."""
    ends = Counter(line["end"] for line in lines)
    wrong = [
        line
        for line in lines
        if line["end"] != "ok" and (line["end"] == WRONG or not _touched(line, outages))
    ]
    for line in wrong[:SHOWN]:
        print(f"cluster: {line['kind']} failed: {line['end']}: {line['why']}", file=sys.stderr)
    back = outages["server"][1]
    again = sum(
        line.get("server") == 0 and line["at"] > back for line in lines if line["end"] == "ok"
    )
    seconds = {what: until - since for what, (since, until) in outages.items()}
    return {
        "outage_server_s": Figure(
            seconds["server"], "from the kill of an MCP server until it was healthy again"
        ),
        "outage_postgresql_s": Figure(
            seconds["postgresql"], "from the kill of PostgreSQL until its spaces answered again"
        ),
        "server_answered_again": Figure(
            again, "calls that the killed server answered after its restart", at_least=1
        ),
        "retried": Figure(
            sum(line.get("tries", 1) > 1 for line in lines),
            "calls acknowledged at a second or later try, all safe",
        ),
        "unknown": Figure(ends[UNKNOWN], "calls without an answer that were not safe to repeat"),
        "refused_away": Figure(
            ends[AWAY], "calls told that the store is away, and not safe to repeat"
        ),
        "unknown_adds": Figure(verdict.unclear, "of both, adds: they were looked up at the end"),
        "unknown_adds_kept": Figure(verdict.unclear_kept, "of these, were there, whole"),
        "found_twice": Figure(verdict.twice, "texts that are there more than once", exactly=0),
        "errors": Figure(len(wrong), "calls that failed for any other reason", exactly=0),
    }


def _ended(line: Line) -> float:
    return float(line["at"] + line["ms"] / 1000)


def _touched(line: Line, outages: Outages) -> bool:
    """Whether a call was under way at some moment of an outage."""
    return any(line["at"] <= until and _ended(line) >= since for since, until in outages.values())


def _part(lines: Sequence[Line], share: float) -> float:
    return _share(sorted(float(line["ms"]) for line in lines), share)


def _share(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def _verdict(verdict: Verdict) -> dict[str, Figure]:
    return {
        "read": Figure(
            verdict.read, "memories and changes that reads gave back, each looked at for its mark"
        ),
        "cross_space_reads": Figure(
            verdict.foreign, "of them with the mark of another space", exactly=0
        ),
        "jobs": Figure(
            verdict.jobs, f"sessions ended and jobs let due ({', '.join(cluster_stage.SCHEDULED)})"
        ),
        "beats": Figure(
            verdict.beats, "runs of scheduled jobs that came to their end, natural ones included"
        ),
        "double_runs": Figure(
            verdict.doubled, "sessions counted twice, beats that ended twice", exactly=0
        ),
        "jobs_unfinished": Figure(
            verdict.unfinished,
            "jobs of which no run that began after they were let due came to its end",
            exactly=0,
        ),
        "checked": Figure(
            verdict.checked, "acknowledged memories, links, operations and recalls looked for"
        ),
        "lost": Figure(verdict.lost, "of them gone or different", exactly=0),
        "verify_failures": Figure(
            verdict.unsound, "problems that verify() finds in all spaces", exactly=0
        ),
    }
