"""Ask many things of one model per core, each as a single model would answer it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

_OPENED: list[Any] = []


class OnePerCore:
    """A process per core, each with a model of its own."""

    def __init__(self, open_model: Callable[[], Any]) -> None:
        self._pool = ProcessPoolExecutor(
            os.cpu_count() or 1, initializer=_open, initargs=(open_model,)
        )

    def ask(self, verb: str, asked: Iterable[tuple[Any, ...]], *, at_once: int = 8) -> list[Any]:
        """Call this method of the model with each of the arguments."""
        asked = list(asked)
        return list(self._pool.map(_ask, [verb] * len(asked), asked, chunksize=at_once))

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown()


def _open(open_model: Callable[[], Any]) -> None:
    _OPENED[:] = [open_model()]


def _ask(verb: str, arguments: tuple[Any, ...]) -> Any:
    return getattr(_OPENED[0], verb)(*arguments)
