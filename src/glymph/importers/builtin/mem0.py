"""mem0 on disk: its history database, and a local Qdrant or Chroma folder beside it."""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from glymph.errors import SourceDamaged
from glymph.importers import chroma_folder
from glymph.importers.contract import NOT_IT, OWN, Importer, Item
from glymph.importers.sqlite_file import NEXT_STEP, list_columns, open_unchanged
from glymph.importers.values import read_moment

HISTORY, POINTS = "history.db", "storage.sqlite"
_HISTORY_COLUMNS = {"memory_id", "old_memory", "new_memory", "event"}
_ABOUT = ("user_id", "agent_id", "actor_id", "role")
_OWN_FIELDS = {
    "data", "hash", "created_at", "updated_at", "text_lemmatized", "run_id", "expiration_date",
    "linked_memory_ids", "attributed_to",
}  # fmt: skip


def recognise(path: Path) -> int:
    return OWN if _find_history(path) or _find_points(path) else NOT_IT


def _find_history(path: Path) -> Path | None:
    files = [path] if path.is_file() else [path / HISTORY]
    return next((f for f in files if list_columns(f, "history") >= _HISTORY_COLUMNS), None)


def _find_points(path: Path) -> list[Path]:
    """Returns the files of a local Qdrant, in the folder or one below it."""
    if not path.is_dir():
        return []
    return sorted([
        *path.glob(f"collection/*/{POINTS}"), *path.glob(f"*/collection/*/{POINTS}"),
    ])  # fmt: skip


def read(path: Path) -> Iterator[Item]:
    """Yields the memories that stand now; those of the vector store, which knows whose they are."""
    points = _find_points(path)
    chroma = chroma_folder.find_below(path)
    history = _find_history(path)
    if not (points or chroma or history):
        raise SourceDamaged(
            path.name, f"it holds neither {HISTORY} nor a local vector store",
            "Name the folder that holds them, such as ~/.mem0.",
        )  # fmt: skip
    if points or chroma:
        payloads = [found for file in points for found in _read_points(file)]
        payloads += [
            (one.id, one.metadata) for file in chroma for one in chroma_folder.read_records(file)
        ]
        made = (_make_item(memory_id, payload, path.name) for memory_id, payload in payloads)
        yield from filter(None, made)
    elif history is not None:
        yield from _replay(history)


def _make_item(memory_id: str, payload: Mapping[str, Any], place: str) -> Item | None:
    """Returns a memory; None for what is no memory, such as an entity, or is out of date."""
    text = payload.get("data")
    if not isinstance(text, str) or not text.strip() or "linked_memory_ids" in payload:
        return None
    expires = read_moment(payload.get("expiration_date"))
    if expires is not None and expires <= datetime.now(UTC):
        return None
    run = payload.get("run_id")
    told = {name: payload[name] for name in _ABOUT if payload.get(name)}
    others = {name: value for name, value in payload.items() if name not in _OWN_FIELDS}
    return Item(
        text, memory_id, place, created_at=read_moment(payload.get("created_at")),
        updated_at=read_moment(payload.get("updated_at")), expires_at=expires,
        session=run if isinstance(run, str) else None, about=told | others,
    )  # fmt: skip


def _replay(history: Path) -> Iterator[Item]:
    """Yields what the history leaves: the last wording of each memory that was not deleted."""
    current: dict[str, dict[str, Any]] = {}
    with open_unchanged(history) as database:
        for row in database.rows("SELECT * FROM history ORDER BY rowid"):
            if row["event"] == "DELETE" or row.get("is_deleted"):
                current.pop(row["memory_id"], None)
            elif row["new_memory"]:
                current[row["memory_id"]] = row
    for memory_id, row in current.items():
        about = {name: row[name] for name in _ABOUT if row.get(name)}
        yield Item(
            row["new_memory"], memory_id, history.name,
            created_at=read_moment(row["created_at"]),
            updated_at=read_moment(row["updated_at"]), about=about,
        )  # fmt: skip


class _Record:
    """Stands for every class of Qdrant's client: it holds what was stored, and does nothing."""

    def __init__(self, *_: object, **__: object) -> None:
        self.state: dict[str, Any] = {}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.state = state


class _Unpickler(pickle.Unpickler):
    """Reads Qdrant's points, which are pickled, and can make no other object: a file is data."""

    def find_class(self, module: str, name: str) -> type[_Record]:
        if module.split(".")[0] == "qdrant_client":
            return _Record
        raise pickle.UnpicklingError(f"it holds a {module}.{name}, which no point has")


def _read_points(file: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    with open_unchanged(file) as database:
        for row in database.rows("SELECT point FROM points ORDER BY rowid"):
            try:
                point = _Unpickler(io.BytesIO(row["point"])).load()
                fields = point.state["__dict__"]
                found = str(fields["id"]), dict(fields["payload"] or {})
            except (
                pickle.UnpicklingError, EOFError, AttributeError, KeyError, TypeError, ValueError,
                IndexError,
            ) as error:  # fmt: skip
                raise SourceDamaged(
                    file.name, f"a point cannot be read ({error})", NEXT_STEP
                ) from error
            yield found


IMPORTER = Importer("mem0: history.db, and a local Qdrant or Chroma folder", recognise, read)
