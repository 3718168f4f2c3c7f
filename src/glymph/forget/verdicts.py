"""What is known of each memory that a request may mean: how likely it is meant, and who says so.

Rules are exact about identifiers, which settle a request by themselves. Of everything else rules
know the names and the reader judges the meaning; a language model has the last word where it was
asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from glymph.forget.by_rules import SHORT, Meant
from glymph.forget.match import Statement, Unit
from glymph.forget.request import Request
from glymph.reader.contract import Target
from glymph.reader.wording import Span
from glymph.text.identifiers import Identifier, identifiers
from glymph.text.values import values

By = Literal["rules", "reader", "model"]
Ruled = Literal["none", "perhaps", "found"]

FIGURES = frozenset({"number", "money", "percent"})
ALONE = 0.9  # the share from which on the reader's word is enough, whatever rules know
NAMED = 0.05  # the share from which on what is merely named goes, by the rules
IN_DOUBT = 0.3  # the share of what rules hold to be perhaps meant
TOLD_NONE, TOLD_MEANT = 0.0, 0.98  # the shares of what a model has judged


@dataclass(frozen=True, slots=True)
class Told:
    """What a language model says of a memory: whether it is meant, and what is left in part."""

    kind: Literal["none", "all", "part"]
    left: str
    model: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """How likely a statement is meant, what of it, by whom, and why."""

    statement: Statement
    share: float  # how likely it is meant
    by: By
    why: str
    ruled: Ruled = "none"  # whether rules hold it to be meant
    spans: tuple[Span, ...] = ()  # what the reader holds to be meant of it; empty: all of it
    exact: bool = True  # whether it has no doubt where that stands
    units: tuple[Unit, ...] = ()  # the clauses that rules hold to be meant
    left: str | None = None  # what a model says is left of it
    read: float = 0.0  # how likely the reader holds it to be meant
    part: float = 0.0  # how likely that is only a part of it, if it is meant


def judge_by_rules(meaning: Meant) -> list[Verdict]:
    """Returns what rules alone say: what they found is meant, what may be meant is in doubt."""
    found = {own[0].statement.id: own for own in group_by_statement(meaning.found)}
    perhaps = {own[0].statement.id: own for own in group_by_statement(meaning.perhaps)}
    sure = [
        Verdict(
            own[0].statement,
            meaning.confidence,
            "rules",
            meaning.reason,
            "found",
            units=tuple(own),
        )
        for own in found.values()
    ]
    return sure + [
        Verdict(own[0].statement, IN_DOUBT, "rules", meaning.why, "perhaps", units=tuple(own))
        for memory_id, own in perhaps.items()
        if memory_id not in found
    ]


def judge_by_reader(
    meaning: Meant, read: Sequence[tuple[Statement, Target]], reader: str, *, trusted: float | None
) -> list[Verdict]:
    """Returns what the reader says of what it read, beside what rules say of it.

    Rules are `trusted` with what they found from that share on; where they are not, the reader only
    has their word for what it says itself. What it had no time for is left to the rules.
    """
    ruled = {one.statement.id: one for one in judge_by_rules(meaning)}
    joined = [
        _join(statement, target, ruled.pop(statement.id, None), reader, trusted)
        for statement, target in read
    ]
    return [*joined, *ruled.values()]


def _join(
    statement: Statement, target: Target, rule: Verdict | None, reader: str, trusted: float | None
) -> Verdict:
    """Returns what the reader and the rules say of one statement."""
    share, why = 1 - target.shares[0], f"{reader} reads it so"
    one = add_reading(Verdict(statement, share, "reader", why), target)
    if rule is None:
        return one
    if rule.ruled == "found" and trusted is not None and share >= trusted:
        return add_reading(rule, target)
    told = rule.why if rule.ruled == "found" else why
    return replace(one, why=told, ruled=rule.ruled, units=rule.units)


def add_reading(one: Verdict, target: Target) -> Verdict:
    """Returns a verdict with what the reader says of the statement, and what of it is meant."""
    none, whole, part = target.shares or (1.0, 0.0, 0.0)
    meant = whole + part
    return replace(
        one,
        spans=target.spans,
        exact=target.exact,
        read=1 - none,
        part=part / meant if meant else 0,
    )


def take_models_word(verdicts: Sequence[Verdict], told: Mapping[str, Told]) -> list[Verdict]:
    """Returns the verdicts with what a model says of those it was asked about."""
    return [_overrule(one, told.get(one.statement.id)) for one in verdicts]


def _overrule(one: Verdict, told: Told | None) -> Verdict:
    if told is None:
        return one
    share = TOLD_NONE if told.kind == "none" else TOLD_MEANT
    left = told.left if told.kind == "part" else None
    return Verdict(one.statement, share, "model", f"{told.model} reads it so", left=left)


def group_by_statement(found: Sequence[Unit]) -> list[list[Unit]]:
    """Groups clauses by the statement that they stand in."""
    grouped: dict[str, list[Unit]] = {}
    for unit in found:
        grouped.setdefault(unit.statement.id, []).append(unit)
    return list(grouped.values())


def names_another(one: Verdict, asked: Request) -> bool:
    """Tells whether a statement names another identifier of a type that the request names."""
    if not asked.strong or one.ruled == "found":
        return False
    there = identifiers(one.statement.text)
    return any(each.type == wanted.type for wanted in asked.strong for each in there) and not any(
        may_be_one(wanted, each) for wanted in asked.strong for each in there
    )


def may_be_one(wanted: Identifier, other: Identifier) -> bool:
    """Tells whether two identifiers have the same digits, but for the century of a year.

    Ticket 77120 may be OPS-77120, and file 2231/19 the file 2231-2019; CL-5508 is never PL-5508.
    """
    groups, others = (re.findall("[0-9]+", each.text) for each in (wanted, other))
    letters, theirs = (set(re.findall(r"[^\W\d_]+", each.key)) for each in (wanted, other))
    if wanted.type != other.type or sum(map(len, groups)) < SHORT or (letters and theirs):
        return False
    return "".join(groups) == "".join(others) or (
        len(groups) == len(others) and all(map(_is_year_of, groups, others))
    )


def _is_year_of(group: str, other: str) -> bool:
    short, long = sorted((group, other), key=len)
    years = len(short) == 2 and long in (f"19{short}", f"20{short}")
    return group == other or years


def says_otherwise(one: Verdict, asked: Request) -> bool:
    """Tells whether a statement gives another figure of a kind that the request gives.

    Nobody is sure then that it is meant: "the rent is 600" of "the rent is 500". Where an
    identifier found it, that settles it.
    """
    if asked.strong and one.ruled == "found":
        return False
    wanted, said = (_group_figures(text) for text in (asked.text, one.statement.text))
    return any(wanted[kind].isdisjoint(said[kind]) for kind in wanted.keys() & said.keys())


def _group_figures(text: str) -> dict[tuple[str, str], set[str]]:
    """Returns the figures of a text by what they count."""
    found: dict[tuple[str, str], set[str]] = {}
    for value in values(text):
        written = any(sign.isdecimal() for sign in text[value.start : value.end])
        if value.kind in FIGURES and written:  # "the new one" counts nothing
            found.setdefault((value.kind, value.unit), set()).add(value.key)
    return found
