"""Taking a space elsewhere: lossless JSON Lines, and backups of a whole store."""

from __future__ import annotations

import base64
import json
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from glymph.core.draft import checked_space
from glymph.core.timing import MICROS_PER_DAY, micros
from glymph.errors import InvalidInput, Refused
from glymph.services.verify import UNFINISHED, problems_of
from glymph.services.workplace import Workplace
from glymph.store.contract import Row
from glymph.store.portable import BIRTH_ORDER, Columns, appearing, flaw, note_keys, plain_json

FORMAT = 1


def export(place: Workplace, path: str | Path) -> int:
    """Writes everything in the space, journal and tombstones included, one JSON object a line, into a new file.

    The file appears under its name only when it is whole.
    """
    count = 0
    with (
        appearing(path, "an export") as partial,
        partial.open("w", encoding="utf-8", newline="\n") as file,
    ):
        file.write(json.dumps({"glymph": FORMAT, "space": place.space}) + "\n")
        for table, row in place.store.dump(place.space):
            file.write(json.dumps([table, row], ensure_ascii=False, default=_as_text) + "\n")
            count += 1
        file.write(json.dumps({"rows": count}) + "\n")
        file.flush()
        os.fsync(file.fileno())
    return count


def _as_text(value: object) -> str:
    """Bytes as JSON carries them."""
    if not isinstance(value, bytes):
        raise TypeError(f"{type(value).__name__} has no place in an export")
    return base64.b64encode(value).decode("ascii")


def import_(place: Workplace, path: str | Path, *, space: str | None = None) -> Iterator[int]:
    """Loads an export into a space that is new or untouched since its birth; yields the rows so far.

    The whole file is read and checked, row by row and as a whole, before the first row is written; what was
    checked is what is written.
    """
    try:
        source = Path(path).expanduser()
    except (TypeError, RuntimeError) as error:
        raise InvalidInput("path", f"{path!r} names no file ({error}). Give the path of an export.") from error
    name, tables = _read(source, place.store.columns())
    target = checked_space(name if space is None else space)
    for check, detail in problems_of(tables):
        if check == UNFINISHED:
            continue  # it may be the only copy there is; verify will name it in the new place, too
        raise InvalidInput("path", f"{source} is not sound ({check}: {detail}). Mend its source and export again.")
    tomorrow = micros(place.now()) + MICROS_PER_DAY
    if any(operation["at"] > tomorrow for operation in tables["operations"]):
        raise InvalidInput(
            "path", f"{source} holds operations of the future. Set the clock right, then import it."
        )
    highest: dict[str, int] = {}
    for table in BIRTH_ORDER:
        for row in tables[table]:
            note_keys(highest, table, row)
    rows = ((table, row) for table in BIRTH_ORDER for row in tables[table])
    try:
        yield from place.store.load(target, rows, highest=highest, chunk=place.settings.bulk_chunk)
    except Refused as error:
        raise InvalidInput("path", f"the store takes no such rows as {source} has ({error})") from error


def _read(source: Path, columns: Columns) -> tuple[str, dict[str, list[Row]]]:
    """The space's name and its rows by table, each of a form that the store can take."""
    tables: dict[str, list[Row]] = defaultdict(list)
    keys: dict[str, set[int]] = defaultdict(set)
    header: dict[str, Any] = {}
    footer: dict[str, Any] = {}
    count = 0
    for number, value in _lines(source):
        if number == 1:
            header = value if isinstance(value, dict) else {}
            if header.get("glymph") != FORMAT or "space" not in header:
                raise InvalidInput("path", f"{source} is not a Glymph export of format {FORMAT}.")
        elif isinstance(value, dict) and "rows" in value and not footer:
            footer = value
        else:
            table, row = value if isinstance(value, list) and len(value) == 2 else ("", {})
            if isinstance(row, dict) and isinstance(table, str):
                row = _completed(row, columns.get(table, {}))
            problem = "comes after the end" if footer else flaw(table, row, columns)
            if not problem and table != "journal" and row["key"] in keys[table]:
                problem = f"has the key {row['key']} of an earlier line"
            if problem:
                raise InvalidInput("path", f"line {number} of {source} {problem}. Export it again.")
            keys[table].add(row["key"])
            tables[table].append(row)
            count += 1
    if footer.get("rows") != count:
        raise InvalidInput("path", f"{source} is cut short: {count} rows of {footer.get('rows', 'unknown')}.")
    return header["space"], tables


def _completed(row: dict[str, Any], types: Mapping[str, tuple[type, ...]]) -> dict[str, Any]:
    """The row with the columns that are younger than its export, and its bytes as bytes."""
    whole = {name: None for name, kinds in types.items() if type(None) in kinds and name not in row} | row
    for name, kinds in types.items():
        if bytes in kinds and isinstance(whole.get(name), str):
            try:
                whole[name] = base64.b64decode(whole[name], validate=True)
            except ValueError:
                continue  # it stays a text, which the check that follows refuses
    return whole


def _lines(source: Path) -> Iterator[tuple[int, Any]]:
    number = 0
    try:
        with source.open(encoding="utf-8", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                yield number, plain_json(line)
    except OSError as error:
        raise InvalidInput("path", f"cannot read {source} ({error.strerror or error}).") from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput("path", f"line {number} of {source} is damaged ({error}). Export it again.") from error


def backup(place: Workplace, path: str | Path) -> Path:
    """A consistent copy of the whole store in a new file, taken while others go on writing."""
    target = Path(path).expanduser()
    place.store.backup(str(target))
    return target
