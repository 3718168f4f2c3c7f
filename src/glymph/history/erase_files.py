"""Erasing from conversations in folders: from transcripts, notes, memory.md and what lies beside.

A line of a transcript keeps its length, so that no cursor moves, whoever reads meanwhile; every
other line keeps every byte. A file is replaced whole, and a crash in between leaves a conversation
that goes on where it was.
"""

from __future__ import annotations

import hashlib
import re
import time
from dataclasses import dataclass, replace
from pathlib import Path

from glymph.context import Context
from glymph.history import memory_file, places, state
from glymph.history.cut import Sieve, cleaned, repeats, rewritten
from glymph.history.disk import Disk
from glymph.history.files import ASIDE, SHORTENING, STATE, FileShelf
from glymph.history.memory_file import AGENT, MACHINE
from glymph.history.state import State
from glymph.history.transcript import FILE, HEAD, LOCK, NECK, TORN
from glymph.store.erase_journal import Quotes, words_in
from glymph.write.edit import read_page

LEFT_OVER = 60.0  # seconds after which a half-written file is one of a process that was killed

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


def erase(
    ctx: Context, sieve: Sieve, quotes: Quotes, *, dry_run: bool
) -> tuple[int, int, list[str]]:
    """How many conversations there are, how many files were written anew, or would be, and what is
    left.
    """
    disk = Disk(durable=ctx.settings.durability == "full")
    page = read_page(ctx)
    count, files = 0, 0
    left = places.out_of_reach(ctx)
    for folder in places.folders(ctx):
        for session in sorted(path for path in folder.iterdir() if path.is_dir()):
            count += 1
            try:
                files += _Session(session, disk, sieve, page, dry_run).erased()
                if not dry_run:
                    left += [
                        f"{path} still repeats it: edit it"
                        for path in _repeating(session, sieve, quotes)
                    ]
            except OSError as error:
                left.append(
                    f"{session} could not be written anew ({error.strerror}): mend that, then edit it"
                )
    return count, files, left


@dataclass(slots=True)
class _Session:
    """One conversation's folder. Whoever appends to it or shortens it waits meanwhile."""

    folder: Path
    disk: Disk
    sieve: Sieve
    page: str
    dry_run: bool
    files: int = 0

    def erased(self) -> int:
        """How many files were, or would be, written anew."""
        with self.disk.locked(self.folder / SHORTENING), self.disk.locked(self.folder / LOCK):
            shelf = FileShelf(self.folder, self.disk)
            if not self.dry_run:
                self._sweep()
            found, _ = (State(), None) if self.dry_run else shelf.load()
            body = self.disk.read(self.folder / FILE) or b""
            anew = b"".join(rewritten(line, self.sieve) for line in _LINE.findall(body))
            offset = found.standing.cursor.offset
            known = known_by(anew, offset)
            clean = self._cleaned(found)
            between = found.known_by if anew == body else f"{found.known_by}{state.OR}{known}"
            if not self.dry_run and (clean != found or anew != body):
                shelf.save(replace(clean, known_by=between))
                self.files += clean != found
            self._replace(FILE, body, anew)
            if between != found.known_by and not self.dry_run:
                shelf.save(replace(clean, known_by=known))
            self._lines(TORN)
            aside = sorted(path.name for path in self.folder.glob(ASIDE.format("*")))
            for name in (memory_file.FILE, *aside, f"{Path(STATE).stem}.broken"):
                self._text(name)
            if self.dry_run:
                self._text(STATE)
        return self.files

    def _cleaned(self, found: State) -> State:
        """The state without it. It knows how memory.md will look, and whether a person had changed
        that.
        """
        clean = cleaned(found, self.sieve)
        if clean == found and not self._shown_changes():
            return found
        shown = dict(found.shown)
        file = self.disk.read(self.folder / memory_file.FILE)
        parts = memory_file.read(file.decode(errors="replace")) if file is not None else None
        for name, before, after in (
            (MACHINE, found.standing.summary, clean.standing.summary), (AGENT, self.page, self.sieve(self.page)),
        ):  # fmt: skip
            marks = [memory_file.fingerprint(after)]
            text = "" if parts is None else getattr(parts, name)
            if parts is not None and not memory_file.changed(
                text, before, found.shown.get(name, ())
            ):
                marks.append(memory_file.fingerprint(self.sieve(text)))
            shown[name] = tuple(marks)
        return replace(clean, shown=shown)

    def _shown_changes(self) -> bool:
        text = (self.disk.read(self.folder / memory_file.FILE) or b"").decode(errors="replace")
        return self.sieve(text) != text

    def _text(self, name: str) -> None:
        body = self.disk.read(self.folder / name)
        if body is not None:
            text = body.decode(errors="replace")
            cut = self.sieve(text)
            self._replace(name, body, body if cut == text else cut.encode(errors="replace"))

    def _lines(self, name: str) -> None:
        body = self.disk.read(self.folder / name) or b""
        self._replace(
            name, body, b"".join(rewritten(line, self.sieve) for line in _LINE.findall(body))
        )

    def _replace(self, name: str, before: bytes, after: bytes) -> None:
        if before == after:
            return
        self.files += 1
        if not self.dry_run:
            self.disk.replace(self.folder / name, after)

    def _sweep(self) -> None:
        """Removes what killed processes left half written."""
        for path in self.folder.glob("*.partial"):
            if time.time() - path.stat().st_mtime > LEFT_OVER:
                path.unlink(missing_ok=True)


def known_by(body: bytes, offset: int) -> str:
    """What `JsonTranscript.known_by` will say of a file with these bytes."""
    if offset == 0:
        return ""
    first = body[: min(HEAD, offset)]
    return hashlib.sha256(first + body[max(len(first), offset - NECK) : offset]).hexdigest()


def _repeating(folder: Path, sieve: Sieve, quotes: Quotes) -> list[Path]:
    """The files of a conversation in which something still repeats it."""
    return [
        path
        for path in sorted(folder.iterdir())
        if path.is_file() and _repeats(path, sieve, quotes)
    ]


def _repeats(path: Path, sieve: Sieve, quotes: Quotes) -> bool:
    body = path.read_bytes()
    if path.suffix == ".jsonl":
        return any(repeats(line, sieve, quotes) for line in _LINE.findall(body))
    text = body.decode(errors="replace")
    return quotes.whole(words_in(text)) if path.suffix == ".json" else sieve(text) != text
