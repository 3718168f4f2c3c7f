"""The transcript of one conversation: every message, in order, for good.

`JsonTranscript` is a file of JSON Lines. Any number of processes may add to it. A line that a crash
tore is set aside before the next one is written; one that cannot be read stays where it is and is
told of.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol
from unicodedata import normalize

from glymph.errors import InvalidInput
from glymph.history.disk import Disk
from glymph.history.messages import Raw, checked
from glymph.history.policy import Cursor
from glymph.moments import iso

FILE, TORN, LOCK, NAME = "transcript.jsonl", "torn.jsonl", "lock", "session.txt"
MOST_BYTES = 32_000_000  # of one message; pictures are large
HEAD, NECK = (
    1024,
    256,
)  # bytes by which a transcript is known: its first ones, and the last before the cursor
PIECE = 1 << 20
OURS = ('{"at": ', "}}")  # how a line that we wrote begins and ends


@dataclass(frozen=True, slots=True)
class Line:
    """A message, when it was said, and where its line lies. A line that cannot be read has no
    message.
    """

    start: int
    end: int
    message: Raw | None
    at: datetime | None = None


class Transcript(Protocol):
    """What a history needs of a transcript. Offsets only grow, and mean nothing but their order."""

    def append(self, messages: Sequence[Raw], at: datetime) -> None:
        """Adds messages, durably, all in this order; another writer's may stand between two calls."""
        ...

    def after(self, offset: int) -> list[Line]:
        """The lines from an offset on. What lies before it is not read."""
        ...

    def every(self) -> Iterator[Line]:
        """All lines, one after the other, never all at once."""
        ...

    def extent(self) -> tuple[int, datetime | None]:
        """How many lines there are, and when the last was said."""
        ...

    def holding(self, words: Sequence[str]) -> Iterator[tuple[int, Line | None]]:
        """The number of every message, from 1 on, and its line if it may hold one of these words."""
        ...

    def at(self, offset: int) -> Line:
        """The line that begins at an offset."""
        ...

    def known_by(self, offset: int) -> str | None:
        """What tells this transcript, read up to the offset, from another; None if it does not
        reach there.
        """
        ...


class JsonTranscript:
    """A transcript as a file in a folder, which tells from the first message on of which session it
    is.
    """

    def __init__(self, folder: Path, disk: Disk, session: str = "") -> None:
        self._folder, self._disk, self._session = folder, disk, session
        self._path = folder / FILE

    def append(self, messages: Sequence[Raw], at: datetime) -> None:
        body = b"".join(written(message, at) for message in messages)
        if not body:
            return
        self._disk.make(self._folder)
        with self._disk.locked(self._folder / LOCK):
            self._repair()
            if not (self._folder / NAME).exists():
                self._disk.replace(
                    self._folder / NAME, f"{self._session}\n".encode(errors="replace")
                )
            self._disk.append(self._path, body)

    def after(self, offset: int) -> list[Line]:
        return list(_lines(self._disk.read(self._path, offset) or b"", offset))

    def every(self) -> Iterator[Line]:
        for at, line in self._bodies():
            yield from _lines(line, at)

    def extent(self) -> tuple[int, datetime | None]:
        count, last = 0, b""
        for _, line in self._bodies():
            if line.strip():
                count, last = count + 1, line
        return count, next((line.at for line in _lines(last, 0)), None)

    def holding(self, words: Sequence[str]) -> Iterator[tuple[int, Line | None]]:
        number = 0
        for at, body in self._bodies():
            if not may_hold(body.decode(errors="replace"), words):
                number += 1
                yield number, None
            else:
                for line in messages_of(list(_lines(body, at))):
                    number += 1
                    yield number, line

    def _bodies(self) -> Iterator[tuple[int, bytes]]:
        """Every line and where it begins."""
        try:
            file = self._path.open("rb")
        except FileNotFoundError:
            return
        with file:
            at = 0
            for body in file:
                yield at, body
                at += len(body)

    def at(self, offset: int) -> Line:
        with self._path.open("rb") as file:
            file.seek(offset)
            return next(_lines(file.readline(), offset))

    def known_by(self, offset: int) -> str | None:
        if offset == 0:
            return ""
        try:
            with self._path.open("rb") as file:
                first = file.read(min(HEAD, offset))
                file.seek(max(len(first), offset - NECK))
                seen = first + file.read(offset - file.tell())
                whole = file.tell() == offset
        except FileNotFoundError:
            return None
        return hashlib.sha256(seen).hexdigest() if whole else None

    def _repair(self) -> None:
        """Ends the last line if its end is missing, or sets aside what a crash left of it."""
        torn = self._last()
        if not torn:
            return
        if _object(torn) is not None:
            self._disk.append(self._path, b"\n")
            return
        self._disk.append(self._folder / TORN, _dumped({"torn": torn.decode(errors="replace")}))
        self._disk.cut(self._path, self._path.stat().st_size - len(torn))

    def _last(self) -> bytes:
        """What stands behind the last end of a line."""
        try:
            with self._path.open("rb") as file:
                end = file.seek(0, 2)
                found = b""
                while end > 0:
                    start = max(0, end - PIECE)
                    file.seek(start)
                    found = file.read(end - start) + found
                    if b"\n" in found:
                        return found[found.rindex(b"\n") + 1 :]
                    end = start
                return found
        except FileNotFoundError:
            return b""


