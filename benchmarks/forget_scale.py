"""What planning to forget costs in a large space.

By identifier, with the whole space full of such identifiers; by a name that a tenth of it carries;
and by description. What the reader takes is measured elsewhere: it reads sixty texts at most.
"""

from __future__ import annotations

import os
import shutil
import statistics
from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import keeping, shelf
from benchmarks.harness.clocks import timed
from benchmarks.harness.contract import Figure, Figures, Options
from glymph import Glymph
from glymph.config import Settings
from glymph.forget.forget import make_plan

QUESTION = "What does it cost to plan forgetting at a million memories?"

MEMORIES = 1_000_000
BATCH = 20_000
ROUNDS = 5
VERSION = 2
NAME = "Ottokar"
SETTINGS = Settings(compare="off", durability="normal")


def run(options: Options) -> Figures:
    """CPU milliseconds to plan, by what the request names."""
    count = options.count(MEMORIES, least=1_000)
    path = _planted(count)
    figures = {"memories": Figure(count, "memories in the space; the targets hold at a million")}
    with Glymph.open(
        f"sqlite:///{path}", embedder="none", reader="none", settings=SETTINGS
    ) as glymph:
        for name, request in _requests(count // 6).items():
            cost = statistics.median(_plan(glymph, request) for _ in range(ROUNDS))
            figures[f"plan_{name}_cpu_ms"] = Figure(
                1000 * cost, f"to plan by {name}: {request!r}", at_most=MOST_MS[name]
            )
    return dict(figures)


def _plan(glymph: Glymph, request: str) -> float:
    """Plans, and returns the CPU seconds it took."""
    cost, plan = timed(lambda: make_plan(glymph.context, request, "release"))
    if not plan.actions:
        raise RuntimeError(f"{request!r} means nothing: the figure would mean nothing")
    return cost


MOST_MS = {"code": 20, "mail": 20, "phone": 20, "name": 500, "description": 300}


def _requests(number: int) -> dict[str, str]:
    return {
        "code": f"ticket {_code(number)}", "mail": _mail(number),
        "phone": f"the number {_phone(number)}", "name": f"everything about {NAME}",
        "description": "when the boiler room should be aired",
    }  # fmt: skip


def _code(number: int) -> str:
    return f"TKT-{number:07d}"


def _mail(number: int) -> str:
    return f"user{number}@mail{number % 97}.example"


def _phone(number: int) -> str:
    return f"+49 30 {number:08d}"


def _texts(count: int) -> Iterator[str]:
    """Memories of each customer: a ticket, a mail, a number; and what one person did, every tenth."""
    for number in range(count // 10 + 1):
        for own in range(3 * number, 3 * number + 3):
            yield f"The ticket {_code(own)} waits for an answer."
            yield f"Invoices go to {_mail(own)} every month."
            yield f"Ring {_phone(own)} before a visit."
        yield f"{NAME} aired boiler room {number} and wrote it into the book."


def _planted(count: int) -> Path:
    """A store with such memories; made once and kept."""
    folder = keeping.folder() / f"customers-{count}-{VERSION}-{shelf._schema()}"
    if not folder.exists():
        unfinished = folder.with_name(f"{folder.name}.{os.getpid()}")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        with Glymph.open(
            f"sqlite:///{unfinished / 'memory.db'}", embedder="none", settings=SETTINGS
        ) as glymph:
            batch: list[str] = []
            for number, text in enumerate(_texts(count), start=1):
                batch.append(text)
                if len(batch) == BATCH or number == count:
                    glymph.add_many(batch)
                    batch = []
                if number == count:
                    break
        unfinished.rename(folder)
    return folder / "memory.db"
