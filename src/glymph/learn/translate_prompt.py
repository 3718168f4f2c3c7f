"""Asks a model to put sentences into statements that code can count.

It is shown the sentences and the names of what is known of the episodes, but not the episodes: what
is true it cannot know, so it can only say what a sentence says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from glymph.errors import MalformedReply
from glymph.learn.conditions import Condition
from glymph.learn.consolidate_prompt import CONDITION, RELATIONS, read_condition
from glymph.learn.episodes import Episode, facts, plain_kind
from glymph.learn.evidence.statement import BOUNDS, MEASURES, Bound, Measure, Statement
from glymph.learn.lesson import OUTCOME
from glymph.llm.answers import fields, strict_json
from glymph.llm.dialogue import Message, Question, Schema
from glymph.llm.fence import fence_records, rule

MOST_SENTENCES = 24
MOST_STATEMENTS, MOST_CONDITIONS = 6, 4  # of one sentence, of one part of a statement
MOST_VALUES, LONGEST_VALUE = 12, 40  # of an attribute that are shown, and characters of one
LARGEST = 1e15
TOKENS = 4000

SYSTEM = """\
An agent keeps episodes: things it did, with values and how they ended (success or failure). \
You are shown sentences about them, and the names of the values, but not the episodes. Put what \
each sentence says into statements that a program will count. You cannot know what is true and \
must not guess: say only what the sentence says, exactly as strong as it says it.

Answer with one JSON object: {{"sentences": [{{"n": 1, "statements": [...]}}]}}, one entry for \
every sentence, in order. A sentence that says nothing that could be counted (a mood, a maxim, \
advice of which no value tells whether an episode followed it) has an empty list.

A statement is {{"measure": …, "among": […], "where": […], "than": […], "of": …, "stated": \
number, "out_of": number, "bound": …}}; leave out what says nothing.
- among: which episodes the sentence speaks of (empty: all). where: what is said of them. Both \
are lists of conditions {{"name": …, "is": one of {relations}, "value": …}} that must all hold. \
Names are those of values, or kind, tag, entity, weekday (Monday …), hour, text (with \
"contains": a word of the episode's text), or outcome, whose value is "success" or "failure". \
Take values as they are listed.
- count: how many of among meet where, stated out of out_of (if said). share: the same in per cent.
- successes, failures: how many of the episodes that meet among and where ended so, stated out \
of out_of. success_rate, failure_rate: the same in per cent. Fractions ("two thirds", "half") are \
per cent, with bound "about".
- average, median, minimum, maximum, sum: of the number named in "of" over those episodes. "of" \
is "{outcome}" for how much came of them. A ratio such as 2.3:1 is stated as 2.3. "Never more \
than 3" is a maximum with bound "<=".
- all, none, most: all, none or most of among meet where. "All five closed in profit": all, where \
outcome is success, and a count of 5. "Every X was Y": among X, where Y. "X only when Y": all, \
among X, where Y.
- higher, lower: episodes that meet where went well more, or less, often than those that meet \
"than" (empty: all others); or, with "of", had a higher or lower average of that value. times: the \
same with the factor as stated ("twice as often": 2). Failing more often is "lower".
- follow: the sentence advises to do what where says; avoid: to leave it. Put the conditions \
under which the advice holds into among, what to do or leave into where. Advice that does not say \
which kind of episode to do or leave is not counted.
- bound: one of {bounds}: how the true number stands to the stated one; "=" if nothing else is \
said, "about" for about, roughly, nearly; ">" for more than, ">=" for at least.
Every number of a sentence must stand in one of its statements. One sentence may need several \
statements (at most {most}); all must hold.

{rule}"""


def question(
    sentences: Sequence[str], episodes: Sequence[Episode], *, nonce: str
) -> Question[tuple[tuple[Statement, ...], ...]]:
    """Asks for the statements of each sentence; at most so many sentences at once."""
    system = SYSTEM.format(
        relations=" ".join(RELATIONS), bounds=" ".join(BOUNDS), outcome=OUTCOME,
        most=MOST_STATEMENTS, rule=rule(nonce),
    )  # fmt: skip
    shown: list[dict[str, Any]] = [{"known of the episodes": _describe_values(episodes)}]
    shown += [{"n": number, "sentence": text} for number, text in enumerate(sentences, 1)]
    return Question(
        (Message("system", system), Message("user", fence_records(shown, nonce))),
        _schema(len(sentences)),
        lambda text: parse_statements(text, len(sentences)),
        TOKENS,
    )


def _describe_values(episodes: Sequence[Episode]) -> dict[str, Any]:
    """Returns the names of what is known, with the words that occur; numbers are not shown."""
    told: dict[str, Any] = {"kind": _list_words(plain_kind(one.kind) for one in episodes)}
    columns: dict[str, list[Any]] = {}
    for episode in episodes:
        for name, value in facts(episode).items():
            columns.setdefault(name, []).append(value)
    for name, values in columns.items():
        if all(isinstance(one, bool) for one in values):
            told[name] = "true or false"
        elif all(isinstance(one, int | float) for one in values):
            told[name] = "number"
        else:
            told[name] = _list_words(str(one) for one in values)
    for name, carried in (
        ("tag", [tag for one in episodes for tag in one.tags]),
        ("entity", [entity for one in episodes for entity in one.entities]),
    ):
        if carried:
            told[name] = _list_words(carried)
    return told


def _list_words(words: Iterable[str]) -> list[str]:
    return [one[:LONGEST_VALUE] for one in list(dict.fromkeys(words))[:MOST_VALUES]]


def _schema(count: int) -> Schema:
    conditions = {"type": "array", "maxItems": MOST_CONDITIONS, "items": CONDITION}
    statement = {
        "type": "object",
        "properties": {
            "measure": {"type": "string", "enum": list(MEASURES)},
            "among": conditions,
            "where": conditions,
            "than": conditions,
            "of": {"type": "string", "maxLength": 64},
            "stated": {"type": ["number", "null"]},
            "out_of": {"type": ["integer", "null"]},
            "bound": {"type": "string", "enum": list(BOUNDS)},
        },
        "required": ["measure"],
        "additionalProperties": False,
    }
    sentence = {
        "type": "object",
        "properties": {
            "n": {"type": "integer", "minimum": 1, "maximum": count},
            "statements": {"type": "array", "maxItems": MOST_STATEMENTS, "items": statement},
        },
        "required": ["n", "statements"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"sentences": {"type": "array", "maxItems": count, "items": sentence}},
        "required": ["sentences"],
        "additionalProperties": False,
    }


# reading


def parse_statements(text: str, count: int) -> tuple[tuple[Statement, ...], ...]:
    """Returns the statements of every sentence, or raises MalformedReply."""
    told = fields(strict_json(text), {"sentences": list})["sentences"]
    found: dict[int, tuple[Statement, ...]] = {}
    for at, one in enumerate(told):
        entry = fields(one, {"n": int, "statements": list}, f"sentences[{at}]")
        if not 1 <= entry["n"] <= count:
            raise MalformedReply(f"'n' is {entry['n']}, and there are {count} sentences")
        found[entry["n"]] = tuple(_parse_one(each) for each in entry["statements"])
    if len(found) != count:
        raise MalformedReply(f"it speaks of {len(found)} sentences, and there are {count}")
    return tuple(found[number] for number in range(1, count + 1))


def _parse_one(value: Any) -> Statement:
    if not isinstance(value, Mapping) or value.get("measure") not in MEASURES:
        raise MalformedReply(f"a measure is none of {', '.join(MEASURES)}")
    stated, out_of = (_read_number(value.get(name), name) for name in ("stated", "out_of"))
    bound = value.get("bound", "=")
    if bound not in BOUNDS:
        raise MalformedReply(f"a bound is none of {' '.join(BOUNDS)}")
    of = value.get("of") or OUTCOME
    if not isinstance(of, str):
        raise MalformedReply("'of' is not a name")
    where, among, than = (_read_conditions(value, name) for name in ("where", "among", "than"))
    return Statement(
        cast(Measure, value["measure"]), where, among, than, of, stated,
        None if out_of is None else int(out_of), cast(Bound, bound),
    )  # fmt: skip


def _read_conditions(value: Mapping[str, Any], name: str) -> tuple[Condition, ...]:
    given = value.get(name) or []
    if not isinstance(given, list) or len(given) > MOST_CONDITIONS:
        raise MalformedReply(f"{name!r} is not a list of at most {MOST_CONDITIONS} conditions")
    return tuple(read_condition(one, f"{name!r}") for one in given)


def _read_number(value: Any, name: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > LARGEST:
        raise MalformedReply(f"{name!r} is not a number")
    return float(value)
