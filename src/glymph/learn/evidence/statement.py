"""Statements: what a sentence of a lesson says, in a form that is counted over episodes.

A language model puts sentences into this form without seeing the episodes, so it cannot bend a
sentence until it holds; counting is done here. The language of the sentence does not matter.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from glymph.learn.conditions import Condition, value_of
from glymph.learn.episodes import Episode
from glymph.learn.evidence.tally import Tally, rest_of, rounds_to, tally_episodes
from glymph.learn.lesson import OUTCOME

Measure = Literal[
    "count", "share", "successes", "failures", "success_rate", "failure_rate",
    "average", "median", "minimum", "maximum", "sum",
    "all", "none", "most", "higher", "lower", "times", "follow", "avoid",
]  # fmt: skip
MEASURES: tuple[Measure, ...] = get_args(Measure)
Bound = Literal["=", "about", ">", ">=", "<", "<="]
BOUNDS: tuple[Bound, ...] = get_args(Bound)
LEAST_FOLLOWED = 2  # episodes that ended, before advice counts as tried
ABOUT = 0.1  # by how much of it a number may be off that is called about so
ABOUT_POINTS = 5.0  # the same of a rate, in per cent

_OF_VALUES: Mapping[Measure, Callable[[Sequence[float]], float]] = {
    "average": statistics.fmean,
    "median": statistics.median,
    "minimum": min,
    "maximum": max,
    "sum": sum,
}
_RATES = ("share", "success_rate", "failure_rate")


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that a sentence says of the episodes `among` all, those narrowed to `where`.

    `than` are the ones that a comparison compares with, else all others of `among`. A count is
    `stated` of `out_of`; a rate or share is stated in per cent.
    """

    measure: Measure
    where: tuple[Condition, ...] = ()
    among: tuple[Condition, ...] = ()
    than: tuple[Condition, ...] = ()
    of: str = OUTCOME
    stated: float | None = None
    out_of: int | None = None
    bound: Bound = "="


def refute_statement(statement: Statement, episodes: Sequence[Episode]) -> str | None:
    """Returns why a statement does not hold; None if it does."""
    among = tally_episodes(episodes, statement.among).episodes
    held = tally_episodes(among, statement.where)
    match statement.measure:
        case "all" | "none" | "most":
            return _check_part(statement, among)
        case "higher" | "lower" | "times":
            return _check_comparison(statement, held, among)
        case "follow" | "avoid":
            return _check_advice(statement, held, among)
        case _:
            return _check_number(statement, held, among)


def find_counted(statement: Statement, episodes: Sequence[Episode]) -> tuple[Episode, ...]:
    """Returns the episodes that a statement was counted over."""
    among = tally_episodes(episodes, statement.among).episodes
    if statement.measure in ("all", "none", "most"):
        return among
    return tally_episodes(among, statement.where).episodes


def _check_number(statement: Statement, held: Tally, among: Sequence[Episode]) -> str | None:
    if statement.stated is None:
        return "it states no number"
    true, total = _count(statement, held, among)
    if true is None:
        return "the episodes do not tell"
    if statement.stated > 0 and _are_losses(statement, held):
        true = abs(true)  # "the average loss was 223"
    if not _agrees(statement, true) or (
        statement.out_of is not None and total is not None and statement.out_of != total
    ):
        return f"counted again it is {true:.6g}" + ("" if total is None else f" of {total}")
    return None


def _count(
    statement: Statement, held: Tally, among: Sequence[Episode]
) -> tuple[float | None, int | None]:
    """Returns what a measure comes to, and of how many where it is a count."""
    match statement.measure:
        case "count":
            return float(len(held.episodes)), len(among)
        case "share":
            return (100 * len(held.episodes) / len(among) if among else None), None
        case "successes" | "failures":
            ended = held.successes if statement.measure == "successes" else held.failures
            return (float(ended) if held.judged else None), held.judged
        case "success_rate":
            return held.rate, None
        case "failure_rate":
            return (None if held.rate is None else 100 - held.rate), None
    values = _read_values(statement.of, held.episodes)
    return (float(_OF_VALUES[statement.measure](values)) if values else None), None


