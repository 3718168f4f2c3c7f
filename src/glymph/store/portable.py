"""Rows that any store can take in, and files that appear whole or not at all."""

from __future__ import annotations

import json
import math
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from glymph import folders
from glymph.decay.lifecycle import Curve
from glymph.decay.sections import Section
from glymph.errors import InvalidInput
from glymph.store.contract import JOURNALLED, ColumnTypes
from glymph.store.erase import KEPT
from glymph.store.journal import FOLDED, PURGED
from glymph.store.seals import move_image

# Parents before children. Reversed, the order in which a space can be taken apart.
BIRTH_ORDER = (
    "operations", "memories", "models", "vectors", "edges", "clusters", "memberships", "pages",
    "journal", "recalls", "tombstones", "plans", "schedules", "counters", "queue", "ledger",
    "curves",
    "conflicts", "transcripts", "conversations", "messages", "folders",
)  # fmt: skip

# What a move to another store takes along besides: certificates are about the store they were made
# in, so that no export has them, but whoever leaves that store behind still wants to show them.
CARRIED = (*BIRTH_ORDER, "certificates")

MOST_KEY = 2**48
# Ends of the names of counters that hold a key, with the table it is of.
COUNTED_KEYS = {"_upto": "memories", "_operation": "operations"}

_KEYS: Mapping[str, Mapping[str, str]] = {
    "operations": {"key": "operations", "parent": "operations", "undoes": "operations"},
    "edges": {"key": "edges", "source": "memories", "target": "memories"},
    "memberships": {"key": "memberships", "cluster": "clusters", "memory": "memories"},
    "journal": {"operation": "operations"},
    "vectors": {"key": "vectors", "model": "models", "memory": "memories"},
    "messages": {"key": "messages", "conversation": "conversations"},
}
_JSON: Mapping[str, Mapping[str, type]] = {
    "operations": {"details": dict},
    "memories": {"tags": list, "entities": list, "attributes": dict, "review": list},
    "clusters": {"rule": dict},
    "journal": {"image": dict, "after": dict},
    "recalls": {"shown": list, "reported": dict, "figures": list},
    "conversations": {"state": dict},
    "messages": {"body": dict},
}
_EMPTY: Mapping[type, str] = {list: "[]", dict: "{}"}
_IMAGES = ("image", "after")
_ACTIONS = ("insert", "update", "delete", "rejected")
_HALF_A_PAIR = re.compile("[\ud800-\udfff]")
_FIRST, _LAST = -62_135_596_800_000_000, 253_402_300_799_999_999  # years 1 to 9999, in microseconds


def move_keys(
    table: str, row: Mapping[str, Any], offsets: Mapping[str, int], sign: int
) -> dict[str, Any]:
    """Returns the row with its keys and references moved by the offsets; sign -1 moves back.

    Journal entries have an order but no key worth keeping.
    """
    result = dict(row)
    if table == "journal":
        result.pop("id", None)
    if not any(offsets.values()):
        return result
    for end, counted in COUNTED_KEYS.items() if table == "counters" else ():
        if row["name"].endswith(end):
            result["value"] += sign * offsets.get(counted, 0)
    for column, target in _KEYS.get(table, {"key": table}).items():
        if result[column] is not None:
            result[column] += sign * offsets.get(target, 0)
    if table == "journal":
        result["key"] += sign * offsets.get(row["tbl"], 0)
        for image in _IMAGES:
            result[image] = move_image(row["tbl"], row[image], offsets, sign)
    return result


def note_keys(highest: dict[str, int], table: str, row: Mapping[str, Any]) -> None:
    """Notes the highest key of each table, those of rows only in the journal included."""
    place = row["tbl"] if table == "journal" else table
    highest[place] = max(highest.get(place, 0), row["key"])


# a stranger's rows


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not a number")


_DECODER = json.JSONDecoder(parse_constant=_no_number)


def plain_json(text: str) -> Any:
    """Returns the value of a JSON text; NaN and infinities, which are no JSON, are a ValueError."""
    return _DECODER.decode(text)


def find_flaw(table: object, row: object, columns: ColumnTypes) -> str | None:
    """Returns what keeps a row of unknown origin from being taken in; None if nothing does.

    Names of columns become part of SQL statements, when the row is loaded and, from a journal's
    image, when an operation is undone: none but the table's own may pass.
    """
    if not isinstance(table, str) or table not in columns or not isinstance(row, dict):
        return "is not a row"
    if odd := row.keys() ^ columns[table].keys():
        return f"has other columns than {table} ({', '.join(map(repr, sorted(odd)))[:200]})"
    found = _wrong_value(row, columns[table]) or _wrong_json(table, row)
    for column in {"key", *_KEYS.get(table, ())}:
        if not found and row[column] is not None and not 1 <= row[column] <= MOST_KEY:
            found = f"has the {column} {row[column]}, outside 1 to 2^48"
    if table == "curves" and not found:
        found = _wrong_curve(row)
    return found or (_wrong_entry(row, columns) if table == "journal" else None)


