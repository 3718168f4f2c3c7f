"""Where a conversation stands: one text that is replaced whole, so that cursor and summary are
never at odds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from glymph.history.policy import Cursor, Standing
from glymph.history.transcript import Transcript

VERSION = 1
OR = "|"  # between the two marks by which a transcript may be known
ANOTHER = (
    "The transcript of this conversation is not the one its summary was made of. All of it is shown, beside the "
    "summary."
)


@dataclass(frozen=True, slots=True)
class Waiting:
    """Something for the graph that it may not have yet: it is handed over again until it surely
    was.
    """

    text: str
    at: str | None
    speakers: tuple[str, ...]  # whose words it is made of; empty if a model's own
    messages: tuple[int, ...]  # that it comes from, counted from 0


@dataclass(frozen=True, slots=True)
class State:
    """What is kept besides the transcript. `shown` are fingerprints of each part of memory.md as
    last written.
    """

    standing: Standing = field(default_factory=Standing)
    known_by: str = ""
    reported: int = 0  # bytes of the transcript whose malformed lines were told of
    shown: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    waiting: tuple[Waiting, ...] = ()


class Unreadable(Exception):
    """A text that is no state."""


def read(text: str | bytes) -> State:
    """The state that a text tells of; Unreadable if it tells of none."""
    try:
        return _read(json.loads(text))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise Unreadable(str(error)) from error


def told(state: State) -> str:
    """The text of a state."""
    return json.dumps({"version": VERSION, **asdict(state)}, ensure_ascii=True, indent=1)


def matched(state: State, transcript: Transcript) -> tuple[State, str | None]:
    """The state if the transcript is the one it was made of; else one that has summarised nothing,
    and why.
    """
    # While a purge rewrites the transcript, the state knows both what it was and what it will be.
    if transcript.known_by(state.standing.cursor.offset) in state.known_by.split(OR):
        return state, None
    fresh = replace(state.standing, cursor=Cursor(), noticed=None)
    return replace(state, standing=fresh, known_by="", reported=0), ANOTHER


def _read(found: Any) -> State:
    if found["version"] != VERSION:
        raise ValueError(f"its version is {found['version']!r}, and {VERSION} is read")
    told = found["standing"]
    cursor = Cursor(_count(told["cursor"]["offset"]), _count(told["cursor"]["count"]))
    noticed = None if told["noticed"] is None else _count(told["noticed"])
    standing = Standing(
        cursor, _text(told["summary"]), tuple(map(_text, told["newest"])), _count(told["consolidations"]), noticed,
        _text(told["task"]),
    )  # fmt: skip
    shown = {_text(part): tuple(map(_text, marks)) for part, marks in found["shown"].items()}
    waiting = tuple(
        Waiting(
            _text(one["text"]),
            one["at"],
            tuple(map(_text, one["speakers"])),
            tuple(map(_count, one["messages"])),
        )
        for one in found["waiting"]
    )
    return State(standing, _text(found["known_by"]), _count(found["reported"]), shown, waiting)


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} is not a count")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a text")
    return value
