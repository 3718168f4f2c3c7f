"""Folders on the disk, for their owner alone: memories and what is said of them are nobody else's.

Only the standard library is imported here: a hook has milliseconds.
"""

from __future__ import annotations

import os
from errno import ENOTDIR

TYPE_CHECKING = False  # `typing` itself would cost a hook some milliseconds
if TYPE_CHECKING:
    from pathlib import Path

FOLDER, FILE = 0o700, 0o600  # modes


def make_folder(folder: Path) -> None:
    """Makes a folder, and those above it that are missing, each for its owner alone.

    What is there stays as it is. The umask decides nothing, neither about the folders above nor
    about the owner's own rights.
    """
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        if folder.parent == folder:
            break
        folder = folder.parent
    for one in reversed(missing):
        try:
            one.mkdir(mode=FOLDER)
        except FileExistsError:  # another process has just made it, or a file has the name
            if not one.is_dir():
                raise NotADirectoryError(ENOTDIR, os.strerror(ENOTDIR), str(one)) from None
            continue
        one.chmod(FOLDER)


def fsync_folder(folder: Path) -> None:
    """Makes the folder's entries durable, where the system can.

    A new file may have all its bytes on the disk and still be without its name after a loss of
    power.
    """
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
