"""Puts the newer of two statements above the older one that it updates.

updates_of       the links that say so, made when the memories were added
compare_answers  what the reader says of two that answer the same question: the question tells
                 what in two long texts belongs together
newer_first      the order that follows
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from glymph.decay.outdating import find_moment, is_out_of_the_question
from glymph.reader.contract import Reader as TextReader
from glymph.recall.rerank import WHOLE
from glymph.recall.spread import LIKELY
from glymph.store.contract import Row
from glymph.store.reader import Reader

T = TypeVar("T")
CHAIN = 5  # updates of updates that are followed

MOST_COMPARED = 4  # of the best hits that are compared with each other
MAY_ANSWER = 0.1  # how likely they must answer the question
UPDATES = 0.5  # how likely it must be that the newer says anew what the older said

Place = tuple[str, int]  # a space and a key: keys of two spaces may be the same
Updates = Mapping[
    Place, Sequence[Place]
]  # the newer memories, by the older one that each of them updates


def updates_of(reader: Reader, keys: Iterable[int], found_itself: Container[int]) -> Updates:
    """Returns what updates these memories, and what updates that.

    What may update them, but hardly does, counts only if it was found itself.
    """
    found: dict[Place, list[Place]] = defaultdict(list)
    asked: set[int] = set()
    wanted = set(keys)
    for _ in range(CHAIN):
        if not wanted:
            break
        asked |= wanted
        for source, target, kind, weight, *_ in reader.edges_touching(sorted(wanted)):
            if kind != "supersedes" or target not in wanted:
                continue
            if weight >= LIKELY or source in found_itself:
                found[reader.space, target].append((reader.space, source))
        wanted = {newer for several in found.values() for _, newer in several} - asked
    return found


@dataclass(frozen=True, slots=True)
class Answer:
    """A hit that was read: how likely it answers the question, and by what it says."""

    place: Place
    row: Row
    likely: float
    passage: str


def compare_answers(reader: TextReader, answers: Sequence[Answer]) -> Updates:
    """Returns which of the best answers to one question says anew what which others said.

    One of the two is long: what a statement does to another was found out when it was added, and
    what somebody has decided about it since holds.
    """
    likely = [one for one in answers[:MOST_COMPARED] if one.likely >= MAY_ANSWER]
    likely.sort(key=lambda one: -find_moment(one.row))
    found: dict[Place, list[Place]] = defaultdict(list)
    for at, new in enumerate(likely):
        older = [old for old in likely[at + 1 :] if _may_update(new, old)]
        judged = reader.relate(new.passage, [old.passage for old in older]) if older else ()
        for old, one in zip(older, judged, strict=True):
            if one.shares and 1 - one.shares[0] >= UPDATES:
                found[old.place].append(new.place)
    return found


def _may_update(new: Answer, old: Answer) -> bool:
    """Tells whether to ask at all; two short ones were judged as wholes when they were added."""
    if max(len(one.row["text"]) for one in (new, old)) <= WHOLE:
        return False
    if new.place[0] != old.place[0] or find_moment(new.row) == find_moment(old.row):
        return False
    return not is_out_of_the_question(new.row, old.row)


def skip_hidden(updates: Updates, shown: Container[Place]) -> Updates:
    """Returns the same with what is shown in place of what is hidden: the newest of a chain."""

    def follow(place: Place, passed: frozenset[Place]) -> Iterator[Place]:
        for newer in updates.get(place, ()):
            if newer in shown:
                if newer not in passed:
                    yield newer
            elif newer not in passed:
                yield from follow(newer, passed | {newer})

    return {place: list(dict.fromkeys(follow(place, frozenset({place})))) for place in updates}


def newer_first(
    ordered: Iterable[T], key: Callable[[T], Place], updates: Updates, newer: Mapping[Place, T]
) -> list[tuple[T, T | None]]:
    """Returns everything in its order, but with what updates a thing directly above it.

    Each comes with the one that raised it.
    """
    placed: dict[Place, tuple[T, T | None]] = {}

    def place(one: T, older: T | None, above: frozenset[Place]) -> None:
        for update in updates.get(key(one), ()):
            if update in newer and update not in placed and update not in above:
                place(newer[update], one, above | {key(one)})
        placed.setdefault(key(one), (one, older))

    for one in ordered:
        if key(one) not in placed:
            place(one, None, frozenset())
    return list(placed.values())
