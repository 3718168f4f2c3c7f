"""Every way in, fed with inputs that were changed by accident or on purpose."""

from __future__ import annotations

import os
import random
import signal
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from reprlib import repr as shortened
from types import FrameType

from benchmarks.harness import fuzz_targets
from benchmarks.harness.contract import Fact, Figure, Figures, Options
from benchmarks.harness.fuzz_http import requests
from benchmarks.harness.fuzz_targets import Target

QUESTION = "Does any input crash or hang a way in, or change a store that refused it?"

HANG_S = 5.0  # CPU-seconds of one input
MOST_NAMED = 5  # failures that are told in words


class Hung(BaseException):
    """An input took too long. No Exception: nothing on the way may take it for an answer."""


@dataclass(slots=True)
class Tally:
    """What came of the inputs of one target."""

    inputs: int = 0
    refused: int = 0
    crashes: Counter[str] = field(default_factory=Counter)
    hangs: Counter[str] = field(default_factory=Counter)
    effects: Counter[str] = field(default_factory=Counter)
    slowest_s: float = 0.0


def run(options: Options) -> Figures:
    """Count inputs and what they did that they must not; 0 is the goal of each count."""
    tallies: dict[str, Tally] = {}
    with _apart() as folder:
        for source in (fuzz_targets.every, requests):
            home = folder / source.__name__
            home.mkdir()
            for target in source(home):
                count = options.count(target.share, least=5)
                tallies[target.name] = fuzz(target, count, options.seed)
    return _figures(tallies)


@contextmanager
def _apart() -> Iterator[Path]:
    """Give a folder that is also the home of Glymph meanwhile."""
    with tempfile.TemporaryDirectory(prefix="glymph-fuzz-") as folder:
        before = os.environ.get("GLYMPH_HOME")
        os.environ["GLYMPH_HOME"] = f"{folder}/home"
        try:
            yield Path(folder)
        finally:
            if before is None:
                del os.environ["GLYMPH_HOME"]
            else:
                os.environ["GLYMPH_HOME"] = before


def make_input(target: Target, seed: int, number: int) -> object:
    """Return the input of that number: a failure names it, and it can be made again alone."""
    return target.make(random.Random(f"{seed} {target.name} {number}"))


def fuzz(target: Target, count: int, seed: int) -> Tally:
    """Feed a target with so many inputs."""
    tally, seen = Tally(), Seen(target)
    for number in range(count):
        target.renew(number)
        seen.look()
        name = f"{target.name} {number}"
        refused = _feed(target, make_input(target, seed, number), tally, name)
        tally.inputs += 1
        tally.refused += refused
        if refused and seen.look():
            tally.effects[name] += 1
    return tally


class Seen:
    """What was last seen of that which a refused input must leave alone."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._moved: object = self  # as nothing that was seen
        self._image: object = None

    def look(self) -> bool:
        """Return whether it is another than last time; costs little while nobody commits."""
        if self._target.image is None or self._target.moved() == self._moved:
            return False
        before, self._image = self._image, self._target.image()
        self._moved = self._target.moved()
        return before != self._image


def _feed(target: Target, given: object, tally: Tally, name: str) -> bool:
    """Return whether an input was refused, and note what went wrong."""
    began = time.process_time()
    try:
        accepted = _within(HANG_S, lambda: target.take(given))
    except target.refusals:
        return True
    except Hung:
        tally.hangs[f"{name}: {shortened(given)}"] += 1
        return False
    except Exception as error:  # noqa: BLE001 - what is counted here
        tally.crashes[f"{_place(error)} ({name})"] += 1
        return False
    finally:
        tally.slowest_s = max(tally.slowest_s, time.process_time() - began)
    return accepted is False


def _within(seconds: float, act: Callable[[], bool | None]) -> bool | None:
    """Return what an act returns, or raise Hung after so many seconds of CPU."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise Hung

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        return act()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _place(error: Exception) -> str:
    """Return the error with the innermost line of ours that it came through."""
    ours = [one for one in traceback.extract_tb(error.__traceback__) if "/glymph/" in one.filename]
    at = f" at {ours[-1].filename.rpartition('/glymph/')[2]}:{ours[-1].lineno}" if ours else ""
    return f"{type(error).__name__}{at}: {str(error)[:80]}"


def _figures(tallies: dict[str, Tally]) -> Figures:
    found: dict[str, Figure | Fact] = {
        "inputs": Figure(sum(one.inputs for one in tallies.values()), "inputs in all"),
        "refused": Figure(
            sum(one.refused for one in tallies.values()), "of them refused by a typed error"
        ),
    }
    meanings = {
        "crashes": "inputs that ended in an error which is not typed",
        "hangs": f"inputs that took more than {HANG_S:.0f} CPU-seconds",
        "effects": "refused inputs that changed the store",
    }
    for name, meaning in meanings.items():
        counts = [getattr(one, name) for one in tallies.values()]
        found[name] = Figure(sum(one.total() for one in counts), meaning, exactly=0)
        kinds: Counter[str] = sum(counts, Counter())
        if kinds:
            worst = "; ".join(kind for kind, _ in kinds.most_common(MOST_NAMED))
            found[f"{name}_named"] = Fact(worst, f"some of the {name}")
    for name, tally in tallies.items():
        found[f"{name}_inputs"] = Figure(tally.inputs, f"inputs of {name.replace('_', ' ')}")
        found[f"{name}_slowest_cpu_ms"] = Figure(
            1000 * tally.slowest_s, "CPU of the slowest of them"
        )
    return found
