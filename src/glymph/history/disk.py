"""Files that survive a crash at any instant: appended under a lock, or replaced whole."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from glymph import folders

PRIVATE = folders.FILE


def _ignore(step: str) -> None:
    """Ignores the step: nobody watches."""


class Disk:
    """Takes steps on files, and tells `watch` before each, so that a test can stop there."""

    def __init__(self, *, durable: bool = True, watch: Callable[[str], None] = _ignore) -> None:
        self.durable, self.watch = durable, watch

    def make_folder(self, folder: Path) -> None:
        if not folder.is_dir():
            self.watch("make folder")
            folders.make_folder(folder)
            self._fsync_folder(folder.parent)

    def read(self, path: Path, start: int = 0) -> bytes | None:
        """Returns the bytes of a file from an offset on; None if there is no file."""
        try:
            with path.open("rb") as file:
                file.seek(start)
                return file.read()
        except FileNotFoundError:
            return None

    def append(self, path: Path, body: bytes) -> None:
        """Adds bytes to the end of a file: all of them or, if the system refuses, none."""
        new = not path.exists()
        descriptor = os.open(
            path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), PRIVATE
        )
        try:
            size = os.fstat(descriptor).st_size
            try:
                self.watch("append")
                self._write(descriptor, body)
                self._fsync(descriptor)
            except OSError:
                os.ftruncate(descriptor, size)
                raise
        finally:
            os.close(descriptor)
        if new:
            self._fsync_folder(path.parent)

    def replace(self, path: Path, body: bytes) -> None:
        """Replaces a file atomically: a reader finds the old contents or the new ones."""
        partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
        self.watch("write partial")
        descriptor = os.open(
            partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), PRIVATE
        )
        try:
            self._write(descriptor, body)
            self._fsync(descriptor)
        finally:
            os.close(descriptor)
        self.watch("rename")
        partial.replace(path)
        self._fsync_folder(path.parent)

    def truncate(self, path: Path, size: int) -> None:
        """Cuts a file off behind a size."""
        self.watch("cut")
        with path.open("r+b") as file:
            file.truncate(size)
            self._fsync(file.fileno())

    @contextmanager
    def lock(self, path: Path) -> Iterator[None]:
        """Waits for the lock of that name. A process that was killed holds none."""
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE)
        try:
            _lock(descriptor, wait=True)
            yield
        finally:
            os.close(descriptor)

    @contextmanager
    def try_lock(self, path: Path) -> Iterator[bool]:
        """Takes the lock of that name if it is free; gives False otherwise."""
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE)
        try:
            yield _lock(descriptor, wait=False)
        finally:
            os.close(descriptor)

    def _write(self, descriptor: int, body: bytes) -> None:
        while body:  # a system may take a part of it only
            body = body[os.write(descriptor, body) :]

    def _fsync(self, descriptor: int) -> None:
        if self.durable:
            self.watch("flush")
            os.fsync(descriptor)

    def _fsync_folder(self, folder: Path) -> None:
        """Fsyncs the folder, where the system can."""
        if os.name == "nt" or not self.durable:
            return
        self.watch("settle")
        folders.fsync_folder(folder)


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int, *, wait: bool) -> bool:
        while True:
            try:
                msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
            except OSError:
                if not wait:
                    return False
                continue  # it gives up after ten seconds
            return True

else:
    import fcntl

    def _lock(descriptor: int, *, wait: bool) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        return True
