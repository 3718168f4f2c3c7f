"""What a kill -9 at a random moment destroys.

Looked for are lost acknowledged changes, half operations, a store that does not verify.

A child makes mixed writes and says on a pipe what each will change before the call, and that it
returned after it. The parent kills it, opens the store and compares. A kill does not cut the power:
what the kernel was given survives, so this tests the transactions and the order of acknowledgement,
not the disk.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.harness import image, processes
from benchmarks.harness.contract import Figure, Figures, Options
from benchmarks.harness.image import Changes, Image, Key, Value, changed
from benchmarks.harness.scribe import Scribe
from glymph import Glymph
from glymph.model import Problem

QUESTION = "Does a kill -9 at any moment lose an acknowledged change or leave half an operation?"

KILLS = 200
KILLS_PER_STORE = 20  # verifying reads the whole store, so it is kept small
LONGEST_DELAY_S = 0.06
PATIENCE_S = 120.0  # for the first acknowledgement, on a very busy machine
VERBS = (
    "add", "add", "add_many", "update", "archive", "delete", "restore", "link", "pin", "unpin",
    "recall", "report", "report", "undo",
)  # fmt: skip


@dataclass(slots=True)
class Heard:
    """What the child said before it died."""

    done: list[tuple[Changes, str | None]] = field(
        default_factory=list
    )  # acknowledged, with operation ids
    begun: tuple[str, Changes] | None = None  # a call that had not returned
    died_early: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """What one kill did: acknowledged writes lost, and whether an operation is half done."""

    lost: int
    half: bool
    kept: bool = False  # the call under way had been carried out in full


def run(options: Options) -> Figures:
    """Counts over all kills; anything but 0 lost, 0 half and 0 failures is a broken promise."""
    draw = random.Random(options.seed)
    kills = options.count(KILLS, least=2)
    totals = dict.fromkeys(
        ("acknowledged", "inflight", "inflight_kept", "lost", "half", "failures", "errors"), 0
    )
    for first in range(0, kills, KILLS_PER_STORE):
        with tempfile.TemporaryDirectory(prefix="glymph-crash-") as folder:
            url = f"sqlite:///{Path(folder) / 'memory.db'}"
            Glymph.open(url, embedder="none", reader="none").close()
            known = image.read(url)
            for number in range(first, min(first + KILLS_PER_STORE, kills)):
                heard = _hear_until_killed(url, number, draw, known)
                known = _count(totals, url, known, heard)
    return _figures(kills, totals)


def _figures(kills: int, totals: Mapping[str, int]) -> Figures:
    return {
        "kills": Figure(kills, "processes killed while writing"),
        "lost_acknowledged": Figure(
            totals["lost"], "acknowledged writes that were gone or different", exactly=0
        ),
        "half_operations": Figure(
            totals["half"], "kills that left an operation half done", exactly=0
        ),
        "verify_failures": Figure(
            totals["failures"], "kills after which verify() found a problem", exactly=0
        ),
        "errors": Figure(
            totals["errors"], "writers that failed before they were killed", exactly=0
        ),
        "acknowledged": Figure(totals["acknowledged"], "writes acknowledged in all"),
        "inflight": Figure(totals["inflight"], "kills that hit while a call was under way"),
        "inflight_kept": Figure(
            totals["inflight_kept"], "of those, calls found done in full afterwards"
        ),
    }


def _count(totals: dict[str, int], url: str, known: Image, heard: Heard) -> Image:
    """Adds what one kill did to the totals.

    Gives back the store's image, which the next writer starts from.
    """
    with Glymph.open(url, embedder="none", reader="none") as glymph:
        problems = glymph.verify().problems
    found = image.read(url)
    finding = judge(known, heard, found, problems)
    totals["acknowledged"] += len(heard.done)
    totals["inflight"] += heard.begun is not None
    totals["inflight_kept"] += finding.kept
    totals["lost"] += finding.lost
    totals["half"] += finding.half
    totals["failures"] += bool(problems)
    totals["errors"] += heard.died_early
    return found


# the parent


def _hear_until_killed(url: str, number: int, draw: random.Random, known: Image) -> Heard:
    """Starts a writer, kills it and gives back what it said.

    The kill comes a random moment after its first acknowledgement.
    """
    delay, seed = draw.uniform(0, LONGEST_DELAY_S), draw.getrandbits(32)
    writer, receiver = processes.start(_write_until_killed, url, f"k{number}", seed, known)
    heard = Heard()
    try:
        _listen(receiver, heard, until=time.monotonic() + PATIENCE_S, first_only=True)
        _listen(receiver, heard, until=time.monotonic() + delay)
        heard.died_early = not heard.done or not writer.is_alive()
    finally:
        writer.kill()
        writer.join()
    _listen(receiver, heard, until=None)
    receiver.close()
    return heard


def _listen(
    receiver: Connection, heard: Heard, *, until: float | None, first_only: bool = False
) -> None:
    """Takes in messages until a moment, or until the pipe ends.

    With `first_only`, until one acknowledgement.
    """
    while not (first_only and heard.done):
        if until is not None and not receiver.poll(max(0.0, until - time.monotonic())):
            return
        try:
            message = receiver.recv()
        except (EOFError, OSError):  # the pipe ended, perhaps in the middle of a message
            return
        match message:
            case ("begun", verb, changes):
                heard.begun = verb, changes
            case ("done", operation) if heard.begun is not None:
                heard.done.append((heard.begun[1], operation))
                heard.begun = None
        if until is not None and time.monotonic() >= until:
            return


def judge(known: Image, heard: Heard, found: Image, problems: Sequence[Problem]) -> Finding:
    """Compares what is there with what must be.

    All that was acknowledged must be there, and the last call whole or not at all.
    """
    after = dict(known.values)
    owner: dict[Key, object] = {}
    for number, (changes, _) in enumerate(heard.done):
        after = changed(after, changes)
        owner |= dict.fromkeys(changes, number)
    then = changed(after, heard.begun[1]) if heard.begun else after
    acknowledged = {operation for _, operation in heard.done if operation is not None}
    wrong = [
        key for key in {*after, *then, *owner} if not _is_one_of(found.values, key, (after, then))
    ]
    lost = {owner.get(key, key) for key in wrong}
    lost |= {
        number
        for number, (_, operation) in enumerate(heard.done)
        if operation and operation not in found.operations
    }
    lost |= known.operations - found.operations
    extra = len(found.operations - known.operations - acknowledged)
    kept = (
        heard.begun is not None and found.values == then and extra == (heard.begun[0] != "recall")
    )
    whole = kept or (found.values == after and extra == 0)
    cut_short = any(problem.check in ("operations", "journal") for problem in problems)
    return Finding(len(lost), half=cut_short or (not whole and not lost), kept=kept)


def _is_one_of(
    values: Mapping[Key, Value], key: Key, images: Iterable[Mapping[Key, Value]]
) -> bool:
    return any(values.get(key) == allowed.get(key) for allowed in images)


# the child


def _write_until_killed(sender: Connection, url: str, label: str, seed: int, known: Image) -> None:
    with Glymph.open(url, actor="crash", embedder="none", reader="none") as glymph:
        scribe = Scribe(glymph, label=label, seed=seed, verbs=VERBS, known=known)
        while True:
            step = scribe.next()
            sender.send(("begun", step.verb, step.changes))
            sender.send(("done", scribe.carry_out(step)))
