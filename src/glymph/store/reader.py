"""Reading one space, written once for every SQL engine."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from glymph.decay.lifecycle import DEFAULT_CURVES, Curve, Curves
from glymph.decay.sections import Section
from glymph.moments import day_in_words
from glymph.store.chunks import SqlChunks
from glymph.store.contract import Filter, NearRow
from glymph.store.conversations import SqlConversations
from glymph.store.erase_check import SqlLeftovers
from glymph.store.journal import Entry, Place
from glymph.store.scan import Vectors
from glymph.store.session import Row, Session
from glymph.store.statements import MEMORY_COLUMNS, statements
from glymph.store.upkeep import SqlUpkeep
from glymph.text.bands import BANDS, Bands
from glymph.text.query import Words

LAST_WORDING = b"\xff" * 9  # beyond every one


def where(wanted: Filter) -> tuple[str, dict[str, Any]]:
    """The condition of a filter on `m`, with its parameters."""
    terms: list[str] = []
    parameters: dict[str, Any] = {}
    for column, values in (
        ("state", wanted.states),
        ("kind", wanted.kinds),
        ("section", wanted.sections),
    ):
        if values is None:
            continue
        # One value as an equation lets the engine use the index for the order, too.
        names = [f":{column}{i}" for i in range(len(values))]
        parameters |= {f"{column}{i}": str(value) for i, value in enumerate(values)}
        terms.append(
            f"m.{column} = {names[0]}" if len(names) == 1 else f"m.{column} IN ({', '.join(names)})"
        )
    if wanted.kinds is None:
        terms.append("m.kind <> 'self'")
    for i, tag in enumerate(wanted.tags or ()):
        terms.append(f"{{has:m.tags:tag{i}}}")
        parameters[f"tag{i}"] = tag
    for name, term in (
        ("since", "coalesce(m.event_at, m.created_at) >= :since"),
        ("until", "coalesce(m.event_at, m.created_at) <= :until"),
        ("session", "m.session = :session"),
        ("source", "m.source = :source"),
        ("live_at", "(m.expires_at IS NULL OR m.expires_at > :live_at)"),
    ):
        if (value := getattr(wanted, name)) is not None:
            terms.append(term)
            parameters[name] = value
    if not wanted.include_superseded:
        terms.append("m.superseded_by IS NULL")
    if wanted.without:
        terms.append("m.key NOT IN {keys:without}")
        parameters["without"] = json.dumps(list(wanted.without))
    return " AND ".join(terms), parameters


class SqlReader(SqlChunks, SqlConversations, SqlLeftovers, SqlUpkeep):
    """A `Reader` over a session."""

    def __init__(self, session: Session, space: str, space_id: int) -> None:
        self._session = session
        self._space = space
        self._space_id = space_id
        self._curves: Curves | None = None

    @property
    def space(self) -> str:
        return self._space

    def _rows(self, statement: str, /, **parameters: Any) -> list[Row]:
        return self._session.rows(statements()[statement], parameters)

    def _one(self, statement: str, /, **parameters: Any) -> Row | None:
        found = self._rows(statement, **parameters)
        return found[0] if found else None

    def _tuples(self, statement: str, /, **parameters: Any) -> list[tuple[Any, ...]]:
        return self._session.tuples(statements()[statement], parameters)

    def _value(self, statement: str, /, **parameters: Any) -> Any:
        found = self._session.tuples(statements()[statement], parameters)
        return found[0][0] if found else None

    # memories

    def memory(self, memory_id: str) -> Row | None:
        return self._one("memory_by_id", id=memory_id)

    def memories(self, ids: Iterable[str]) -> dict[str, Row]:
        return {row["id"]: row for row in self._rows("memories_by_ids", ids=json.dumps(list(ids)))}

    def standing(self, ids: Iterable[str]) -> dict[str, Row]:
        return {row["id"]: row for row in self._rows("standing_of_ids", ids=json.dumps(list(ids)))}

    def page(self, wanted: Filter, *, before: int | None, limit: int) -> list[Row]:
        condition, parameters = where(wanted)
        if before is not None:
            condition += " AND m.key < :before"
            parameters["before"] = before
        columns = ", ".join(f"m.{column}" for column in MEMORY_COLUMNS)
        sql = f"SELECT {columns} FROM scoped_memories m WHERE {condition} ORDER BY m.key DESC LIMIT :limit"
        return self._session.rows(sql, parameters | {"limit": limit})

    def by_key(self, keys: Iterable[int], wanted: Filter) -> dict[int, Row]:
        condition, parameters = where(wanted)
        columns = ", ".join(f"m.{column}" for column in MEMORY_COLUMNS)
        among = "m.key IN {keys:keys}"
        sql = f"SELECT {columns} FROM scoped_memories m WHERE {among} AND {condition}"
        rows = self._session.rows(sql, parameters | {"keys": json.dumps(list(keys))})
        return {row["key"]: row for row in rows}

    def matching(
        self, words: Words, wanted: Filter | None, *, limit: int
    ) -> list[tuple[int, float]]:
        if not words.words:
            return []
        condition, parameters = where(wanted) if wanted is not None else (None, {})
        return self._session.matching(words, condition, parameters, limit)

    def matching_among(
        self, rows: Iterable[Mapping[str, Any]], words: Words, *, limit: int
    ) -> list[tuple[int, float]]:
        if not words.words:
            return []
        dated = ({**row, "day": day_in_words(row["event_at"])} for row in rows)
        return self._session.matching_among(dated, words, limit)

    def holding(
        self, pieces: Sequence[str], wanted: Filter, *, limit: int
    ) -> list[tuple[int, float]]:
        condition, parameters = where(wanted)
        names = [f"piece{i}" for i in range(len(pieces))]
        fields = ("text", "title", "tags", "entities")
        one = "CASE WHEN {} THEN 1 ELSE 0 END"
        held = " + ".join(
            one.format(" OR ".join(f"{{at:m.{field}::{name}}} > 0" for field in fields))
            for name in names
        )
        sql = (
            f"SELECT key, held FROM (SELECT m.key, {held} AS held FROM scoped_memories m WHERE {condition}) h "
            "WHERE held > 0 ORDER BY held DESC, key DESC LIMIT :limit"
        )
        parameters |= dict(zip(names, pieces, strict=True)) | {"limit": limit}
        return [(key, held / len(pieces)) for key, held in self._session.tuples(sql, parameters)]

    def frequency(self, word: str) -> float:
        return self._session.frequency(word)

    def neighbours(self, keys: Sequence[int]) -> list[tuple[Any, ...]]:
        return self._tuples("neighbours", keys=json.dumps(list(keys)))

    def by_content(self, hashes: Iterable[str], *, live_at: int | None = None) -> dict[str, Row]:
        found = self._rows("oldest_live_by_hash", hashes=json.dumps(list(hashes)), live_at=live_at)
        return {row["content_hash"]: row for row in found}

    def removed_key(self, memory_id: str) -> int | None:
        key: int | None = self._value("key_of_removed", id=memory_id)
        return key

    def from_source(self, source: str) -> list[int]:
        return [key for (key,) in self._tuples("from_source", source=source)]

    def identity(self) -> Row:
        return self._rows("identity")[0]

    def kinds(self) -> list[str]:
        return [row["kind"] for row in self._rows("kinds_in_use")]

    def summary(self) -> list[Row]:
        return self._rows("summary")

    # columns and vectors

    @property
    def space_key(self) -> int:
        return self._space_id

    def alone(self) -> bool:
        return bool(self._value("space_count") == 1)

    def newest_change(self) -> int:
        return int(self._value("newest_change") or 0)

    def changed_memories(self, since: int) -> list[int]:
        return [key for (key,) in self._tuples("changed_memories", operation=since)]

    def mirrored(self, keys: Sequence[int]) -> list[tuple[Any, ...]]:
        return sorted(self._tuples("mirrored", keys=json.dumps(list(keys))))

    def mirrored_columns(self) -> list[list[Any]]:
        # A text per column costs a third of a tuple per row.
        alone = self.alone()
        found = (
            self._tuples("mirrored_columns_alone", space_id=self._space_id)
            if alone
            else self._tuples("mirrored_columns")
        )
        columns: list[list[Any]] = [json.loads(text) for text in found[0]]
        keys = columns[0]
        if keys != sorted(keys):
            order = sorted(range(len(keys)), key=keys.__getitem__)
            columns = [[column[at] for at in order] for column in columns]
        return columns

    def model_key(self, name: str, dimension: int) -> int | None:
        key: int | None = self._value("model_key", name=name, dimension=dimension)
        return key

    def bands(self, model: int) -> Bands:
        kept = self._tuples("bands", model=model)
        return Bands(*kept[0]) if kept and None not in kept[0] else BANDS

    def models(self) -> list[Row]:
        return self._rows("models")

    def newest_vector(self) -> int:
        return self._session.newest_key("vectors")

    def vectors_after(
        self, model: int, memory: int, *, wording: bytes | None = None, limit: int
    ) -> list[tuple[Any, ...]]:
        last = LAST_WORDING if wording is None else wording
        return self._tuples("vectors_after", model=model, memory=memory, wording=last, limit=limit)

    def vectors_between(self, model: int, after: int, upto: int) -> list[tuple[Any, ...]]:
        return self._tuples(
            "vectors_between", space_id=self._space_id, model=model, after=after, upto=upto
        )

    def vectors_of(self, model: int, keys: Sequence[int]) -> list[tuple[Any, ...]]:
        return self._tuples("vectors_of_memories", model=model, keys=json.dumps(list(keys)))

    def nearest(
        self,
        model: int,
        query: Vectors,
        wanted: Filter | None,
        *,
        limit: int,
        among: Sequence[int] | None = None,
    ) -> list[NearRow] | None:
        return None  # only where the engine compares vectors

    def embedded(
        self, model: int, *, after: int = 0, memories: Sequence[int] | None = None
    ) -> tuple[bytes, bytes] | None:
        return None

    def unembedded(self, model: int | None, *, state: str, before: int, limit: int) -> list[Row]:
        return self._rows("unembedded", model=model, state=state, before=before, limit=limit)

    def unembedded_count(self, model: int | None) -> int:
        return int(self._value("unembedded_count", model=model))

    # links and clusters

    def edges_touching(self, keys: Sequence[int]) -> list[tuple[Any, ...]]:
        return self._tuples("edges_touching", keys=json.dumps(list(keys)))

    def edges(self, *, of: str | None = None, states: Sequence[str] = ("LIVE",)) -> list[Row]:
        wanted = json.dumps(list(states))
        if of is None:
            return self._rows("edges_between_states", states=wanted)
        return self._rows("edges_of_memory", id=of, states=wanted)

    def edge(self, source: int, target: int, edge_type: str) -> Row | None:
        return self._one("edge_between", source=source, target=target, type=edge_type)

    def clusters(self) -> list[Row]:
        return self._rows("clusters")

    def memberships(self) -> list[Row]:
        return self._rows("memberships")

    def members(self, cluster: int, *, of: Iterable[int] | None = None) -> list[Row]:
        if of is None:
            return self._rows("members_of_cluster", cluster=cluster)
        return self._rows("members_among", cluster=cluster, memories=json.dumps(list(of)))

    def page_text(self, name: str) -> Row | None:
        return self._one("page_by_name", name=name)

    # operations and journal

    def operation(self, operation_id: str) -> Row | None:
        return self._one("operation_by_id", id=operation_id)

    def operation_by_key(self, key: int) -> Row | None:
        return self._one("operation_by_key", key=key)

    def operations(
        self,
        *,
        limit: int,
        before: int | None = None,
        actor: str | None = None,
        session: str | None = None,
        verb: str | None = None,
        children_of: int | None = None,
    ) -> list[Row]:
        return self._rows(
            "operations",
            limit=limit,
            before=before,
            actor=actor,
            session=session,
            verb=verb,
            parent=children_of,
        )

    def operation_count(self) -> int:
        return int(self._value("operation_count"))

    def newest_undoable(self, actor: str) -> Row | None:
        before: int | None = None
        while candidates := self._rows("undo_candidates", actor=actor, before=before):
            for row in candidates:
                if self.undone_by(row["key"]) is None:
                    return row
            before = candidates[-1]["key"]
        return None

    def undone_by(self, key: int) -> Row | None:
        # Newest first: whether an undo stands is known before what it undoes is looked at.
        undone: dict[int, int] = {}
        for row in self._rows("undos_of", key=key):
            if row["key"] not in undone:
                undone[row["undoes"]] = row["key"]
        return self.operation_by_key(undone[key]) if key in undone else None

    def last_operation_at_or_before(self, at: int) -> int:
        return int(self._value("last_operation_at_or_before", at=at))

    def entries(self, operations: Sequence[int]) -> list[Entry]:
        return self._entries("entries_of_operations", operations=json.dumps(list(operations)))

    def entries_after(
        self, places: Sequence[Place], entry: int, *, without: Sequence[int] = ()
    ) -> list[Entry]:
        keys: dict[str, list[int]] = defaultdict(list)
        for table, key in places:
            keys[table].append(key)
        found: list[Entry] = []
        for table, wanted in keys.items():
            found += self._entries(
                "entries_of_rows_after",
                tbl=table, keys=json.dumps(wanted), entry=entry, without=json.dumps(list(without)),
            )  # fmt: skip
        return found

    def entries_since(self, table: str, operation: int) -> list[Entry]:
        return self._entries("entries_of_table_since", tbl=table, operation=operation)

    def _entries(self, statement: str, /, **parameters: Any) -> list[Entry]:
        found = self._session.tuples(statements()[statement], parameters)
        return [
            Entry(entry, operation, table, key, action, json.loads(image))
            for entry, operation, table, key, action, image in found
        ]

    def history(self, memory_key: int) -> list[Row]:
        return self._rows("history_of_memory", key=memory_key)

    def rows(self, places: Sequence[Place]) -> dict[Place, Row]:
        keys: dict[str, list[int]] = defaultdict(list)
        for table, key in places:
            keys[table].append(key)
        found: dict[Place, Row] = {}
        for table, wanted in keys.items():
            sql = f"SELECT * FROM scoped_{table} WHERE key IN {{keys:keys}}"
            for row in self._session.rows(sql, {"keys": json.dumps(wanted)}):
                key = row.pop("key")
                del row["space_id"]
                found[table, key] = row
        return found

    # recall log and upkeep

    def recall(self, recall_id: str) -> Row | None:
        return self._one("recall_by_id", id=recall_id)

    def recalls(self, *, limit: int) -> list[Row]:
        return self._rows("recalls", limit=limit)

    def curves(self) -> Curves:
        if self._curves is None:
            adopted = self._tuples("curves")
            self._curves = {
                **DEFAULT_CURVES,
                **{Section(name): Curve(*figures) for name, *figures in adopted},
            }
        return self._curves

    def tombstones(self) -> list[Row]:
        return self._rows("tombstones")

    def has_tombstones(self) -> bool:
        return bool(self._value("has_tombstones"))

    def tombstones_with(self, fingerprints: Iterable[str]) -> list[Row]:
        return self._rows("tombstones_with", fingerprints=json.dumps(list(fingerprints)))

    def conflicts(self) -> list[Row]:
        return self._rows("open_conflicts")

    def conflict(self, conflict_id: str) -> Row | None:
        return self._one("conflict_by_id", id=conflict_id)

    def plan(self, plan_id: str) -> Row | None:
        return self._one("plan_by_id", id=plan_id)

    def plans(self, *, limit: int) -> list[Row]:
        return self._rows("plans", limit=limit)

    # pruning

    def resting_on(self, keys: Sequence[int], types: Sequence[str]) -> list[tuple[Any, ...]]:
        return self._tuples(
            "resting_on", keys=json.dumps(list(keys)), types=json.dumps(list(types))
        )

    def live_count(self) -> int:
        return int(self._value("live_count"))

    def changed_by(self, verb: str, since: int) -> int:
        return int(self._value("changed_by", verb=verb, since=since))

    def operations_by_hash(self, hash: str) -> list[Row]:
        return self._rows("operations_by_hash", hash=hash)

    def memories_by_hash(self, hash: str) -> list[Row]:
        return self._rows("memories_by_hash", hash=hash)
