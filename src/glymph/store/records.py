"""Stored rows as values: datetimes, tuples and mappings, with decay computed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from glymph.decay import lifecycle
from glymph.decay.sections import Section
from glymph.model import Change, Edge, Memory, Operation, Review, Space, State, Tombstone
from glymph.moments import micros, moment, optional_moment
from glymph.store.contract import Row
from glymph.store.journal import FOLDED
from glymph.store.reader import Reader


def memories(rows: Sequence[Row], reader: Reader, now: datetime) -> list[Memory]:
    """Returns the memories of rows as they are at `now`, by the curves of the reader's space."""
    values = retrievabilities(rows, reader, now)
    return [as_present(row, reader.space, value) for row, value in zip(rows, values, strict=True)]


def retrievabilities(rows: Sequence[Row], reader: Reader, now: datetime) -> list[float]:
    """Returns how present the memories of rows are at `now`."""
    if not rows:
        return []
    values: list[float] = lifecycle.retrievability(
        curves=reader.curves(),
        kinds=[row["kind"] for row in rows],
        sections=[row["section"] for row in rows],
        stability=[row["stability"] for row in rows],
        anchors=[row["last_used_at"] or row["created_at"] for row in rows],
        now=micros(now),
    ).tolist()
    return values


def words(listed: str) -> list[str]:
    """Returns the words of a list column."""
    found: list[str] = [] if listed == "[]" else json.loads(listed)  # most are empty
    return found


def attributes(row: Row) -> dict[str, Any]:
    """Returns the attributes of a row."""
    told = row["attributes"]
    found: dict[str, Any] = {} if told == "{}" else json.loads(told)
    return found


def memory(row: Row, reader: Reader, now: datetime) -> Memory:
    return memories([row], reader, now)[0]


def as_present(row: Row, space: str, retrievability: float) -> Memory:
    """Returns the memory of a row whose retrievability is known."""
    return Memory(
        id=row["id"],
        space=space,
        kind=row["kind"],
        section=Section(row["section"]),
        title=row["title"],
        text=row["text"],
        state=State(row["state"]),
        state_at=moment(row["state_at"]),
        state_by=row["state_by"],
        pinned=bool(row["pinned"]),
        protected=bool(row["protected"]),
        superseded_by=row["superseded_by"],
        salience=row["salience"],
        trust=row["trust"],
        source=row["source"],
        session=row["session"],
        tags=tuple(words(row["tags"])),
        entities=tuple(words(row["entities"])),
        attributes=attributes(row),
        event_at=optional_moment(row["event_at"]),
        expires_at=optional_moment(row["expires_at"]),
        created_at=moment(row["created_at"]),
        updated_at=moment(row["updated_at"]),
        last_used_at=optional_moment(row["last_used_at"]),
        access_count=row["access_count"],
        stability=row["stability"],
        difficulty=row["difficulty"],
        review=review(row["review"]),
        content_hash=row["content_hash"],
        version=row["version"],
        retrievability=retrievability,
        lifecycle=lifecycle.lifecycle(retrievability, row["state"]),
        uses_folded=row.get("uses_folded", False),
    )


def review(text: str | None) -> Review | None:
    if text is None:
        return None
    at, rating, stability, difficulty, since = json.loads(text)
    return Review(moment(at), rating, stability, difficulty, moment(since))


def edge(row: Row) -> Edge:
    return Edge(
        source=row["source_id"],
        target=row["target_id"],
        type=row["type"],
        weight=row["weight"],
        created_at=moment(row["created_at"]),
        last_used_at=optional_moment(row["last_used_at"]),
    )


def space(row: Row) -> Space:
    return Space(row["name"], moment(row["created_at"]), row["identity_id"])


def tombstone(row: Row) -> Tombstone:
    return Tombstone(row["key"], moment(row["created_at"]), row["operation"])


def operation(row: Row, space_name: str, *, undone_by: str | None, undoable: bool) -> Operation:
    return Operation(
        id=row["id"],
        space=space_name,
        actor=row["actor"],
        verb=row["verb"],
        reason=row["reason"],
        session=row["session"],
        at=moment(row["at"]),
        parent=row["parent_id"],
        undoes=row["undoes_id"],
        undone_by=undone_by,
        changes=row["changes"],
        edits=row["edits"],
        undoable=undoable,
        hash=row["hash"],
        details=json.loads(row["details"]),
    )


def change(row: Row, memory_id: str) -> Change:
    """Returns a journal row as a change, with the memory's own reason where there is one."""
    image = json.loads(row["image"])
    folded = image.pop(FOLDED, 0)
    return Change(
        operation=row["operation"],
        verb=row["verb"],
        actor=row["actor"],
        reason=json.loads(row["details"]).get("reasons", {}).get(memory_id, row["reason"]),
        at=moment(row["at"]),
        table=row["tbl"],
        action=row["action"],
        before={name: _readable(name, value) for name, value in image.items()},
        folded=folded,
    )


def _readable(column: str, value: Any) -> Any:
    """Returns a stored value of the journal as the model shows it."""
    if column.endswith("_at") and isinstance(value, int):
        return moment(value)
    if column in ("tags", "entities", "attributes") and isinstance(value, str):
        return json.loads(value)
    return value
