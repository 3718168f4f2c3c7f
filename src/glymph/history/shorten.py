"""Shortening a conversation: older messages become notes, and the cursor moves behind them in the
same instant.

By a model, or by rules without one. A model that fails changes nothing. What is noted also goes to
the graph, handed over until it surely arrived.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from glymph.context import Context
from glymph.errors import BudgetSpent, GlymphError, InvalidInput, MalformedReply, ModelFailed
from glymph.history.compaction import Point, Said, best, best_lines, groups, points
from glymph.history.messages import Seen, seen
from glymph.history.policy import MACHINE_WORDS, Shortened, cut_of, parts_of, tail_of, task_of
from glymph.history.sessions import Conversation, marked, noted, show
from glymph.history.shelf import Overtaken
from glymph.history.state import State, Waiting
from glymph.history.summarize_prompt import Shown, condensing, question
from glymph.history.transcript import Line, messages_of, moved
from glymph.llm.ledger import Run
from glymph.moments import iso, parse_iso
from glymph.text.injection import order
from glymph.text.masking import masked
from glymph.text.normal import storable
from glymph.text.tokens import tokens
from glymph.write.add import add_many
from glymph.write.tombstones import buried

T = TypeVar("T")

log = logging.getLogger("glymph.history")

JOB, SOURCE, KIND = "history", "history", "session_summary"
TRUST = {"model": 0.6, "rules": 0.5}
PART = 12_000  # tokens that a model is shown at once
LEAST = 100  # tokens that rules may keep of a short stretch
MOST_WAITING = 100  # notes that wait for the graph while more are made
PIECE_WORDS = 250  # of these, in memory.md
AT_IT = "Another process is shortening this conversation. The whole of it is shown meanwhile."
NOTHING = "There is nothing to shorten: all of it is the newest part."
OVERTAKEN = "Another process has shortened this conversation meanwhile."


def shorten(conversation: Conversation, found: State, lines: Sequence[Line], cut: int) -> Shortened:
    """Makes notes of the first messages, part by part; each part is done or not begun, whatever
    happens.
    """
    with conversation.shelf.shortening() as mine:
        if not mine:
            return Shortened("model" if conversation.has_model else "rules", problem=AT_IT)
        return _Shortening(conversation).run(found, list(lines), cut)


def shorten_now(conversation: Conversation) -> Shortened:
    """Makes notes of all but the tail, whether it is due or not."""
    found, _ = conversation.load()
    lines, cut = _cut(conversation, found)
    if cut == 0:
        return Shortened("model" if conversation.has_model else "rules", problem=NOTHING)
    return shorten(conversation, found, lines, cut)


def would_cut(conversation: Conversation) -> tuple[int, int]:
    """How many messages `shorten_now` would make notes of, of how many that lie after the cursor."""
    lines, cut = _cut(conversation, conversation.load()[0])
    return cut, len(lines)


def _cut(conversation: Conversation, found: State) -> tuple[list[Line], int]:
    lines = messages_of(conversation.transcript.after(found.standing.cursor.offset))
    tail = tail_of(
        [line.message or {} for line in lines], conversation.settings.unit, keep=conversation.keep
    )
    most = conversation.settings.tail
    return lines, cut_of(tail, most) if tail.size > most else 0


@dataclass(slots=True)
class _Piece:
    """What some messages come to: lines for memory.md, and what the graph takes."""

    lines: list[str]
    waiting: list[Waiting]


@dataclass(slots=True)
class _Shortening:
    conversation: Conversation
    messages: int = 0
    notes: list[str] = field(default_factory=list)
    problem: str | None = None
    asking: Run | None = None
    remembered: int = 0

    def run(self, found: State, lines: list[Line], cut: int) -> Shortened:
        place = self.conversation.ctx
        if place is not None and self.conversation.has_model:
            self.asking = Run(place, JOB)
        try:
            tail = tail_of(
                [line.message or {} for line in lines], "tokens", keep=self.conversation.keep
            )
            for end in parts_of(tail, cut, PART):
                part = lines[self.messages : end]
                piece = self._piece(part, found)
                found = self._commit(found, part, piece, task_of(tail, end, found.standing.task))
                self.messages = end
                self.notes += piece.lines
                if len(found.waiting) > MOST_WAITING:  # they are written with every part
                    self._hand_over()
            self._condense(found)
        except (ModelFailed, MalformedReply, BudgetSpent) as error:
            self.problem = str(error)
        except Overtaken:
            self.problem = OVERTAKEN
        self._hand_over()
        asking = self.asking
        return Shortened(
            "rules" if asking is None else "model", self.messages, tuple(self.notes), self.remembered,
            asking.calls if asking else 0, asking.cost_usd if asking else 0.0, self.problem,
        )  # fmt: skip

    def _piece(self, lines: Sequence[Line], found: State) -> _Piece:
        """Notes on these messages, without what steers the agent, was removed for good, or is a
        secret.
        """
        first = found.standing.cursor.count
        if self.asking is not None:
            return self._asked(self.asking, lines, found, first)
        kept = _points(lines, self.conversation.settings.extract_ratio)
        kept = self._unburied(kept, [point.text for point in kept])
        waiting = [_waiting(group, first) for group in groups(kept)]
        return _Piece([point.line for point in best(kept, most=PIECE_WORDS)], waiting)

    def _asked(self, asking: Run, lines: Sequence[Line], found: State, first: int) -> _Piece:
        shown = [_shown(line, seen(line.message or {})) for line in lines]
        today = self.conversation.clock().date()
        asked = question(
            shown, before=found.standing.summary, nonce=secrets.token_hex(8), today=today
        )
        notes = [masked(note)[0] for note in asking.ask(asked) if order(note) is None]
        notes = self._unburied(notes, notes)
        if not notes:
            return _Piece([], [])
        whole = Waiting(
            storable("\n".join(notes)),
            iso(_last_moment(lines)),
            (),
            tuple(range(first, first + len(lines))),
        )
        return _Piece([f"- {note}" for note in notes], [whole])

    def _unburied(self, notes: Sequence[T], texts: Sequence[str]) -> list[T]:
        """The notes without those that say what was removed on request."""
        place = self.conversation.ctx
        if place is None or not notes:
            return list(notes)
        with place.reading() as reader:
            gone = buried(place, reader, list(texts))
        return [note for note, hidden in zip(notes, gone, strict=True) if not hidden]

    def _commit(self, found: State, lines: Sequence[Line], piece: _Piece, task: str) -> State:
        """Moves the cursor and keeps the notes, both or neither."""
        expected = found.standing.cursor

        def changed(current: State) -> State:
            if current.standing.cursor != expected:
                raise Overtaken
            current, _ = noted(self.conversation, current)
            standing = current.standing
            known = frozenset(standing.summary.splitlines())
            newest = "\n".join(line for line in dict.fromkeys(piece.lines) if line not in known)
            summary = "\n".join(text for text in (standing.summary.strip(), newest) if text)
            if self.asking is None:
                summary = _within(summary)
            cursor = moved(expected, lines, len(lines))
            known_by = self.conversation.transcript.known_by(cursor.offset) or ""
            graph = piece.waiting if self.conversation.ctx is not None else ()
            waiting = (*current.waiting, *graph)
            new = replace(
                current,
                standing=standing.moved(cursor, summary, newest, task),
                known_by=known_by,
                waiting=waiting,
            )
            return marked(self.conversation, new)

        kept = self.conversation.change(changed, claimed=True)
        show(self.conversation, kept)
        return kept

    def _condense(self, found: State) -> None:
        """Has the model make one set of notes of many; if it fails, all of them stay."""
        text = found.standing.summary
        if self.asking is None or len(text.split()) <= MACHINE_WORDS:
            return
        notes = self.asking.ask(condensing(text, nonce=secrets.token_hex(8)))
        condensed = "\n".join(f"- {masked(note)[0]}" for note in notes if order(note) is None)

        def changed(current: State) -> State | None:
            current, _ = noted(self.conversation, current)
            if current.standing.summary != text or not condensed:
                return None  # somebody changed it meanwhile
            return marked(
                self.conversation,
                replace(current, standing=replace(current.standing, summary=condensed)),
            )

        show(self.conversation, self.conversation.change(changed, claimed=True))

    def _hand_over(self) -> None:
        try:
            self.remembered += hand_over(self.conversation)
        except GlymphError as error:
            self.problem = self.problem or str(error)


def hand_over(conversation: Conversation) -> int:
    """Gives the graph what waits for it; gives back how much. After a crash it may know some of it
    already.
    """
    place = conversation.ctx
    waiting = conversation.load()[0].waiting
    if place is None or not waiting:
        return 0
    _remember(replace(place, actor=SOURCE), [_item(conversation, one, place) for one in waiting])

    def changed(current: State) -> State:
        return replace(current, waiting=tuple(one for one in current.waiting if one not in waiting))

    conversation.change(changed)
    return len(waiting)


def _remember(ctx: Context, items: Sequence[dict[str, object]]) -> None:
    """Gives the graph these memories; what it refuses must not keep out the others for good."""
    try:
        add_many(ctx, items)
    except InvalidInput:
        for item in items:
            try:
                add_many(ctx, [item])
            except InvalidInput as error:
                log.warning(
                    "the graph takes no such note of a conversation, it stays in memory.md: %s",
                    error,
                )


def _item(conversation: Conversation, one: Waiting, ctx: Context) -> dict[str, object]:
    return {
        "text": one.text[: ctx.settings.max_text_chars], "kind": KIND, "source": SOURCE,
        "trust": TRUST["rules" if one.speakers else "model"], "session": conversation.session,
        "entities": list(one.speakers), "event_at": None if one.at is None else parse_iso(one.at, "at"),
        "attributes": {"messages": list(one.messages)},
    }  # fmt: skip


# by rules


def _points(lines: Sequence[Line], ratio: float) -> list[Point]:
    said = [_said(line, seen(line.message or {})) for line in lines]
    total = sum(tokens(one.text) for one in said)
    return points(said, int(max(ratio * total, min(LEAST, total))))


def _waiting(group: Sequence[Point], first: int) -> Waiting:
    """Points that belong together as one memory."""
    text = "\n".join(f"{point.speaker}: {point.text}" for point in group)
    speakers = tuple(dict.fromkeys(point.speaker for point in group))
    return Waiting(
        storable(text), iso(group[0].at), speakers, tuple(first + point.place for point in group)
    )


def _said(line: Line, view: Seen) -> Said:
    """What a message says; of tools nothing, for their results can be had again and their calls are
    not said.
    """
    name = (line.message or {}).get("name")
    named = isinstance(name, str) and name.strip() != "" and view.role != "tool" and _is_name(name)
    speaker = " ".join(str(name).split())[:80] if named else view.role
    agent = view.role != "user" and not named
    return Said(speaker, "" if view.role in ("tool", "system") else view.text, line.at, agent)


def _is_name(name: str) -> bool:
    """Whether it may stand before what somebody said: it is no secret and steers nobody."""
    return order(name) is None and masked(name)[0] == name and storable(name) == name


def _within(summary: str) -> str:
    """The notes, or the best of them if they have become too many."""
    if len(summary.split()) <= MACHINE_WORDS:
        return summary
    return "\n".join(
        best_lines([line for line in summary.splitlines() if line.strip()], most=MACHINE_WORDS)
    )


# for a model


def _shown(line: Line, view: Seen) -> Shown:
    tools = (*(f"calls {call.name} {call.arguments[:300]}" for call in view.calls), *_results(view))
    return Shown(
        view.role, view.text or ("[a picture or file]" if view.media else ""), line.at, tools
    )


def _results(view: Seen) -> Iterator[str]:
    for result in view.results:
        yield f"gives {result.text[:1000]}"


def _last_moment(lines: Sequence[Line]) -> datetime | None:
    return max((line.at for line in lines if line.at is not None), default=None)
