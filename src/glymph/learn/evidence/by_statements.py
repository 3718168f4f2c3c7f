"""Verifies a lesson by the statements its sentences were put into.

What holds when counted again is a fact of the lesson; what does not is cut; what cannot be counted
is the model's reading and is marked as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from glymph.learn.conditions import ENDS, Condition
from glymph.learn.episodes import Episode
from glymph.learn.evidence.statement import Statement, find_counted, refute_statement
from glymph.learn.lesson import Claim
from glymph.learn.lesson import Measure as Claimed
from glymph.text.normal import normalise
from glymph.text.numbers import SIGNED_FIGURE, read_figure, with_digits

Statements = Mapping[str, Sequence[Statement]]  # of every sentence
_NUMBER = re.compile(r"(?<![\w.])[+-]?\d+(?:[.,]\d+)*(?:e[+-]?\d{1,3})?", re.IGNORECASE)
# "two thirds" are told in per cent
_FRACTION = re.compile(
    r"\b\d+[- ](?:thirds?|quarters?|fourths?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?)\b"
)
_TO_ONE = re.compile(r"(?<=\d)\s?:\s?1\b")  # of a ratio, 2.3:1


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a sentence, with the claims that were counted, or why it is cut."""

    kind: Literal["counted", "reading", "cut"]
    claims: tuple[Claim, ...] = ()
    why: str = ""


def judge_sentence(
    sentence: str, statements: Sequence[Statement], episodes: Sequence[Episode]
) -> Verdict:
    """Judges a sentence by what it states.

    A number that stands in none of its statements was not counted, so the sentence is cut.
    """
    if strange := _find_uncounted(sentence, statements):
        return Verdict("cut", why=f"{strange} was not counted")
    if not statements:
        return Verdict("reading")
    for one in statements:
        if (why := refute_statement(one, episodes)) is not None:
            return Verdict("cut", why=why)
    return Verdict("counted", tuple(_make_claim(sentence, one, episodes) for one in statements))


def _find_uncounted(sentence: str, statements: Sequence[Statement]) -> str | None:
    known = {abs(one).normalize() for one in _list_numbers(statements)}
    plain = _FRACTION.sub("", _TO_ONE.sub("", with_digits(sentence)))
    for found in _NUMBER.finditer(plain):
        if known.isdisjoint(_read_both_ways(found[0])):
            return found[0]
    return None


def _read_both_ways(number: str) -> set[Decimal]:
    """Returns what a number may mean: 30.000 is thirty, or thirty thousand, by its country."""
    ways = (number.replace(",", ""), number.replace(".", "").replace(",", "."))
    return {abs(Decimal(one)).normalize() for one in ways if one.count(".") < 2}


def _list_numbers(statements: Sequence[Statement]) -> Iterator[Decimal]:
    for one in statements:
        for number in (one.stated, one.out_of):
            if number is not None:
                yield Decimal(str(number))
                yield Decimal(str(100 - number))
        for condition in (*one.where, *one.among, *one.than):
            value = condition.value
            if isinstance(value, str):
                yield from (read_figure(found[0]) for found in re.finditer(SIGNED_FIGURE, value))
            elif not isinstance(value, bool):
                yield Decimal(str(value))


def _make_claim(sentence: str, statement: Statement, episodes: Sequence[Episode]) -> Claim:
    """Returns a statement as the claim that lessons and playbooks are told apart by."""
    ids = tuple(one.id for one in find_counted(statement, episodes))
    where = (*statement.among, *statement.where)
    kept = tuple(one for one in where if not _tells_end(one))
    ends = [normalise(str(one.value)) for one in where if _tells_end(one)]
    measure: Claimed = "count"
    stated = statement.stated
    match statement.measure:
        case "successes" | "failures" | "success_rate" | "average" | "higher" | "lower":
            measure = statement.measure
        case "failure_rate" if stated is not None:
            measure, stated = "success_rate", 100 - stated
        case "follow":
            measure = "higher"
        case "avoid":
            measure = "lower"
        case "all" if ends:
            measure, stated = "success_rate", 100.0 if ENDS[ends[-1]] else 0.0
        case "count" if ends:
            measure = "successes" if ENDS[ends[-1]] else "failures"
    return Claim(sentence, measure, ids, statement.of, kept, stated, statement.out_of)


def _tells_end(condition: Condition) -> bool:
    return condition.name == "outcome" and normalise(str(condition.value)) in ENDS
