"""What a failing disk, a full one, a kill, a loss of power or a cut line to the database destroys.

Each operation meets each fault at every place where it can happen, or at a sample of them. A child
has SQLite's files under a layer that fails as planned; then the store is opened as usual and looked
at: it is sound, what was acknowledged is there, the operation is there whole or not at all, what
failed can be repeated on the same handle, and undo leads back to the beginning. Of a purge no byte
is left, or nothing has happened.

A loss of power keeps some of the writes that no sync has confirmed, some torn, and drops the rest.
The limit of a file is the system's own: it shows SQLite's real errors, where the layer shows its
own. PostgreSQL is reached through a proxy that cuts, halves or delays what is said; there a call
that got no answer may have been carried out or not.
"""

from __future__ import annotations

import logging
import os
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness.contract import Fact, Figure, Figures, Options, Unavailable
from benchmarks.harness.fault_lines import LineGround
from benchmarks.harness.fault_scenes import SCENES
from benchmarks.harness.fault_trials import LIMIT, Ground, Limit, Verdict, attempt, choose
from glymph.testing import faulty_files, faulty_line, postgres
from glymph.testing.faulty_files import Fault, FaultyFiles
from glymph.testing.faulty_line import LineFault

QUESTION = "Does a failing disk, a loss of power or a cut line lose or halve an operation?"

PLACES = 24  # at which each operation meets each fault
LINE_PLACES = 12
OVER_A_LINE = ("add", "prune", "undo")
SHOWN = 20  # trials told in full that went wrong
IN_MEMORY = Path("/dev/shm")  # a file system that no sync waits for: losses are played, not made


@dataclass(slots=True)
class Count:
    tried: int = 0
    met: int = 0
    survived: int = 0
    lost: int = 0
    half: int = 0
    stuck: int = 0
    untyped: int = 0

    def add(self, verdict: Verdict) -> None:
        self.tried += 1
        self.met += verdict.hit
        self.survived += verdict.survived
        self.lost += verdict.lost
        self.half += verdict.half
        self.stuck += verdict.stuck
        self.untyped += verdict.untyped


def run(options: Options) -> Figures:
    """Counts by operation and fault; anything but 0 lost, half, stuck and untyped is a defect."""
    if os.name != "posix":
        raise Unavailable("needs a system with fork and SQLite's files for Unix.")
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)  # lines are cut on purpose
    counts: dict[tuple[str, str], Count] = defaultdict(Count)
    shown = 0
    absent = postgres.absence()
    with tempfile.TemporaryDirectory(prefix="glymph-faults-", dir=_in_memory()) as folder:
        trials = _on_files(options, Path(folder))
        for operation, fault, verdict in trials:
            counts[operation, fault].add(verdict)
            shown = _show(shown, operation, fault, verdict)
    if not absent:
        for operation, fault, verdict in _over_a_line(options):
            counts[operation, fault].add(verdict)
            shown = _show(shown, operation, fault, verdict)
    return _figures(counts) | {"postgresql": Fact(absent or "tried", "operations over a line")}


def _in_memory() -> Path | None:
    return IN_MEMORY if IN_MEMORY.is_dir() else None


def _on_files(options: Options, folder: Path) -> Iterator[tuple[str, str, Verdict]]:
    draw = random.Random(options.seed)
    places = options.count(PLACES)
    for name, scene in SCENES.items():
        ground = Ground(scene, folder / name)
        for kind in (*faulty_files.KINDS, LIMIT):
            for fault in _plan(ground, kind, places, draw):
                yield name, kind, attempt(ground, fault)


def _plan(ground: Ground, kind: str, places: int, draw: random.Random) -> Sequence[Fault | Limit]:
    expected = ground.expected
    if kind == LIMIT:
        return [Limit(at) for at in choose(expected.longest, places, draw)]
    known = next(one for one in faulty_files.KINDS if one == kind)
    total = FaultyFiles.count(known, expected.calls)
    return [
        Fault(known, at, lasting=draw.random() < 0.5, seed=draw.getrandbits(32))
        for at in choose(total, places, draw)
    ]


def _over_a_line(options: Options) -> Iterator[tuple[str, str, Verdict]]:
    draw = random.Random(options.seed)
    places = options.count(LINE_PLACES)
    with (
        tempfile.TemporaryDirectory(prefix="glymph-faults-") as folder,
        postgres.Server(Path(folder)) as server,
    ):
        for name in OVER_A_LINE:
            notes = Path(folder) / name
            ground = LineGround(SCENES[name], server, notes)
            for kind in faulty_line.KINDS:
                for at in choose(ground.pieces, places, draw):
                    yield f"pg_{name}", kind, ground.attempt(LineFault(kind, at), notes)


def _show(shown: int, operation: str, fault: str, verdict: Verdict) -> int:
    if verdict.survived or shown >= SHOWN:
        return shown
    print(f"faults: {operation}, {fault}: {'; '.join(verdict.wrong)}", file=sys.stderr)
    return shown + 1


def _figures(counts: dict[tuple[str, str], Count]) -> dict[str, Figure | Fact]:
    def total(field: str, at: int | None = None, name: str = "") -> int:
        return sum(
            getattr(count, field)
            for place, count in counts.items()
            if at is None or place[at] == name
        )

    figures: dict[str, Figure | Fact] = {
        "tried": Figure(total("tried"), "operations that met a fault, each on a fresh store"),
        "met": Figure(total("met"), "of them, calls that failed or processes that ended by it"),
        "survived": Figure(total("survived"), "without anything wrong", exactly=total("tried")),
        "lost": Figure(total("lost"), "acknowledged changes that were gone", exactly=0),
        "half": Figure(total("half"), "operations half done, damage, or no way back", exactly=0),
        "stuck": Figure(total("stuck"), "handles on which it could not be repeated", exactly=0),
        "errors_untyped": Figure(total("untyped"), "errors that are not Glymph's", exactly=0),
    }
    for at, names in ((0, {place[0]: None for place in counts}), (1, {p[1]: None for p in counts})):
        for name in names:
            tried = total("tried", at, name)
            wrong = ", ".join(
                f"{field} {total(field, at, name)}"
                for field in ("lost", "half", "stuck", "untyped")
            )
            figures[f"survived_{name}"] = Figure(
                total("survived", at, name), f"of {tried}; {wrong}", exactly=tried
            )
    for (operation, fault), count in counts.items():
        figures[f"{operation}.{fault}"] = Figure(
            count.survived, f"of {count.tried}, {count.met} met it", exactly=count.tried
        )
    return figures
