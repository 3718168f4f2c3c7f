"""Finds and reads the text files of a source."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from glymph.errors import SourceDamaged

LARGEST = 32 << 20  # bytes of a text that people wrote
MOST = 20_000  # files of one folder


def list_texts(path: Path, endings: tuple[str, ...]) -> list[tuple[Path, str]]:
    """Returns the files with one of these endings, each with its name inside the source.

    Hidden folders are left out, and links that lead out of the source.
    """
    if path.is_file():
        return [(path, path.name)] if path.suffix.lower() in endings else []
    found: list[tuple[Path, str]] = []
    for file in sorted(path.rglob("*")) if path.is_dir() else ():
        inside = file.relative_to(path)
        if file.suffix.lower() not in endings or not file.is_file() or file.is_symlink():
            continue
        if any(part.startswith(".") for part in inside.parts):
            continue
        found.append((file, inside.as_posix()))
        if len(found) > MOST:
            problem = f"it holds more than {MOST:,} texts"
            raise SourceDamaged(path.name, problem, "Name the folder that holds the notes alone.")
    return found


def read_text(file: Path) -> str:
    """Returns the text of a file."""
    if file.stat().st_size > LARGEST:
        raise SourceDamaged(file.name, f"it is larger than {LARGEST >> 20} MB", "Split it first.")
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceDamaged(
            file.name, f"it is not UTF-8 ({error.reason})", "Save it as UTF-8."
        ) from error


def when_written(file: Path) -> datetime:
    """Returns when a file was last written."""
    return datetime.fromtimestamp(file.stat().st_mtime, UTC)
