"""Folders on the disk. Only the standard library is imported here: a hook has milliseconds."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # `typing` itself would cost a hook some milliseconds
if TYPE_CHECKING:
    from pathlib import Path


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
