"""The newer of two statements stands above the older one it updates, wherever a query would put it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from glymph.store.contract import Reader

T = TypeVar("T")
CHAIN = 5  # updates of updates that are followed

Updates = Mapping[int, Sequence[int]]  # the newer memories, by the older one that each of them updates


def updates_of(reader: Reader, keys: Iterable[int]) -> Updates:
    """What updates these memories, and what updates that."""
    found: dict[int, list[int]] = defaultdict(list)
    asked: set[int] = set()
    wanted = set(keys)
    for _ in range(CHAIN):
        if not wanted:
            break
        asked |= wanted
        for source, target, kind, *_ in reader.edges_touching(sorted(wanted)):
            if kind == "supersedes" and target in wanted:
                found[target].append(source)
        wanted = {newer for several in found.values() for newer in several} - asked
    return found


def newer_first(
    ordered: Iterable[T], key: Callable[[T], int], updates: Updates, newer: Mapping[int, T]
) -> list[tuple[T, T | None]]:
    """Everything in its order, but what updates a thing directly above it; each with the one that raised it."""
    placed: dict[int, tuple[T, T | None]] = {}

    def place(one: T, older: T | None, above: frozenset[int]) -> None:
        for update in updates.get(key(one), ()):
            if update in newer and update not in placed and update not in above:
                place(newer[update], one, above | {key(one)})
        placed.setdefault(key(one), (one, older))

    for one in ordered:
        if key(one) not in placed:
            place(one, None, frozenset())
    return list(placed.values())
