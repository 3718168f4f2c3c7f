"""Erasing from conversations what was removed for good: from transcripts, notes, memory.md and what lies beside.

A line of a transcript keeps its length, so that no cursor moves, whoever reads meanwhile; every other line keeps
every byte. A file is replaced whole, and a crash in between leaves a conversation that goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from glymph.core.certificate import CLEAN, OUT_OF_REACH, PlaceStatus
from glymph.core.identifiers import fingerprint_forms, identifiers
from glymph.core.identifiers.found import Key
from glymph.services.conversation import memory_file, places, state
from glymph.services.conversation.disk import Disk
from glymph.services.conversation.memory_file import AGENT, MACHINE
from glymph.services.conversation.sessions import ASIDE
from glymph.services.conversation.state import State
from glymph.services.conversation.transcript import FILE, HEAD, LOCK, NECK, TORN, JsonTranscript
from glymph.services.edit import read_page
from glymph.services.workplace import Workplace
from glymph.store.erasing import GONE, Quotes, words_in, words_of

PLACE = "conversation files"
SHORTENING = "shortening.lock"
MARKS = (GONE, "…", "")  # what stands in place of words, the first that fits
NAMES = frozenset(("role", "type", "id", "tool_call_id", "tool_use_id", "call_id", "at", "timestamp"))
TELLING = frozenset(("mail", "phone", "iban", "card", "ip", "mac", "uuid", "hash", "handle", "url", "code"))
SHORT = 2  # words; a text of no more is a value, not a statement
ENOUGH = 2  # words that nothing else in the space has, in one sentence
MOST_DIGITS_LESS = 4  # of a key that may not be written: the country, a leading zero
LEFT_OVER = 60.0  # seconds after which a half-written file is one of a process that was killed
HOW = "lines and notes that repeat it are written anew; no sentence repeats it or has two words of its own"
RETAINED = "a purge that nobody asked for by what it says leaves conversations as they were said"

_LETTERS = re.compile("[a-z]+")
_SIGNS = frozenset("@./#:-_")
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_PART = re.compile(r"((?<=[.!?…。！？])\s+|\n+)")


class Sieve:
    """Cuts out of texts what repeats something removed: the words themselves, or else the whole sentence."""

    def __init__(self, quotes: Quotes) -> None:
        self._quotes, self._enough = quotes, min(ENOUGH, len(quotes.words))
        self._statements = Quotes(tuple(text for text in quotes.texts if len(text.split()) > SHORT))
        self._keys = frozenset(key for text in quotes.texts for key in self._own(text))
        whole = [text for text in quotes.texts if not _is_identifier(text)]
        self._forms = frozenset(form for text in whole for form in fingerprint_forms(text))
        self._landmarks = {max(_LETTERS.findall(text.casefold()), key=len, default="") for text in whole}

    def __call__(self, text: str, mark: str = GONE) -> str:
        """The text without it."""
        # Statements first, which may have several sentences; single values last, whose sentence tells more.
        parts = _PART.split(self._statements.cut_from(text))
        kept = (GONE if at % 2 == 0 and self._tells(part) else part for at, part in enumerate(parts))
        left = self._quotes.cut_from("".join(kept))
        return left if left == text or mark == GONE else left.replace(GONE, mark)

    def _own(self, text: str) -> Iterator[Key]:
        """The identifiers that are all of a text, or whose words nothing else in the space has."""
        for one in identifiers(text):
            if one.text.strip() == text.strip() or (
                one.type in TELLING and words_of(one.text) & self._quotes.words
            ):
                yield one.type, one.key

    def _tells(self, sentence: str) -> bool:
        if not sentence.strip() or sentence == GONE:
            return False
        if self._enough and len(words_of(sentence) & self._quotes.words) >= self._enough:
            return True
        if self._may_name(sentence) and any((one.type, one.key) in self._keys for one in identifiers(sentence)):
            return True
        # Looking closely takes a hundred times as long as seeing that it cannot be the same.
        low = sentence.casefold()
        if low.isascii() and not any(mark in low for mark in self._landmarks):
            return False
        return not self._forms.isdisjoint(fingerprint_forms(sentence))

    def _may_name(self, sentence: str) -> bool:
        """Whether one of the identifiers can be in it at all: most of its digits, or a sign of an address."""
        digits = sum(map(str.isdigit, sentence))
        return any(
            digits >= max(MOST_DIGITS_LESS, sum(map(str.isdigit, key)) - MOST_DIGITS_LESS)
            if any(map(str.isdigit, key)) else not sentence.isascii() or not _SIGNS.isdisjoint(sentence)
            for _, key in self._keys
        )  # fmt: skip


def _is_identifier(text: str) -> bool:
    return any(one.text.strip() == text.strip() for one in identifiers(text))


@dataclass(frozen=True, slots=True)
class Erasure:
    """What an erasure came to: conversations looked through, files written anew, and what is still to be done."""

    conversations: int = 0
    files: int = 0
    left: tuple[str, ...] = ()  # what could not be erased, and why


def certified(place: Workplace, quotes: Quotes, *, on_request: bool) -> PlaceStatus:
    """Erases from the conversations of a space what was removed on request; how they stand, for a certificate."""
    if not places.roots(place):
        told = f"conversations kept in folders are not known here: set {places.SETTING}, or look through them"
        return PlaceStatus(PLACE, OUT_OF_REACH, "not looked for", told)
    if not on_request:
        kept = places.folders(place)
        return PlaceStatus(PLACE, OUT_OF_REACH if kept else CLEAN, RETAINED if kept else "there are none")
    done = erase(place, quotes)
    if done.left:
        return PlaceStatus(PLACE, OUT_OF_REACH, HOW, "; ".join(done.left))
    return PlaceStatus(PLACE, CLEAN, HOW if done.conversations else "there are none")


def unchecked_files(place: Workplace) -> PlaceStatus:
    """How they stand if a purge was killed before they were looked through: its words are known no more."""
    if not places.folders(place):
        return PlaceStatus(PLACE, CLEAN, "there are none")
    told = "the purge was cut short before they were looked through: `glymph history erase TEXT --apply` does it"
    return PlaceStatus(PLACE, OUT_OF_REACH, "not looked through, for the text is not kept", told)


def erase(place: Workplace, quotes: Quotes, *, dry_run: bool = False) -> Erasure:
    """Cuts out of every conversation of the space what repeats these texts, and looks whether anything is left.

    `dry_run` only counts the files that would be written anew.
    """
    disk = Disk(durable=place.settings.durability == "full")
    sieve, page = Sieve(quotes), read_page(place)
    count, files = 0, 0
    left = [f"{root} is not to be seen from here: erase it there" for root in places.missing(place)]
    for folder in places.folders(place):
        for session in sorted(path for path in folder.iterdir() if path.is_dir()):
            count += 1
            try:
                files += _Session(session, disk, sieve, page, dry_run).erased()
                if not dry_run:
                    left += [f"{path} still repeats it: edit it" for path in _repeating(session, sieve, quotes)]
            except OSError as error:
                left.append(f"{session} could not be written anew ({error.strerror}): mend that, then edit it")
    return Erasure(count, files, tuple(left))


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
            transcript = JsonTranscript(self.folder, self.disk)
            if not self.dry_run:
                self._sweep()
            found, _ = (State(), None) if self.dry_run else state.load(self.folder, self.disk, transcript)
            body = self.disk.read(self.folder / FILE) or b""
            anew = b"".join(rewritten(line, self.sieve) for line in _LINE.findall(body))
            offset = found.standing.cursor.offset
            known = known_by(anew, offset)
            clean = self._cleaned(found)
            between = found.known_by if anew == body else f"{found.known_by}{state.OR}{known}"
            if not self.dry_run and (clean != found or anew != body):
                state.save(self.folder, self.disk, replace(clean, known_by=between))
                self.files += clean != found
            self._replace(FILE, body, anew)
            if between != found.known_by and not self.dry_run:
                state.save(self.folder, self.disk, replace(clean, known_by=known))
            self._lines(TORN)
            for name in (memory_file.FILE, ASIDE, f"{Path(state.FILE).stem}.broken"):
                self._text(name)
            if self.dry_run:
                self._text(state.FILE)
        return self.files

    def _cleaned(self, found: State) -> State:
        """The state without it. It knows how memory.md will look, and whether a person had changed that."""
        old = found.standing
        standing = replace(old, summary=self.sieve(old.summary), newest=self.sieve(old.newest))
        waiting = tuple(replace(one, text=self.sieve(one.text)) for one in found.waiting)
        waiting = tuple(one for one in waiting if one.text.replace(GONE, "").strip())
        if (standing, waiting) == (old, found.waiting) and not self._shown_changes():
            return found
        shown = dict(found.shown)
        file = self.disk.read(self.folder / memory_file.FILE)
        parts = memory_file.read(file.decode(errors="replace")) if file is not None else None
        for name, before, after in (
            (MACHINE, old.summary, standing.summary), (AGENT, self.page, self.sieve(self.page)),
        ):  # fmt: skip
            marks = [memory_file.fingerprint(after)]
            text = "" if parts is None else getattr(parts, name)
            if parts is not None and not memory_file.changed(text, before, found.shown.get(name, ())):
                marks.append(memory_file.fingerprint(self.sieve(text)))
            shown[name] = tuple(marks)
        return replace(found, standing=standing, waiting=waiting, shown=shown)

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
        self._replace(name, body, b"".join(rewritten(line, self.sieve) for line in _LINE.findall(body)))

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


# lines


def rewritten(line: bytes, sieve: Sieve) -> bytes:
    """The line of a message without it, as long as it was; the very same if it says nothing of it.

    A line that nobody could read becomes blank.
    """
    end = line[len(line.rstrip(b"\r\n")) :]
    room = len(line) - len(end)
    record = _object(line)
    if record is None:
        text = line.decode(errors="replace")
        return line if sieve(text) == text else b" " * room + end
    for mark in MARKS:
        anew = _walked(record, partial(sieve, mark=mark))
        if anew == record:
            return line
        for body in _written(anew):
            if len(body) <= room:
                return _padded(body, room) + end
    return _padded(_emptied(record), room) + end


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _walked(value: Any, cut: Callable[[str], str], name: str = "") -> Any:
    """A JSON value with every text cut, also inside texts that are JSON themselves: the arguments of a tool."""
    if isinstance(value, dict):
        return {key: _walked(one, cut, key) for key, one in value.items()}
    if isinstance(value, list):
        return [_walked(one, cut, name) for one in value]
    if not isinstance(value, str) or name in NAMES:
        return value
    if value[:1] in ("{", "["):
        try:
            inside = json.loads(value)
        except (ValueError, RecursionError):
            return cut(value)
        anew = _walked(inside, cut)
        return value if anew == inside else json.dumps(anew, ensure_ascii=False)
    return cut(value)


def _written(record: Any) -> Iterator[bytes]:
    for separators in ((", ", ": "), (",", ":")):
        text = json.dumps(record, ensure_ascii=False, separators=separators)
        try:
            yield text.encode()
        except UnicodeEncodeError:
            yield json.dumps(record, separators=separators).encode()


def _padded(body: bytes, room: int) -> bytes:
    """As long as it was, with spaces before the braces that end it, where JSON passes them over."""
    braces = 2 if body.endswith(b"}}") else 1
    return body[:-braces] + b" " * (room - len(body)) + body[-braces:]


def _emptied(record: dict[str, Any]) -> bytes:
    """A message that says nothing, in the shape it had."""
    inside = record.get("message")
    role = (inside if isinstance(inside, dict) else record).get("role", "user")
    empty = {"role": role, "content": ""}
    return json.dumps({"message": empty} if isinstance(inside, dict) else empty, separators=(",", ":")).encode()


def known_by(body: bytes, offset: int) -> str:
    """What `JsonTranscript.known_by` will say of a file with these bytes."""
    if offset == 0:
        return ""
    first = body[: min(HEAD, offset)]
    return hashlib.sha256(first + body[max(len(first), offset - NECK) : offset]).hexdigest()


# looking


def _repeating(folder: Path, sieve: Sieve, quotes: Quotes) -> list[Path]:
    """The files of a conversation in which something still repeats it."""
    return [path for path in sorted(folder.iterdir()) if path.is_file() and _repeats(path, sieve, quotes)]


def _repeats(path: Path, sieve: Sieve, quotes: Quotes) -> bool:
    body = path.read_bytes()
    if path.suffix == ".jsonl":
        lines = _LINE.findall(body)
        return any(
            rewritten(line, sieve) != line or quotes.whole(words_in(line.decode(errors="replace")))
            for line in lines
        )
    text = body.decode(errors="replace")
    return quotes.whole(words_in(text)) if path.suffix == ".json" else sieve(text) != text
