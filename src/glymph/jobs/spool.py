"""The spool: a folder into which a hook drops one small file per ended session.

That happens before anything heavy is loaded. A file is there when it is whole and on the disk; a
worker puts it into the queue of its store and then removes it. Putting it there twice does no harm,
for it has an id. Only the standard library is imported here: a hook has a few milliseconds.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from glymph import folders
from glymph.ids import uuid7

TYPE_CHECKING = False  # `typing` itself would cost a hook some milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

MOST_BYTES = 65_536  # of one item
WHOLE, PARTIAL, BROKEN = ".json", ".partial", ".broken"
LEFT_OVER = 86_400.0  # seconds after which a partial file is one of a hook that was killed
SPACES = ("space", "project")  # texts of which one says where an item belongs


def drop(folder: Path, item: Mapping[str, Any]) -> str:
    """Puts an item into the spool, durably, and returns its id.

    Raises OSError if it cannot be written, and ValueError if it is too large; nothing is left
    behind then.
    """
    name = uuid7(time.time_ns() // 1000, os.urandom(8))
    body = json.dumps({**item, "id": name}).encode()
    if len(body) > MOST_BYTES:
        raise ValueError(
            f"what the host told of the session has {len(body):,} bytes; {MOST_BYTES:,} may be kept"
        )
    _make_folder(folder)
    partial = folder / f"{name}{PARTIAL}"
    try:
        _write(partial, body)
        partial.replace(folder / f"{name}{WHOLE}")
    except OSError:
        partial.unlink(missing_ok=True)
        raise
    folders.fsync_folder(folder)
    return name


def items(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yields the items in the order in which they were dropped, each with its file.

    One that cannot be understood is put aside under another name, not lost. What a killed hook left
    half written is removed after a day: nobody was told that it was kept.
    """
    for partial in folder.glob(f"*{PARTIAL}"):
        _remove_if_old(partial)
    for path in sorted(folder.glob(f"*{WHOLE}")):
        try:
            with path.open("rb") as file:
                found = _parse(file.read(MOST_BYTES + 1))
        except FileNotFoundError:
            continue  # another worker was first
        if found is None:
            put_aside(path)
        else:
            yield path, found


def put_aside(path: Path) -> None:
    """Renames a file that no worker can use; it stays for somebody to look at."""
    try:
        path.replace(path.with_suffix(BROKEN))
    except FileNotFoundError:
        return  # another worker did


def count_items(folder: Path) -> int:
    """Returns how many items wait in the spool."""
    return sum(1 for _ in folder.glob(f"*{WHOLE}"))


def _parse(body: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(body) if len(body) <= MOST_BYTES else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not _is_text(found.get("id")):
        return None
    return found if any(_is_text(found.get(name)) for name in SPACES) else None


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _make_folder(folder: Path) -> None:
    """Makes the folder if it is missing, and fsyncs the folder it is in."""
    if not folder.is_dir():
        folders.make_folder(folder)
        folders.fsync_folder(folder.parent)


def _write(path: Path, body: bytes) -> None:
    descriptor = os.open(
        path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), folders.FILE
    )
    try:
        while body:  # a system may take a part of it only
            body = body[os.write(descriptor, body) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove_if_old(path: Path) -> None:
    try:
        old = time.time() - path.stat().st_mtime > LEFT_OVER
    except FileNotFoundError:
        return
    if old:
        path.unlink(missing_ok=True)
