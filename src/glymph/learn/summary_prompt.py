"""Asks for a summary of what several memories say about one subject."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from glymph.errors import MalformedReply
from glymph.learn.summary import Line, Statement
from glymph.llm.answers import fields, strict_json
from glymph.llm.dialogue import Message, Question
from glymph.llm.fence import fence_records, rule
from glymph.moments import moment

MOST_LINES, LONGEST = 15, 300  # lines of one summary, characters of one line
MOST_LABEL = 60  # characters of a subject's name
MAX_TOKENS = 3000

SYSTEM = """\
You keep the long-term memory of an AI agent. You are shown what it remembers about one subject, \
statement by statement, and write the shortest summary that still answers what is likely to be \
asked about that subject later.

Join what belongs together; leave out what is said twice, what was true only for a moment, and \
small talk. Keep names, numbers, dates, conditions and what must never be done. Where two \
statements differ, the later one counts. Say only what the statements say, in their language: \
every name, number and date must stand in them.

Answer with one JSON object: {{"lines": [{{"text": "…", "of": [1, 2]}}]}}. Each line is one \
sentence that is understood alone, of at most {longest} characters; `of` are the numbers of the \
statements it is drawn from. At most {most} lines, about {words} words altogether.

{rule}"""


def question(
    label: str, statements: Sequence[Statement], *, nonce: str, words: int
) -> Question[tuple[Line, ...]]:
    """Returns what to ask about the statements, which are numbered from 1 in their order.

    The label may come from memory text, so it is shown as data as well.
    """
    system = SYSTEM.format(longest=LONGEST, most=MOST_LINES, words=words, rule=rule(nonce))
    subject: dict[str, Any] = {"subject": " ".join(label.split())[:MOST_LABEL]}
    records = [
        {"number": number, "at": f"{moment(one.at):%Y-%m-%d}", "text": one.text}
        for number, one in enumerate(statements, 1)
    ]
    shown = fence_records([subject, *records], nonce)
    asked = f"The subject, and the statements about it:\n{shown}\nSummarise them, as JSON."
    return Question(
        (Message("system", system), Message("user", asked)),
        _schema(len(statements)),
        lambda text: _parse(text, statements),
        MAX_TOKENS,
    )


def _schema(count: int) -> dict[str, Any]:
    number = {"type": "integer", "minimum": 1, "maximum": count}
    line = {
        "type": "object",
        "properties": {
            "text": {"type": "string", "maxLength": LONGEST},
            "of": {"type": "array", "minItems": 1, "maxItems": count, "items": number},
        },
        "required": ["text", "of"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"lines": {"type": "array", "maxItems": MOST_LINES, "items": line}},
        "required": ["lines"],
        "additionalProperties": False,
    }


def _parse(text: str, statements: Sequence[Statement]) -> tuple[Line, ...]:
    lines = fields(strict_json(text), {"lines": list})["lines"]
    if len(lines) > MOST_LINES:
        raise MalformedReply(f"it has {len(lines)} lines, and at most {MOST_LINES} are asked for")
    return tuple(_parse_line(one, f"lines[{at}]", statements) for at, one in enumerate(lines))


def _parse_line(value: Any, where: str, statements: Sequence[Statement]) -> Line:
    found = fields(value, {"text": str, "of": list}, where)
    said = " ".join(found["text"].split())
    if not said or len(said) > LONGEST:
        raise MalformedReply(f"'text' in {where} has {len(said)} characters, not 1 to {LONGEST}")
    numbers = found["of"]
    if not numbers or not all(_is_number(one, len(statements)) for one in numbers):
        raise MalformedReply(f"'of' in {where} must be numbers from 1 to {len(statements)}")
    sources = [statements[number - 1] for number in dict.fromkeys(numbers)]
    return Line(said, max(one.at for one in sources), tuple(one.id for one in sources))


def _is_number(value: Any, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most
