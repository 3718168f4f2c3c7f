"""Statements to a server, many in one round trip.

A statement is queued and gets its answer when the queue goes out: all that is queued is sent at
once, and the server answers in the same order. The first that fails ends the rest, which then never
ran. This lies on libpq's pipeline mode itself, for psycopg's own sends each statement by itself and
costs a client more than the server takes to run it.
"""

from __future__ import annotations

import itertools
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import psycopg
from psycopg.abc import PQGen
from psycopg.adapt import PyFormat, Transformer
from psycopg.pq import ConnStatus, ExecStatus, Format
from psycopg.pq.abc import PGresult
from psycopg.rows import tuple_row
from psycopg.waiting import Ready, Wait

from glymph.store.backends.postgresql.dialect import POSTGRESQL
from glymph.store.backends.postgresql.packing import formats_of, pack_list
from glymph.store.contract import Row

MOST_PREPARED = 400  # statements that a connection keeps ready; the longest unused go first

# Elements of a list from which on a statement is planned for it alone: a plan that is kept would go
# through a list one by one for each row.
LONG_LIST = 100

_PLACE = re.compile(r"%\((\w+)\)s|%%")
_NUMBER = re.compile(rb"\$(\d+)")


class Statement(NamedTuple):
    """A statement as the server takes it, with the names of its parameters in their order."""

    text: bytes
    names: tuple[str, ...]


@lru_cache(maxsize=2_000)
def compile_statement(template: str) -> Statement:
    """Writes a shared statement for the server: `:name` becomes `$1`, and so on."""
    names: dict[str, int] = {}

    def place(found: re.Match[str]) -> str:
        name = found[1]
        return "%" if name is None else f"${names.setdefault(name, len(names) + 1)}"

    text = _PLACE.sub(place, POSTGRESQL.render(template))
    return Statement(text.encode(), tuple(names))


@lru_cache(maxsize=2_000)
def compile_together(templates: tuple[str, ...]) -> Statement:
    """Writes statements that each bring one value as one that brings all of these."""
    parts: list[bytes] = []
    names: list[str] = []
    for template in templates:
        one, before = compile_statement(template), len(names)
        text = _NUMBER.sub(lambda found, n=before: b"$%d" % (int(found[1]) + n), one.text)  # type: ignore[misc]
        parts.append(b"(" + text + b"\n)")
        names += one.names
    return Statement(b"SELECT " + b", ".join(parts), tuple(names))


def _names(template: str) -> tuple[str, ...]:
    return compile_statement(template).names


class RawConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection of the driver that knows what it has prepared.

    It is always in the driver's autocommit mode: Glymph says itself where a transaction begins.
    """

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **{"row_factory": tuple_row, **options})
        self.prepared: OrderedDict[tuple[bytes, tuple[int, ...]], bytes] = OrderedDict()
        self.numbers = itertools.count()


class Answer:
    """What a statement brings; there once its pipeline has gone out."""

    __slots__ = ("_only", "_pipeline", "result")

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self.result: PGresult | None = None
        self._only: tuple[Any, ...] | None = None

    @property
    def is_there(self) -> bool:
        return self.result is not None

    def tuples(self) -> list[tuple[Any, ...]]:
        result = self._arrived()
        return self._pipeline.load(result) if result.nfields else []

    def only_row(self) -> tuple[Any, ...]:
        if self._only is None:
            (self._only,) = self.tuples()
        return self._only

    def rows(self) -> list[Row]:
        names = self.names()
        return [dict(zip(names, row, strict=True)) for row in self.tuples()]

    def names(self) -> list[str]:
        """Returns the names of the columns."""
        result = self._arrived()
        return [(result.fname(number) or b"").decode() for number in range(result.nfields)]

    def count(self) -> int:
        """Returns how many rows the statement touched."""
        return self._arrived().command_tuples or 0

    def _arrived(self) -> PGresult:
        if self.result is None:
            self._pipeline.send()
        assert self.result is not None
        return self.result


class Part(Answer):
    """One value of what a statement brings."""

    __slots__ = ("_number", "_whole")

    def __init__(self, pipeline: Pipeline, whole: Answer, number: int) -> None:
        super().__init__(pipeline)
        self._whole, self._number = whole, number

    @property
    def is_there(self) -> bool:
        return self._whole.is_there

    def tuples(self) -> list[tuple[Any, ...]]:
        return [(self._whole.only_row()[self._number],)]

    def rows(self) -> list[Row]:
        name = self._whole.names()[self._number]
        return [{name: value} for (value,) in self.tuples()]


class _Queued(NamedTuple):
    text: bytes
    values: Sequence[Any] | None  # dumped
    types: tuple[int, ...]
    formats: Sequence[Format] | None
    answer: Answer
    long: bool  # a list: it is planned for that alone


class Pipeline:
    """The queue of statements of one transaction."""

    def __init__(self, raw: RawConnection) -> None:
        self._raw = raw
        self._adapt = Transformer(raw)
        self._queue: list[_Queued] = []

    def add(self, text: bytes, values: Sequence[Any] = ()) -> Answer:
        """Queues a statement with its values in the order of `$1`, `$2`, …"""
        if not values:
            return self._put_in(text, None, (), None)
        given, how, types = list(values), [PyFormat.AUTO] * len(values), [0] * len(values)
        long = False
        for at, value in enumerate(values):
            if type(value) is not list:
                continue
            # As text it would cost its length in digits, and could not carry every type.
            how[at], packed = PyFormat.BINARY, pack_list(value)
            long = long or len(value) > LONG_LIST
            if packed is not None:
                given[at], types[at] = packed
        dumped = self._adapt.dump_sequence(given, how)
        told = zip(types, self._adapt.types or (), strict=True)
        numbers = tuple(own or found for own, found in told)
        return self._put_in(text, dumped, numbers, self._adapt.formats, long=long)

    def add_row(self, text: bytes, row: Sequence[Any], kinds: tuple[str, ...]) -> Answer:
        """Queues a statement that says itself of what types its values are."""
        dumped = self._adapt.dump_sequence(row, formats_of(tuple(map(type, row)), kinds))
        return self._put_in(text, dumped, (), self._adapt.formats)

    def _put_in(
        self, text: bytes, values: Sequence[Any] | None, types: tuple[int, ...],
        formats: Sequence[Format] | None, *, long: bool = False,
    ) -> Answer:  # fmt: skip
        answer = Answer(self)
        self._queue.append(_Queued(text, values, types, formats, answer, long))
        return answer

    def ask(self, template: str, parameters: Mapping[str, Any]) -> Answer:
        """Queues a shared statement."""
        statement = compile_statement(template)
        return self.add(statement.text, [parameters[name] for name in statement.names])

    def ask_together(self, asks: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Answer]:
        """Queues shared statements that each bring one value as one statement."""
        statement = compile_together(tuple(template for template, _ in asks))
        values = [given[name] for template, given in asks for name in _names(template)]
        whole = self.add(statement.text, values)
        return [Part(self, whole, number) for number in range(len(asks))]

    def __len__(self) -> int:
        return len(self._queue)

    def drop(self) -> None:
        """Forgets what was queued and not sent."""
        self._queue.clear()

    def load(self, result: PGresult) -> list[tuple[Any, ...]]:
        self._adapt.set_pgresult(result, set_loaders=True, format=Format.BINARY)
        return self._adapt.load_rows(0, result.ntuples, tuple)

    def send(self) -> None:
        """Sends what is queued, in one round trip; raises what the first failure says."""
        queue, self._queue = self._queue, []
        if not queue:
            return
        raw = self._raw
        with raw.lock:
            raw.pgconn.enter_pipeline_mode()
            expected = self._put(queue)
            raw.pgconn.pipeline_sync()
            try:
                failure = raw.wait(self._exchange(expected))
                raw.pgconn.exit_pipeline_mode()
            except BaseException:
                raw.close()  # cut off between two messages: what it did not commit is undone
                raise
        if failure is not None:
            raise psycopg.errors.error_from_result(failure, raw.info.encoding)

    def _put(self, queue: Sequence[_Queued]) -> list[_Expected]:
        """Hands the statements to libpq, which keeps them until they are let go."""
        server, prepared = self._raw.pgconn, self._raw.prepared
        expected: list[_Expected] = []
        for one in queue:
            if one.long:
                server.send_query_params(
                    one.text, one.values, one.types or None, one.formats, Format.BINARY
                )
                expected.append(_Expected(one.answer))
                continue
            kind = (one.text, one.types)
            name = prepared.get(kind)
            if name is None:
                name = prepared[kind] = b"glymph_%d" % next(self._raw.numbers)
                server.send_prepare(name, one.text, one.types or None)
                expected.append(_Expected(None, kind))
            prepared.move_to_end(kind)
            server.send_query_prepared(name, one.values, one.formats, Format.BINARY)
            expected.append(_Expected(one.answer))
        while len(prepared) > MOST_PREPARED:
            _, name = prepared.popitem(last=False)
            server.send_query_params(b"DEALLOCATE " + name, None)
            expected.append(_Expected(None))
        return expected

    def _exchange(self, expected: Sequence[_Expected]) -> PQGen[PGresult | None]:
        """Sends and receives until the server is through; returns the first failure."""
        server = self._raw.pgconn
        while server.flush():
            while not (ready := (yield Wait.RW)):
                continue
            if ready & Ready.R:  # it may not read on before we take what it has said
                server.consume_input()
        failure: PGresult | None = None
        awaited = iter(expected)
        while True:
            while server.is_busy():
                while not (yield Wait.R):
                    continue
                server.consume_input()
            result = server.get_result()
            if server.status != ConnStatus.OK:
                raise psycopg.OperationalError(server.get_error_message())
            if result is None:  # between two statements
                continue
            if result.status == ExecStatus.PIPELINE_SYNC:
                return failure
            one = next(awaited)
            if result.status in _WELL:
                if one.answer is not None:
                    one.answer.result = result
                continue
            if one.preparing is not None:
                self._raw.prepared.pop(one.preparing, None)
            if failure is None:
                failure = result


class _Expected(NamedTuple):
    """A result to come: of a statement, or of preparing one."""

    answer: Answer | None
    preparing: tuple[bytes, tuple[int, ...]] | None = None


_WELL = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK, ExecStatus.EMPTY_QUERY)