def _wrong_value(row: Mapping[str, Any], types: Mapping[str, tuple[type, ...]]) -> str | None:
    for column, value in row.items():
        kind = type(value)
        if kind not in types[column]:
            return f"has a {kind.__name__} as {column}"
        if kind is str:
            fine = value.isascii() or not _HALF_A_PAIR.search(value)
        elif kind is int:
            moment = column == "at" or column.endswith("_at")
            fine = _FIRST <= value <= _LAST if moment else -(2**63) <= value < 2**63
        elif kind is bytes:
            fine = True
        else:
            fine = value is None or math.isfinite(value)
        if not fine:
            return f"has a {column} that no store keeps"
    return None


def _wrong_json(table: str, row: Mapping[str, Any]) -> str | None:
    for column, kind in _JSON.get(table, {}).items():
        if (
            column not in row
            or row[column] is None
            or (row[column] == _EMPTY[kind] and column != "review")
        ):
            continue
        try:
            value = plain_json(row[column])
        except (ValueError, RecursionError):
            value = None
        words = column not in ("tags", "entities", "shown") or all(
            isinstance(word, str) for word in value or ()
        )
        if column == "review" and not _is_review(value):
            return "has a review that is not the five numbers it should be"
        if column == "figures" and not _are_figures(value):
            return "has figures that are not a section, days and a stability for each memory shown"
        if not isinstance(value, kind) or not words:
            return f"has a {column} that is not the JSON it should be"
    return None


def _wrong_curve(row: Mapping[str, Any]) -> str | None:
    if row["section"] not in tuple(Section):
        return f"has a curve for {row['section']!r}, which is no section"
    from glymph.decay.fit import is_plausible  # nothing but an import asks

    plausible = is_plausible(Curve(row["decay"], row["scale"]))
    return None if plausible else "has a curve that no fit finds"


def _is_review(value: Any) -> bool:
    numbers = isinstance(value, list) and all(type(part) in (int, float) for part in value)
    return numbers and len(value) == 5 and all(type(value[at]) is int for at in (0, 1, 4))


def _are_figures(value: Any) -> bool:
    return isinstance(value, list) and all(one is None or _is_figures(one) for one in value)


def _is_figures(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != 3 or value[0] not in tuple(Section):
        return False
    numbers = all(type(number) in (int, float) for number in value[1:])
    return numbers and 0 <= value[1] < math.inf and 0 < value[2] < math.inf


def _wrong_entry(row: Mapping[str, Any], columns: ColumnTypes) -> str | None:
    """Returns what is wrong with a journal entry.

    Its image is what an undo writes back, so it is held to the same rules as a row.
    """
    if row["tbl"] not in JOURNALLED or row["action"] not in _ACTIONS:
        return f"journals {row['action']!r} of {row['tbl']!r}, which does not exist"
    if row["action"] == "rejected":
        return None
    types = columns[row["tbl"]]
    for name in _IMAGES:
        image = plain_json(row[name])
        by = image.pop(PURGED, "") if name == "image" else ""
        times = image.pop(FOLDED, 1) if name == "image" else 1
        if type(times) is not int or times < 1:
            return "has an image into which others are folded, but not how many"
        if by != "" and not (
            isinstance(by, str) and image.keys() <= KEPT.get(row["tbl"], frozenset())
        ):
            return "has an image that was blanked, but not by a purge"
        if odd := {column for column in image if column == "key" or column not in types}:
            return f"has an {name} with unknown columns ({', '.join(map(repr, sorted(odd)))[:200]})"
        if problem := _wrong_value(image, types) or _wrong_json(row["tbl"], image):
            return f"has an {name} that {problem}"
    return None


# files


@contextmanager
def write_whole(path: str | Path, what: str) -> Iterator[Path]:
    """Opens a private file beside `path`, which takes that name when no error was raised.

    Nothing is ever overwritten. After an error nothing is left, and a killed process leaves only
    the part file.
    """
    try:
        target = Path(path).expanduser()
        partial = target.with_name(f"{target.name}.{secrets.token_hex(4)}.partial")
        taken = os.path.lexists(target)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InvalidInput(
            "path", f"{path!r} names no file ({error}). Give the path of a new file."
        ) from error
    if taken:
        raise _name_taken(target, what)
    try:
        os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, folders.FILE))
        try:
            yield partial
            _settle(partial, target)
        finally:
            for end in ("", "-journal", "-wal", "-shm"):
                Path(f"{partial}{end}").unlink(missing_ok=True)
    except FileExistsError as error:
        raise _name_taken(target, what) from error
    except OSError as error:
        raise InvalidInput("path", f"cannot write {target} ({error.strerror or error}).") from error


def _name_taken(target: Path, what: str) -> InvalidInput:
    return InvalidInput("path", f"{target} exists. Name a new file: {what} never overwrites.")


def _settle(partial: Path, target: Path) -> None:
    """Gives the file its name; fails if it was taken meanwhile, which a rename would not notice."""
    descriptor = os.open(partial, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    try:
        os.link(partial, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        partial.rename(target)
    folders.fsync_folder(target.parent)
