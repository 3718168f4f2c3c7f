"""Remembers what a conversation said, read on from where it was left.

A model is asked, or the reader finds it, and it is kept once. The cursor of a transcript moves in
the transaction that stores what was read up to it. So a run that is killed loses nothing and
doubles nothing, and of two runs at once one stops.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from glymph.checks import checked_list, optional_text
from glymph.context import Context
from glymph.errors import BudgetSpent, InvalidInput, MalformedReply, ModelFailed
from glymph.learn.extract_prompt import Extracted, question
from glymph.learn.extract_result import By, Extraction, Found, Unkept
from glymph.learn.extract_rules import find_kind, find_noteworthy
from glymph.learn.ground import is_made_up
from glymph.learn.sift import find_passing, sift_turns
from glymph.learn.source_check import find_inexact, find_undenied, find_ungrounded
from glymph.learn.transcript import Turn
from glymph.learn.transcript_file import TranscriptFile, open_transcript
from glymph.learn.turn_lines import read_said_lines
from glymph.learn.windows import Raw, Window, windows
from glymph.llm.ledger import Run
from glymph.model import Added
from glymph.moments import day_in_words, micros
from glymph.reader.no_reader import NoReader
from glymph.store.writer import Writer
from glymph.text.injection import find_order
from glymph.text.normal import normalise
from glymph.text.secret_rules import find_random_word
from glymph.text.secrets import SECRET, mask_secrets
from glymph.write.add import add_with
from glymph.write.draft import Draft, draft
from glymph.write.junk import find_junk
from glymph.write.tombstones import TOMBSTONED, match_tombstones

JOB, SOURCE = "extract", "extraction"
TRUST: dict[By, float] = {"model": 0.6, "reader": 0.5, "rules": 0.5}
PASTED = 0.2  # the trust in what only a quotation or a pasted text says: nobody in the talk said it
AROUND = 2  # turns before and after the one that a statement comes from, in which it is denied
MOST_MALFORMED = 3  # runs in which a window's answer may be malformed before it is read without
OVERTAKEN = (
    "Another run has read on in this transcript meanwhile. Nothing was kept twice; run it again "
    "for the rest."
)
PASSED_OVER = (
    "the model's answers about it were malformed in {runs} runs, so it was read without one, "
    "which found {found} ({problem})"
)
MADE_UP = "the reader does not find it in the turn that it was taken from"
BRIEF = "passing: the reader finds nothing worth keeping in what it was taken from"
HIDDEN = "secret: it tells little without what was masked in it"
DRAWN = "secret: it holds a word that looks drawn at random"
ORDERED = "order: it tries {wants}"
BESIDE = "order: it was said beside a text that tries {wants}"

Progress = Callable[[int, int], None]  # how much is read, of how much; 0 if that is not known


class Overtaken(Exception):
    """The cursor is no longer where this run left it."""


def extract(
    ctx: Context,
    transcript: str | Path | Iterable[Mapping[str, Any] | str],
    *,
    session: str | None = None,
    dry_run: bool = False,
    again: bool = False,
    progress: Progress | None = None,
) -> Extraction:
    """Remembers what a transcript says that will matter later.

    The transcript is a JSONL file by its path, or its lines. A file is read from where the last run
    ended, or `again` from its beginning: what is still known is not new then. Without a model the
    reader finds what to keep; without a reader, too, only plain English rules do. `session` names
    the session of what is kept, else the transcript does. A dry run asks the model, too, and keeps
    nothing.
    """
    optional_text("session", session)
    if isinstance(transcript, str | Path):
        with open_transcript(transcript) as file:
            with ctx.reading() as reader:
                known = reader.transcript(file.source)
            seen = None if known is None else (str(known["head"]), int(known["offset"]))
            start = 0 if again else file.begin(known)
            reading = _Reading(ctx, session, dry_run, start, _Cursor(file, seen))
            return reading.run(file.lines(start), file.size, progress)
    lines = _number_turns(transcript)
    return _Reading(ctx, session, dry_run, 0, None).run(lines, 0, progress)


def _number_turns(transcript: Iterable[object]) -> Iterator[tuple[Raw, int]]:
    streams = isinstance(transcript, Iterable) and not isinstance(transcript, Mapping | bytes)
    for number, line in enumerate(
        transcript if streams else checked_list("transcript", transcript), 1
    ):
        yield (line if isinstance(line, str | bytes | Mapping) else None), number


@dataclass(slots=True)
class _Cursor:
    """The place up to which a file was read, as this run knows it."""

    file: TranscriptFile
    seen: tuple[str, int] | None  # head and offset

    @property
    def failures(self) -> str:
        return f"extract_failures:{self.file.source}"

    def move(self, writer: Writer, place: tuple[str, int], now: int) -> None:
        """Moves the cursor as a part of a transaction.

        Raises Overtaken if another run has moved it.
        """
        row = writer.transcript(self.file.source)
        if (None if row is None else (row["head"], row["offset"])) != self.seen:
            raise Overtaken
        writer.set_transcript(self.file.source, head=place[0], offset=place[1], at=now)
        if writer.counter(self.failures):
            writer.set_counter(self.failures, 0)


@dataclass(slots=True)
class _Statement:
    """A statement on its way into the memory, and the turn that it comes from."""

    text: str
    kind: str
    turn: Turn
    by: By
    pasted: bool = False  # a text says it that somebody quoted or pasted, or it is a command
    refused: str | None = None  # why it is not kept, if that is known already


@dataclass(slots=True)
class _Reading:
    """One run over a transcript, and what it comes to."""

    ctx: Context
    session: str | None
    dry_run: bool
    start: int
    cursor: _Cursor | None
    offset: int = 0  # read up to here
    kept_to: int = 0  # and stored up to here
    turns: int = 0
    windows: int = 0
    masked: int = 0
    unreadable: int = 0
    left_out: int = 0
    failed: int = 0
    problem: str | None = None
    found: list[Found] = field(default_factory=list)
    added: list[Added] = field(default_factory=list)
    refused: list[Unkept] = field(default_factory=list)
    heard: dict[str, str] = field(default_factory=dict)  # what each side said last
    asking: Run = field(init=False)

    def __post_init__(self) -> None:
        self.offset = self.kept_to = self.start
        if self.start:  # it opened before
            self.heard = {"user": "", "assistant": ""}
        self.asking = Run(self.ctx, JOB)

    @property
    def by(self) -> By:
        return self._by_itself if self.ctx.model is None else "model"

    @property
    def _by_itself(self) -> By:
        return "rules" if self.ctx.reader.name == NoReader.name else "reader"

    def run(
        self, lines: Iterable[tuple[Raw, int]], total: int, progress: Progress | None
    ) -> Extraction:
        """Reads window by window until the end, or until one fails."""
        try:
            for window in windows(lines, self.start):
                if not self._take(window):
                    break
                if progress is not None:
                    progress(self.offset, total)
            if self.offset != self.kept_to and not self.dry_run:
                self._keep([])  # what held nothing was passed without a transaction of its own
        except Overtaken:
            self.problem, self.offset = OVERTAKEN, self.kept_to
        return self._make_result()

    def _take(self, window: Window) -> bool:
        """Reads one window and keeps what it says.

        Returns False if that failed and the run ends before this window.
        """
        try:
            statements = self._statements(window)
        except MalformedReply as error:
            statements = self._read_by_itself(window)
            if not self._pass_over(window, error, statements):
                return self._stop(str(error))
        except (ModelFailed, BudgetSpent) as error:
            return self._stop(str(error))
        self.turns += sum(bool(turn.text) for turn in window.turns)
        self.windows += 1
        self.masked += window.masked
        self.unreadable += window.unreadable
        self.left_out += window.left_out
        self.offset = window.end
        kept = self._check(statements)
        if kept or (self.by == "model" and window.turns):
            self._keep(kept)
        return True

    def _stop(self, problem: str) -> bool:
        self.failed, self.problem = 1, problem
        return False

    def _statements(self, window: Window) -> list[_Statement]:
        if self.by != "model":
            return self._read_by_itself(window)
        found: list[_Statement] = []
        for part in window.parts():
            source, said = _source(part), _source(part, said=True)
            asked = question(part, nonce=secrets.token_hex(8), today=self.ctx.now().date())
            told = self.asking.ask(asked)
            passing = self._find_passing(part, told)
            for each, passes in zip(told, passing, strict=True):
                refused = BRIEF if passes else self._find_ungrounded(part, each.turn, each.text)
                pasted = _is_pasted(each.text, source, said)
                found.append(
                    _Statement(each.text, each.kind, part[each.turn], "model", pasted, refused)
                )
        return found

    def _find_passing(self, part: Sequence[Turn], told: Sequence[Extracted]) -> list[bool]:
        """Returns which statements of a model the reader holds to be of the moment only."""
        if self._by_itself == "rules":
            return [False] * len(told)
        return find_passing(self.ctx.reader, part, [(each.turn, each.text) for each in told])

    def _find_ungrounded(self, part: Sequence[Turn], at: int, text: str) -> str | None:
        """Returns why the turn at a place does not bear a statement out; None if it does.

        What is exact must stand in the part. The reader decides the rest; where it cannot tell,
        words do.
        """
        source = _source(part)
        strange = find_inexact(text, source)
        made_up = is_made_up(self.ctx.reader, part, at, text) if strange is None else None
        if made_up:
            strange = MADE_UP
        elif made_up is None and strange is None:
            around = part[max(0, at - AROUND) : at + AROUND + 1]
            strange = find_ungrounded(text, source) or find_undenied(text, _source(around))
        return None if strange is None else f"ungrounded: {strange}"

    def _read_by_itself(self, window: Window) -> list[_Statement]:
        """Reads a window without a model. Nothing is learnt from a turn that tries to steer."""
        sifted = sift_turns(self.ctx.reader, window.turns, self.heard)
        if self._by_itself == "rules":  # also where the reader's weights turned out to be unusable
            return _by_rules(window)
        found: list[_Statement] = []
        for each in sifted:
            kind = find_kind(each.text) or "fact"
            found.append(
                _Statement(
                    each.text, kind, each.turn, "reader",
                    pasted=not each.said, refused=_find_steering(each.turn),
                )
            )  # fmt: skip
        return found

    def _check(self, statements: Sequence[_Statement]) -> list[tuple[Found, Draft]]:
        """Returns those that may be kept, as drafts; the others are noted with the reason."""
        kept: dict[str, tuple[Found, Draft]] = {}
        for each in statements:
            text, hidden = mask_secrets(each.text)
            self.masked += hidden
            reason = _unfit(text) or each.refused
            session = self.session or each.turn.session
            try:
                checked = draft(
                    text, self.ctx.settings, kind=each.kind, event_at=each.turn.at,
                    trust=PASTED if each.pasted else TRUST[each.by], source=SOURCE, session=session,
                )  # fmt: skip
            except InvalidInput as error:
                self.refused.append(
                    Unkept(text.encode(errors="replace").decode(), f"malformed: {error}")
                )
                continue
            if reason is not None:
                self.refused.append(Unkept(text, reason))
            else:
                kept.setdefault(
                    normalise(text), (Found(text, each.kind, each.turn.at, session), checked)
                )
        return list(kept.values())

    def _keep(self, kept: Sequence[tuple[Found, Draft]]) -> None:
        """Stores statements and moves the cursor, both or neither."""
        drafts = [each for _, each in kept]
        if self.dry_run:
            with self.ctx.reading() as reader:
                gone = match_tombstones(self.ctx, reader, [each.text for each in drafts])
            became = [Added(None, refused=TOMBSTONED if hidden else None) for hidden in gone]
        else:
            here = self._here()
            became = add_with(self.ctx, drafts, lambda writer: self._move(writer, here))
            if self.cursor is not None:
                self.cursor.seen = here
            self.kept_to = self.offset
        for (found, _), added in zip(kept, became, strict=True):
            if added.refused is not None:
                self.refused.append(Unkept(found.text, added.refused))
                continue
            self.found.append(found)
            if not self.dry_run:
                self.added.append(added)

    def _here(self) -> tuple[str, int] | None:
        return None if self.cursor is None else (self.cursor.file.head(self.offset), self.offset)

    def _move(self, writer: Writer, here: tuple[str, int] | None) -> None:
        if self.cursor is not None and here is not None:
            self.cursor.move(writer, here, micros(self.ctx.now()))

    def _pass_over(
        self, window: Window, error: MalformedReply, instead: Sequence[_Statement]
    ) -> bool:
        """Counts a window whose answer was malformed; returns whether to leave it to rules.

        It is left to rules if its answer was malformed in enough runs.
        """
        if self.cursor is None or self.dry_run:
            return False
        name = self.cursor.failures
        with self.ctx.store.writing(self.ctx.space, None) as writer:
            runs = (writer.counter(name) or 0) + 1
            writer.set_counter(name, runs)
        if runs < MOST_MALFORMED:
            return False
        found = sum(each.refused is None for each in instead)
        told = PASSED_OVER.format(runs=runs, problem=error.problem, found=found or "nothing")
        self.refused.append(Unkept(f"bytes {window.start:,} to {window.end:,}", told))
        self.failed += 1
        return True

    def _make_result(self) -> Extraction:
        cursor, asking = self.cursor, self.asking
        operations = dict.fromkeys(
            each.operation_id for each in self.added if each.operation_id is not None
        )
        return Extraction(
            by=self.by, turns=self.turns, windows=self.windows, found=tuple(self.found),
            added=tuple(self.added), refused=tuple(self.refused), masked=self.masked,
            unreadable=self.unreadable, left_out=self.left_out, calls=asking.calls,
            tokens_in=asking.tokens_in, tokens_out=asking.tokens_out, cost_usd=asking.cost_usd,
            offset_from=self.start, offset_to=self.offset,
            more=cursor is not None and cursor.file.more, failed=self.failed, problem=self.problem,
            dry_run=self.dry_run, operations=tuple(operations),
        )  # fmt: skip


def _by_rules(window: Window) -> list[_Statement]:
    """Returns what rules find in the user's turns.

    Nothing is learnt from a turn that tries to steer the agent.
    """
    found: list[_Statement] = []
    for turn in window.turns:
        worth = find_noteworthy(turn.text) if turn.role == "user" else ()
        refused = _find_steering(turn) if worth else None
        found += [
            _Statement(each.text, each.kind, turn, "rules", refused=refused) for each in worth
        ]
    return found


def _find_steering(turn: Turn) -> str | None:
    """Returns why nothing is learnt from a turn, if it tries to steer the agent."""
    wants = find_order(turn.text)
    return None if wants is None else BESIDE.format(wants=wants)


def _unfit(text: str) -> str | None:
    """Returns why a statement is not kept; None if it may be."""
    if wants := find_order(text):
        return ORDERED.format(wants=wants)
    if SECRET in text:
        return HIDDEN
    if find_random_word(text):
        return DRAWN
    empty = find_junk(text)
    return f"junk: {empty}" if empty else None


def _source(turns: Sequence[Turn], *, said: bool = False) -> str:
    """The words of turns, and the days around each: "yesterday" may be told as a date.

    With `said`, without what somebody only quoted or pasted.
    """
    texts = (_drop_pasted(turn.text) if said else turn.text for turn in turns)
    return "\n".join(
        text for turn, own in zip(turns, texts, strict=True) for text in (own, *_days(turn))
    )


def _is_pasted(text: str, source: str, said: str) -> bool:
    """Returns whether the words of a statement stand in the source, but not in what was said."""
    return find_ungrounded(text, said) is not None and find_ungrounded(text, source) is None


def _drop_pasted(text: str) -> str:
    return "\n".join(line.text for line in read_said_lines(text))


def _days(turn: Turn) -> Iterator[str]:
    for days in (-1, 0, 1) if turn.at is not None else ():
        assert turn.at is not None
        day = turn.at + timedelta(days=days)
        yield from (day_in_words(micros(day)), day.date().isoformat())