# lines


def written(message: object, at: datetime) -> bytes:
    """The line of a message, or InvalidInput if it is none, or too large."""
    line = _dumped({"at": iso(at), "message": dict(checked(message))})
    if len(line) > MOST_BYTES:
        raise InvalidInput(
            "message",
            f"it has {len(line):,} bytes; at most {MOST_BYTES:,}. Keep large files outside, and name them.",
        )
    return line


def _dumped(record: Raw) -> bytes:
    try:
        # Words stay searchable as they are; half a character, which no file can hold, is escaped.
        text = json.dumps(record, ensure_ascii=False, allow_nan=False)
        try:
            line = text.encode() + b"\n"
        except UnicodeEncodeError:
            line = json.dumps(record, allow_nan=False).encode() + b"\n"
        json.loads(line)  # what is nested too deeply can be written and not be read
        return line
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(
            "message", f"JSON cannot hold it ({error}). Pass plain texts, numbers and lists."
        ) from error


def may_hold(line: str, words: Sequence[str]) -> bool:
    """Whether it has to be looked at closely for one of these words: taking it apart costs ten
    times as much.

    The words are comparable, or beginnings of such; a line in which characters are escaped is
    always looked at.
    """
    if not line.startswith(OURS[0]) or not line.rstrip("\n").endswith(OURS[1]) or "\\u" in line:
        return True
    text = comparable(line)
    return any(word in text for word in words)


def comparable(text: str) -> str:
    """The text as words are looked for in it: without case, and in one form of Unicode."""
    if text.isascii():
        return text.lower()
    # Folding takes some composed characters apart, so they are composed once more.
    return normalize("NFC", normalize("NFC", text).casefold()).replace("’", "'")


def read_line(body: str, start: int, end: int) -> Line:
    """A line that lies somewhere else than in a file."""
    return _read(_object(body), start, end)


def _lines(body: bytes, offset: int) -> Iterator[Line]:
    """The lines of some bytes. One without an end counts if it is whole: no beginning of an object
    is one.
    """
    at = 0
    while at < len(body):
        end = body.find(b"\n", at) + 1
        line = body[at : end or len(body)]
        if line.strip():
            record = _object(line)
            if record is not None or end:
                yield _read(record, offset + at, offset + at + len(line))
        at += len(line)


def _object(line: bytes | str) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _read(record: dict[str, Any] | None, start: int, end: int) -> Line:
    """A line as we write it, or a bare message that another program wrote."""
    if record is None:
        return Line(start, end, None)
    inside = record.get("message")
    message = inside if isinstance(inside, dict) else record
    try:
        checked(message)
    except InvalidInput:
        return Line(start, end, None)
    return Line(start, end, message, _moment(record.get("at", record.get("timestamp"))))


def _moment(value: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
        return None if found is None or found.utcoffset() is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def messages_of(lines: Sequence[Line]) -> list[Line]:
    """The lines that hold a message."""
    return [line for line in lines if line.message is not None]


def moved(cursor: Cursor, lines: Sequence[Line], count: int) -> Cursor:
    """The cursor behind the first messages of these lines, which all hold one."""
    return Cursor(lines[count - 1].end, cursor.count + count) if count else cursor
