"""Playing a life into a memory.

Time moves, things are learned in few operations, recalls report their use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from time import perf_counter

from examples.demo.events import Ask, Day, Event, Learn, Pin, PutAway
from glymph.client import Glymph


@dataclass(slots=True)
class Clock:
    """The time inside a life, for `Glymph.open(clock=…)`."""

    at: datetime

    def __call__(self) -> datetime:
        return self.at


@dataclass(slots=True)
class Played:
    """The result of a life: the ids its refs got, and how much of everything there was."""

    began: datetime
    ended: datetime  # the midnight after the last day
    ids: dict[str, str] = field(default_factory=dict)
    learned: int = 0
    duplicates: int = 0
    refused: int = 0
    recalls: int = 0
    uses: int = 0  # of recalled memories, reported
    unseen: int = 0  # refs the life meant to use, which the recall did not show
    seconds: float = 0.0  # it took to play


def play(
    glymph: Glymph,
    clock: Clock,
    days: Iterable[Day],
    *,
    progress: Callable[[Day], None] | None = None,
) -> Played:
    """Lives the days one after the other, leaves the clock at their end and returns the result."""
    started = perf_counter()
    played = Played(clock.at, clock.at)
    for day in days:
        waiting: list[Learn] = []
        for event in day.events:
            if isinstance(event, Learn):
                if _needs(event, waiting):
                    _learn(glymph, clock, waiting, played)
                waiting.append(event)
            else:
                _learn(glymph, clock, waiting, played)
                clock.at = event.at
                _do(glymph, event, played)
        _learn(glymph, clock, waiting, played)
        if progress is not None:
            progress(day)
        played.ended = clock.at = datetime.combine(day.date, time(), UTC) + timedelta(days=1)
    played.seconds = perf_counter() - started
    return played


def _needs(event: Learn, waiting: Iterable[Learn]) -> bool:
    """Tells whether an event links to something that has no id yet."""
    targets = {ref for ref, _ in event.links}
    return any(other.ref in targets for other in waiting)


def _learn(glymph: Glymph, clock: Clock, waiting: list[Learn], played: Played) -> None:
    """Adds what waits in one operation and empties the list."""
    if not waiting:
        return
    clock.at = waiting[-1].at
    items = [
        {
            **event.fields,
            "links": [(played.ids[ref], kind) for ref, kind in event.links if ref in played.ids],
        }
        for event in waiting
    ]
    for event, added in zip(waiting, glymph.add_many(items), strict=True):
        played.learned += 1
        played.duplicates += added.duplicate_of is not None
        played.refused += added.id is None
        if added.id is not None:
            played.ids[event.ref] = added.id
    waiting.clear()


def _do(glymph: Glymph, event: Event, played: Played) -> None:
    match event:
        case Ask():
            _ask(glymph, event, played)
        case Pin(ref=ref, reason=reason):
            glymph.pin(played.ids[ref], reason=reason)
        case PutAway(refs=refs, reason=reason, delete=delete):
            put_away = glymph.delete if delete else glymph.archive
            put_away([played.ids[ref] for ref in refs], reason=reason)


def _ask(glymph: Glymph, event: Ask, played: Played) -> None:
    """Recalls, and reports those of the meant memories that were shown."""
    recall = glymph.recall(event.query)
    played.recalls += 1
    shown = {hit.memory.id for hit in recall}
    meant = {
        "used": event.used, "confirmed": event.confirmed, "contradicted": event.contradicted,
    }  # fmt: skip
    found = {
        outcome: [played.ids[ref] for ref in refs if played.ids.get(ref) in shown]
        for outcome, refs in meant.items()
    }
    uses = sum(map(len, found.values()))
    played.unseen += sum(map(len, meant.values())) - uses
    if uses and recall.id is not None:
        played.uses += uses
        glymph.report(recall.id, **found)
