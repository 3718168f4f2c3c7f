"""What the worker asks of every store that Glymph is measured beside."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

DIMENSION = 384
BATCH = 1_000  # of a bulk add; chromadb takes at most some thousand at once
FOUND = 10

Vectors = Mapping[str, Sequence[float]]


class Store(Protocol):
    """What is done with every store; ids are the store's own."""

    def add(self, text: str) -> str: ...
    def add_many(self, texts: Sequence[str]) -> list[str]: ...
    def search(self, query: str) -> list[str]: ...
    def update(self, id: str, text: str) -> None: ...
    def delete(self, id: str) -> None: ...
    def bring_back(self, id: str) -> bool:
        """Whether a call of the store brought back what was deleted."""
        ...

    def texts(self) -> dict[str, str]:
        """Every text that is there, by id."""
        ...

    def finish(self) -> None:
        """Waits for what the store does in the background: it is part of what a write costs."""
        ...

    def acknowledged_cpu(self) -> float:
        """CPU seconds spent before writes were acknowledged; what follows them is not in it."""
        ...

    def other_cpu(self) -> float:
        """CPU seconds of processes the store runs beside this one."""
        ...

    def other_mb(self) -> float: ...
    def close(self) -> None: ...


class InProcess:
    """What stores have in common that run in the process that uses them."""

    def finish(self) -> None:
        return

    def acknowledged_cpu(self) -> float:
        return time.process_time()

    def other_cpu(self) -> float:
        return 0.0

    def other_mb(self) -> float:
        return 0.0

    def bring_back(self, id: str) -> bool:
        return False


def new_keys() -> Iterator[str]:
    """Ids that no other process makes."""
    return (f"m{os.getpid()}-{number}" for number in itertools.count())
