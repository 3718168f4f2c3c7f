"""A connection inside a transaction: what it is asked, what waits, what was foreseen."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from numpy.typing import NDArray
from psycopg.rows import dict_row

from glymph import errors
from glymph.store.backends.postgresql import bulk, nearest, sealing, text_search
from glymph.store.backends.postgresql.asks import is_single, write_ask, write_newest_key
from glymph.store.backends.postgresql.dialect import POSTGRESQL
from glymph.store.backends.postgresql.pipeline import (
    Answer,
    Pipeline,
    RawConnection,
    compile_statement,
)
from glymph.store.backends.postgresql.row_statements import (
    kinds_of,
    turn,
    write_change,
    write_change_of_one,
    write_insertion,
    write_insertion_of_one,
    write_removal,
)
from glymph.store.contract import (
    JOURNALLED,
    Ask,
    Lookup,
    NearRow,
    NewKeys,
    Row,
    Scored,
    VectorRow,
)
from glymph.store.scan import Vectors
from glymph.text.query import Words

PAGE = 2_000  # rows fetched at a time of a result that is never held as a whole

MOST_QUEUED = 1_000  # statements that wait for one another

Foreseen = tuple[str, tuple[Any, ...]]  # a statement, and the values of its parameters

_numbers = itertools.count()


class Connection:
    """A connection inside a transaction that shows the rows of one space at a time.

    What brings nothing back waits, and goes out with the next statement that does: a refusal is
    raised there, or at the end of the transaction.
    """

    def __init__(
        self, raw: RawConnection, types: Mapping[str, Mapping[str, str]], *, writes: bool
    ) -> None:
        self._raw = raw
        self._types = types
        self._pipeline = Pipeline(raw)
        self._foreseen: dict[Foreseen, Answer] = {}
        self._reserved: dict[str, Answer] = {}  # keys of tables, drawn ahead
        self._made: dict[int, str] = {}  # what memories say that were made here, by key
        self._journalled = 0  # rows that may be in the journal by now
        self._entering: tuple[str, Answer] | None = None
        self.added: Counter[str] = Counter()  # rows by table
        self._pipeline.add(_BEGIN[writes])

    @property
    def raw(self) -> RawConnection:
        """The driver's connection, for what is no statement with rows; nothing waits any more."""
        self._send()
        return self._raw

    def show(self, space_id: int) -> None:
        """Limits this transaction to one space."""
        self._foreseen.clear()
        self.run("SELECT set_config('glymph.space', :shown, true)", {"shown": str(space_id)})

    def enter(self, space: str, sql: str, parameters: Mapping[str, Any]) -> Answer:
        """Queues the statement that shows a space; SpaceNotFound once it has shown none."""
        answer = self._pipeline.ask(sql, parameters)
        self._entering = space, answer
        return answer

    def settle(self) -> None:
        """Leaves nothing waiting."""
        self._send()

    def ask_first(
        self, sql: str, parameters: Mapping[str, Any], ahead: Iterable[Ask]
    ) -> list[tuple[Any, ...]]:
        """Asks a statement, and what will be asked for after it, in one round trip."""
        self._foreseen.clear()
        self._reserved.clear()
        answer = self._pipeline.ask(sql, parameters)
        self.foresee(ahead)
        self._send()
        return answer.tuples()

    def commit(self) -> None:
        """Makes all of it durable, in one round trip with what still waits."""
        self._pipeline.add(b"COMMIT")
        self._send()

    def _send(self) -> None:
        self._pipeline.send()
        if self._entering is not None:
            (space, answer), self._entering = self._entering, None
            if not answer.tuples():
                raise errors.SpaceNotFound(space)

    # Session

    def each(self, sql: str, parameters: Mapping[str, Any]) -> Iterator[Row]:
        name = f"rows_{next(_numbers)}"
        with self.raw.cursor(name=name, binary=True, row_factory=dict_row) as cursor:
            cursor.itersize = PAGE
            cursor.execute(POSTGRESQL.render(sql), parameters)
            yield from cursor

    def rows(self, sql: str, parameters: Mapping[str, Any]) -> list[Row]:
        return self._ask(sql, parameters).rows()

    def tuples(self, sql: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        return self._ask(sql, parameters).tuples()

    def execute(self, sql: str, parameters: Mapping[str, Any]) -> int:
        return self._ask(sql, parameters).count()

    def _ask(self, sql: str, parameters: Mapping[str, Any]) -> Answer:
        answer = self._find_foreseen(sql, parameters)
        if answer is None:
            self._note_written(written_by(sql), parameters)
            answer = self._pipeline.ask(sql, parameters)
        if not answer.is_there:
            self._send()
        return answer

    def run(self, sql: str, parameters: Mapping[str, Any]) -> None:
        self._note_written(written_by(sql), parameters)
        self._pipeline.ask(sql, parameters)
        if len(self._pipeline) >= MOST_QUEUED:
            self._send()

    def repeat(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> None:
        for row in rows:
            self.run(sql, row)

    # What will be asked for is sent along before it is, and kept until something changes it.

    def foresee(self, asks: Iterable[Ask]) -> None:
        singles: dict[Foreseen | str, Ask] = {}  # those that bring one value go as one statement
        for ask in asks:
            name = self._name_ask(ask)
            if name in self._foreseen:
                continue
            if is_single(ask):
                singles.setdefault(name, ask)
            else:
                self._keep_foreseen(name, self._pipeline.ask(*write_ask(ask)))
        if singles:
            answers = self._pipeline.ask_together([write_ask(ask) for ask in singles.values()])
            for name, answer in zip(singles, answers, strict=True):
                self._keep_foreseen(name, answer)

    def _name_ask(self, ask: Ask) -> Foreseen | str:
        return ask.table if isinstance(ask, NewKeys) else self._name_foreseen(*write_ask(ask))

    def _keep_foreseen(self, name: Foreseen | str, answer: Answer) -> None:
        if isinstance(name, str):
            self._reserved[name] = answer
        else:
            self._foreseen[name] = answer

    def foreseen(self, lookup: Lookup) -> list[tuple[Any, ...]] | None:
        answer = self._find_foreseen(lookup.sql, lookup.parameters)
        if answer is not None and not answer.is_there:
            self._send()
        return None if answer is None else answer.tuples()

    def recognise(self, foreseen: Lookup, as_: Lookup) -> None:
        answer = self._foreseen.get(self._name_foreseen(foreseen.sql, foreseen.parameters))
        if answer is not None:
            self._foreseen[self._name_foreseen(as_.sql, as_.parameters)] = answer

    def _name_foreseen(self, sql: str, parameters: Mapping[str, Any]) -> Foreseen:
        values = (parameters[name] for name in compile_statement(sql).names)
        return sql, tuple(tuple(one) if isinstance(one, list) else one for one in values)

    def _find_foreseen(self, sql: str, parameters: Mapping[str, Any]) -> Answer | None:
        if not self._foreseen:
            return None
        return self._foreseen.get(self._name_foreseen(sql, parameters))

    def _forget(self, written: str | None) -> None:
        """Drops what was foreseen of a table that is written to, and of those that follow it."""
        if written is None or not self._foreseen:
            return
        self._foreseen = {
            known: answer
            for known, answer in self._foreseen.items()
            if not _is_stale(known[0], written)
        }

    def _note_written(self, table: str | None, parameters: Mapping[str, Any]) -> None:
        """Takes note of a statement that writes: how many rows, only its lists of keys can tell."""
        if table in JOURNALLED:
            lists = [len(value) for value in parameters.values() if isinstance(value, list)]
            self._journalled += sum(lists) if lists else sealing.MOST_ROWS + 1
        self._forget(table)

    def record(self, key: int, head: Mapping[str, Any]) -> Callable[[], str] | None:
        if self._journalled > sealing.MOST_ROWS:
            return None
        self._forget("operations")
        answer = sealing.record(self._pipeline, key, head)
        return lambda: str(answer.tuples()[0][0])

    def new_key(self, table: str) -> int:
        return self.new_keys(table, 1)[0]

    def new_keys(self, table: str, count: int) -> list[int]:
        drawn = self._reserved.pop(table, None)
        drawn = drawn or self._pipeline.ask(*write_ask(NewKeys(table, count)))
        if not drawn.is_there:
            self._send()
        keys = [key for (key,) in drawn.tuples()]
        if len(keys) < count:  # more than was foreseen; those drawn are never used
            return self.new_keys(table, count)
        return keys[:count]

    def newest_key(self, table: str) -> int:
        # Writers of one space wait for one another, so whatever has a lower key is there, too.
        found = self.tuples(write_newest_key(table), {})
        return found[0][0] or 0

    # One statement for many rows, handed over column by column: triggers run once for all of them.

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        self._forget(table)
        self._journalled += len(rows)
        types = self._types[table]
        typed = tuple((column, types[column]) for column in columns)
        if len(rows) == 1:
            self._pipeline.add_row(write_insertion_of_one(table, typed), rows[0], kinds_of(typed))
        else:
            self._pipeline.add(write_insertion(table, typed), turn(rows))
        self.added[table] += len(rows)
        if table == "memories" and {"key", "content_hash"} <= set(columns):
            key, said = columns.index("key"), columns.index("content_hash")
            self._made |= {row[key]: row[said][:16] for row in rows}
        if table == "vectors":
            at = [columns.index(name) for name in ("model", "memory", "wording", "vector")]
            nearest.keep(
                self._pipeline, [(row[at[0]], row[at[1]], row[at[2]], row[at[3]]) for row in rows]
            )

    def update(
        self, table: str, keys: Sequence[str], columns: Sequence[str],
        rows: Sequence[Sequence[Any]], *, for_good: bool = False,
    ) -> None:  # fmt: skip
        self._forget(table)
        self._journalled += len(rows)
        types = self._types[table]
        both = tuple((column, types[column]) for column in (*keys, *columns))
        if len(rows) == 1:
            text = write_change_of_one(table, both, len(keys))
            self._pipeline.add_row(text, rows[0], kinds_of(both))
        else:
            self._pipeline.add(write_change(table, both, len(keys)), turn(rows))

    def remove(
        self, table: str, space_id: int, keys: Sequence[int], *, for_good: bool = False
    ) -> None:
        self._forget(table)
        self._journalled += len(keys)
        self._pipeline.add(write_removal(table), (space_id, list(keys)))

    def clear_words(self, space_id: int, keys: Sequence[int] | None = None) -> None:
        """Does nothing: what a row said goes with its pages, when they are written anew."""

    def bulk_figures(
        self, table: str, first: int, upto: int
    ) -> tuple[dict[str, NDArray[Any]], list[str]]:
        return bulk.figures(self.raw, table, first, upto)

    @property
    def text_index(self) -> None:
        return None  # it weighs words itself, by space

    def match(self, words: Words, where: str, parameters: Mapping[str, Any], limit: int) -> Scored:
        return text_search.match(self, words, where, parameters, limit)

    def hold(
        self, phrases: Sequence[str], where: str, parameters: Mapping[str, Any], limit: int
    ) -> list[int]:
        return text_search.hold(self, phrases, where, parameters, limit)

    def match_among(self, rows: Iterable[Mapping[str, Any]], words: Words, limit: int) -> Scored:
        return text_search.match_among(self, rows, words, limit)

    def frequency(self, word: str, *, most: float = 1.0) -> float:
        return text_search.frequency(self, word, most)

    def occurs(self, word: str) -> bool:
        return text_search.occurs(self, word)

    def add_vectors(self, space_id: int, model: int, rows: Iterable[VectorRow]) -> None:
        given = list(rows)
        if given and all(self._made.pop(row[0], None) == row[1].hex() for row in given):
            # Of memories made just now: they say that, and have no vector yet.
            columns = ("space_id", "model", "memory", "wording", "vector")
            self.insert("vectors", columns, [(space_id, model, *row) for row in given])
            return
        self._forget("vectors")
        self.added["vectors"] += nearest.add(self._pipeline, space_id, model, given)

    def nearest(
        self,
        model: int,
        query: Vectors,
        where: str | None,
        parameters: Mapping[str, Any],
        *,
        among: Sequence[int] | None,
        limit: int,
    ) -> list[NearRow]:
        return nearest.nearest(self, model, query, where, parameters, among=among, limit=limit)

    def embedded_keys(
        self, model: int, *, after: int, memories: Sequence[int] | None
    ) -> tuple[bytes, bytes]:
        return nearest.embedded_keys(self, model, after=after, memories=memories)


_WRITTEN = re.compile(r"\b(?:INTO|UPDATE|DELETE FROM)\s+(\w+)")


@lru_cache(maxsize=2_000)
def written_by(sql: str) -> str | None:
    """Returns the table that a statement writes to; None if it only reads."""
    found = None if sql.startswith("SELECT") else _WRITTEN.search(sql)
    return None if found is None else found[1]


@lru_cache(maxsize=10_000)
def _is_stale(sql: str, written: str) -> bool:
    """Tells whether a statement may bring something else once a table was written to."""
    tables = "|".join((written, *FOLLOWING.get(written, ())))
    return re.search(rf"\b(?:scoped_)?(?:{tables})\b", sql) is not None


# Tables that fill with others, by triggers.
FOLLOWING = {
    "memories": ("memory_text", "journal", "operations"),
    "edges": ("journal",),
    "vectors": ("meanings",),
}  # fmt: skip
_BEGIN = {
    True: b"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
    False: b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
}
