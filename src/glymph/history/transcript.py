"""The transcript of one conversation: every message, in order, for good.

`FileTranscript` is a file of JSON Lines to which any number of processes may add. A line that a
crash tore is set aside before the next one is written; one that cannot be read stays where it is
and is reported.
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
from glymph.history.messages import Raw, check_message
from glymph.history.policy import Cursor
from glymph.moments import iso

FILE, TORN, LOCK, NAME = "transcript.jsonl", "torn.jsonl", "lock", "session.txt"
MOST_BYTES = 32_000_000  # of one message; pictures are large
# Bytes by which a transcript is known: its first ones, and the last before the cursor.
HEAD, NECK = 1024, 256
PIECE = 1 << 20
OURS = ('{"at": ', "}}")  # how a line that we wrote begins and ends


@dataclass(frozen=True, slots=True)
class Line:
    """A message, when it was said, and where its line lies; no message if it cannot be read."""

    start: int
    end: int
    message: Raw | None
    at: datetime | None = None


class Transcript(Protocol):
    """Every message of a conversation. Offsets only grow, and mean nothing but their order."""

    def append(self, messages: Sequence[Raw], at: datetime) -> None:
        """Adds messages, durably and in this order; others may add theirs between two calls."""
        ...

    def read_after(self, offset: int) -> list[Line]:
        """Returns the lines from an offset on, without reading what lies before it."""
        ...

    def read_all(self) -> Iterator[Line]:
        """Yields all lines, never holding all at once."""
        ...

    def extent(self) -> tuple[int, datetime | None]:
        """Returns the number of lines, and when the last was said."""
        ...

    def scan(self, words: Sequence[str]) -> Iterator[tuple[int, Line | None]]:
        """Yields the number of every message, from 1, with its line if it may hold a word."""
        ...

    def read_at(self, offset: int) -> Line:
        """Returns the line that begins at an offset."""
        ...

    def known_by(self, offset: int) -> str | None:
        """Returns a fingerprint of the transcript up to the offset; None if it is shorter."""
        ...


class FileTranscript:
    """A transcript as a file in a folder. The session's name lies beside it."""

    def __init__(self, folder: Path, disk: Disk, session: str = "") -> None:
        self._folder, self._disk, self._session = folder, disk, session
        self._path = folder / FILE

    def append(self, messages: Sequence[Raw], at: datetime) -> None:
        body = b"".join(encode_line(message, at) for message in messages)
        if not body:
            return
        self._disk.make_folder(self._folder)
        with self._disk.lock(self._folder / LOCK):
            self._repair()
            if not (self._folder / NAME).exists():
                self._disk.replace(
                    self._folder / NAME, f"{self._session}\n".encode(errors="replace")
                )
            self._disk.append(self._path, body)

    def read_after(self, offset: int) -> list[Line]:
        return list(_parse_lines(self._disk.read(self._path, offset) or b"", offset))

    def read_all(self) -> Iterator[Line]:
        for at, line in self._read_lines():
            yield from _parse_lines(line, at)

    def extent(self) -> tuple[int, datetime | None]:
        count, last = 0, b""
        for _, line in self._read_lines():
            if line.strip():
                count, last = count + 1, line
        return count, next((line.at for line in _parse_lines(last, 0)), None)

    def scan(self, words: Sequence[str]) -> Iterator[tuple[int, Line | None]]:
        number = 0
        for at, body in self._read_lines():
            if not may_hold(body.decode(errors="replace"), words):
                number += 1
                yield number, None
            else:
                for line in messages_of(list(_parse_lines(body, at))):
                    number += 1
                    yield number, line

    def _read_lines(self) -> Iterator[tuple[int, bytes]]:
        """Yields where each line begins, and its bytes."""
        try:
            file = self._path.open("rb")
        except FileNotFoundError:
            return
        with file:
            at = 0
            for body in file:
                yield at, body
                at += len(body)

    def read_at(self, offset: int) -> Line:
        with self._path.open("rb") as file:
            file.seek(offset)
            return next(_parse_lines(file.readline(), offset))

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
        torn = self._read_torn()
        if not torn:
            return
        if _parse_object(torn) is not None:
            self._disk.append(self._path, b"\n")
            return
        self._disk.append(self._folder / TORN, _encode({"torn": torn.decode(errors="replace")}))
        self._disk.truncate(self._path, self._path.stat().st_size - len(torn))

    def _read_torn(self) -> bytes:
        """Returns what follows the last end of a line."""
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


def encode_line(message: object, at: datetime) -> bytes:
    """Returns the line of a message; raises InvalidInput if it is none or too large."""
    line = _encode({"at": iso(at), "message": dict(check_message(message))})
    if len(line) > MOST_BYTES:
        raise InvalidInput(
            "message",
            f"it has {len(line):,} bytes; at most {MOST_BYTES:,}. Keep large files outside, and "
            "name them.",
        )
    return line


def _encode(record: Raw) -> bytes:
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
    """Tells whether a line may hold one of the words, at a tenth of the cost of parsing it.

    The words are comparable, or beginnings of such. A line with escaped characters may hold any.
    """
    if not line.startswith(OURS[0]) or not line.rstrip("\n").endswith(OURS[1]) or "\\u" in line:
        return True
    text = comparable(line)
    return any(word in text for word in words)


def comparable(text: str) -> str:
    """Returns a text as it is searched: without case, and in one form of Unicode."""
    if text.isascii():
        return text.lower()
    # Folding takes some composed characters apart, so they are composed once more.
    return normalize("NFC", normalize("NFC", text).casefold()).replace("’", "'")


def parse_line(body: str, start: int, end: int) -> Line:
    """Reads a line that does not lie in a file."""
    return _build_line(_parse_object(body), start, end)


def _parse_lines(body: bytes, offset: int) -> Iterator[Line]:
    """Yields the lines of some bytes. One without an end counts if it is a whole JSON object."""
    at = 0
    while at < len(body):
        end = body.find(b"\n", at) + 1
        line = body[at : end or len(body)]
        if line.strip():
            record = _parse_object(line)
            if record is not None or end:
                yield _build_line(record, offset + at, offset + at + len(line))
        at += len(line)


def _parse_object(line: bytes | str) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _build_line(record: dict[str, Any] | None, start: int, end: int) -> Line:
    """Builds a line from a record that we wrote, or from another program's bare message."""
    if record is None:
        return Line(start, end, None)
    inside = record.get("message")
    message = inside if isinstance(inside, dict) else record
    try:
        check_message(message)
    except InvalidInput:
        return Line(start, end, None)
    return Line(start, end, message, _parse_moment(record.get("at", record.get("timestamp"))))


def _parse_moment(value: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
        return None if found is None or found.utcoffset() is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def messages_of(lines: Sequence[Line]) -> list[Line]:
    """Returns the lines that hold a message."""
    return [line for line in lines if line.message is not None]


def move_cursor(cursor: Cursor, lines: Sequence[Line], count: int) -> Cursor:
    """Returns the cursor behind the first `count` of these lines, which all hold a message."""
    return Cursor(lines[count - 1].end, cursor.count + count) if count else cursor
