"""Two PostgreSQL with spaces split between them, two servers under load, three workers; and who kills them."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.harness.cluster_load import Client, Log, Server, space_name
from glymph import Glymph
from glymph.errors import GlymphError
from glymph.jobs.queues import open_queue
from glymph.jobs.queues.backlog import Backlog
from glymph.jobs.queues.contract import Queue
from glymph.services.spaces import create_space
from glymph.testing import postgres

PARTS = ("east", "west")
SERVERS, WORKERS, THREADS = 2, 3, 4
SEEDED = 10  # memories in each space before the load
CHORES = ("health", "conflicts", "lifecycle", "decay")  # let due once in each space, besides an ended session
PATIENCE = 120.0  # seconds for a process to begin or to end
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
    load: list[subprocess.Popen[bytes]] = field(default_factory=list)
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    kills: list[tuple[str, float, float]] = field(default_factory=list)  # of what, when, until it was back

    def part_of(self, number: int) -> str:
        return PARTS[number % len(PARTS)]

    # processes

    def start_worker(self) -> None:
        number = len(self.workers)
        command = [sys.executable, "-m", "benchmarks.harness.cluster_worker", str(self.folder / f"runs {number}")]
        options = ["worker", "--url", self.url, "--concurrency", "2", "--log-json"]
        self.workers.append(self._process([*command, *options], f"worker {number}"))

    def start_load(self) -> None:
        number = len(self.load)
        command = [sys.executable, "-m", "benchmarks.harness.cluster_load", self.url]
        command += [str(self.folder / f"load {number}"), f"s{number}c", str(self.plan.spaces), str(THREADS)]
        command += [str(self.plan.seed + 100 * (number + 1))]
        self.load.append(self._process(command, f"server {number}"))

    def _process(self, command: list[str], name: str) -> subprocess.Popen[bytes]:
        own = {name: value for name, value in os.environ.items() if not name.startswith("GLYMPH_")}
        own |= {"GLYMPH_HOME": str(self.folder / "home"), "GLYMPH_EMBEDDER": "none", "GLYMPH_MODEL": "none"}
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
        runs = [path.stat().st_size if (path := self.folder / f"runs {n}").exists() else 0 for n in range(WORKERS)]
        self._killed("worker", self.workers[runs.index(max(runs))])
        self.start_worker()

    def kill_load(self) -> None:
        self._killed("server", self.load[0])
        self.start_load()

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

    def await_all(self) -> None:
        """Waits until every process has begun to work."""
        ends = time.monotonic() + PATIENCE
        while not all(map(self._works, range(len(self.load)))) or not all(map(self._serves, range(WORKERS))):
            if time.monotonic() > ends or any(one.poll() is not None for one in (*self.load, *self.workers)):
                said = "\n".join(path.read_text(errors="replace")[-500:] for path in self.folder.glob("*.err"))
                raise RuntimeError(f"a process did not begin its work; what they said:\n{said}")
            time.sleep(0.05)

    def _works(self, number: int) -> bool:
        log = self.folder / f"load {number}"
        return log.exists() and log.stat().st_size > 0

    def _serves(self, number: int) -> bool:
        return "working on" in (self.folder / f"worker {number}.err").read_text(errors="replace")

    def end_load(self) -> None:
        _ended(self.load)

    def end(self) -> None:
        _ended([*self.load, *self.workers])


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
        stands = {part: stack.enter_context(postgres.Server(folder / part, settings=settings)) for part in PARTS}
        databases = {part: stand.database("glymph") for part, stand in stands.items()}
        split = {space_name(n): PARTS[n % len(PARTS)] for n in range(plan.spaces)}
        (folder / "map.json").write_text(json.dumps({"parts": databases, "spaces": split}), encoding="utf-8")
        stage = Stage(folder, plan, f"shards:///{folder / 'map.json'}", databases, stands)
        _filled(stage)
        try:
            yield stage
        finally:
            stage.end()


def _filled(stage: Stage) -> None:
    log = Log(stage.folder / "load seeds")
    with Glymph.open(stage.url, space=space_name(0), embedder="none") as glymph:
        for number in range(stage.plan.spaces):
            create_space(replace(glymph.workplace, space=space_name(number)))
        for _ in Backlog(glymph).due():  # the first moments of all chores are written down: not a part of the load
            pass
        server = Server(glymph, stage.plan.spaces)
        writer = Client(server, log, "seed", stage.plan.seed)
        for number, handle in enumerate(server.handles):
            texts = [writer.new_text(number)[0] for _ in range(SEEDED)]
            added = handle.add_many(texts)
            after = {one.id: ["LIVE", text] for one, text in zip(added, texts, strict=True)}
            log.write({"kind": "seed", "space": number, "end": "ok", "op": added[0].operation_id, "after": after})


class Beats(threading.Thread):
    """Lets a session end and some chores be due in each space, once, spread over the time of the load."""

    def __init__(self, stage: Stage, until: float) -> None:
        super().__init__(name="beats")
        self._stage, self._until = stage, until
        self.due: dict[tuple[int, str], float] = {}  # what was let due in which space, and when
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
        return [(number, job) for number in range(self._stage.plan.spaces) for job in (SESSION_ROW, *CHORES)]

    def missing(self) -> list[tuple[int, str]]:
        """What could not even be let due."""
        return [job for job in self._all() if job not in self.due]

    def _queue(self, stack: ExitStack, url: str) -> Queue:
        glymph = stack.enter_context(Glymph.open(url, space=self._first(url), embedder="none", create=False))
        queue = open_queue(glymph, url=url)
        stack.callback(queue.close)
        return queue

    def _first(self, url: str) -> str:
        return next(
            space_name(n) for n in range(len(PARTS)) if self._stage.databases[self._stage.part_of(n)] == url
        )

    def _put(self, queue: Queue, number: int, job: str) -> None:
        at = time.time()
        if job == SESSION_ROW:
            queue.put_session(space_name(number), SESSION_ROW, ENDED)
        elif not queue.put(space_name(number), job):
            at = 0.0  # it was due by itself: whoever is at it may have begun before
        self.due[number, job] = at
