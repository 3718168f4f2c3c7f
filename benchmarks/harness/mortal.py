"""The real hook and the real worker, but mortal.

A worker ends itself by SIGKILL at a chosen transaction.

`python -m benchmarks.harness.mortal hook EVENT …` is `glymph hook EVENT …`, but for the worker it
starts, which is `python -m benchmarks.harness.mortal …`. What is chosen stands in the environment,
which product code never reads.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ENDED = "ended"
MODULE = "benchmarks.harness.mortal"
AT, WHEN, BY = "MORTAL_AT", "MORTAL_WHEN", "MORTAL_BY"
LEASE, RENEWED, DIARY = "MORTAL_LEASE", "MORTAL_RENEWED", "MORTAL_DIARY"


@dataclass(frozen=True, slots=True)
class Fate:
    """At which writing transaction a worker dies, counted from 1.

    And whether it dies before or after the transaction is committed.

    By SIGSTOP it does not die, but sleeps until somebody wakes it.
    """

    at: int = 0  # never
    after: bool = False
    by: signal.Signals = signal.SIGKILL
    lease: float = 0.6  # seconds
    renewed: float = 0.1

    def variables(self, diary: Path) -> Mapping[str, str]:
        """What tells a mortal worker so. It writes into the diary when it begins and how it ends."""
        when = "after" if self.after else "inside"
        return {
            AT: str(self.at), WHEN: when, BY: self.by.name, LEASE: str(self.lease), RENEWED: str(self.renewed),
            DIARY: str(diary),
        }  # fmt: skip


def begun(diary: Path, patience: float = 60.0) -> int:
    """The number of the process whose worker has begun."""
    return int(_awaited(diary, "begun", patience)[1])


def asleep(diary: Path, patience: float = 60.0) -> int:
    """The number of the process whose worker has put itself to sleep."""
    return int(_awaited(diary, signal.SIGSTOP.name, patience)[1])


def ended(diary: Path, pid: int, patience: float = 60.0) -> str:
    """How a worker ended: by SIGKILL at its transaction, as `ended`, or `killed` from outside."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        for line in _lines(diary):
            if line[0] in (ENDED, signal.SIGKILL.name):
                return line[0]
        if not _lives(pid):
            return "killed"
        time.sleep(0.01)
    raise RuntimeError(f"the worker {pid} did not end in {patience:g} seconds")


def _awaited(diary: Path, word: str, patience: float) -> list[str]:
    until = time.monotonic() + patience
    while time.monotonic() < until:
        for line in _lines(diary):
            if line[0] == word:
                return line
        time.sleep(0.01)
    raise RuntimeError(f"no worker came to say {word!r} in {patience:g} seconds")


def _lines(diary: Path) -> list[list[str]]:
    return [line.split() for line in diary.read_text().splitlines()] if diary.exists() else []


def _lives(pid: int) -> bool:
    """Whether a process that is not our child runs; one that only waits to be buried does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


# inside the process


def _note(word: str) -> None:
    with Path(os.environ[DIARY]).open("a") as diary:
        diary.write(f"{word} {os.getpid()}\n")


def _die() -> None:
    by = signal.Signals[os.environ[BY]]
    _note(by.name)
    os.kill(os.getpid(), by)


def _mortal(
    writing: Callable[[Any], AbstractContextManager[Any]], at: int, *, after: bool
) -> Callable[[Any], AbstractContextManager[Any]]:
    """The store's way to write, until the transaction comes at which the process dies."""
    count = 0

    @contextmanager
    def until_death(store: Any) -> Iterator[Any]:
        nonlocal count
        with writing(store) as connection:
            yield connection
            count += 1
            mine = count
            if mine == at and not after:
                _die()
        if mine == at and after:
            _die()

    return until_death


def _work() -> None:
    from unittest.mock import patch

    from glymph.embed.embedding import open_embedding
    from glymph.hooks import background
    from glymph.jobs import worker
    from glymph.store.backends.sqlite.database import SqliteDatabase
    from glymph.testing.embedders import WordEmbedder
    from glymph.upkeep import leases

    worker.POLL = 0.02
    leases.LASTS, leases.RENEWED = float(os.environ[LEASE]), float(os.environ[RENEWED])
    near = WordEmbedder(512, ms=1000.0)
    patch(
        "glymph.stores.open_embedding", lambda settings, _: open_embedding(settings, near)
    ).start()
    mortal = _mortal(SqliteDatabase.writing, int(os.environ[AT]), after=os.environ[WHEN] == "after")
    patch.object(SqliteDatabase, "writing", mortal).start()
    _note("begun")
    background.main()
    _note(ENDED)


def _hook(arguments: list[str]) -> int:
    from glymph.hooks import command, detach

    detach.MODULE = MODULE
    return command.main(arguments)


if __name__ == "__main__":
    if sys.argv[1:2] == ["hook"]:
        sys.exit(_hook(sys.argv[2:]))
    _work()
