"""A conversation in a folder: its transcript, its state, and memory.md for people to read and to
edit.
"""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from glymph.history import memory_file, state
from glymph.history.disk import Disk
from glymph.history.state import State
from glymph.history.transcript import LOCK, NAME, JsonTranscript

STATE, ASIDE, SHORTENING = "state.json", "memory.edited{}.md", "shortening.lock"
UNREADABLE = (
    "{path} cannot be read ({problem}). It is kept as {aside}; the whole conversation is shown again until it is "
    "summarised anew."
)


class MemoryFile:
    """A memory.md on a disk."""

    def __init__(self, folder: Path, disk: Disk) -> None:
        self._folder, self._disk = folder, disk

    def read(self) -> str | None:
        body = self._disk.read(self._folder / memory_file.FILE)
        return None if body is None else body.decode(errors="replace")

    def write(self, text: str) -> None:
        path, body = self._folder / memory_file.FILE, text.encode(errors="replace")
        if self._disk.read(path) != body:
            self._disk.replace(path, body)

    def set_aside(self, text: str) -> str:
        body = text.encode(errors="replace")
        more = itertools.chain([""], (f"-{number}" for number in itertools.count(2)))
        name = next(
            one
            for one in map(ASIDE.format, more)
            if self._disk.read(self._folder / one) in (None, body)
        )
        self._disk.replace(self._folder / name, body)
        return name


class FileShelf:
    """A `Shelf` on a disk. Any number of processes may use the folder at once."""

    def __init__(self, folder: Path, disk: Disk, session: str = "") -> None:
        self._folder, self._disk = folder, disk
        self.transcript = JsonTranscript(folder, disk, session)
        self.memory_file = MemoryFile(folder, disk)

    def load(self) -> tuple[State, str | None]:
        path = self._folder / STATE
        body = self._disk.read(path)
        if body is None:
            return State(), None
        try:
            found = state.read(body)
        except state.Unreadable as error:
            aside = path.with_suffix(".broken")
            path.replace(aside)
            return State(), UNREADABLE.format(path=path.name, problem=error, aside=aside.name)
        return state.matched(found, self.transcript)

    def change(self, changed: Callable[[State], State | None], *, claimed: bool = False) -> State:
        self._disk.make(self._folder)
        with self._disk.locked(self._folder / LOCK):
            found, _ = self.load()
            new = changed(found)
            if new is None:
                return found
            self.save(new)
            return new

    def save(self, new: State) -> None:
        """Keeps a state; for whoever holds the lock."""
        self._disk.replace(self._folder / STATE, state.told(new).encode())

    def shortening(self) -> AbstractContextManager[bool]:
        return self._disk.trying(self._folder / SHORTENING)

    def remove(self) -> None:
        with self._disk.locked(self._folder / SHORTENING), self._disk.locked(self._folder / LOCK):
            shutil.rmtree(self._folder)


def sessions(folder: Path) -> Iterator[str]:
    """The names of the sessions in a folder, each as it was said when its first message came."""
    for path in sorted(folder.glob(f"*/{NAME}")):
        yield path.read_bytes().decode(errors="replace").removesuffix("\n")