def _are_losses(statement: Statement, held: Tally) -> bool:
    """Tells whether all numbers of a measure are below zero, as losses are told without a sign."""
    values = _read_values(statement.of, held.episodes)
    return statement.measure in _OF_VALUES and bool(values) and max(values) < 0


def _agrees(statement: Statement, true: float) -> bool:
    stated = statement.stated
    assert stated is not None
    match statement.bound:
        case "about":
            off = ABOUT_POINTS if statement.measure in _RATES else ABOUT * abs(true)
            return abs(true - stated) <= off or rounds_to(stated, true)
        case ">":
            return true > stated
        case ">=":
            return true >= stated - 1e-9
        case "<":
            return true < stated
        case "<=":
            return true <= stated + 1e-9
    return rounds_to(stated, true)


def _check_part(statement: Statement, among: Sequence[Episode]) -> str | None:
    """Checks all, none or most of some episodes; those that do not tell do not count."""
    if not statement.where:
        return "it does not say of what"
    told = [_meets(one, statement.where) for one in among]
    known = [one for one in told if one is not None]
    if not known:
        return "the episodes do not tell"
    so = {
        "all": all(known),
        "none": not any(known),
        "most": sum(known) > len(known) / 2,
    }[statement.measure]
    return None if so else f"it is so of {sum(known)} of {len(known)}"


def _meets(episode: Episode, where: Sequence[Condition]) -> bool | None:
    told = [condition.holds(episode) for condition in where]
    return False if False in told else None if None in told else True


def _check_comparison(statement: Statement, held: Tally, among: Sequence[Episode]) -> str | None:
    rest = tally_episodes(among, statement.than) if statement.than else rest_of(among, held)
    here, there = (_weigh(statement.of, side) for side in (held, rest))
    if here is None or there is None:
        return "the episodes do not tell"
    if statement.measure == "times":
        stated = statement.stated
        if stated is None or not there:
            return "it states no number"
        factor = abs(here / there)
        near = abs(factor - stated) <= max(ABOUT * stated, 0.05) or rounds_to(stated, factor)
        so = near if statement.bound in ("=", "about") else _agrees(statement, factor)
        return None if so else f"it is {factor:.3g} times"
    so = here > there if statement.measure == "higher" else here < there
    return None if so else f"it is {here:.4g} against {there:.4g}"


def _weigh(of: str, side: Tally) -> float | None:
    """Returns what two sides are compared by: the success rate, or the mean of an attribute."""
    if of == OUTCOME:
        return side.rate
    values = _read_values(of, side.episodes)
    return statistics.fmean(values) if values else None


def _check_advice(statement: Statement, held: Tally, among: Sequence[Episode]) -> str | None:
    """Checks advice by how the episodes ended that did what it says, or says to leave."""
    rest = tally_episodes(among, statement.than) if statement.than else rest_of(among, held)
    if held.rate is None or held.judged < LEAST_FOLLOWED:
        return "too few episodes did that"
    wanted = held.rate if statement.measure == "follow" else 100 - held.rate
    other = rest.rate if statement.measure == "follow" or rest.rate is None else 100 - rest.rate
    if wanted > 50 and (other is None or wanted > other):
        return None
    beside = "" if rest.rate is None else f", {rest.successes} of {rest.judged} otherwise"
    return f"{held.successes} of {held.judged} that did so went well{beside}"


def _read_values(of: str, episodes: Sequence[Episode]) -> list[float]:
    if of == OUTCOME:
        sizes = [one.outcome.magnitude for one in episodes if one.outcome is not None]
        return [size for size in sizes if size is not None]
    values = [value_of(of, one) for one in episodes]
    return [float(v) for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
