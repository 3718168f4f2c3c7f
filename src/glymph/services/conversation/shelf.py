"""Where one conversation lies: in a folder of files, or in a store. A history needs no more of it than this."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

from glymph.services.conversation.state import State
from glymph.services.conversation.transcript import Transcript


class Shelf(Protocol):
    shows: bool  # in a memory.md

    @property
    def transcript(self) -> Transcript: ...

    def load(self) -> tuple[State, str | None]:
        """Where the conversation stands, and what is wrong with it."""
        ...

    def change(self, changed: Callable[[State], State | None]) -> State:
        """Keeps what becomes of the state, nobody coming between; None leaves it as it is.

        The one instant in which it is kept is when a consolidation has happened.
        """
        ...

    def shortening(self) -> AbstractContextManager[bool]:
        """Whether nobody else is shortening it meanwhile."""
        ...

    def shown(self) -> str | None:
        """memory.md as it is; None if there is none."""
        ...

    def show(self, text: str) -> None:
        """Writes memory.md, if it says something else."""
        ...

    def set_aside(self, text: str) -> str:
        """Keeps a memory.md that could not be taken over; its name."""
        ...

    def remove(self) -> None:
        """Removes the conversation for good."""
        ...
