"""Asks for the summary of a part of a conversation, and for one summary in place of many."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from glymph.errors import MalformedReply
from glymph.llm.answers import fields, strict_json
from glymph.llm.dialogue import Message, Question, Schema
from glymph.llm.fence import fence_records, rule

MOST_POINTS, MOST_CHARACTERS = 20, 400  # of an answer, of one point
MOST_WORDS = 250  # of all points
MAX_TOKENS = 1500
SHOWN = 4000  # characters of one message that are shown: from its beginning and its end
CONDENSED_WORDS = 400  # that many summaries come down to

SYSTEM = """\
You keep the memory of a long conversation between a user and an AI agent. You are shown its next \
part, and what was noted of the parts before. After you answer, the agent no longer sees these \
messages, only your notes: what you leave out is gone for it.

Note what the agent needs to go on: what the user wants and has decided and why, facts about \
people, projects and systems, names, numbers, dates, paths and identifiers exactly as written, \
what was done and came of it, what failed, what is open or promised, corrections: then only what \
holds now. Leave out politeness, steps that led nowhere and have no lesson, and what is noted \
already. Never note passwords, keys or anything shown as [secret].

Each note is one or two sentences that are understood alone and say who said or did it. Write days \
as dates. Say only what the messages say, in their language.

Answer with one JSON object: {{"notes": ["…", "…"]}}, at most {most} notes and {words} words in \
all, the most important first. If nothing in this part matters, the list is empty.

{rule}"""

CONDENSE = """\
You keep the memory of a long conversation between a user and an AI agent. You are shown all notes \
on it, the oldest first. Write them anew as one set of at most {words} words: join what belongs \
together, keep names, numbers, dates, paths, identifiers, decisions and what is open exactly; \
where notes disagree, the newer one holds; drop first what is done and has no consequence. Add \
nothing.

Answer with one JSON object: {{"notes": ["…", "…"]}}.

{rule}"""

SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "notes": {"type": "array", "items": {"type": "string", "maxLength": MOST_CHARACTERS}}
    },
    "required": ["notes"],
    "additionalProperties": False,
}
_UNREADABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Shown:
    """A message as the model sees it: who, when, the words, and calls and results of tools."""

    role: str
    text: str
    at: datetime | None = None
    tools: tuple[str, ...] = ()


def question(
    messages: Sequence[Shown], *, before: str, nonce: str, today: date
) -> Question[tuple[str, ...]]:
    """Asks for notes on these messages. `before` is what is noted already."""
    system = SYSTEM.format(most=MOST_POINTS, words=MOST_WORDS, rule=rule(nonce))
    records = [{"noted": before}] if before else []
    shown = fence_records([*records, *map(_record, messages)], nonce)
    asked = (
        f"Today is {today.isoformat()}. The next part of the conversation:\n{shown}\nYour notes, "
        "as JSON."
    )
    return Question(
        (Message("system", system), Message("user", asked)),
        SCHEMA,
        lambda text: parse_notes(text, most=MOST_POINTS, words=2 * MOST_WORDS),
        MAX_TOKENS,
    )


def condense_question(notes: str, *, nonce: str) -> Question[tuple[str, ...]]:
    """Asks for one set of notes in place of many."""
    system = CONDENSE.format(words=CONDENSED_WORDS, rule=rule(nonce))
    shown = fence_records([{"note": line} for line in notes.splitlines() if line.strip()], nonce)
    return Question(
        (
            Message("system", system),
            Message("user", f"All notes:\n{shown}\nOne set of notes, as JSON."),
        ),
        SCHEMA,
        lambda text: _require_some(
            parse_notes(text, most=3 * MOST_POINTS, words=CONDENSED_WORDS * 3 // 2)
        ),
        MAX_TOKENS,
    )


def _record(message: Shown) -> dict[str, str | list[str]]:
    record: dict[str, str | list[str]] = {"role": message.role}
    if message.at is not None:
        record["at"] = message.at.strftime("%Y-%m-%d %A %H:%M")
    if message.tools:
        record["tools"] = list(message.tools)
    return record | {"text": _middle_out(message.text)}


def _middle_out(text: str) -> str:
    if len(text) <= SHOWN:
        return text
    return f"{text[: SHOWN // 2]} … [{len(text) - SHOWN:,} characters] … {text[-SHOWN // 2 :]}"


def parse_notes(text: str, *, most: int, words: int) -> tuple[str, ...]:
    """Returns the notes; raises MalformedReply if they are too many or too long to help."""
    listed = fields(strict_json(text), {"notes": list})["notes"]
    if len(listed) > most:
        raise MalformedReply(f"it has {len(listed)} notes, and at most {most} are asked for")
    notes = tuple(_note(one, f"notes[{at}]") for at, one in enumerate(listed))
    if (count := sum(len(note.split()) for note in notes)) > words:
        raise MalformedReply(f"its notes have {count} words, and fewer are asked for")
    return notes


def _require_some(notes: tuple[str, ...]) -> tuple[str, ...]:
    if not notes:
        raise MalformedReply("it drops every note")
    return notes


def _note(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise MalformedReply(f"{where} is not a text")
    note = " ".join(_UNREADABLE.sub(" ", value).split())
    if not note:
        raise MalformedReply(f"{where} is empty")
    if len(note) > 2 * MOST_CHARACTERS:
        raise MalformedReply(
            f"{where} has {len(note)} characters, and at most {MOST_CHARACTERS} are asked for"
        )
    return note
