"""What the end of a session costs its host.

And what is left of the session when hosts and workers are killed.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness.clocks import children_cpu
from benchmarks.harness.contract import Figure, Figures, Options, Unavailable
from benchmarks.harness.corpus import Corpus
from benchmarks.harness.mortal import Fate
from benchmarks.harness.sleepers import SPACE, Ground, Harm
from glymph import Glymph
from glymph.jobs.project import SHARED, digest_tokens

QUESTION = "How long does a hook hold the host up, and is each session worked up exactly once whatever is killed?"

REPEATS = 50
MEMORIES, ASKED = 10_000, 12  # in the store that hooks answer from, and words of a prompt
KILLS = 110  # of workers
SESSIONS = 3  # of a store
KILLS_PER_STORE = 14
DEEPEST = (
    44  # writing transactions of a worker that does everything for one session, and a few more
)
LATEST_S = 0.5  # after its beginning, at which a worker is killed from outside
PATIENCE_S = 60.0


def run(options: Options) -> Figures:
    """Medians of wall milliseconds, then counts over all kills.

    What is lost or doubled is a broken promise.
    """
    if sys.platform != "linux":
        raise Unavailable(
            "looks at processes that are not its children, which it knows how to on Linux only."
        )
    interpreter, hook, cpu = _times(options.count(REPEATS, least=3))
    quick = _time_answers(options)
    hosts, kills, harm = kill_workers(options.count(KILLS, least=4), random.Random(options.seed))
    for problem in harm.problems:
        print(problem, file=sys.stderr)
    return {
        "session_end_wall_ms": Figure(hook - interpreter, "session-end beyond a bare interpreter", at_most=100.0),
        "interpreter_ms": Figure(interpreter, "an interpreter that does nothing, from start to end"),
        "session_end_ms": Figure(hook, "`glymph hook session-end` from start to end", limit=interpreter),
        "session_end_cpu_ms": Figure(
            cpu - quick.interpreter, "CPU beyond a bare interpreter, its worker not counted", at_most=60.0
        ),
        "session_start_cpu_ms": Figure(
            quick.start - quick.interpreter, f"the same of session-start, {quick.memories:,} memories, the digest kept",
            at_most=150.0,
        ),
        "prompt_submit_cpu_ms": Figure(
            quick.prompt - quick.interpreter, "the same of prompt-submit, a question of twelve words", at_most=150.0
        ),
        "interpreter_cpu_ms": Figure(quick.interpreter, "CPU of an interpreter that does nothing"),
        "kills": Figure(kills, "workers killed by SIGKILL", at_least=100),
        "host_kills": Figure(hosts, "hosts killed by SIGKILL as soon as their hook had returned"),
        "completed_exactly_once": Figure(
            int(not (harm.lost or harm.doubled or harm.problems)), "each session, with all it said", exactly=1
        ),
        "lost": Figure(harm.lost, "statements, jobs and counts of sessions that are missing", exactly=0),
        "doubled": Figure(harm.doubled, "statements, links, jobs and counts that are there twice", exactly=0),
    }  # fmt: skip


# time


def _times(repeats: int) -> tuple[float, float, float]:
    """Wall milliseconds of an interpreter and of the hook, and the hook's CPU.

    No worker runs meanwhile.
    """
    script = Path(sys.executable).with_name("glymph")
    if not script.exists():
        raise Unavailable(
            f"needs the command {script}. Install the project with `pip install -e .`."
        )
    with tempfile.TemporaryDirectory(prefix="glymph-hook-") as folder:
        ground = Ground(Path(folder), 1, label="t")
        hook = [str(script), "hook", "session-end", "--url", ground.url, "--space", SPACE]
        samples: list[tuple[float, float, float]] = []
        for number in range(repeats + 1):
            bare, _ = _once([sys.executable, "-c", "pass"], ground)
            wall, cpu = _once(hook, ground)
            _wait_for_workers(ground, number + 1)
            samples.append((bare, wall, cpu))
    bare, wall, cpu = (statistics.median(column) for column in zip(*samples[1:], strict=True))
    return bare, wall, cpu


def _once(command: Sequence[str], ground: Ground, told: bytes | None = None) -> tuple[float, float]:
    told = told or ground.told(0, "SessionEnd")
    cpu, began = children_cpu(), time.perf_counter()
    subprocess.run(
        command, input=told, env=ground.environment(), check=True, stdout=subprocess.DEVNULL
    )
    return (time.perf_counter() - began) * 1000, (children_cpu() - cpu) * 1000


def _wait_for_workers(ground: Ground, count: int) -> None:
    until = time.monotonic() + PATIENCE_S
    log = ground.home / "worker.log"
    while not (log.exists() and log.read_text().count("worker done") >= count):
        if time.monotonic() > until:
            raise RuntimeError(
                f"the worker of a hook did not end in {PATIENCE_S:g} seconds; see {log}"
            )
        time.sleep(0.02)


@dataclass(frozen=True, slots=True)
class Quick:
    """CPU milliseconds of an interpreter and of the hooks that answer, and how much is stored."""

    interpreter: float
    start: float
    prompt: float
    memories: int


def _time_answers(options: Options) -> Quick:
    """CPU of the hooks that answer, on a store of which an ended session has kept the digest."""
    count, repeats = options.count(MEMORIES, least=50), options.count(REPEATS, least=3)
    texts = Corpus(options.seed).texts(count + 1)
    asked = " ".join(texts[-1].split()[:ASKED])
    script = str(Path(sys.executable).with_name("glymph"))
    with tempfile.TemporaryDirectory(prefix="glymph-hook-") as folder:
        ground = Ground(Path(folder), 1, label="q")
        for space in (SPACE, SHARED):
            with Glymph.open(ground.url, space=space, embedder="none", reader="none") as glymph:
                if space == SPACE:
                    glymph.add_many(texts[:-1])
                glymph.surface(digest_tokens(space))
        sent = {"session_id": "q", "cwd": folder, "prompt": f"Do you know {asked}?"}
        costs: dict[str, list[float]] = {}
        for event in ("", "session-start", "prompt-submit"):
            hook = [script, "hook", event, "--url", ground.url, "--space", SPACE]
            command = hook if event else [sys.executable, "-c", "pass"]
            told = json.dumps(sent).encode()
            costs[event] = [_once(command, ground, told)[1] for _ in range(repeats + 1)][1:]
    bare, start, prompt = (statistics.median(one) for one in costs.values())
    return Quick(bare, start, prompt, count)


# kills


def kill_workers(wanted: int, draw: random.Random, *, first: int = 0) -> tuple[int, int, Harm]:
    """How many hosts and workers were killed, and what harm it did.

    How often the workers of one store can be killed depends on how fast they are; there are as
    many stores as it takes.
    """
    hosts, kills, harm, number = 0, 0, Harm(), first
    while kills < wanted:
        with tempfile.TemporaryDirectory(prefix="glymph-hook-") as folder:
            more = min(KILLS_PER_STORE, wanted - kills)
            some, done = _kill_in_one_store(
                Path(folder), draw, more, label=f"r{number}", first=number * SESSIONS
            )
        hosts, kills, number = hosts + SESSIONS, kills + some, number + 1
        harm.add(done)
    return hosts, kills, harm


def _kill_in_one_store(
    folder: Path, draw: random.Random, kills: int, *, label: str, first: int
) -> tuple[int, Harm]:
    """Ends the sessions of a store, kills their workers about so often, lets the last one finish.

    Gives back kills and harm.

    The worker of a fresh session dies at each of its transactions in turn, before or after the
    commit; later ones die at one of the next, or are killed from outside at any moment.
    """
    peaceful = Ground(_made(folder / "peace"), SESSIONS, label=label)
    peaceful.work_in_peace()
    ground = Ground(_made(folder / "killed"), SESSIONS, label=label)
    done = 0
    for number in range(SESSIONS):
        at = (first + number) % (2 * DEEPEST)
        done += ground.end_session(number, _fate(draw, at // 2 + 1, after=at % 2 == 1))
    while done < kills and ground.unfinished():
        outside = draw.random() < 0.3
        fate = Fate() if outside else _fate(draw, draw.randint(1, 12), after=draw.random() < 0.5)
        done += ground.start_session(fate, draw.uniform(0, LATEST_S) if outside else None)
    while ground.unfinished():
        ground.start_session(Fate())
    return done, ground.harm(peaceful)


def _fate(draw: random.Random, at: int, *, after: bool) -> Fate:
    """Death at a transaction, in every other case among renewals of the lease.

    Renewals are transactions, too.
    """
    return Fate(at, after, renewed=draw.choice((0.005, 0.1)))


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
