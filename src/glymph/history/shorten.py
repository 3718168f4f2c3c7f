"""Shortens a conversation: older messages become notes, and the cursor moves behind them.

Both happen in the same instant, by a model; without one a reader judges what to keep, or rules do.
A model that fails changes nothing. Notes also go to the graph, and are handed over until they
surely arrived.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

from glymph.context import Context
from glymph.errors import BudgetSpent, GlymphError, InvalidInput, MalformedReply, ModelFailed
from glymph.history.compaction import (
    Judge,
    Point,
    Said,
    choose_best,
    choose_best_lines,
    extract_points,
    group_points,
)
from glymph.history.conversation import Conversation, Overtaken, State, Waiting
from glymph.history.judge import ReaderJudge
from glymph.history.memory_file import mark, show, take_over_edits
from glymph.history.messages import ROLES, MessageView, read_message
from glymph.history.policy import (
    MACHINE_WORDS,
    Shortened,
    Tail,
    Unit,
    build_tail,
    find_cut,
    find_task,
    split_parts,
)
from glymph.history.summarize_prompt import Shown, condense_question, question
from glymph.history.transcript import Line, messages_of, move_cursor
from glymph.llm.ledger import Run
from glymph.moments import iso, parse_iso
from glymph.text.injection import find_order
from glymph.text.normal import storable
from glymph.text.secrets import mask_secrets
from glymph.text.tokens import tokens
from glymph.text.words import count_words
from glymph.write.add import add_many
from glymph.write.tombstones import match_tombstones

T = TypeVar("T")

log = logging.getLogger("glymph.history")

JOB, SOURCE, KIND = "history", "history", "session_summary"
TRUST = {"model": 0.6, "rules": 0.5}
PART = 12_000  # tokens that a model is shown at once
LEAST = 100  # tokens that may be kept of a short stretch
MOST_WAITING = 100  # notes that wait for the graph while more are made
PIECE_WORDS = 250  # words of one piece in memory.md
AT_IT = "Another process is shortening this conversation. The whole of it is shown meanwhile."
NOTHING = "There is nothing to shorten: all of it is the newest part."
OVERTAKEN = "Another process has shortened this conversation meanwhile."
REFUSED = "the graph takes no such note of a conversation, it stays in memory.md: %s"


def shorten(conversation: Conversation, state: State, lines: Sequence[Line], cut: int) -> Shortened:
    """Makes notes of the first messages, part by part; each part is done whole or not begun."""
    with conversation.shelf.claim() as mine:
        if not mine:
            return Shortened("model" if conversation.has_model else "rules", problem=AT_IT)
        return _Shortening(conversation).run(state, list(lines), cut)


def shorten_now(conversation: Conversation) -> Shortened:
    """Makes notes of all but the tail, whether it is due or not."""
    state, _ = conversation.load()
    lines, cut = _find_cut(conversation, state)
    if cut == 0:
        return Shortened("model" if conversation.has_model else "rules", problem=NOTHING)
    return shorten(conversation, state, lines, cut)


def would_cut(conversation: Conversation) -> tuple[int, int]:
    """Counts the messages `shorten_now` would make notes of, and all that lie after the cursor."""
    lines, cut = _find_cut(conversation, conversation.load()[0])
    return cut, len(lines)


def _find_cut(conversation: Conversation, state: State) -> tuple[list[Line], int]:
    lines = messages_of(conversation.transcript.read_after(state.standing.cursor.offset))
    tail = _tail(conversation, lines, conversation.settings.unit)
    most = conversation.settings.tail
    return lines, find_cut(tail, most) if tail.size > most else 0


def _tail(conversation: Conversation, lines: Sequence[Line], unit: Unit) -> Tail:
    return build_tail([line.message or {} for line in lines], unit, keep=conversation.keep)


@dataclass(slots=True)
class _Piece:
    """What some messages come to: lines for memory.md, and notes for the graph."""

    lines: list[str]
    waiting: list[Waiting]


@dataclass(slots=True)
class _Shortening:
    """One run over the parts of a conversation, and what it has done so far."""

    conversation: Conversation
    messages: int = 0
    notes: list[str] = field(default_factory=list)
    problem: str | None = None
    model: Run | None = None
    judge: ReaderJudge | None = None
    remembered: int = 0

    def run(self, state: State, lines: list[Line], cut: int) -> Shortened:
        ctx = self.conversation.ctx
        if ctx is not None and self.conversation.has_model:
            self.model = Run(ctx, JOB)
        try:
            tail = _tail(self.conversation, lines, "tokens")
            ends = list(split_parts(tail, cut, PART))
            if self.model is None:
                seconds = self.conversation.settings.reader_seconds
                self.judge = ReaderJudge(self.conversation.reader, seconds, parts=len(ends))
            for end in ends:
                part = lines[self.messages : end]
                piece = self._summarise(part, state)
                state = self._commit(state, part, piece, find_task(tail, end, state.standing.task))
                self.messages = end
                self.notes += piece.lines
                if len(state.waiting) > MOST_WAITING:  # they are written with every part
                    self._hand_over()
            self._condense(state)
        except (ModelFailed, MalformedReply, BudgetSpent) as error:
            self.problem = str(error)
        except Overtaken:
            self.problem = OVERTAKEN
        self._hand_over()
        return Shortened(
            self._name_author(), self.messages, tuple(self.notes),
            self.remembered, self.model.calls if self.model else 0,
            self.model.cost_usd if self.model else 0.0, self.problem,
        )  # fmt: skip

    def _name_author(self) -> Literal["model", "reader", "rules"]:
        if self.model is not None:
            return "model"
        return "reader" if self.judge is not None and self.judge.judged else "rules"

    def _summarise(self, lines: Sequence[Line], state: State) -> _Piece:
        """Makes notes of messages, without orders to the agent, secrets and what was removed."""
        first = state.standing.cursor.count
        if self.model is not None:
            return self._ask(self.model, lines, state, first)
        points = _points(lines, self.conversation.settings.extract_ratio, self.judge)
        points = self._without_removed(points, [point.text for point in points])
        waiting = [_waiting_of(group, first) for group in group_points(points)]
        return _Piece([point.line for point in choose_best(points, most=PIECE_WORDS)], waiting)

    def _ask(self, model: Run, lines: Sequence[Line], state: State, first: int) -> _Piece:
        shown = [_shown_to_model(line, read_message(line.message or {})) for line in lines]
        today = self.conversation.clock().date()
        before, nonce = state.standing.summary, secrets.token_hex(8)
        answer = model.ask(question(shown, before=before, nonce=nonce, today=today))
        notes = [mask_secrets(note)[0] for note in answer if find_order(note) is None]
        notes = self._without_removed(notes, notes)
        if not notes:
            return _Piece([], [])
        numbers = tuple(range(first, first + len(lines)))
        newest = max((line.at for line in lines if line.at is not None), default=None)
        waiting = Waiting(storable("\n".join(notes)), iso(newest), (), numbers)
        return _Piece([f"- {note}" for note in notes], [waiting])

    def _without_removed(self, notes: Sequence[T], texts: Sequence[str]) -> list[T]:
        """Returns the notes without those that say what was removed on request."""
        ctx = self.conversation.ctx
        if ctx is None or not notes:
            return list(notes)
        with ctx.reading() as reader:
            gone = match_tombstones(ctx, reader, list(texts))
        return [note for note, hidden in zip(notes, gone, strict=True) if not hidden]

    def _commit(self, state: State, lines: Sequence[Line], piece: _Piece, task: str) -> State:
        """Moves the cursor and keeps the notes: both or neither."""
        expected = state.standing.cursor
        cursor = move_cursor(expected, lines, len(lines))

        def change(now: State) -> State:
            if now.standing.cursor != expected:
                raise Overtaken
            now, _ = take_over_edits(self.conversation, now)
            standing = now.standing
            known = frozenset(standing.summary.splitlines())
            newest = "\n".join(line for line in dict.fromkeys(piece.lines) if line not in known)
            summary = "\n".join(text for text in (standing.summary.strip(), newest) if text)
            if self.model is None:
                summary = _limit_words(summary)
            for_graph = piece.waiting if self.conversation.ctx is not None else ()
            new = replace(
                now,
                standing=standing.advance(cursor, summary, newest, task),
                known_by=self.conversation.transcript.known_by(cursor.offset) or "",
                waiting=(*now.waiting, *for_graph),
            )
            return mark(self.conversation, new)

        kept = self.conversation.change(change, claimed=True)
        show(self.conversation, kept)
        return kept

    def _condense(self, state: State) -> None:
        """Has the model make one set of notes of many; if it fails, all of them stay."""
        text = state.standing.summary
        if self.model is None or count_words(text) <= MACHINE_WORDS:
            return
        notes = self.model.ask(condense_question(text, nonce=secrets.token_hex(8)))
        condensed = "\n".join(
            f"- {mask_secrets(note)[0]}" for note in notes if find_order(note) is None
        )

        def change(now: State) -> State | None:
            now, _ = take_over_edits(self.conversation, now)
            if now.standing.summary != text or not condensed:
                return None  # somebody changed it meanwhile
            standing = replace(now.standing, summary=condensed)
            return mark(self.conversation, replace(now, standing=standing))

        show(self.conversation, self.conversation.change(change, claimed=True))

    def _hand_over(self) -> None:
        try:
            self.remembered += hand_over(self.conversation)
        except GlymphError as error:
            self.problem = self.problem or str(error)


def hand_over(conversation: Conversation) -> int:
    """Gives the graph the notes that wait for it; returns how many.

    After a crash the graph may have some of them already.
    """
    ctx = conversation.ctx
    waiting = conversation.load()[0].waiting
    if ctx is None or not waiting:
        return 0
    _remember(replace(ctx, actor=SOURCE), [_item(conversation, one, ctx) for one in waiting])

    def change(now: State) -> State:
        return replace(now, waiting=tuple(one for one in now.waiting if one not in waiting))

    conversation.change(change)
    return len(waiting)


def _remember(ctx: Context, items: Sequence[dict[str, object]]) -> None:
    """Adds these memories; one that is refused must not keep out the others for good."""
    try:
        add_many(ctx, items)
    except InvalidInput:
        for item in items:
            try:
                add_many(ctx, [item])
            except InvalidInput as error:
                log.warning(REFUSED, error)


def _item(conversation: Conversation, one: Waiting, ctx: Context) -> dict[str, object]:
    return {
        "text": one.text[: ctx.settings.max_text_chars], "kind": KIND, "source": SOURCE,
        "trust": TRUST["rules" if one.speakers else "model"], "session": conversation.session,
        "entities": [name for name in one.speakers if name not in ROLES],  # a role is nobody
        "attributes": {"messages": list(one.messages)},
        "event_at": None if one.at is None else parse_iso(one.at, "at"),
    }  # fmt: skip


# without a model


def _points(lines: Sequence[Line], ratio: float, judge: Judge | None) -> list[Point]:
    said = [_said_by(line, read_message(line.message or {})) for line in lines]
    total = sum(tokens(one.text) for one in said)
    return extract_points(said, int(max(ratio * total, min(LEAST, total))), judge)


def _waiting_of(group: Sequence[Point], first: int) -> Waiting:
    """Makes one memory of points that belong together."""
    text = "\n".join(f"{point.speaker}: {point.text}" for point in group)
    speakers = tuple(dict.fromkeys(point.speaker for point in group))
    numbers = tuple(first + point.place for point in group)
    return Waiting(storable(text), iso(group[0].at), speakers, numbers)


def _said_by(line: Line, view: MessageView) -> Said:
    """Returns what a message says; nothing of tools.

    Results of tools can be had again, and calls are not said.
    """
    name = (line.message or {}).get("name")
    named = isinstance(name, str) and name.strip() != "" and view.role != "tool" and _is_name(name)
    speaker = " ".join(str(name).split())[:80] if named else view.role
    agent = view.role != "user" and not named
    return Said(speaker, "" if view.role in ("tool", "system") else view.text, line.at, agent)


def _is_name(name: str) -> bool:
    """Tells whether it may stand before what somebody said: no secret, and no order."""
    return find_order(name) is None and mask_secrets(name)[0] == name and storable(name) == name


def _limit_words(summary: str) -> str:
    """Returns the notes, or the best of them if they have become too many."""
    if count_words(summary) <= MACHINE_WORDS:
        return summary
    lines = [line for line in summary.splitlines() if line.strip()]
    return "\n".join(choose_best_lines(lines, most=MACHINE_WORDS))


# for a model


def _shown_to_model(line: Line, view: MessageView) -> Shown:
    calls = (f"calls {call.name} {call.arguments[:300]}" for call in view.calls)
    results = (f"gives {result.text[:1000]}" for result in view.results)
    text = view.text or ("[a picture or file]" if view.media else "")
    return Shown(view.role, text, line.at, (*calls, *results))
