"""Writing one space inside one transaction, written once for every SQL engine."""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from glymph.core.bands import BANDS, Bands
from glymph.core.journal import USE_COLUMNS, Restoration
from glymph.core.presence import Curves
from glymph.errors import Refused
from glymph.store import erasing
from glymph.store.contract import Intent
from glymph.store.reader import SqlReader
from glymph.store.session import Row, Session
from glymph.store.statements import statements


class SqlWriter(SqlReader):
    """A `Writer` over a session whose transaction holds the write lock."""

    def __init__(self, session: Session, space: str, space_id: int, offsets: Mapping[str, int]) -> None:
        super().__init__(session, space, space_id)
        self._offsets = offsets
        self._operation: int | None = None
        self._intent: Intent | None = None
        self._details: dict[str, Any] = {}
        self._seal = ""

    @property
    def operation_key(self) -> int:
        if self._operation is None:
            raise Refused("No operation is open: memories change only inside one.")
        return self._operation

    # the operation

    @property
    def intent(self) -> Intent:
        if self._intent is None:
            raise Refused("No operation is open: memories change only inside one.")
        return self._intent

    def open(self, intent: Intent | Callable[[int], Intent]) -> None:
        """Starts the operation; from here on journalled tables may be changed.

        An intent that is still to be made is asked for now, under the write lock, with the moment of the
        space's newest operation: so moments never run against the order of operations.
        """
        if not isinstance(intent, Intent):
            intent = intent(self._value("newest_operation_at"))
        self._intent = intent
        if intent.parent is not None:
            parent = self.operation_by_key(intent.parent)
            if parent is None or parent["hash"]:
                raise Refused("This bulk operation was closed or undone meanwhile. Start it again.")
        self.resume(self._session.next_key("operations"), intent.verb)

    def resume(self, operation: int, verb: str) -> None:
        """Lets journalled tables be changed under an operation: a new one, or one that was left open."""
        self._operation = operation
        self._rows("begin_writing", space_id=self._space_id, operation=operation, verb=verb)

    def pause(self) -> None:
        """Records the operation unsealed and leaves it open for later transactions."""
        self._record(changes=0, edits=0, hash="", details="{}")
        self._rows("end_writing")

    def close(self) -> None:
        """Counts, seals and records what the operation did; a parent is sealed over its children's seals."""
        key = self.operation_key
        children = self._rows("children", key=key) if self._intent is None else []
        entries = [
            row[1:] for row in sorted(self._session.tuples(statements()["entries_to_seal"], {"operation": key}))
        ]
        details = json.dumps(self._details, ensure_ascii=False)
        head = local_head({**self._head(key), "details": details}, self._offsets)
        self._seal = seal(head, entries, self._offsets, [child["hash"] for child in children])
        edits = sum(is_edit(table, action, image) for table, _, action, image, _ in entries)
        self._record(
            changes=len(entries) + sum(child["changes"] for child in children),
            edits=edits + sum(child["edits"] for child in children),
            hash=self._seal,
            details=details,
        )
        self._rows("end_writing")

    def _record(self, **outcome: Any) -> None:
        if self._intent is None:
            self._rows("close_operation", key=self.operation_key, **outcome)
            return
        key = self.operation_key
        self._rows("record_operation", key=key, space_id=self._space_id, **self._head(key), **outcome)

    def _head(self, key: int) -> Mapping[str, Any]:
        """What the seal covers of the operation itself; one that was left open is read again."""
        if self._intent is None:
            return self.operation_by_key(key) or {}
        return {name: getattr(self._intent, name) for name in SEALED if name != "details"}

    @property
    def seal(self) -> str:
        return self._seal

    def describe(self, details: Mapping[str, Any]) -> None:
        self._details |= details

    # rows of journalled tables

    def insert(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        for columns, group in _by_columns(rows).items():
            self._session.insert(table, ("space_id", *columns), [(self._space_id, *row.values()) for row in group])

    def change(self, table: str, values: Mapping[int, Mapping[str, Any]]) -> None:
        shapes: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for key, row in values.items():
            shapes[tuple(row)].append(key)
        for columns, keys in shapes.items():
            rows = [(self._space_id, key, *values[key].values()) for key in keys]
            self._session.update(table, ("space_id", "key"), columns, rows)

    def remove(self, table: str, keys: Sequence[int]) -> None:
        if keys:
            self._session.remove(table, self._space_id, keys)

    def set_state(self, keys: Sequence[int], *, state: str, at: int, by: str) -> None:
        self._rows("set_state", space_id=self._space_id, keys=json.dumps(list(keys)), state=state, at=at, by=by)

    def bump(self, keys: Iterable[int]) -> None:
        self._rows("bump_versions", space_id=self._space_id, keys=json.dumps(list(keys)))

    def reject(self, memory_key: int, wording: Mapping[str, Any]) -> None:
        self._rows(
            "reject_wording",
            space_id=self._space_id,
            operation=self.operation_key,
            key=memory_key,
            image=json.dumps(wording, ensure_ascii=False),
        )

    def put_back(self, restorations: Sequence[Restoration]) -> None:
        """Removes, changes and re-creates rows, in an order in which every link finds its ends."""
        removed: dict[str, list[int]] = defaultdict(list)
        changed: dict[str, dict[int, Mapping[str, Any]]] = defaultdict(dict)
        created: dict[str, list[Row]] = defaultdict(list)
        for r in restorations:
            if r.values is None:
                removed[r.table].append(r.key)
            elif r.replaces:
                changed[r.table][r.key] = r.values
            else:
                created[r.table].append({"key": r.key, **r.values})
        for table in ("memberships", "edges", "clusters", "memories", "pages", "conflicts", "tombstones"):
            self.remove(table, removed[table])
        for table in ("memories", "clusters", "pages", "edges", "memberships", "conflicts", "tombstones"):
            self.insert(table, created[table])  # first, for what is changed may name what is made
            self.change(table, changed[table])

    # recall log and upkeep

    def log_recall(self, row: Mapping[str, Any], *, keep: int) -> None:
        self._rows("log_recall", space_id=self._space_id, **row)
        self._rows("trim_recalls", space_id=self._space_id, keep=keep)

    def add_model(self, name: str, dimension: int, *, at: int, bands: Bands = BANDS) -> int:
        self._rows(
            "insert_model", space_id=self._space_id, name=name, dimension=dimension, at=at,
            duplicate=bands.duplicate, connect=bands.connect,
        )  # fmt: skip
        return int(self._value("model_key", name=name, dimension=dimension))

    def add_vectors(self, model: int, rows: Iterable[tuple[int, bytes, bytes]]) -> None:
        self._session.repeat(
            statements()["insert_vector"],
            [
                {
                    "space_id": self._space_id,
                    "model": model,
                    "memory": memory,
                    "wording": wording,
                    "vector": vector,
                }
                for memory, wording, vector in rows
            ],
        )

    def forget_model(self, model: int, *, limit: int) -> int:
        gone = len(self._rows("forget_model", model=model, limit=limit))
        if gone < limit:
            self._rows("drop_model", space_id=self._space_id, model=model)
        return gone

    def set_reported(self, recall_key: int, reported: str) -> None:
        self._rows("set_reported", space_id=self._space_id, key=recall_key, reported=reported)

    def adopt_curves(self, curves: Curves, *, at: int) -> None:
        for section, curve in curves.items():
            figures = {"section": section.value, "decay": curve.decay, "scale": curve.scale, "at": at}
            self._rows("adopt_curve", space_id=self._space_id, **figures)
        self._curves = None

    def drop_curves(self) -> None:
        self._rows("drop_curves", space_id=self._space_id)
        self._curves = None

    def set_counter(self, name: str, value: int) -> None:
        self._rows("set_counter", space_id=self._space_id, name=name, value=value)

    def set_schedule(self, job: str, *, due_at: int, last_run_at: int | None, outcome: str | None) -> None:
        self._rows(
            "set_schedule",
            space_id=self._space_id, job=job, due_at=due_at, last_run_at=last_run_at, outcome=outcome,
        )  # fmt: skip

    def enqueue(self, row: Mapping[str, Any]) -> None:
        self._rows("enqueue", space_id=self._space_id, **row)

    def take(self, *, now: int, until: int) -> Row | None:
        return self._one("take_job", space_id=self._space_id, now=now, until=until)

    def done(self, job_id: str, *, at: int) -> None:
        self._rows("finish_job", space_id=self._space_id, id=job_id, at=at)

    def charge(self, row: Mapping[str, Any]) -> None:
        self._rows("charge", space_id=self._space_id, **row)

    def save_plan(self, row: Mapping[str, Any]) -> None:
        self._rows("save_plan", space_id=self._space_id, **row)

    def drop_expired_plans(self, now: int) -> None:
        self._rows("drop_expired_plans", space_id=self._space_id, now=now)

    def bury(self, fingerprints: Iterable[str], *, at: int) -> None:
        row = {"space_id": self._space_id, "operation": self.intent.id, "at": at}
        self._session.repeat(statements()["bury"], [{**row, "fingerprint": one} for one in fingerprints])

    # removing for good

    def ties(self, keys: Sequence[int]) -> tuple[list[int], list[int]]:
        listed = json.dumps(list(keys))
        found = (self._tuples(name, keys=listed) for name in ("links_of_memories", "memberships_of_memories"))
        edges, memberships = ([key for (key,) in rows] for rows in found)
        return edges, memberships

    def replaced_by(self, ids: Iterable[str]) -> list[Row]:
        return self._rows("replaced_by", ids=json.dumps(list(ids)))

    def conflicts_naming(self, ids: Iterable[str]) -> list[int]:
        return [key for (key,) in self._tuples("conflicts_naming", ids=json.dumps(list(ids)))]

    def past_texts(self, keys: Sequence[int]) -> list[str]:
        entries = self._tuples("whole_entries", tbl="memories", keys=json.dumps(list(keys)))
        return [text for _, _, _, image, after in sorted(entries) for text in erasing.texts_in(image, after)]

    def erase(self, memories: Mapping[int, str], texts: Sequence[str]) -> dict[str, int]:
        listed = json.dumps(list(memories))
        ids = json.dumps(list(memories.values()))
        self._rows("forget_vectors", keys=listed)
        self._rows("drop_chunks_over", space_id=self._space_id, keys=listed)
        conflicts = [key for (key,) in self._tuples("past_conflicts_naming", ids=ids)]
        entries = {
            table: self._tuples("whole_entries", tbl=table, keys=json.dumps(list(keys)))
            for table, keys in (("memories", list(memories)), ("conflicts", conflicts))
        }
        rows = [
            {
                "id": entry,
                "image": erasing.blanked(table, image, self.intent.id),
                "after": erasing.blanked(table, after),
            }
            for table, found in entries.items()
            for entry, _, _, image, after in found
            if erasing.PURGED not in json.loads(image)
        ]
        self._repeat("blank_entry", rows)
        touched = {operation for found in entries.values() for _, operation, _, _, _ in found}
        repeats = erasing.repeating(texts)
        return {
            "entries": len(rows),
            "operations": self._seal_anew(touched, repeats),
            "queries": self._forget_queries(repeats),
            "plans": self._drop_plans(memories.values(), repeats),
        }

    def _seal_anew(self, keys: Iterable[int], repeats: Callable[[str], bool]) -> int:
        """Seals operations over their journal as it is now, and their parents over them. The old seals are kept
        nowhere: a short text could be guessed from one."""
        own = self._rows("sealed_operations", keys=json.dumps(sorted(keys)))
        parents = {row["parent"] for row in own if row["parent"] is not None}
        own = [row for row in own if row["key"] not in parents]
        for row in own + self._rows("sealed_operations", keys=json.dumps(sorted(parents))) if own else []:
            said = {
                "reason": erasing.GONE if row["reason"] and repeats(row["reason"]) else row["reason"],
                "details": "{}" if repeats(erasing.words_in(row["details"])) else row["details"],
            }
            entries = sorted(self._tuples("entries_to_seal", operation=row["key"]))
            head = local_head({**row, **said}, self._offsets)
            children = [child["hash"] for child in self._rows("children", key=row["key"])]
            anew = seal(head, [entry[1:] for entry in entries], self._offsets, children)
            self._repeat("seal_anew", [{"key": row["key"], "hash": anew, **said}])
        return len(own)

    def _forget_queries(self, repeats: Callable[[str], bool]) -> int:
        gone = [{"key": key} for key, query in self._tuples("asked") if repeats(query)]
        self._repeat("forget_query", gone)
        return len(gone)

    def _drop_plans(self, ids: Iterable[str], repeats: Callable[[str], bool]) -> int:
        """A plan that names or quotes what was removed would have to be made anew in any case."""
        names = list(ids)
        gone = [
            {"key": key}
            for key, body in self._tuples("planned")
            if repeats(erasing.words_in(body)) or any(name in body for name in names)
        ]
        self._repeat("drop_plan", gone)
        return len(gone)

    def _repeat(self, statement: str, rows: Sequence[Mapping[str, Any]]) -> None:
        self._session.repeat(statements()[statement], [{"space_id": self._space_id, **row} for row in rows])


SEALED = ("id", "actor", "verb", "reason", "session", "at", "parent", "undoes", "details")


def seal(
    head: Mapping[str, Any],
    entries: Iterable[tuple[Any, ...]],
    offsets: Mapping[str, int],
    children: Iterable[str] = (),
) -> str:
    """SHA-256 over who did what and why and over the operation's journal rows, a parent's over its children's.

    Keys are local to the space, so an import that moved them changes no seal.
    """
    digest = hashlib.sha256("".join(children).encode())
    digest.update(repr([head[name] for name in SEALED]).encode())
    for table, key, action, image, after in entries:
        before, now = move_image(table, image, offsets, -1), move_image(table, after, offsets, -1)
        digest.update(f"{table}\0{key - offsets.get(table, 0)}\0{action}\0{before}\0{now}\n".encode())
    return digest.hexdigest()


def is_edit(table: str, action: str, image: str) -> bool:
    """Whether a journal row is more than a use: content, state, links or a pin changed."""
    if action == "update" and table in USE_COLUMNS:
        return '"version":' in image
    return action != "rejected"


def local_head(head: Mapping[str, Any], offsets: Mapping[str, int]) -> Mapping[str, Any]:
    """An operation's head with its pointers as they were before an import moved them."""
    pointers = {name: head[name] for name in ("parent", "undoes") if head[name] is not None}
    return {**head, **{name: key - offsets.get("operations", 0) for name, key in pointers.items()}}


def move_image(table: str, image: str, offsets: Mapping[str, int], sign: int) -> str:
    """The image with its references to other rows moved by the offsets of an import.

    Rewritten as text, so that every other digit stays as it was; these images hold no free text.
    """
    if not offsets or table not in ("edges", "memberships"):
        return image

    def moved(match: re.Match[str]) -> str:
        column, key = match[1], int(match[2])
        return f'"{column}":{key + sign * offsets.get(_REFERENCES[column], 0)}'

    return _REFERENCE.sub(moved, image)


_REFERENCES = {"source": "memories", "target": "memories", "memory": "memories", "cluster": "clusters"}
_REFERENCE = re.compile(r'"(source|target|memory|cluster)":\s*(\d+)')


def _by_columns(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, ...], list[Mapping[str, Any]]]:
    shapes: dict[tuple[str, ...], list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        shapes[tuple(row)].append(row)
    return shapes
