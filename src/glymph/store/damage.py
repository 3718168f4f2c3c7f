"""Telling a damaged store from a fault of the program.

A flipped bit may make a text no JSON, a state no state, a date no date: whoever reads it then
stumbles somewhere. That is an error about the store, with a next step, but only if the store is
found damaged; otherwise it stays what it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from glymph.errors import CorruptStore, GlymphError, SpaceNotFound, StoreError
from glymph.store.portable import find_flaw

if TYPE_CHECKING:
    from glymph.store.store import Store

# What reading a damaged value may raise.
UNREADABLE = (
    ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError,
    ValueError,
)  # fmt: skip


@contextmanager
def naming_damage(store: Store, space: str | None = None) -> Iterator[None]:
    """Turns what a damaged row makes the program stumble over into CorruptStore, after a look."""
    try:
        yield
    except GlymphError:
        raise
    except UNREADABLE as error:
        if found := find_damage(store, space):
            raise CorruptStore(store.url, found) from error
        raise


def find_damage(store: Store, space: str | None) -> str | None:
    """Returns the first damage found in the store as such, or in a space of it; None if none is."""
    try:
        problems = store.check()
        if problems or space is None:
            return problems[0].detail if problems else None
        return next(_find_in_rows(store, space), None)
    except (StoreError, SpaceNotFound) as error:
        return str(error)
    except UNREADABLE as error:
        return f"the space {space!r} cannot be read: {error!r}"


def _find_in_rows(store: Store, space: str) -> Iterator[str]:
    columns = store.column_types()
    with store.snapshot(space) as shot:
        for table, row in shot.rows():
            if flaw := find_flaw(table, row, columns):
                yield f"row {row['key']} of {table} {flaw}"
        for sealed in shot.sealed_operations():
            if sealed.operation["hash"] and sealed.operation["hash"] != sealed.seal():
                yield f"the record or the journal of {sealed.operation['id']} was altered"
