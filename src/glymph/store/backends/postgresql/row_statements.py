"""Statements that insert or change rows by the columns that are given, written once for each shape.

One row goes as values; many go as one array for each column, so that triggers run once for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from psycopg import sql as syntax

TypedColumns = tuple[tuple[str, str], ...]


@cache
def write_insertion(table: str, columns: TypedColumns) -> bytes:
    return f"{_write_head(table, columns)} SELECT * FROM unnest({_arrays(columns)})".encode()


@cache
def write_insertion_of_one(table: str, columns: TypedColumns) -> bytes:
    return f"{_write_head(table, columns)} VALUES ({', '.join(_values(columns))})".encode()


@cache
def write_change_of_one(table: str, columns: TypedColumns, keys: int) -> bytes:
    """Writes the change of the row that is found by the first so many of the columns."""
    told = [
        f"{_quoted(name)} = {value}"
        for (name, _), value in zip(columns, _values(columns), strict=True)
    ]
    same = " AND ".join(told[:keys])
    return f"UPDATE {_quoted(table)} SET {', '.join(told[keys:])} WHERE {same}".encode()


@cache
def write_removal(table: str) -> bytes:
    return f"DELETE FROM {_quoted(table)} WHERE space_id = $1 AND key = ANY($2::bigint[])".encode()


@cache
def kinds_of(columns: TypedColumns) -> tuple[str, ...]:
    """Returns the types alone."""
    return tuple(kind for _, kind in columns)


def _write_head(table: str, columns: TypedColumns) -> str:
    return f"INSERT INTO {_quoted(table)} ({', '.join(_quoted(name) for name, _ in columns)})"


def _values(columns: TypedColumns) -> list[str]:
    return [f"${at}::{kind}" for at, (_, kind) in enumerate(columns, start=1)]


@cache
def write_change(table: str, columns: TypedColumns, keys: int) -> bytes:
    """Writes the change of rows that are found by the first so many of the columns."""
    named = [(_quoted(name), f"v.c{at}") for at, (name, _) in enumerate(columns)]
    same = " AND ".join(f"t.{name} = {value}" for name, value in named[:keys])
    sets = ", ".join(f"{name} = {value}" for name, value in named[keys:])
    given = ", ".join(f"c{at}" for at in range(len(columns)))
    return (
        f"UPDATE {_quoted(table)} t SET {sets} FROM unnest({_arrays(columns)}) AS v({given}) "
        f"WHERE {same}"
    ).encode()


def _arrays(columns: TypedColumns) -> str:
    return ", ".join(f"${at}::{kind}[]" for at, (_, kind) in enumerate(columns, start=1))


def _quoted(name: str) -> str:
    return syntax.Identifier(name).as_string(None)


def turn(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Returns the columns of rows."""
    return [list(column) for column in zip(*rows, strict=True)]
