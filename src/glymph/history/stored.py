"""A conversation in a store: its messages are rows that only grow, and its state is kept in one
transaction.

There is no memory.md: `glymph history show` shows what would stand in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta

from glymph.context import Context
from glymph.history import state
from glymph.history.messages import Raw
from glymph.history.shelf import Overtaken
from glymph.history.state import State
from glymph.history.transcript import Line, may_hold, read_line, written
from glymph.moments import micros
from glymph.store.contract import Reader, Row
from glymph.store.conversations import Message

AT_ONCE = 1_000  # messages that are read in one transaction
CLAIM = timedelta(
    minutes=10
)  # in which a part is shortened; who was killed meanwhile keeps nobody out for longer
NEW = "{}"  # the state of a conversation of which nothing was summarised
UNREADABLE = (
    "The state of this conversation cannot be read ({problem}). The whole of it is shown until it is summarised "
    "anew."
)


class StoreTranscript:
    """A `Transcript` in a store. The offset behind a message is its number."""

    def __init__(self, ctx: Context, session: str) -> None:
        self._ctx, self._session = ctx, session

    def append(self, messages: Sequence[Raw], at: datetime) -> None:
        bodies = [written(message, at).decode().rstrip("\n") for message in messages]
        if bodies:
            with self._ctx.store.writing(self._ctx.space, None) as writer:
                writer.append_messages(writer.begin_conversation(self._session), bodies)

    def after(self, offset: int) -> list[Line]:
        return [_line(message) for message in self._messages(offset)]

    def every(self) -> Iterator[Line]:
        return (_line(message) for message in self._messages(0))

    def extent(self) -> tuple[int, datetime | None]:
        with self._ctx.reading() as reader:
            row = reader.conversation(self._session)
            last = None if row is None else reader.newest_message(row["key"])
        return (0, None) if last is None else (last.number, _line(last).at)

    def holding(self, words: Sequence[str]) -> Iterator[tuple[int, Line | None]]:
        for message in self._messages(0):
            line = _line(message) if may_hold(message.body, words) else None
            yield message.number, line

    def at(self, offset: int) -> Line:
        with self._ctx.reading() as reader:
            return _line(_page(reader, self._session, offset, limit=1)[0])

    def known_by(self, offset: int) -> str | None:
        return ""  # messages and state lie in one store, and none is ever removed alone

    def _messages(self, number: int) -> Iterator[Message]:
        return messages(self._ctx, self._session, number)


def messages(ctx: Context, session: str, number: int = 0) -> Iterator[Message]:
    """Those behind a number. They never change their numbers, so no transaction has to last for
    all.
    """
    while True:
        with ctx.reading() as reader:
            found = _page(reader, session, number, limit=AT_ONCE)
        yield from found
        if len(found) < AT_ONCE:
            return
        number = found[-1].number


def _page(reader: Reader, session: str, number: int, *, limit: int) -> list[Message]:
    row = reader.conversation(session)
    return [] if row is None else reader.messages_after(row["key"], number, limit=limit)


def _line(message: Message) -> Line:
    return read_line(message.body, message.number - 1, message.number)


class StoreShelf:
    """A `Shelf` in a store."""

    memory_file = None

    def __init__(self, ctx: Context, session: str) -> None:
        self._ctx, self._session = ctx, session
        self._claim: int | None = None
        self.transcript = StoreTranscript(ctx, session)

    def load(self) -> tuple[State, str | None]:
        with self._ctx.reading() as reader:
            return self._loaded(reader)

    def change(self, changed: Callable[[State], State | None], *, claimed: bool = False) -> State:
        with self._ctx.store.writing(self._ctx.space, None) as writer:
            key = writer.begin_conversation(self._session)
            if claimed and writer.claimed_until(key) != self._claim:
                # another took it after the claim had ended, or a purge went through it
                raise Overtaken
            found, _ = self._loaded(writer)
            new = changed(found)
            if new is None:
                return found
            writer.keep_conversation_state(key, state.told(new))
            return new

    @contextmanager
    def shortening(self) -> Iterator[bool]:
        now = self._ctx.now()
        until = micros(now + CLAIM)
        with self._ctx.store.writing(self._ctx.space, None) as writer:
            key = writer.begin_conversation(self._session)
            mine = writer.claim_conversation(key, now=micros(now), until=until)
        self._claim = until if mine else None
        try:
            yield mine
        finally:
            if mine:
                with self._ctx.store.writing(self._ctx.space, None) as writer:
                    writer.give_back_conversation(key, until=until)

    def remove(self) -> None:
        with self._ctx.operation("purge", reason="a conversation was removed") as op:
            if row := op.writer.conversation(self._session):
                op.writer.remove_conversation(row["key"])

    def _loaded(self, reader: Reader) -> tuple[State, str | None]:
        row = reader.conversation(self._session)
        if row is None or row["state"] == NEW:
            return State(), None
        try:
            return state.read(row["state"]), None
        except state.Unreadable as error:
            return State(), UNREADABLE.format(problem=error)


def sessions(ctx: Context) -> Iterator[str]:
    """The names of the sessions in a store."""
    return (row["name"] for row in conversations(ctx))


def conversations(ctx: Context) -> Iterator[Row]:
    """The conversations of a space, in the order of their names."""
    after = ""
    while True:
        with ctx.reading() as reader:
            rows = reader.conversations(after=after, limit=AT_ONCE)
        yield from rows
        if len(rows) < AT_ONCE:
            return
        after = rows[-1]["name"]
