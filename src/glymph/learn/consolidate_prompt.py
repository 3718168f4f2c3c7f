"""Asks a model what some episodes have in common: the question, and how its answer is read.

A model only proposes. It sees short aliases instead of ids, and every claim it makes has a form
that code counts again. Models without structured output may answer in words, by a form of their
own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast, get_args

from glymph.errors import MalformedReply
from glymph.learn.conditions import Condition, Relation
from glymph.learn.episodes import Episode, record
from glymph.learn.lesson import MEASURES, MOST_TITLE, OUTCOME, Claim, Pattern
from glymph.llm.answers import strict_json
from glymph.llm.dialogue import Message, Question, Schema
from glymph.llm.fence import fence_records, rule

TOKENS = 800  # of an answer
MOST_CLAIMS = 8  # that are read
ASKED_CLAIMS = 4  # so that the answer fits
MOST_CONDITIONS = 3  # of one claim
MOST_BODY = 2_500  # characters: 250 words with room
MOST_TEXT = 300  # characters of a claim's sentence
MOST_TRIGGER = 120
MOST_DIRECTION = 40
MOST_LABEL = 80
MOST_REFUSED = 600  # characters of why an answer was refused
LARGEST = 1e15  # number that is read
NONE = "NO_PATTERN"
RELATIONS: tuple[Relation, ...] = get_args(Relation)

TASK = """You look for a pattern across {count} episodes of an agent's memory, all about what the \
first record names. Do not summarise single episodes. Look for conditions that recur with the \
same outcome, consistent mistakes or successes, regularities in numbers or in time. A pattern is \
actionable: it helps the agent decide next time. "I traded ETH several times" is none; "When ETH \
funding is above 0.08 %, 4 of 5 of my shorts won" is one. If there is none, say so.
Write title (at most {title} characters) and body (100 to 250 words) in the first person, as the \
agent's own knowledge, with numbers from the episodes. Every number is counted again by code over \
all episodes shown; a sentence that does not hold is deleted. So count, do not guess.
Answer with JSON only: {{"pattern": true, "title": "...", "body": "...", "claims": [...], \
"trigger": "when it applies, or empty", "direction": "what to do then, such as long or short, or \
empty"}}, or {{"pattern": false}}.
At least one claim, at most {claims}. A claim is {{"text": its sentence, copied from the body, \
"measure": one of {measures}, "of": "outcome" or the name of a value, "where": [{{"name": \
"funding", "is": ">", "value": 0.08}}], "stated": number, "out_of": number, "episodes": ["e1", \
"e2", "e3"]}}. "where" says which episodes it speaks of (empty for all): a value by its name, or \
kind, tag, entity, text; "is" is one of {relations}. "count" counts these episodes; "successes" \
and "failures" of them are stated out of those that ended; "success_rate" is in per cent; \
"average" is of a value; "higher" and "lower" compare "of" with all other episodes and state \
nothing. "of", "where", "stated" and "out_of" may be left out where they say nothing.
If you cannot write JSON, write TITLE: and the title on the first line, then a blank line, then \
the body; or only {none}.
{rule}"""

CONDITION: Schema = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 64},
        "is": {"type": "string", "enum": list(RELATIONS)},
        "value": {"type": ["string", "number", "boolean"]},
    },
    "required": ["name", "is", "value"],
    "additionalProperties": False,
}

_UNREADABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_TITLE = re.compile(r"\ATITLE:[ \t]*(?P<title>[^\n]+)\n\s*(?P<body>\S.*)\Z", re.DOTALL)
_NO_PATTERN = re.compile(rf"\A{NONE}(?:\s*[-–—:.,(]\s*[^\n]{{0,300}})?\Z", re.IGNORECASE)


def question(
    label: str, episodes: Sequence[Episode], *, nonce: str, refused: str | None = None
) -> Question[Pattern | None]:
    """Asks for the pattern of these episodes, at most fifteen of a group.

    `nonce` is random; see `fence`. The label may come from memory text, so it is shown as data as
    well. `refused` says why an earlier answer was no lesson.
    """
    ids = {f"e{number}": one.id for number, one in enumerate(episodes, start=1)}
    task = TASK.format(
        count=len(episodes), title=MOST_TITLE, claims=ASKED_CLAIMS,
        measures=", ".join(MEASURES), relations=" ".join(RELATIONS), none=NONE, rule=rule(nonce),
    )  # fmt: skip
    group: dict[str, Any] = {
        "group": " ".join(label.split())[:MOST_LABEL],
        "episodes": len(episodes),
    }
    if refused is not None:
        group["your last answer was refused"] = refused[:MOST_REFUSED]
    records = [group, *(record(alias, one) for alias, one in zip(ids, episodes, strict=True))]
    return Question(
        messages=(Message("system", task), Message("user", fence_records(records, nonce))),
        schema=_schema(list(ids)),
        parse=lambda text: parse_pattern(text, ids),
        max_tokens=TOKENS,
    )


def _schema(aliases: list[str]) -> Schema:
    claim = {
        "type": "object",
        "properties": {
            "text": {"type": "string", "maxLength": MOST_TEXT},
            "measure": {"type": "string", "enum": list(MEASURES)},
            "of": {"type": "string", "maxLength": 64},
            "where": {"type": "array", "maxItems": MOST_CONDITIONS, "items": CONDITION},
            "stated": {"type": ["number", "null"]},
            "out_of": {"type": ["integer", "null"]},
            "episodes": {"type": "array", "items": {"type": "string", "enum": aliases}},
        },
        "required": ["text", "measure", "episodes"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {
            "pattern": {"type": "boolean"},
            "title": {"type": "string", "maxLength": MOST_TITLE},
            "body": {"type": "string", "maxLength": MOST_BODY},
            "claims": {"type": "array", "maxItems": MOST_CLAIMS, "items": claim},
            "trigger": {"type": "string", "maxLength": MOST_TRIGGER},
            "direction": {"type": "string", "maxLength": MOST_DIRECTION},
        },
        "required": ["pattern"],
        "additionalProperties": False,
    }


# reading


def parse_pattern(text: str | None, ids: Mapping[str, str]) -> Pattern | None:
    """Returns the pattern, None where the model finds none, or raises MalformedReply.

    Text that is neither a pattern nor a plain no is never a lesson.
    """
    said = (text or "").strip()
    if not said:
        raise MalformedReply("it is empty")
    if said[0] in "{`[":
        return _of_json(strict_json(said), ids)
    if _NO_PATTERN.match(said):
        return None
    found = _TITLE.match(said.replace("\r\n", "\n"))
    if found is None:
        raise MalformedReply(f"it is neither JSON nor {NONE} nor a text under TITLE:")
    return Pattern(
        _shorten(_text(found["title"], "title"), MOST_TITLE),
        _text(found["body"], "body", MOST_BODY),
    )


def _of_json(value: Any, ids: Mapping[str, str]) -> Pattern | None:
    known = ("pattern", "title", "body", "claims", "trigger", "direction")
    told = _object(value, "it", known)
    if not isinstance(told.get("pattern"), bool):
        raise MalformedReply("'pattern' is neither true nor false")
    if not told["pattern"]:
        return None
    title = _shorten(_text(told.get("title"), "title"), MOST_TITLE)
    body = _text(told.get("body"), "body", MOST_BODY)
    claims = told.get("claims", [])
    if not isinstance(claims, list) or len(claims) > MOST_CLAIMS:
        raise MalformedReply(f"'claims' is not a list of at most {MOST_CLAIMS}")
    read = tuple(_claim(one, f"claim {number}", ids) for number, one in enumerate(claims, start=1))
    return Pattern(
        title,
        body,
        read,
        _optional(told, "trigger", MOST_TRIGGER),
        _optional(told, "direction", MOST_DIRECTION),
    )


def _claim(value: Any, where: str, ids: Mapping[str, str]) -> Claim:
    told = _object(value, where, ("text", "measure", "of", "where", "stated", "out_of", "episodes"))
    if told.get("measure") not in MEASURES:
        raise MalformedReply(f"'measure' in {where} is none of {', '.join(MEASURES)}")
    cited, conditions = told.get("episodes"), told.get("where", [])
    if not isinstance(cited, list) or not all(isinstance(one, str) for one in cited):
        raise MalformedReply(f"'episodes' in {where} is not a list of ids")
    if not isinstance(conditions, list) or len(conditions) > MOST_CONDITIONS:
        raise MalformedReply(f"'where' in {where} is not a list of at most {MOST_CONDITIONS}")
    stated, out_of = told.get("stated"), told.get("out_of")
    if not _is_number(stated) and stated is not None:
        raise MalformedReply(f"'stated' in {where} is not a number")
    if out_of is not None and (not _is_number(out_of) or out_of != int(out_of)):
        raise MalformedReply(f"'out_of' in {where} is not a whole number")
    return Claim(
        _text(told.get("text"), f"text of {where}", MOST_TEXT),
        told["measure"],
        tuple(dict.fromkeys(ids.get(one, one) for one in cited)),
        _optional(told, "of", 64) or OUTCOME,
        tuple(read_condition(one, where) for one in conditions),
        None if stated is None else float(stated),
        None if out_of is None else int(out_of),
    )


def read_condition(value: Any, where: str) -> Condition:
    """Returns the condition that an object says, or raises MalformedReply."""
    told = _object(value, f"a condition of {where}", ("name", "is", "value"))
    name = _text(told.get("name"), f"name of a condition of {where}", 64)
    if told.get("is") not in RELATIONS:
        raise MalformedReply(f"'is' in a condition of {where} is none of {' '.join(RELATIONS)}")
    given: Any = told.get("value")
    words = isinstance(given, str) and bool(given.strip())
    if not (words or isinstance(given, bool) or _is_number(given)):
        raise MalformedReply(f"'value' in a condition of {where} is neither a word nor a number")
    return Condition(name, cast(Relation, told["is"]), cast("str | float | bool", given))


def _object(value: Any, where: str, known: Sequence[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise MalformedReply(f"{where} is not an object")
    if unknown := [name for name in value if name not in known]:
        raise MalformedReply(f"{where} has an unknown field {str(unknown[0])[:40]!r}")
    return value


def _text(value: Any, what: str, most: int | None = None) -> str:
    readable = _UNREADABLE.sub(" ", value).strip() if isinstance(value, str) else ""
    if not readable:
        raise MalformedReply(f"the {what} is missing or blank")
    if most is not None and len(readable) > most:
        raise MalformedReply(f"the {what} has more than {most} characters")
    return readable


def _optional(told: Mapping[str, Any], name: str, most: int) -> str | None:
    value = told.get(name)
    if value is None or value == "":
        return None
    return _text(value, name, most)


def _shorten(title: str, most: int) -> str:
    line = " ".join(title.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST
