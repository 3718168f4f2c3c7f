"""Reads JSON that other programs wrote: lines, whole files, and exports in an archive."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from glymph.errors import SourceDamaged

MEND = "Mend or remove it there, or download the source again."
LOOKED_AT = 1 << 20  # bytes of a line that are read to recognise a file
LARGEST = 4 << 30  # bytes of one file in an archive; what is larger is no export


def read_first_object(path: Path) -> dict[str, Any]:
    """Returns the object in the first line of a file; an empty one if there is none."""
    if not path.is_file():
        return {}
    with path.open("rb") as file:
        line = file.readline(LOOKED_AT)
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields the object of each line that is not empty, with the line's number.

    A line that is only a text is an object with that text.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                found = json.loads(line)
            except (ValueError, RecursionError) as error:
                problem = f"line {number:,} is not JSON ({error})"
                raise SourceDamaged(path.name, problem, MEND) from error
            if isinstance(found, str):
                found = {"text": found}
            if not isinstance(found, dict):
                raise SourceDamaged(path.name, f"line {number:,} is no object", MEND)
            yield number, found


def read_json(path: Path) -> Any:
    """Returns what a file holds."""
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise SourceDamaged(path.name, f"it is not JSON ({error})", MEND) from error


def list_documents(path: Path, pattern: str) -> list[str]:
    """Returns the files of an export whose names match: of a folder, an archive or a file."""
    if path.is_dir():
        return sorted(file.name for file in path.glob(pattern))
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return sorted(one for one in archive.namelist() if fnmatch(Path(one).name, pattern))
    return [path.name] if path.is_file() and fnmatch(path.name, pattern) else []


def peek(path: Path, pattern: str) -> bytes:
    """Returns the beginning of the first such file of an export; nothing if there is none."""
    names = list_documents(path, pattern)
    if not names:
        return b""
    if path.is_file() and zipfile.is_zipfile(path):
        try:
            with zipfile.ZipFile(path) as archive, archive.open(names[0]) as packed:
                return packed.read(LOOKED_AT)
        except (zipfile.BadZipFile, RuntimeError):
            return b""  # whoever reads it says what is wrong with it
    with (path / names[0] if path.is_dir() else path).open("rb") as file:
        return file.read(LOOKED_AT)


def read_documents(path: Path, pattern: str) -> Iterator[tuple[str, Any]]:
    """Yields the name and the content of each such file."""
    names = list_documents(path, pattern)
    if path.is_dir():
        for name in names:
            yield name, read_json(path / name)
    elif not zipfile.is_zipfile(path):
        for name in names:
            yield name, read_json(path)
    else:
        try:
            with zipfile.ZipFile(path) as archive:
                for name in names:
                    if archive.getinfo(name).file_size > LARGEST:
                        raise SourceDamaged(path.name, f"{name} is too large", MEND)
                    yield Path(name).name, json.loads(archive.read(name))
        except (zipfile.BadZipFile, ValueError, RecursionError, RuntimeError) as error:
            raise SourceDamaged(path.name, f"it cannot be unpacked ({error})", MEND) from error
