"""The start of a worker that outlives the hook, its terminal and its session.

It works on POSIX systems and on Windows.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from glymph import environment

MODULE = "glymph.hooks.background"
WINDOWS_FLAGS = 0x00000008 | 0x00000200  # DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP
BREAKAWAY = 0x01000000  # CREATE_BREAKAWAY_FROM_JOB: a host may end everything in its job


def try_start_worker(url: str | None, *spaces: str) -> int:
    """Starts a worker; returns the exit status. Where none can be started, nothing is lost."""
    try:
        start_worker(url, spaces)
    except OSError as error:
        sys.stderr.write(
            f"glymph: the session is kept, but no worker could be started ({error}). "
            "The start of the next session tries again.\n"
        )
        return 1
    return 0


def start_worker(url: str | None, spaces: Iterable[str] = ()) -> None:
    """Starts a worker for the spool and for what waits in these spaces of a store.

    Raises OSError if that cannot be done. The worker has no terminal and none of the host's pipes:
    a host that waits until they are closed is not held up. Nothing in the project's folder is taken
    for a module of Python or of Glymph (-P).
    """
    named = [word for space in spaces for word in ("--space", space)]
    command = [sys.executable, "-P", "-m", MODULE, *named]
    command += ["--url", url] if url else []
    if os.name == "nt":
        _start_on_windows(command)
    else:
        _start_on_posix(command)


def _start_on_posix(command: list[str]) -> None:
    """Spawns the worker, which spares the milliseconds that loading `subprocess` takes.

    Where the system cannot, `subprocess` does it.
    """
    try:
        quiet = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
        others = [(os.POSIX_SPAWN_CLOSE, number) for number in _find_inheritable()]
        os.posix_spawn(
            command[0],
            command,
            environment.copy_all(),
            file_actions=[*quiet, *others],
            setsid=True,
        )
    except (NotImplementedError, FileNotFoundError):  # no new session or list of files here
        import subprocess

        none = subprocess.DEVNULL
        subprocess.Popen(
            command, stdin=none, stdout=none, stderr=none, start_new_session=True, close_fds=True
        )


def _find_inheritable() -> list[int]:
    """Returns the open files beyond the usual three that a child would have as well."""
    with os.scandir("/dev/fd") as entries:
        numbers = [int(entry.name) for entry in entries]
    return [number for number in numbers if number > 2 and _is_inheritable(number)]


def _is_inheritable(number: int) -> bool:
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
