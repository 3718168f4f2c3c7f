"""Lessons: patterns as a model states them, and findings as statistics say them.

The claims of a pattern can be counted again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from glymph.learn.conditions import Condition, Finding
from glymph.learn.episodes import Episode, plain_kind

Measure = Literal["count", "successes", "failures", "success_rate", "average", "higher", "lower"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
OUTCOME = "outcome"  # what a measure is of unless it names an attribute
MOST_TITLE = 60  # characters


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing a pattern says that can be counted again over the episodes for which `where` holds.

    A count, successes or failures are `stated` of `out_of`; a success rate is stated in per cent;
    an average is of an attribute, or of how much came of it; higher and lower compare with the
    other episodes and state nothing.
    """

    text: str
    measure: Measure
    episodes: tuple[str, ...]
    of: str = OUTCOME
    where: tuple[Condition, ...] = ()
    stated: float | None = None
    out_of: int | None = None


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern that a model found in some episodes. Nothing of it is known to be true."""

    title: str
    body: str
    claims: tuple[Claim, ...] = ()
    trigger: str | None = None
    direction: str | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson as statistics alone give it."""

    title: str
    body: str
    finding: Finding


def lesson(finding: Finding, episodes: Sequence[Episode], *, about: str = "") -> Lesson:
    """Puts the lesson of a finding into plain words.

    `about` says what the episodes are, such as "short trades".
    """
    noun, verb = _words(episodes)
    noun = about or noun
    when = phrase(finding.condition)
    better = finding.rate > finding.other_rate
    body = (
        f"When {when}, {finding.successes} of {finding.n} {noun} {verb} ({percent(finding.rate)} "
        "%), "
        f"otherwise {finding.other_successes} of {finding.other_n} ({percent(finding.other_rate)} "
        "%). "
        f"Of {finding.tried:,} conditions looked at, chance alone would show one as clear as this "
        "with a "
        "probability "
        f"of {'less than 0.001' if finding.adjusted < 0.001 else f'{finding.adjusted:.1g}'}."
    )
    title = f"{'More' if better else 'Fewer'} {noun} {verb} when {when}"
    return Lesson(
        title if len(title) <= MOST_TITLE else title[: MOST_TITLE - 1].rstrip() + "…", body, finding
    )


def phrase(condition: Condition) -> str:
    """The condition in words: "funding is above 0.08"."""
    name, value = condition.name.replace("_", " "), shown_value(condition.value)
    match condition.name:
        case "kind":
            return f"it is a {value.replace('_', ' ')}"
        case "tag":
            return f"it is tagged {value}"
        case "entity":
            return f"it is about {value}"
        case "text":
            return f"it mentions {value}"
        case "hour":
            return f"it is between {value.replace('-', ' and ')} o'clock UTC"
        case "weekday":
            return f"it is a {value}"
        case "previous kind":
            return f"a {value.replace('_', ' ')} came just before"
        case "previous outcome":
            return f"the one before was a {value}"
    relation = {
        "=": "is",
        "!=": "is not",
        ">": "is above",
        ">=": "is at least",
        "<": "is below",
        "<=": "is at most",
    }
    return f"{name} {relation.get(condition.relation, condition.relation)} {value}"


def shown_value(value: str | float | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else f"{value:.4g}"


def percent(share: float) -> str:
    """A share in whole per cent; never 0 or 100 unless it is."""
    whole = round(100 * share)
    return f"{100 * share:.1f}" if whole in (0, 100) and share not in (0.0, 1.0) else str(whole)


def _words(episodes: Sequence[Episode]) -> tuple[str, str]:
    """Returns what the episodes are called and what a success of theirs is called."""
    trades = all(plain_kind(one.kind).startswith("trade") for one in episodes)
    return ("trades", "won") if trades and episodes else ("episodes", "succeeded")
