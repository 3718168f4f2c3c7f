"""Stories: hand-written memories, kept as sheets of text and read into values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

LAST = 10_000  # later than any day of a life
_WORDS = ("tags", "entities")


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


def read(sheet: str) -> list[Story]:
    """The stories of a sheet.

    A story opens with `kind ref day name=value …`; indented lines below it are its text, `?` opens
    the question it answers, `~ day` the same statement in other words. Unknown names are
    attributes.
    """
    return [_story(head, body) for head, body in _blocks(sheet)]


def _blocks(sheet: str) -> Iterator[tuple[str, list[str]]]:
    head, body = "", list[str]()
    for line in sheet.strip().splitlines():
        if line.startswith(" "):
            body.append(line.strip())
        else:
            if head:
                yield head, body
            head, body = line, []
    yield head, body


def _story(head: str, body: list[str]) -> Story:
    kind, ref, day, *settings = head.split()
    named = dict(setting.split("=", 1) for setting in settings)
    question = next((line[2:] for line in body if line.startswith("? ")), None)
    other = next((line[2:].split(" ", 1) for line in body if line.startswith("~ ")), None)
    link = named.pop("link", None)
    return Story(
        day=int(day),
        ref=ref,
        kind=kind,
        text=" ".join(line for line in body if line[0] not in "?~"),
        question=question,
        every=int(named.pop("every", 0)),
        until=int(named.pop("until", LAST)),
        changes=named.pop("changes", None),
        reworded=(int(other[0]), other[1]) if other else None,
        links=(tuple(link.split(":")),) if link else (),  # type: ignore[arg-type]
        fields=_fields(named),
    )


def _fields(named: dict[str, str]) -> dict[str, Any]:
    fields: dict[str, Any] = {name: named.pop(name).split(",") for name in _WORDS if name in named}
    if "source" in named:
        fields["source"] = named.pop("source")
    if "salience" in named:
        fields["salience"] = float(named.pop("salience"))
    if named.pop("pinned", None):
        fields["pinned"] = True
    if "symbol" in named:
        tags = [*fields.get("tags", ()), named["symbol"].lower()]
        fields["tags"] = list(dict.fromkeys(tags))
    if named:
        fields["attributes"] = {name: _value(text) for name, text in named.items()}
    return fields


def _value(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text
