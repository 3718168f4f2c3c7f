"""What planning to forget costs in a large space.

Forgetting is by identifier, with the whole space full of such identifiers.
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

QUESTION = "What does it cost to plan forgetting by identifier at a million memories?"

MEMORIES = 1_000_000
BATCH = 20_000
ROUNDS = 5
VERSION = 1
SETTINGS = Settings(compare="off", durability="normal")


def run(options: Options) -> Figures:
    """CPU milliseconds to plan, by what the request names; each request names just one memory."""
    count = options.count(MEMORIES, least=1_000)
    path = _planted(count)
    figures = {"memories": Figure(count, "memories in the space; the targets hold at a million")}
    with Glymph.open(f"sqlite:///{path}", embedder="none", settings=SETTINGS) as glymph:
        for name, request in _requests(count // 6).items():
            costs = []
            for _ in range(ROUNDS):
                cost, plan = timed(lambda asked=request: make_plan(glymph._ctx, asked, "release"))  # type: ignore[misc]
                costs.append(1000 * cost)
                if len(plan.removed) + len(plan.rewritten) != 1:
                    raise RuntimeError(
                        f"{request!r} does not mean one memory: the figure would mean nothing"
                    )
            figures[f"plan_{name}_cpu_ms"] = Figure(
                statistics.median(costs), f"to plan by {name}", at_most=50
            )
    return dict(figures)


def _requests(number: int) -> dict[str, str]:
    return {
        "code": f"ticket {_code(number)}", "mail": f"everything about {_mail(number)}",
        "phone": f"the number {_phone(number)}",
    }  # fmt: skip


def _code(number: int) -> str:
    return f"TKT-{number:07d}"


def _mail(number: int) -> str:
    return f"user{number}@mail{number % 97}.example"


def _phone(number: int) -> str:
    return f"+49 30 {number:08d}"


def _texts(count: int) -> Iterator[str]:
    """Three memories of each customer: a ticket, a mail and a number."""
    for number in range(count // 3 + 1):
        yield f"The ticket {_code(number)} waits for an answer."
        yield f"Invoices go to {_mail(number)} every month."
        yield f"Ring {_phone(number)} before a visit."


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
