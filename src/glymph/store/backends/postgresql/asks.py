"""What a transaction will ask for, as statements."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from glymph.store.contract import Ask, NewestKey, NewKeys


def sequence(table: str) -> str:
    """Returns the name of the sequence that gives out the keys of a table."""
    return f"glymph.{table}_{'id' if table == 'journal' else 'key'}_seq"


def is_single(ask: Ask) -> bool:
    """Tells whether an ask brings one value."""
    if isinstance(ask, NewKeys):
        return ask.count == 1
    return isinstance(ask, NewestKey) or ask.single


def write_ask(ask: Ask) -> tuple[str, Mapping[str, Any]]:
    """Returns the statement of an ask, with its parameters."""
    if isinstance(ask, NewestKey):
        return write_newest_key(ask.table), {}
    if isinstance(ask, NewKeys):
        one = ask.count == 1
        return _new_keys(ask.table, one=one), {} if one else {"count": ask.count}
    return ask.sql, ask.parameters


@cache
def _new_keys(table: str, *, one: bool) -> str:
    # The name is written out: what may be any sequence is planned anew each time.
    drawn = f"SELECT nextval('{sequence(table)}')"
    return drawn if one else f"{drawn} FROM generate_series(1, CAST(:count AS bigint))"


@cache
def write_newest_key(table: str) -> str:
    """Writes what asks for an upper bound of the keys of a table."""
    return f"SELECT max(key) FROM scoped_{table}"
