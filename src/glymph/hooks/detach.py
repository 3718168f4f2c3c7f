"""Starting a worker that outlives the hook, its terminal and its session: on POSIX systems and on
Windows.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from glymph import environment

MODULE = "glymph.hooks.background"
WINDOWS_FLAGS = 0x00000008 | 0x00000200  # DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP
BREAKAWAY = 0x01000000  # CREATE_BREAKAWAY_FROM_JOB: a host may end everything in its job


def start_worker(url: str | None, spaces: Iterable[str] = ()) -> None:
    """Starts a worker for the spool and for what waits in these spaces of a store; OSError if that
    cannot be.

    It has no terminal and none of the host's pipes: a host that waits until they are closed is not
    held up. Nothing that lies in the project's folder is taken for a module of Python or of Glymph
    (-P).
    """
    command = [
        sys.executable,
        "-P",
        "-m",
        MODULE,
        *(word for space in spaces for word in ("--space", space)),
    ]
    command += ["--url", url] if url else []
    if os.name == "nt":
        _start_on_windows(command)
    else:
        _start_on_posix(command)


def _start_on_posix(command: list[str]) -> None:
    """By spawning, which spares the milliseconds that loading `subprocess` takes; by it where that
    cannot be.
    """
    try:
        quiet = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
        others = [(os.POSIX_SPAWN_CLOSE, number) for number in _inherited()]
        os.posix_spawn(
            command[0],
            command,
            environment.inherited(),
            file_actions=[*quiet, *others],
            setsid=True,
        )
    except (
        NotImplementedError,
        FileNotFoundError,
    ):  # no new session, or no list of files, on this system
        import subprocess

        none = subprocess.DEVNULL
        subprocess.Popen(
            command, stdin=none, stdout=none, stderr=none, start_new_session=True, close_fds=True
        )


def _inherited() -> list[int]:
    """The open files beyond the usual three that a child would have as well."""
    with os.scandir("/dev/fd") as entries:
        numbers = [int(entry.name) for entry in entries]
    return [number for number in numbers if number > 2 and _stays(number)]


def _stays(number: int) -> bool:
    try:
        return os.get_inheritable(number)
    except OSError:  # closed by now
        return False


def _start_on_windows(command: list[str]) -> None:
    import subprocess

    none = subprocess.DEVNULL
    for flags in (WINDOWS_FLAGS | BREAKAWAY, WINDOWS_FLAGS):
        try:
            subprocess.Popen(
                command, stdin=none, stdout=none, stderr=none, creationflags=flags, close_fds=True
            )
        except PermissionError:  # the host's job lets nobody out
            if flags == WINDOWS_FLAGS:
                raise
        else:
            return
