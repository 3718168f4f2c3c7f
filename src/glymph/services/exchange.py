"""Taking a space elsewhere: lossless JSON Lines, and backups of a whole store."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from glymph.core.draft import checked_space
from glymph.errors import InvalidInput
from glymph.services.workplace import Workplace
from glymph.store.contract import Row
from glymph.store.portable import BIRTH_ORDER, note_keys

FORMAT = 1


def export(place: Workplace, path: str | Path) -> int:
    """Writes everything in the space, journal and tombstones included, one JSON object a line.

    The file appears under its name only when it is whole.
    """
    target = Path(path).expanduser()
    partial = target.with_name(target.name + ".partial")
    count = 0
    try:
        with open(partial, "w", encoding="utf-8", newline="\n", opener=_private) as file:
            file.write(json.dumps({"glymph": FORMAT, "space": place.space}) + "\n")
            for table, row in place.store.dump(place.space):
                file.write(json.dumps([table, row], ensure_ascii=False) + "\n")
                count += 1
            file.write(json.dumps({"rows": count}) + "\n")
        partial.replace(target)
    except OSError as error:
        raise InvalidInput("path", f"cannot write {target} ({error.strerror or error}).") from error
    finally:
        partial.unlink(missing_ok=True)
    return count


def _private(path: str, flags: int) -> int:
    """Opens a file that only its owner may read."""
    return os.open(path, flags, 0o600)


def import_(place: Workplace, path: str | Path, *, space: str | None = None) -> Iterator[int]:
    """Loads an export into a space that is new or untouched since its birth; yields the rows so far.

    The whole file is checked before the first row is written.
    """
    source = Path(path).expanduser()
    name, highest = _checked(source)
    target = checked_space(space or name)
    if any(known["name"] == target for known in place.store.spaces()):
        with place.reading(target) as reader:
            untouched = reader.operation_count() == 1
        if untouched:
            yield from (0 for _ in place.store.delete_space(target))
    yield from place.store.load(target, _rows(source), highest=highest, chunk=place.settings.bulk_chunk)


def _checked(source: Path) -> tuple[str, dict[str, int]]:
    """The space's name and the highest key of each table, after a look at every line."""
    header: dict[str, Any] = {}
    footer: dict[str, Any] = {}
    highest: dict[str, int] = {}
    count = 0
    try:
        with source.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                value = json.loads(line)
                if number == 1:
                    header = value if isinstance(value, dict) else {}
                    if header.get("glymph") != FORMAT or "space" not in header:
                        raise InvalidInput("path", f"{source} is not a Glymph export of format {FORMAT}.")
                elif isinstance(value, dict):
                    footer = value
                elif len(value) == 2 and value[0] in BIRTH_ORDER and isinstance(value[1], dict):
                    note_keys(highest, value[0], value[1])
                    count += 1
                else:
                    raise InvalidInput("path", f"line {number} of {source} is not a row.")
    except OSError as error:
        raise InvalidInput("path", f"cannot read {source} ({error.strerror or error}).") from error
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput("path", f"{source} is damaged ({error}). Export it again.") from error
    if footer.get("rows") != count:
        raise InvalidInput("path", f"{source} is cut short: {count} rows of {footer.get('rows', 'unknown')}.")
    return str(header["space"]), highest


def _rows(source: Path) -> Iterator[tuple[str, Row]]:
    with source.open(encoding="utf-8") as file:
        for line in file:
            value = json.loads(line)
            if isinstance(value, list):
                yield value[0], value[1]


def backup(place: Workplace, path: str | Path) -> Path:
    """A consistent copy of the whole store in a new file, taken while others go on writing."""
    target = Path(path).expanduser()
    place.store.backup(str(target))
    return target
