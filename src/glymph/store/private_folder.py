"""Folders for files on their way: beside where they go, gone when the work ends or was killed.

Whoever works in one holds its lock, which the system takes from a killed process. Whoever starts
work beside it later removes what nobody holds, and the keys that were put in place for a file that
never came.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from glymph.errors import InvalidInput
from glymph.store.keyring import Keyring

END = ".partial"
PUBLISHING = "publishing.json"  # notes which keys are put in place, before the first of them is


@contextmanager
def private_folder(target: Path) -> Iterator[Path]:
    """Opens a new folder beside `target`, which nobody else may read, and removes it at the end."""
    remove_left_over(target.parent)
    try:
        folder, descriptor = _make(target)
    except OSError as error:
        raise InvalidInput(
            "target", f"cannot write {target} ({error.strerror or error})."
        ) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if descriptor is not None:
            os.close(descriptor)


def publish_store(file: Path, target: Path) -> None:
    """Gives a store in a private folder its name beside it, and its keys theirs, all or nothing.

    The keys go first: a tombstone without its key recognises nothing. Raises InvalidInput if the
    name was taken meanwhile.
    """
    keys, beside = Keyring(Path(f"{file}.keys")), Keyring(Path(f"{target}.keys"))
    new = [name for name in keys.names() if name not in beside.names()]
    note = {"target": target.name, "keys": new, "folder": not beside.folder.exists()}
    with (file.parent / PUBLISHING).open("w", encoding="utf-8") as noted:
        json.dump(note, noted)
        noted.flush()
        os.fsync(noted.fileno())
    keys.copy_to(beside)
    try:
        os.link(file, target)
    except FileExistsError as error:
        raise InvalidInput(
            "target", f"{target} exists. Name a new file: a restore never overwrites."
        ) from error
    except OSError:  # a file system without hard links
        file.rename(target)


def remove_left_over(beside: Path) -> None:
    """Removes private folders in this one that killed processes left."""
    try:
        found = [one.path for one in os.scandir(beside) if _is_private(one.name)]
    except OSError:
        return  # it cannot be looked into, or is not there: neither can anything be left there
    for path in found:
        folder = Path(path)
        with suppress(OSError):  # another process is removing it, too, or it is somebody else's
            descriptor = _try_lock(folder)
            if descriptor is not None:
                try:
                    _take_back_keys(folder)
                    shutil.rmtree(folder)
                finally:
                    os.close(descriptor)


def _is_private(name: str) -> bool:
    return name.startswith(".") and name.endswith(END)


def _make(target: Path) -> tuple[Path, int | None]:
    """Returns a new folder, and what holds its lock where folders have locks."""
    while True:
        folder = target.with_name(f".{target.name}.{secrets.token_hex(4)}{END}")
        folder.mkdir(mode=0o700)
        descriptor = _try_lock(folder)
        if sys.platform == "win32" or (descriptor is not None and folder.exists()):
            return folder, descriptor
        if descriptor is not None:
            os.close(descriptor)  # it was taken for one that was left, before it had its lock


def _take_back_keys(folder: Path) -> None:
    """Removes keys that were put in place for a store that never got its name."""
    try:
        note = json.loads((folder / PUBLISHING).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return  # none was put in place yet
    target = folder.parent / note["target"]
    if target.exists():
        return
    _remove_keys(Path(f"{target}.keys"), note["keys"])
    if note["folder"]:
        with suppress(OSError):
            Path(f"{target}.keys").rmdir()


def _remove_keys(folder: Path, names: Sequence[str]) -> None:
    for name in names:
        for path in (folder / name, *folder.glob(f"{name}.*{END}")):
            path.unlink(missing_ok=True)


if sys.platform == "win32":

    def _try_lock(folder: Path) -> int | None:
        return None  # folders have no locks there: what is left stays until somebody removes it

else:
    import fcntl

    def _try_lock(folder: Path) -> int | None:
        """Returns what holds the lock of a folder; None if another process holds it."""
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        return descriptor
