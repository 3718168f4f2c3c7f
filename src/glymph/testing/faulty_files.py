"""Files that fail on purpose: SQLite's file system with one planned fault.

While it is installed, every new SQLite connection of the process goes through it. It passes calls
on to the real files, counts them, and at the planned one reports an error, ends the process, or
leaves what a loss of power may leave: of the writes that no sync has confirmed some, some of them
torn, some not at all.

It opens and closes the real files beside SQLite, which drops the locks that this process has on
them: no other process may use the store meanwhile.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

import apsw

Kind = Literal["read", "write", "short_write", "full", "sync", "sync_lost", "kill", "power_loss"]
KINDS: tuple[Kind, ...] = (
    "read", "write", "short_write", "full", "sync", "sync_lost", "kill", "power_loss",
)  # fmt: skip
DEADLY: tuple[Kind, ...] = ("kill", "power_loss")  # faults that end the process
EXIT_STATUS = 99  # of a process that ended by one of them
Put = Callable[[bytes, int], None]
SECTOR = 512  # bytes that a disk writes whole or not at all

# Which calls a fault of each kind is counted by. A process may die at any that changes a file.
_COUNTED: dict[Kind, tuple[str, ...]] = {
    "read": ("read",), "write": ("write",), "short_write": ("write",), "full": ("write",),
    "sync": ("sync",), "sync_lost": ("sync",), "kill": ("write", "truncate", "sync", "delete"),
    "power_loss": ("write", "truncate", "sync", "delete"),
}  # fmt: skip
_CODES: dict[str, int] = {
    "read": apsw.SQLITE_IOERR_READ, "write": apsw.SQLITE_IOERR_WRITE,
    "short_write": apsw.SQLITE_IOERR_WRITE, "full": apsw.SQLITE_FULL,
    "sync": apsw.SQLITE_IOERR_FSYNC, "sync_lost": apsw.SQLITE_IOERR_FSYNC,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong at which call of those that it is counted by; the first is 1.

    `lasting` lets every later one fail, too, until `cure`. The seed decides what a loss of power
    leaves.
    """

    kind: Kind
    at: int
    lasting: bool = False
    seed: int = 0


@dataclass(slots=True)
class _Unconfirmed:
    """A file as it was at its last sync, and what was done to it since; None: it was not there."""

    confirmed: bytes | None
    changes: list[tuple[int, bytes | None]] = field(default_factory=list)  # None: cut there
    deleted: bool = False


