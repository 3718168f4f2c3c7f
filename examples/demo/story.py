"""Stories: hand-written memories, kept in data/stories.toml."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from examples.demo.data import read_data

LAST = 10_000  # later than any day of a life


@dataclass(frozen=True, slots=True)
class Story:
    """One thing the agent learns on a day, and for how long it goes on asking for it."""

    day: int
    ref: str
    kind: str
    text: str
    question: str | None = None
    every: int = 0  # days between two askings of the question
    until: int = LAST  # the last day anybody refers to it
    changes: str | None = None  # the ref of the statement it makes untrue
    reworded: tuple[int, str] | None = None  # the day it is said again in other words, and how
    links: tuple[tuple[str, str], ...] = ()
    fields: dict[str, Any] = field(default_factory=dict)  # tags, entities, attributes and the like


_OWN = ("day", "ref", "kind", "text", "question", "every", "until", "changes")


def read_stories() -> list[Story]:
    """Returns every hand-written memory, in the order of the file."""
    return [_parse(dict(entry)) for entry in read_data("stories")["story"]]


def _parse(entry: dict[str, Any]) -> Story:
    own = {name: entry.pop(name) for name in _OWN if name in entry}
    again = entry.pop("reworded", None)
    links = tuple((ref, kind) for ref, kind in entry.pop("links", ()))
    reworded = (again["day"], again["text"]) if again else None
    return Story(**own, reworded=reworded, links=links, fields=entry)
