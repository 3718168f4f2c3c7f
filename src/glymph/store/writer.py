"""Writing one space inside one transaction, written once for every SQL engine."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from glymph.decay.lifecycle import Curves
from glymph.errors import Refused
from glymph.store.contract import Intent
from glymph.store.conversations import SqlConversationWriting
from glymph.store.erase_sql import SqlEraser
from glymph.store.journal import Restoration
from glymph.store.seals import SEALED, is_edit, local_head, seal
from glymph.store.session import Row, Session
from glymph.store.statements import statements
from glymph.store.upkeep import SqlUpkeepWriting
from glymph.text.bands import BANDS, Bands


class SqlWriter(SqlEraser, SqlConversationWriting, SqlUpkeepWriting):
    """A `Writer` over a session whose transaction holds the write lock."""

    def __init__(
        self, session: Session, space: str, space_id: int, offsets: Mapping[str, int]
    ) -> None:
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

        An intent that is still to be made is asked for now, under the write lock, with the moment
        of the space's newest operation: so moments never run against the order of operations.
        """
        if not isinstance(intent, Intent):
            intent = intent(self._value("newest_operation_at"))
        self._intent = intent
        if intent.parent is not None:
            parent = self.operation_by_key(intent.parent)
            if parent is None or parent["hash"]:
                raise Refused("This bulk operation was closed or undone meanwhile. Start it again.")
        self.resume(self._session.new_key("operations"), intent.verb)

    def resume(self, operation: int, verb: str) -> None:
        """Lets journalled tables be changed under an operation: a new one, or one that was left
        open.
        """
        self._operation = operation
        self._rows("begin_writing", space_id=self._space_id, operation=operation, verb=verb)

    def pause(self) -> None:
        """Records the operation unsealed and leaves it open for later transactions."""
        self._record(changes=0, edits=0, hash="", details="{}")
        self._rows("end_writing")

    def close(self) -> None:
        """Counts, seals and records what the operation did; a parent is sealed over its children's
        seals.
        """
        key = self.operation_key
        children = self._rows("children", key=key) if self._intent is None else []
        entries = [
            row[1:]
            for row in sorted(
                self._session.tuples(statements()["entries_to_seal"], {"operation": key})
            )
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
            self._rows(
                "close_operation", space_id=self._space_id, key=self.operation_key, **outcome
            )
            return
        key = self.operation_key
        self._rows(
            "record_operation", key=key, space_id=self._space_id, **self._head(key), **outcome
        )

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
            self._session.insert(
                table, ("space_id", *columns), [(self._space_id, *row.values()) for row in group]
            )

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
        self._rows(
            "set_state",
            space_id=self._space_id,
            keys=json.dumps(list(keys)),
            state=state,
            at=at,
            by=by,
        )

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
        for table in (
            "memberships",
            "edges",
            "clusters",
            "memories",
            "pages",
            "conflicts",
            "tombstones",
        ):
            self.remove(table, removed[table])
        for table in (
            "memories",
            "clusters",
            "pages",
            "edges",
            "memberships",
            "conflicts",
            "tombstones",
        ):
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
            figures = {
                "section": section.value,
                "decay": curve.decay,
                "scale": curve.scale,
                "at": at,
            }
            self._rows("adopt_curve", space_id=self._space_id, **figures)
        self._curves = None

    def drop_curves(self) -> None:
        self._rows("drop_curves", space_id=self._space_id)
        self._curves = None

    def save_plan(self, row: Mapping[str, Any]) -> None:
        self._rows("save_plan", space_id=self._space_id, **row)

    def drop_expired_plans(self, now: int) -> None:
        self._rows("drop_expired_plans", space_id=self._space_id, now=now)

    def bury(self, fingerprints: Iterable[str], *, at: int) -> None:
        row = {"space_id": self._space_id, "operation": self.intent.id, "at": at}
        self._session.repeat(
            statements()["bury"], [{**row, "fingerprint": one} for one in fingerprints]
        )


def _by_columns(
    rows: Sequence[Mapping[str, Any]],
) -> dict[tuple[str, ...], list[Mapping[str, Any]]]:
    shapes: dict[tuple[str, ...], list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        shapes[tuple(row)].append(row)
    return shapes
