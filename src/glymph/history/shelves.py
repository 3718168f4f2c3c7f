"""The two shelves on which a conversation is kept: a folder of files, or rows of a store.

In a folder lie its transcript, its state, and memory.md for people to read and edit. In a store
its messages are rows that only grow, and its state is saved in one transaction; there is no
memory.md, and `glymph memory history show` shows what would stand in it.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta
from pathlib import Path

from glymph.checks import checked_text
from glymph.context import Context
from glymph.errors import InvalidInput
from glymph.history import memory_file
from glymph.history.conversation import (
    LONGEST_NAME,
    Overtaken,
    State,
    UnreadableState,
    dump_state,
    match_transcript,
    parse_state,
)
from glymph.history.disk import Disk
from glymph.history.messages import Raw
from glymph.history.transcript import (
    LOCK,
    NAME,
    FileTranscript,
    Line,
    encode_line,
    may_hold,
    parse_line,
)
from glymph.moments import iso, micros
from glymph.store.contract import Row
from glymph.store.conversations import Message
from glymph.store.reader import Reader
from glymph.write import edit

STATE, ASIDE, SHORTENING = "state.json", "memory.edited{}.md", "shortening.lock"
PAGE, PAGE_JOURNAL, PAGE_LOCK = "page.md", "page.jsonl", "page.lock"
PAGE_WORDS, PAGE_CHARACTERS = 600, 100_000
AT_ONCE = 1_000  # messages that are read in one transaction
# In which a part is shortened; a process that was killed keeps nobody out for longer.
CLAIM = timedelta(minutes=10)
NEW = "{}"  # the state of a conversation of which nothing was summarised
UNREADABLE_FILE = (
    "{path} cannot be read ({problem}). It is kept as {aside}; the whole conversation is shown "
    "again until it is summarised anew."
)
UNREADABLE_ROW = (
    "The state of this conversation cannot be read ({problem}). The whole of it is shown until it "
    "is summarised anew."
)

_UNSAFE = re.compile(r"[^A-Za-z0-9]+")


# in files


def folder_of(root: Path, name: str) -> Path:
    """Returns the folder of a session: readable, inside the root, and shared with no other name."""
    checked_text("session", name, LONGEST_NAME)
    readable = _UNSAFE.sub("-", name).strip("-")[:40]
    digest = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:12]
    return root / f"{readable}-{digest}".lstrip("-")


def session_names(folder: Path) -> Iterator[str]:
    """Yields the names of the sessions in a folder, as each was given with its first message."""
    for path in sorted(folder.glob(f"*/{NAME}")):
        yield path.read_bytes().decode(errors="replace").removesuffix("\n")


class DiskMemoryFile:
    """A memory.md on a disk."""

    def __init__(self, folder: Path, disk: Disk) -> None:
        self._folder, self._disk = folder, disk

    def read(self) -> str | None:
        body = self._disk.read(self._folder / memory_file.FILE)
        return None if body is None else body.decode(errors="replace")

    def write(self, text: str) -> None:
        path, body = self._folder / memory_file.FILE, text.encode(errors="replace")
        if self._disk.read(path) != body:
            self._disk.replace(path, body)

    def set_aside(self, text: str) -> str:
        body = text.encode(errors="replace")
        more = itertools.chain([""], (f"-{number}" for number in itertools.count(2)))
        name = next(
            one
            for one in map(ASIDE.format, more)
            if self._disk.read(self._folder / one) in (None, body)
        )
        self._disk.replace(self._folder / name, body)
        return name


class FileShelf:
    """A `Shelf` on a disk. Any number of processes may use the folder at once."""

    def __init__(self, folder: Path, disk: Disk, session: str = "") -> None:
        self._folder, self._disk = folder, disk
        self.transcript = FileTranscript(folder, disk, session)
        self.memory_file = DiskMemoryFile(folder, disk)

    def load(self) -> tuple[State, str | None]:
        path = self._folder / STATE
        body = self._disk.read(path)
        if body is None:
            return State(), None
        try:
            state = parse_state(body)
        except UnreadableState as error:
            aside = path.with_suffix(".broken")
            path.replace(aside)
            return State(), UNREADABLE_FILE.format(path=path.name, problem=error, aside=aside.name)
        return match_transcript(state, self.transcript)

    def change(self, change: Callable[[State], State | None], *, claimed: bool = False) -> State:
        self._disk.make_folder(self._folder)
        with self._disk.lock(self._folder / LOCK):
            old, _ = self.load()
            new = change(old)
            if new is None:
                return old
            self.save(new)
            return new

    def save(self, state: State) -> None:
        """Saves a state; the caller holds the lock."""
        self._disk.replace(self._folder / STATE, dump_state(state).encode())

    def claim(self) -> AbstractContextManager[bool]:
        return self._disk.try_lock(self._folder / SHORTENING)

    def remove(self) -> None:
        with self._disk.lock(self._folder / SHORTENING), self._disk.lock(self._folder / LOCK):
            shutil.rmtree(self._folder)


class FilePage:
    """A page without a store. Every change is journalled first, with what was there before."""

    def __init__(self, folder: Path, disk: Disk, clock: Callable[[], datetime]) -> None:
        self._folder, self._disk, self._clock = folder, disk, clock

    def read(self) -> str:
        return (self._disk.read(self._folder / PAGE) or b"").decode(errors="replace")

    def write(self, text: str, mode: str = "replace") -> None:
        if mode not in ("replace", "append"):
            problem = f"{mode!r} is neither 'replace' nor 'append'. Use one of them."
            raise InvalidInput("mode", problem)
        checked_text("text", text, PAGE_CHARACTERS)
        self._disk.make_folder(self._folder)
        with self._disk.lock(self._folder / PAGE_LOCK):
            before = self.read()
            page = f"{before}\n{text}" if before and mode == "append" else text
            if (words := len(page.split())) > PAGE_WORDS:
                raise InvalidInput(
                    "text",
                    f"the page would have {words} words; at most {PAGE_WORDS}. Shorten it, or "
                    "replace it whole.",
                )
            entry = {"at": iso(self._clock()), "mode": mode, "before": before}
            self._disk.append(self._folder / PAGE_JOURNAL, json.dumps(entry).encode() + b"\n")
            self._disk.replace(self._folder / PAGE, page.encode(errors="replace"))


# in a store


class StoreTranscript:
    """A `Transcript` in a store. The offset behind a message is its number."""

    def __init__(self, ctx: Context, session: str) -> None:
        self._ctx, self._session = ctx, session

    def append(self, messages: Sequence[Raw], at: datetime) -> None:
        bodies = [encode_line(message, at).decode().rstrip("\n") for message in messages]
        if bodies:
            with self._ctx.store.writing(self._ctx.space, None) as writer:
                writer.append_messages(writer.begin_conversation(self._session), bodies)

    def read_after(self, offset: int) -> list[Line]:
        return [_line(message) for message in read_messages(self._ctx, self._session, offset)]

    def read_all(self) -> Iterator[Line]:
        return (_line(message) for message in read_messages(self._ctx, self._session))

    def read_at(self, offset: int) -> Line:
        with self._ctx.reading() as reader:
            return _line(_read_batch(reader, self._session, offset, limit=1)[0])

    def extent(self) -> tuple[int, datetime | None]:
        with self._ctx.reading() as reader:
            row = reader.conversation(self._session)
            last = None if row is None else reader.newest_message(row["key"])
        return (0, None) if last is None else (last.number, _line(last).at)

    def scan(self, words: Sequence[str]) -> Iterator[tuple[int, Line | None]]:
        for message in read_messages(self._ctx, self._session):
            line = _line(message) if may_hold(message.body, words) else None
            yield message.number, line

    def known_by(self, offset: int) -> str | None:
        return ""  # messages and state lie in one store, and none is ever removed alone


class StoreShelf:
    """A `Shelf` in a store."""

    memory_file = None

    def __init__(self, ctx: Context, session: str) -> None:
        self._ctx, self._session = ctx, session
        self._claim: int | None = None
        self.transcript = StoreTranscript(ctx, session)

    def load(self) -> tuple[State, str | None]:
        with self._ctx.reading() as reader:
            return self._load(reader)

    def change(self, change: Callable[[State], State | None], *, claimed: bool = False) -> State:
        with self._ctx.store.writing(self._ctx.space, None) as writer:
            key = writer.begin_conversation(self._session)
            if claimed and writer.claimed_until(key) != self._claim:
                # another took it after the claim had ended, or a purge went through it
                raise Overtaken
            old, _ = self._load(writer)
            new = change(old)
            if new is None:
                return old
            writer.keep_conversation_state(key, dump_state(new))
            return new

    @contextmanager
    def claim(self) -> Iterator[bool]:
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

    def _load(self, reader: Reader) -> tuple[State, str | None]:
        row = reader.conversation(self._session)
        if row is None or row["state"] == NEW:
            return State(), None
        try:
            return parse_state(row["state"]), None
        except UnreadableState as error:
            return State(), UNREADABLE_ROW.format(problem=error)


class StorePage:
    """The page of a space, in its store, where every change of it is journalled."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    def read(self) -> str:
        return edit.read_page(self._ctx)

    def write(self, text: str, mode: str = "replace") -> None:
        edit.write_page(self._ctx, text, mode)


def read_conversations(ctx: Context) -> Iterator[Row]:
    """Yields the conversations of a space, in the order of their names."""
    after = ""
    while True:
        with ctx.reading() as reader:
            rows = reader.conversations(after=after, limit=AT_ONCE)
        yield from rows
        if len(rows) < AT_ONCE:
            return
        after = rows[-1]["name"]


def read_messages(ctx: Context, session: str, number: int = 0) -> Iterator[Message]:
    """Yields the messages behind a number.

    Messages never change their numbers, so no transaction has to last for all of them.
    """
    while True:
        with ctx.reading() as reader:
            batch = _read_batch(reader, session, number, limit=AT_ONCE)
        yield from batch
        if len(batch) < AT_ONCE:
            return
        number = batch[-1].number


def _read_batch(reader: Reader, session: str, number: int, *, limit: int) -> list[Message]:
    row = reader.conversation(session)
    return [] if row is None else reader.messages_after(row["key"], number, limit=limit)


def _line(message: Message) -> Line:
    return parse_line(message.body, message.number - 1, message.number)
