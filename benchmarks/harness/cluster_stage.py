"""Two PostgreSQL, two MCP servers, three workers, clients; and who kills them.

The spaces are split between the two PostgreSQL.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.harness.cluster_load import Log, Texts, space_name
from glymph import Glymph
from glymph.errors import GlymphError
from glymph.jobs.queues import open_queue
from glymph.jobs.queues.contract import Queue
from glymph.jobs.queues.store_jobs import StoreJobs
from glymph.mcp.http import HEALTH
from glymph.testing import postgres
from glymph.write.spaces import create_space

PARTS = ("east", "west")
SERVERS, WORKERS = 2, 3
LOADS, CLIENTS = 2, 4  # processes of clients, and clients in each
SEEDED = 10  # memories in each space before the load
SCHEDULED = (
    "health",
    "conflicts",
    "lifecycle",
    "decay",
    "surface",
)  # let due once in each space, besides an ended session
PATIENCE = 120.0  # seconds for a process to begin or to end
GLANCE = 0.1  # seconds between two looks at whether it has
PULSE = 0.1  # seconds between two trivial questions to a database under load
SESSION_ROW = "the-session"
ROOT = Path(__file__).parents[2]
ENDED = {"event": "session-end", "session_id": "the-session"}


@dataclass(frozen=True, slots=True)
class Plan:
    """How many spaces, for how long, from which seed."""

    spaces: int
    seconds: float
    seed: int


@dataclass(slots=True)
class Stage:
    """Everything that runs. Processes are told apart by number."""

    folder: Path
    plan: Plan
    url: str
    databases: dict[str, str]
    stands: dict[str, postgres.Server]
    ports: tuple[int, ...]
    token: str
    servers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    load: list[subprocess.Popen[bytes]] = field(default_factory=list)
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    kills: list[tuple[str, float, float]] = field(
        default_factory=list
    )  # of what, when, until it was back

    def part_of(self, number: int) -> str:
        return PARTS[number % len(PARTS)]

    @property
    def addresses(self) -> list[str]:
        return [f"http://127.0.0.1:{port}/mcp" for port in self.ports]

    # processes

    def start_server(self, number: int) -> subprocess.Popen[bytes]:
        command = [
            sys.executable,
            "-m",
            "glymph.cli.main",
            "mcp",
            "--any-space",
            "--profile",
            "full",
            "--answers",
            "data",
        ]
        where = [
            "--http",
            f"127.0.0.1:{self.ports[number]}",
            "--url",
            self.url,
            "--space",
            space_name(0),
        ]
        return self._process([*command, *where], f"server {number}")

    def start_worker(self) -> None:
        number = len(self.workers)
        command = [
            sys.executable,
            "-m",
            "benchmarks.harness.cluster_worker",
            str(self.folder / f"runs {number}"),
        ]
        options = ["worker", "--url", self.url, "--concurrency", "2", "--log-json"]
        self.workers.append(self._process([*command, *options], f"worker {number}"))

    def start_load(self) -> None:
        number = len(self.load)
        command = [
            sys.executable,
            "-m",
            "benchmarks.harness.cluster_load",
            str(self.folder / f"load {number}"),
        ]
        command += [
            f"s{number}c",
            str(self.plan.spaces),
            str(CLIENTS),
            str(self.plan.seed + 100 * (number + 1)),
        ]
        self.load.append(self._process([*command, *self.addresses], f"clients {number}"))

    def _process(self, command: list[str], name: str) -> subprocess.Popen[bytes]:
        own = {name: value for name, value in os.environ.items() if not name.startswith("GLYMPH_")}
        own |= {
            "GLYMPH_HOME": str(self.folder / "home"),
            "GLYMPH_EMBEDDER": "none",
            "GLYMPH_MODEL": "none",
            "GLYMPH_READER": "none",  # a model on these cores would be all that is measured
        }
        own["GLYMPH_TOKEN"] = self.token
        with (self.folder / f"{name}.err").open("ab") as said:
            return subprocess.Popen(command, cwd=ROOT, env=own, stdout=said, stderr=said)

    def lines(self, names: str) -> Iterator[dict[str, Any]]:
        """What the files of these names say. The last line of a killed process may be half a line."""
        for path in sorted(self.folder.glob(names)):
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    yield json.loads(line)
                except ValueError:
                    continue

    # kills

    def kill_worker(self) -> None:
        """The one that has done most so far."""
        runs = [
            path.stat().st_size if (path := self.folder / f"runs {n}").exists() else 0
            for n in range(WORKERS)
        ]
        self._killed("worker", self.workers[runs.index(max(runs))])
        self.start_worker()

    def kill_server(self) -> None:
        at = time.time()
        self.servers[0].kill()
        self.servers[0].wait()
        self.servers[0] = self.start_server(0)
        self.await_servers()
        self.kills.append(("server", at, time.time()))

    def _killed(self, what: str, process: subprocess.Popen[bytes]) -> None:
        at = time.time()
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.kills.append((what, at, time.time()))

    def kill_postgres(self) -> None:
        at = time.time()
        self.stands["east"].kill()
        self.stands["east"].start()
        self.kills.append(("postgresql", at, time.time()))

    def await_servers(self) -> None:
        self._await(lambda: all(map(_healthy, self.ports)))

    def await_all(self) -> None:
        """Waits until every process has begun to work."""
        self._await(
            lambda: all(map(self._works, range(LOADS))) and all(map(self._serves, range(WORKERS)))
        )

    def _await(self, begun: Callable[[], bool]) -> None:
        ends = time.monotonic() + PATIENCE
        while not begun():
            # A worker that was killed has a successor, and is still in the list.
            ended = any(one.poll() not in (None, -signal.SIGKILL) for one in self._all())
            if ended or time.monotonic() > ends:
                said = "\n".join(
                    path.read_text(errors="replace")[-500:] for path in self.folder.glob("*.err")
                )
                raise RuntimeError(f"a process did not begin its work; what they said:\n{said}")
            time.sleep(GLANCE)

    def _all(self) -> list[subprocess.Popen[bytes]]:
        return [*self.load, *self.servers, *self.workers]

    def _works(self, number: int) -> bool:
        log = self.folder / f"load {number}"
        return log.exists() and log.stat().st_size > 0

    def _serves(self, number: int) -> bool:
        return "working on" in (self.folder / f"worker {number}.err").read_text(errors="replace")

    def end_load(self) -> None:
        _ended(self.load)

    def end(self) -> None:
        _ended(self.load)
        _ended([*self.servers, *self.workers])


def _healthy(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", HEALTH)
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def _free_ports(count: int) -> tuple[int, ...]:
    """Ports that nobody listens on now."""
    with ExitStack() as stack:
        found = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return tuple(one.getsockname()[1] for one in found)


def _ended(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
    for process in processes:
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def staged(folder: Path, plan: Plan) -> Iterator[Stage]:
    """The servers with all spaces made and a few memories in each; nothing else runs yet."""
    with ExitStack() as stack:
        settings = {"fsync": "on", "shared_buffers": "128MB"}
        stands = {
            part: stack.enter_context(postgres.Server(folder / part, settings=settings))
            for part in PARTS
        }
        databases = {part: stand.database("glymph") for part, stand in stands.items()}
        split = {space_name(n): PARTS[n % len(PARTS)] for n in range(plan.spaces)}
        (folder / "map.json").write_text(
            json.dumps({"parts": databases, "spaces": split}), encoding="utf-8"
        )
        url, ports = f"shards:///{folder / 'map.json'}", _free_ports(SERVERS)
        stage = Stage(folder, plan, url, databases, stands, ports, secrets.token_hex(32))
        _filled(stage)
        try:
            yield stage
        finally:
            stage.end()


def _filled(stage: Stage) -> None:
    log = Log(stage.folder / "load seeds")
    with Glymph.open(stage.url, space=space_name(0), embedder="none", reader="none") as glymph:
        for number in range(stage.plan.spaces):
            create_space(replace(glymph.context, space=space_name(number)))
        for _ in StoreJobs(
            glymph
        ).find_due():  # the first moments of all jobs are written down: not a part of the load
            pass
        texts = Texts("seed", stage.plan.seed)
        for number, handle in enumerate(handles(glymph, stage.plan.spaces)):
            said = [texts.new(number)[0] for _ in range(SEEDED)]
            added = handle.add_many(said)
            after = {one.id: ["LIVE", text] for one, text in zip(added, said, strict=True)}
            log.write(
                {
                    "kind": "seed",
                    "space": number,
                    "end": "ok",
                    "op": added[0].operation_id,
                    "after": after,
                }
            )


def handles(glymph: Glymph, spaces: int) -> list[Glymph]:
    """A handle for each space, all by the same connections."""
    return [Glymph(replace(glymph.context, space=space_name(number))) for number in range(spaces)]


class Pulse(threading.Thread):
    """Asks a database that nobody kills a trivial question from time to time: the floor under load."""

    def __init__(self, url: str) -> None:
        super().__init__(name="pulse")
        self._url, self._over = url, threading.Event()
        self.ms: list[float] = []

    def run(self) -> None:
        with psycopg.connect(self._url, autocommit=True) as connection:
            while not self._over.wait(PULSE):
                began = time.perf_counter()
                connection.execute("SELECT 1").fetchone()
                self.ms.append(1000 * (time.perf_counter() - began))

    def end(self) -> None:
        self._over.set()
        self.join()


class Beats(threading.Thread):
    """Lets a session end and some jobs be due in each space, once.

    This is spread over the time of the load.
    """

    def __init__(self, stage: Stage, until: float) -> None:
        super().__init__(name="beats")
        self._stage, self._until = stage, until
        self.due: dict[
            tuple[int, str], float
        ] = {}  # what was let due in which space: a run must begin after that
        self.wrong: list[str] = []

    def run(self) -> None:
        wanted = self._all()
        random.Random(self._stage.plan.seed).shuffle(wanted)
        began, total = time.time(), len(wanted)
        with ExitStack() as stack:
            queues = {part: self._queue(stack, url) for part, url in self._stage.databases.items()}
            while wanted:
                share = 1 - len(wanted) / total
                time.sleep(max(0.0, began + share * (self._until - began) - time.time()))
                number, job = wanted.pop()
                try:
                    self._put(queues[self._stage.part_of(number)], number, job)
                except GlymphError as error:  # its server is away: later
                    self.wrong.append(str(error))
                    wanted.insert(0, (number, job))

    def _all(self) -> list[tuple[int, str]]:
        return [
            (number, job)
            for number in range(self._stage.plan.spaces)
            for job in (SESSION_ROW, *SCHEDULED)
        ]

    def missing(self) -> list[tuple[int, str]]:
        """What could not even be let due."""
        return [job for job in self._all() if job not in self.due]

    def _queue(self, stack: ExitStack, url: str) -> Queue:
        glymph = stack.enter_context(
            Glymph.open(url, space=self._first(url), embedder="none", create=False)
        )
        queue = open_queue(glymph, url=url)
        stack.callback(queue.close)
        return queue

    def _first(self, url: str) -> str:
        return next(
            space_name(n)
            for n in range(len(PARTS))
            if self._stage.databases[self._stage.part_of(n)] == url
        )

    def _put(self, queue: Queue, number: int, job: str) -> None:
        at = time.time()
        if job == SESSION_ROW:
            queue.put_session(space_name(number), SESSION_ROW, ENDED)
        else:
            queue.put(space_name(number), job)
        self.due[number, job] = at