class FaultyFiles(apsw.VFS):
    """SQLite's files with at most one planned fault; installed as long as its context lasts."""

    def __init__(self, name: str = "faulty", beneath: str = "unix") -> None:
        self.calls: Counter[str] = Counter()
        self.on_sync: Callable[[str], None] | None = None  # told of each file that was synced
        self._fault: Fault | None = None
        self._counted = 0
        self._beneath = beneath
        self._unconfirmed: dict[str, _Unconfirmed] = {}
        super().__init__(name, beneath, makedefault=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.unregister()

    def plan(self, fault: Fault) -> None:
        """Lets that fault happen from now on."""
        self.calls.clear()
        self._unconfirmed.clear()
        self._fault, self._counted = fault, 0

    def cure(self) -> None:
        """Lets nothing fail from now on."""
        self._fault = None

    @staticmethod
    def count(kind: Kind, calls: Counter[str]) -> int:
        """Returns how many of the calls a fault of a kind could happen at."""
        return sum(calls[call] for call in _COUNTED[kind])

    # what files ask

    def meet(
        self, call: str, path: str, write: tuple[int, bytes] | None = None, put: Put | None = None
    ) -> None:
        """Counts a call; if it is the planned one, fails or dies; `put` makes half a write."""
        self.calls[call] += 1
        fault = self._fault
        if fault is None or call not in _COUNTED[fault.kind]:
            return
        self._counted += 1
        if not (self._counted == fault.at or (fault.lasting and self._counted > fault.at)):
            return
        if fault.kind == "kill":
            os._exit(EXIT_STATUS)
        if fault.kind == "power_loss":
            self._lose_power(fault.seed, {path: write} if write else {})
        if fault.kind in ("short_write", "full") and write and put:
            put(write[1][: len(write[1]) // 2], write[0])
        if fault.kind == "sync_lost":
            self._drop(path)
        raise _failure(fault.kind)

    def note(self, path: str, change: tuple[int, bytes | None]) -> None:
        """Remembers a change that a loss of power may undo; called before it is made."""
        if self._is_watching():
            self._watch(path).changes.append(change)

    def confirm(self, path: str) -> None:
        """Takes what was written as safe on the disk."""
        self._unconfirmed.pop(path, None)
        if self.on_sync is not None:
            self.on_sync(path)

    # VFS

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return _FaultyFile(self, self._beneath, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        self.meet("delete", filename)
        if self._is_watching() and Path(filename).exists():
            self._watch(filename).deleted = True
        super().xDelete(filename, syncdir)
        if syncdir:
            self._unconfirmed.pop(filename, None)

    # the disk beneath

    def _is_watching(self) -> bool:
        return self._fault is not None and self._fault.kind in ("power_loss", "sync_lost")

    def _watch(self, path: str) -> _Unconfirmed:
        if path not in self._unconfirmed:
            there = Path(path).exists()
            self._unconfirmed[path] = _Unconfirmed(Path(path).read_bytes() if there else None)
        return self._unconfirmed[path]

    def _drop(self, path: str) -> None:
        """Takes back what was written since the last sync: some systems do when that fails."""
        found = self._unconfirmed.pop(path, None)
        if found is not None:
            _overwrite(path, found.confirmed or b"")

    def _lose_power(self, seed: int, under_way: dict[str, tuple[int, bytes]]) -> None:
        """Leaves on the disk what may be there after a loss of power, and ends the process."""
        draw = random.Random(seed)
        for path, change in under_way.items():
            self._watch(path).changes.append(change)
        for path, found in sorted(self._unconfirmed.items()):
            if found.deleted and draw.random() < 0.5:
                continue
            if not Path(path).parent.exists():
                continue  # its folder was removed, and it with it
            content = bytearray(found.confirmed or b"")
            for offset, data in found.changes:
                if draw.random() < 0.5:
                    _apply(content, offset, data, draw)
            if found.confirmed is not None or content or Path(path).exists():
                _overwrite(path, bytes(content))
        os._exit(EXIT_STATUS)


class _FaultyFile(apsw.VFSFile):
    def __init__(
        self,
        files: FaultyFiles,
        beneath: str,
        name: str | apsw.URIFilename | None,
        flags: list[int],
    ) -> None:
        self._files = files
        given = name.filename() if isinstance(name, apsw.URIFilename) else name
        # A file without a name is SQLite's own and gone when it is closed: it is left alone.
        self._path = given if given and not flags[0] & apsw.SQLITE_OPEN_DELETEONCLOSE else None
        super().__init__(beneath, name, flags)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        if self._path is not None:
            self._files.meet("read", self._path)
        return super().xRead(amount, offset)

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802
        if self._path is not None:
            self._files.meet("write", self._path, (offset, bytes(data)), super().xWrite)
            self._files.note(self._path, (offset, bytes(data)))
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        if self._path is not None:
            self._files.meet("truncate", self._path)
            self._files.note(self._path, (newsize, None))
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802
        if self._path is not None:
            self._files.meet("sync", self._path)
        super().xSync(flags)
        if self._path is not None:
            self._files.confirm(self._path)


def _failure(kind: str) -> Exception:
    error = apsw.exception_for(_CODES[kind])
    error.args = (f"a planned fault: {kind}",)
    return error


def _apply(content: bytearray, offset: int, data: bytes | None, draw: random.Random) -> None:
    """Makes a change in a file's content; of a longer write perhaps only the first sectors."""
    if data is None:
        del content[offset:]
        return
    sectors = len(data) // SECTOR
    if sectors > 1 and draw.random() < 0.25:
        data = data[: SECTOR * draw.randrange(1, sectors)]
    content.extend(bytes(max(0, offset - len(content))))
    content[offset : offset + len(data)] = data


def _overwrite(path: str, content: bytes) -> None:
    """Gives a file that content without making it another file: others may have it open."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        os.pwrite(descriptor, content, 0)
        os.ftruncate(descriptor, len(content))
    finally:
        os.close(descriptor)
