"""Erases from conversations what was removed for good, in the store and in folders.

In the store, messages and states are rewritten in one operation. In a folder, a line of a
transcript keeps its length, so that no cursor moves, whoever reads meanwhile; every other line
keeps every byte. A file is replaced whole, and a crash in between leaves a conversation that goes
on where it was.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from glymph.context import Context
from glymph.history import memory_file, places
from glymph.history.conversation import (
    OR,
    State,
    UnreadableState,
    dump_state,
    parse_state,
)
from glymph.history.cut import Cutter, QuoteCutter, clean_state, line_repeats, rewrite_line
from glymph.history.disk import Disk
from glymph.history.memory_file import AGENT, MACHINE
from glymph.history.shelves import (
    ASIDE,
    NEW,
    SHORTENING,
    STATE,
    FileShelf,
    read_conversations,
    read_messages,
)
from glymph.history.transcript import FILE, HEAD, LOCK, NECK, TORN
from glymph.store.certificate import CLEAN, LEFT, PlaceStatus
from glymph.store.contract import Row
from glymph.store.conversations import Rewording
from glymph.store.erase_places import CONVERSATIONS
from glymph.text.quotes import Quotes, choose_gone_name, words_in
from glymph.write.edit import read_page

FILES = "conversation files"
HOW = (
    "messages and notes that repeat it are written anew; "
    "no sentence repeats it or has two words of its own"
)
NONE = "there are none"
STILL = (
    "the conversation {} still repeats it: repeat the erasure, or `glymph memory history remove` it"
)
RETAINED = "a purge that nobody asked for by what it says leaves conversations as they were said"
UNCHECKED = "not looked through, for the text is not kept"
CUT_SHORT = (
    "the purge was cut short before they were looked through: "
    "`glymph memory history erase TEXT --apply` does it"
)
REASON = "cut out of conversations"
LEFT_OVER = 60.0  # seconds after which a half-written file is one of a process that was killed

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class Erasure:
    """The outcome of an erasure: what was looked through and rewritten, and what is left to do."""

    conversations: int = 0
    files: int = 0
    messages: int = 0  # in the store, notes included
    left: tuple[str, ...] = ()  # what could not be erased, and why


class ConversationKeeper:
    """Makes conversations, in the store and in folders, a place that purges erase."""

    places = (CONVERSATIONS, FILES)

    def erase(self, ctx: Context, quotes: Quotes, *, on_request: bool) -> list[PlaceStatus]:
        """Erases what was removed on request from the conversations of the space."""
        if not on_request:
            return _report_untouched(ctx, RETAINED, "")
        cut = QuoteCutter(quotes)
        in_store, texts = erase_in_store(ctx, cut)
        still = [STILL.format(cut(name)) for name in _find_repeating(ctx, cut, quotes)]
        in_files, files, left = _erase_in_folders(ctx, cut, quotes, dry_run=False)
        return [
            _status(CONVERSATIONS, in_store, still, texts), _status(FILES, in_files, left, files)
        ]  # fmt: skip

    def report_unchecked(self, ctx: Context) -> list[PlaceStatus]:
        """Reports conversations that a killed purge did not look through."""
        return _report_untouched(ctx, UNCHECKED, CUT_SHORT)


def erase(ctx: Context, quotes: Quotes, *, dry_run: bool = False) -> Erasure:
    """Cuts what repeats these texts out of every conversation of the space, then looks for more.

    `dry_run` only counts what would be rewritten.
    """
    cut = QuoteCutter(quotes)
    in_store, rewritten = erase_in_store(ctx, cut, dry_run=dry_run)
    names = [] if dry_run else _find_repeating(ctx, cut, quotes)
    in_files, files, left = _erase_in_folders(ctx, cut, quotes, dry_run=dry_run)
    still = (STILL.format(cut(name)) for name in names)
    return Erasure(in_store + in_files, files, rewritten, (*still, *left))


def _report_untouched(ctx: Context, how: str, detail: str) -> list[PlaceStatus]:
    with ctx.reading() as reader:
        in_store = bool(reader.conversations(limit=1))
    there = ((CONVERSATIONS, in_store), (FILES, bool(places.list_folders(ctx))))
    return [
        PlaceStatus(name, LEFT, how, detail) if some else PlaceStatus(name, CLEAN, NONE)
        for name, some in there
    ]


def _status(name: str, conversations: int, left: list[str], rewritten: int) -> PlaceStatus:
    if left:
        return PlaceStatus(name, LEFT, HOW, "; ".join(left))
    detail = f"{rewritten} written anew" if rewritten else ""
    return PlaceStatus(name, CLEAN, HOW if conversations else NONE, detail)


# in the store


@dataclass(frozen=True, slots=True)
class _Change:
    """The changes to one conversation: to some messages, and to its state."""

    conversation: int
    name: str
    messages: Sequence[Rewording]
    changes_state: bool
    changes_name: bool

    @property
    def texts(self) -> int:
        return len(self.messages) + self.changes_state + self.changes_name


def erase_in_store(ctx: Context, cut: Cutter, *, dry_run: bool = False) -> tuple[int, int]:
    """Erases from the conversations in the store; counts these and the texts rewritten."""
    if not dry_run:
        with ctx.store.writing(ctx.space, None) as writer:
            writer.revoke_claims()  # notes that are being made now may repeat it
    planned = [_plan_change(ctx, row, cut) for row in read_conversations(ctx)]
    changes = [one for one in planned if one.texts]
    if changes and not dry_run:
        with ctx.operation("purge", reason=REASON) as op:
            for one in changes:
                op.writer.reword_messages(one.conversation, one.messages)
                now = op.writer.conversation(one.name) or {"state": NEW}
                op.writer.keep_conversation_state(one.conversation, cut_state(now["state"], cut))
                if one.changes_name:
                    anew = choose_gone_name(op.writer.conversation)
                    op.writer.rename_conversation(one.name, anew)
    return len(planned), sum(one.texts for one in changes)


def _plan_change(ctx: Context, row: Row, cut: Cutter) -> _Change:
    rewordings = [
        Rewording(message.number, message.body, anew)
        for message in read_messages(ctx, row["name"])
        if (anew := cut_message(message.body, cut)) != message.body
    ]
    changes_state = cut_state(row["state"], cut) != row["state"]
    changes_name = cut(row["name"]) != row["name"]
    return _Change(row["key"], row["name"], rewordings, changes_state, changes_name)


def _find_repeating(ctx: Context, cut: QuoteCutter, quotes: Quotes) -> list[str]:
    """Returns the names of conversations in the store that still repeat it, by name or message."""
    return [
        row["name"]
        for row in read_conversations(ctx)
        if cut(row["name"]) != row["name"]
        or cut_state(row["state"], cut) != row["state"]
        or any(
            line_repeats(message.body.encode(), cut, quotes)
            for message in read_messages(ctx, row["name"])
        )
    ]


def cut_rows(tables: dict[str, list[Row]], cut: Cutter) -> None:
    """Erases from the rows of conversations that are about to be imported."""
    tables["messages"] = [
        {**row, "body": cut_message(row["body"], cut)} for row in tables["messages"]
    ]
    taken = {row["name"] for row in tables["conversations"]}
    kept: list[Row] = []
    for row in tables["conversations"]:
        name = row["name"]
        if cut(name) != name:
            name = choose_gone_name(taken.__contains__)
            taken.add(name)
        kept.append({**row, "name": name, "state": cut_state(row["state"], cut)})
    tables["conversations"] = kept


def cut_message(body: str, cut: Cutter) -> str:
    """Returns a message without it."""
    return rewrite_line(body.encode(), cut).decode()


def cut_state(text: str, cut: Cutter) -> str:
    """Returns a stored state without it; the very same text if it says nothing of it."""
    if text == NEW:
        return text
    try:
        found = parse_state(text)
    except UnreadableState:
        return cut_message(text, cut)
    clean = clean_state(found, cut)
    return text if clean == found else dump_state(clean)


# in folders


def _erase_in_folders(
    ctx: Context, cut: QuoteCutter, quotes: Quotes, *, dry_run: bool
) -> tuple[int, int, list[str]]:
    """Erases from conversations in folders; counts these and rewritten files, says what is left."""
    disk = Disk(durable=ctx.settings.durability == "full")
    page = read_page(ctx)
    count, files = 0, 0
    left = places.list_out_of_reach(ctx)
    for folder in places.list_folders(ctx):
        for session in sorted(path for path in folder.iterdir() if path.is_dir()):
            count += 1
            try:
                files += SessionFolder(session, disk, cut, page, dry_run).erase()
                if not dry_run:
                    repeating = _find_repeating_files(session, cut, quotes)
                    left += [f"{cut(str(path))} still repeats it: edit it" for path in repeating]
                    if cut(session.name) != session.name:
                        left.append(f"the name of a folder in {session.parent} tells it: rename it")
            except OSError as error:
                why = error.strerror
                left.append(
                    f"{cut(str(session))} could not be written ({why}): fix that, then edit it"
                )
    return count, files, left


@dataclass(slots=True)
class SessionFolder:
    """One conversation's folder. Whoever appends to it or shortens it waits meanwhile."""

    folder: Path
    disk: Disk
    cut: QuoteCutter
    page: str
    dry_run: bool
    files: int = 0

    def erase(self) -> int:
        """Rewrites the files that repeat it; returns how many were, or would be, rewritten."""
        with self.disk.lock(self.folder / SHORTENING), self.disk.lock(self.folder / LOCK):
            shelf = FileShelf(self.folder, self.disk)
            if not self.dry_run:
                self._remove_partial_files()
            found, _ = (State(), None) if self.dry_run else shelf.load()
            body = self.disk.read(self.folder / FILE) or b""
            anew = self._cut_lines(body)
            known = fingerprint_transcript(anew, found.standing.cursor.offset)
            clean = self._clean_state(found)
            # Until the transcript is replaced the state knows both, so that a crash costs nothing.
            between = found.known_by if anew == body else f"{found.known_by}{OR}{known}"
            if not self.dry_run and (clean != found or anew != body):
                shelf.save(replace(clean, known_by=between))
                self.files += clean != found
            self._replace(FILE, body, anew)
            if between != found.known_by and not self.dry_run:
                shelf.save(replace(clean, known_by=known))
            torn = self.disk.read(self.folder / TORN) or b""
            self._replace(TORN, torn, self._cut_lines(torn))
            aside = sorted(path.name for path in self.folder.glob(ASIDE.format("*")))
            for name in (memory_file.FILE, *aside, f"{Path(STATE).stem}.broken"):
                self._rewrite_text(name)
            if self.dry_run:
                self._rewrite_text(STATE)
        return self.files

    def _clean_state(self, found: State) -> State:
        """Returns the state without it.

        The state also knows what memory.md will look like, and whether a person had changed that.
        """
        clean = clean_state(found, self.cut)
        if clean == found and not self._memory_file_changes():
            return found
        shown = dict(found.shown)
        file = self.disk.read(self.folder / memory_file.FILE)
        parts = memory_file.parse(file.decode(errors="replace")) if file is not None else None
        for name, before, after in (
            (MACHINE, found.standing.summary, clean.standing.summary),
            (AGENT, self.page, self.cut(self.page)),
        ):
            marks = [memory_file.fingerprint(after)]
            text = "" if parts is None else getattr(parts, name)
            if parts is not None and not memory_file.is_edited(
                text, before, found.shown.get(name, ())
            ):
                marks.append(memory_file.fingerprint(self.cut(text)))
            shown[name] = tuple(marks)
        return replace(clean, shown=shown)

    def _memory_file_changes(self) -> bool:
        text = (self.disk.read(self.folder / memory_file.FILE) or b"").decode(errors="replace")
        return self.cut(text) != text

    def _cut_lines(self, body: bytes) -> bytes:
        return b"".join(rewrite_line(line, self.cut) for line in _LINE.findall(body))

    def _rewrite_text(self, name: str) -> None:
        body = self.disk.read(self.folder / name)
        if body is not None:
            text = body.decode(errors="replace")
            anew = self.cut(text)
            self._replace(name, body, body if anew == text else anew.encode(errors="replace"))

    def _replace(self, name: str, before: bytes, after: bytes) -> None:
        if before == after:
            return
        self.files += 1
        if not self.dry_run:
            self.disk.replace(self.folder / name, after)

    def _remove_partial_files(self) -> None:
        """Removes what killed processes left half written."""
        for path in self.folder.glob("*.partial"):
            if time.time() - path.stat().st_mtime > LEFT_OVER:
                path.unlink(missing_ok=True)


def fingerprint_transcript(body: bytes, offset: int) -> str:
    """Returns what `FileTranscript.known_by` will say of a file with these bytes."""
    if offset == 0:
        return ""
    first = body[: min(HEAD, offset)]
    return hashlib.sha256(first + body[max(len(first), offset - NECK) : offset]).hexdigest()


def _find_repeating_files(folder: Path, cut: QuoteCutter, quotes: Quotes) -> list[Path]:
    """Returns the files of a conversation in which something still repeats it."""
    files = sorted(path for path in folder.iterdir() if path.is_file())
    return [path for path in files if _file_repeats(path, cut, quotes)]


def _file_repeats(path: Path, cut: QuoteCutter, quotes: Quotes) -> bool:
    body = path.read_bytes()
    if path.suffix == ".jsonl":
        return any(line_repeats(line, cut, quotes) for line in _LINE.findall(body))
    text = body.decode(errors="replace")
    return quotes.whole(words_in(text)) if path.suffix == ".json" else cut(text) != text
