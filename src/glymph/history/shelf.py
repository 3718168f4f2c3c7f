"""Where one conversation lies: in a folder of files, or in a store. A history needs no more of it
than this.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

from glymph.history.state import State
from glymph.history.transcript import Transcript


class Overtaken(Exception):
    """Somebody else has changed meanwhile what this run was about to change."""


class MemoryFile(Protocol):
    """A memory.md."""

    def read(self) -> str | None:
        """What it says; None if it is not there."""
        ...

    def write(self, text: str) -> None:
        """Gives it another text, unless it says so already."""
        ...

    def set_aside(self, text: str) -> str:
        """Keeps what could not be taken over; the name of that file."""
        ...


class Shelf(Protocol):
    @property
    def transcript(self) -> Transcript: ...

    @property
    def memory_file(self) -> MemoryFile | None:
        """None where there is no file to look at."""
        ...

    def load(self) -> tuple[State, str | None]:
        """Where the conversation stands, and what is wrong with it."""
        ...

    def change(self, changed: Callable[[State], State | None], *, claimed: bool = False) -> State:
        """Keeps what becomes of the state, nobody coming between; None leaves it as it is.

        The one instant in which it is kept is when a consolidation has happened. `claimed`: raises
        Overtaken if it is no longer the caller's to shorten.
        """
        ...

    def shortening(self) -> AbstractContextManager[bool]:
        """Whether nobody else is shortening it meanwhile."""
        ...

    def remove(self) -> None:
        """Removes the conversation for good."""
        ...
