"""What a benchmark is given and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

DEFAULT_SEED = 20_260_731


class Unavailable(Exception):
    """A benchmark cannot run here; the message says what it lacks and how to give it that."""


@dataclass(frozen=True, slots=True)
class Options:
    """How large, from which seed, and where outside data lies.

    Scale 1 is the size the targets speak of. `minutes` is for a benchmark that lasts as long as it
    is told to; else its scale decides.
    """

    scale: float = 1.0
    seed: int = DEFAULT_SEED
    data: Path | None = None
    minutes: float | None = None

    def count(self, full: int, *, least: int = 1) -> int:
        """The full count, scaled, but never below the least that still means something."""
        return max(least, round(full * self.scale))

    def dataset(self, name: str) -> Path:
        """The file or folder of that name in the data folder, or Unavailable."""
        if self.data is None:
            raise Unavailable(
                f"needs the data set {name!r}. Pass --data DIR or set GLYMPH_BENCH_DATA."
            )
        path = self.data / name
        if not path.exists():
            raise Unavailable(
                f"needs {path}, which is not there. Point --data at the folder that holds it."
            )
        return path


@dataclass(frozen=True, slots=True)
class Figure:
    """One number, what it means, and the target it is held to.

    With the physical limit where one is known.
    """

    value: float
    meaning: str
    at_least: float | None = None
    at_most: float | None = None
    exactly: float | None = None
    limit: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None if there is none."""
        if self.exactly is not None:
            return self.value == self.exactly
        if self.at_least is not None:
            return self.value >= self.at_least
        return None if self.at_most is None else self.value <= self.at_most


@dataclass(frozen=True, slots=True)
class Fact:
    """Something in words that the figures depend on, such as the model that was used."""

    value: str
    meaning: str


Figures = Mapping[str, Figure | Fact]


@dataclass(frozen=True, slots=True)
class Benchmark:
    name: str
    question: str
    run: Callable[[Options], Figures]
