"""One conversation: its state, and the contracts of the places in which it may be kept.

The state is one text that is replaced whole, so that cursor and summary never disagree. A
conversation is kept on a shelf, in a folder of files or in a store, and the rest of this room
needs no more of it than `Shelf`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any, Protocol

from glymph.context import Context
from glymph.history.policy import KEPT_CHARACTERS, Backoff, Cursor, HistorySettings, Standing
from glymph.history.transcript import Transcript
from glymph.reader.contract import Reader as TextReader
from glymph.reader.no_reader import NoReader

LONGEST_NAME = 200  # characters of a session's name
VERSION = 1
OR = "|"  # between the two fingerprints by which a transcript may be known
ANOTHER = (
    "The transcript of this conversation is not the one its summary was made of. All of it is "
    "shown, beside the summary."
)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A note for the graph. It is handed over again until the graph surely has it."""

    text: str
    at: str | None
    speakers: tuple[str, ...]  # whose words it is made of; empty if a model's own
    messages: tuple[int, ...]  # that it comes from, counted from 0


@dataclass(frozen=True, slots=True)
class State:
    """Everything that is kept of a conversation besides its transcript."""

    standing: Standing = field(default_factory=Standing)
    known_by: str = ""  # fingerprint of the transcript up to the cursor
    reported: int = 0  # bytes of the transcript whose malformed lines were reported
    # Fingerprints of each part of memory.md as it was last written.
    shown: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    waiting: tuple[Waiting, ...] = ()


class UnreadableState(Exception):
    """A text that is no state."""


class Overtaken(Exception):
    """Somebody else has changed meanwhile what this run was about to change."""


# contracts


class MemoryFile(Protocol):
    """A memory.md."""

    def read(self) -> str | None:
        """Returns its text; None if there is no such file."""
        ...

    def write(self, text: str) -> None:
        """Replaces its text, unless it is the same."""
        ...

    def set_aside(self, text: str) -> str:
        """Keeps a text that could not be taken over in a file of its own; returns its name."""
        ...


class Page(Protocol):
    """The page an agent keeps for itself."""

    def read(self) -> str:
        """Returns what the agent wrote; empty if it never did."""
        ...

    def write(self, text: str, mode: str = "replace") -> None:
        """Replaces the page or adds to its end; refuses more than 600 words."""
        ...


class Shelf(Protocol):
    """Keeps one conversation: a folder of files, or rows of a store."""

    @property
    def transcript(self) -> Transcript: ...

    @property
    def memory_file(self) -> MemoryFile | None:
        """None where there is no file to look at."""
        ...

    def load(self) -> tuple[State, str | None]:
        """Returns the state, and what is wrong with it, if anything."""
        ...

    def change(self, change: Callable[[State], State | None], *, claimed: bool = False) -> State:
        """Saves what `change` makes of the state, under a lock; None leaves it as it is.

        A consolidation has happened in the instant in which its state is saved. `claimed` raises
        Overtaken if the conversation is no longer the caller's to shorten.
        """
        ...

    def claim(self) -> AbstractContextManager[bool]:
        """Claims the conversation for shortening; gives False if somebody else has it."""
        ...

    def remove(self) -> None:
        """Removes the conversation for good."""
        ...


# a conversation


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation with its settings, the agent's page, and the space whose graph it feeds.

    Without a space there is no model either: what a model costs is booked in a space's ledger.
    """

    session: str
    shelf: Shelf
    settings: HistorySettings
    page: Page
    clock: Callable[[], datetime]
    ctx: Context | None = None
    keep: Mapping[str, int] = field(default_factory=lambda: KEPT_CHARACTERS)
    backoff: Backoff = field(default_factory=Backoff)
    reader: TextReader = field(default_factory=NoReader)  # judges sentences where no model does

    @property
    def transcript(self) -> Transcript:
        return self.shelf.transcript

    @property
    def has_model(self) -> bool:
        return self.ctx is not None and self.ctx.model is not None

    @property
    def writable(self) -> bool:
        return self.ctx is None or self.ctx.store.writable

    def load(self) -> tuple[State, list[str]]:
        """Returns the state and the problems with it."""
        found, problem = self.shelf.load()
        return found, [] if problem is None else [problem]

    def change(self, change: Callable[[State], State | None], *, claimed: bool = False) -> State:
        """Saves what `change` makes of the state, under a lock; None leaves it as it is."""
        return self.shelf.change(change, claimed=claimed)


@dataclass(frozen=True, slots=True)
class Listed:
    """A conversation in a list. `summarised` counts the messages that only its notes stand for."""

    session: str
    messages: int
    summarised: int
    newest_at: datetime | None


def describe(conversation: Conversation) -> Listed:
    """Counts the messages of a conversation, for a list."""
    count, newest = conversation.transcript.extent()
    found, _ = conversation.load()
    return Listed(conversation.session, count, found.standing.cursor.count, newest)


# the text of a state


def dump_state(state: State) -> str:
    """Returns the text of a state."""
    return json.dumps({"version": VERSION, **asdict(state)}, ensure_ascii=True, indent=1)


def parse_state(text: str | bytes) -> State:
    """Returns the state in a text; raises UnreadableState if it holds none."""
    try:
        return _read_state(json.loads(text))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise UnreadableState(str(error)) from error


def match_transcript(state: State, transcript: Transcript) -> tuple[State, str | None]:
    """Returns the state if the transcript is the one it was made of.

    Otherwise returns one that has summarised nothing, and says why.
    """
    # While a purge rewrites the transcript, the state knows both what it was and what it will be.
    if transcript.known_by(state.standing.cursor.offset) in state.known_by.split(OR):
        return state, None
    fresh = replace(state.standing, cursor=Cursor(), noticed=None)
    return replace(state, standing=fresh, known_by="", reported=0), ANOTHER


def _read_state(record: Any) -> State:
    if record["version"] != VERSION:
        raise ValueError(f"its version is {record['version']!r}, and {VERSION} is read")
    standing = record["standing"]
    cursor, noticed = standing["cursor"], standing["noticed"]
    return State(
        Standing(
            Cursor(_count(cursor["offset"]), _count(cursor["count"])),
            _text(standing["summary"]),
            tuple(map(_text, standing["newest"])),
            _count(standing["consolidations"]),
            None if noticed is None else _count(noticed),
            _text(standing["task"]),
        ),
        _text(record["known_by"]),
        _count(record["reported"]),
        {_text(part): tuple(map(_text, marks)) for part, marks in record["shown"].items()},
        tuple(map(_read_waiting, record["waiting"])),
    )


def _read_waiting(record: Any) -> Waiting:
    speakers, messages = map(_text, record["speakers"]), map(_count, record["messages"])
    return Waiting(_text(record["text"]), record["at"], tuple(speakers), tuple(messages))


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} is not a count")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a text")
    return value
