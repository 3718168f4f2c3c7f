"""A transcript as a file that grows, read in lines from where it was left.

It is known again by how it began.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from glymph.errors import InvalidInput
from glymph.store.contract import Row

HEAD, TAIL = (
    1024,
    256,
)  # bytes by which a file is known: its first ones, and the last ones before the cursor
LONGEST_LINE = 4_000_000  # bytes; a longer one holds an image or a file, and counts as unreadable
MOST = 16_000_000  # bytes of one run


@dataclass(slots=True)
class TranscriptFile:
    """An open transcript. It is read with one handle and looked at with another."""

    source: str  # a hash of where it lies
    size: int
    _reading: BinaryIO
    _looking: BinaryIO
    more: bool = False  # whether a run ended because it had read as much as one may

    def begin(self, known: Row | None) -> int:
        """Returns where to go on reading.

        That is at the cursor, or at 0 if this is not the file that was read then.
        """
        if known is None or not 0 <= known["offset"] <= self.size:
            return 0
        return int(known["offset"]) if self.head(known["offset"]) == known["head"] else 0

    def head(self, offset: int) -> str:
        """Returns what the file is known by when it is read up to the offset."""
        first = min(HEAD, offset)
        self._looking.seek(0)
        seen = self._looking.read(first)
        self._looking.seek(max(first, offset - TAIL))
        seen += self._looking.read(min(TAIL, offset - first))
        return hashlib.sha256(seen).hexdigest()

    def lines(self, start: int) -> Iterator[tuple[bytes | None, int]]:
        """The lines from an offset on, each with its end; None for one that is too long.

        The last one waits for the next time if it is not yet written to its end.
        """
        self._reading.seek(start)
        at = start
        while at - start < MOST:
            line = self._reading.readline(LONGEST_LINE)
            if not line:
                return
            length = len(line)
            if line.endswith(b"\n"):
                found: bytes | None = line
            elif length < LONGEST_LINE:
                if not _is_whole(line):
                    return
                found = line
            else:
                rest = self._skip_line()
                if rest is None:
                    return
                found, length = None, length + rest
            at += length
            yield found, at
        self.more = at < self.size

    def _skip_line(self) -> int | None:
        """Returns how many bytes the rest of a line that is too long has.

        None if the end of the line is not yet written.
        """
        passed = 0
        while piece := self._reading.readline(1 << 16):
            passed += len(piece)
            if piece.endswith(b"\n"):
                return passed
        return None


def _is_whole(line: bytes) -> bool:
    """Returns whether a line without its end is a whole one all the same.

    A JSON object is, for no beginning of an object is itself an object.
    """
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


@contextmanager
def open_transcript(path: str | Path) -> Iterator[TranscriptFile]:
    """The transcript at a path, or InvalidInput if it cannot be read."""
    try:
        where = Path(path).expanduser().resolve()
        reading = where.open("rb")
    except (OSError, ValueError, RuntimeError) as error:
        told = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InvalidInput(
            "transcript",
            f"{str(path)!r} cannot be read ({told}). Name a JSONL file that exists and may be "
            "read.",
        ) from error
    with reading, where.open("rb") as looking:
        size = reading.seek(0, 2)
        yield TranscriptFile(
            hashlib.sha256(str(where).encode()).hexdigest(), size, reading, looking
        )
