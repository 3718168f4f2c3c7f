"""Playbooks: lessons that proved themselves often enough to be followed.

They are found again by the situation they fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from glymph.learn.conditions import Condition
from glymph.learn.episodes import Episode, facts
from glymph.learn.evidence import Verified, conditions_of
from glymph.learn.evidence.clauses import SIDES
from glymph.learn.evidence.tally import tally_episodes
from glymph.text.attributes import open_body
from glymph.text.words import drop_stop_words, split_words

LEAST_OUTCOMES = 8
LEAST_RATE = 0.7
FULL = 10  # outcomes from which on more of them add nothing
TURNED = ("direction", "side", "action")  # attributes that say which way
DIRECTIONS = (*TURNED, "setup", "strategy")  # attributes that say what was done


@dataclass(frozen=True, slots=True)
class Playbook:
    """A playbook: what calls for it, the direction, and how often it went well.

    Words and conditions call for it.
    """

    id: str
    title: str
    terms: frozenset[str]
    conditions: tuple[Condition, ...]
    direction: str
    successes: int
    n: int

    @property
    def rate(self) -> float:
        return self.successes / self.n if self.n else 0.0

    def after(self, success: bool | None) -> Playbook:
        """The playbook once it was followed again; an outcome that is neither changes nothing."""
        if success is None:
            return self
        return replace(self, successes=self.successes + success, n=self.n + 1)


@dataclass(frozen=True, slots=True)
class Match:
    """A playbook that fits a situation: how far, and how much that counts."""

    playbook: Playbook
    fit: float
    score: float


def promote(id: str, lesson: Verified, episodes: Sequence[Episode]) -> Playbook | None:
    """Returns the playbook that a verified lesson makes.

    None if the lesson lacks the outcomes, a trigger or a direction. Its counts are those of the
    episodes its conditions describe, or of all it rests on where it has none; those done another
    way do not count. They may be more than were shown to a model: pass every episode of the group.
    """
    if lesson.refused is not None or not lesson.direction:
        return None
    where = _find_conditions(lesson, episodes)
    supporting = set(lesson.supporting)
    among = episodes if where else [one for one in episodes if one.id in supporting]
    tally = tally_episodes([one for one in among if not otherwise(one, lesson.direction)], where)
    return promoted_from(
        id,
        lesson.title,
        lesson.trigger or "",
        where,
        lesson.direction,
        tally.successes,
        tally.judged,
    )


def _find_conditions(lesson: Verified, episodes: Sequence[Episode]) -> tuple[Condition, ...]:
    """Returns the conditions of what a lesson says went well.

    They are those of one claim if no episode can meet all of them.
    """
    where = conditions_of(lesson.claims)
    if tally_episodes(episodes, where).episodes:
        return where
    for claim in lesson.claims:
        own = conditions_of([claim])
        held = tally_episodes(episodes, own).episodes
        if own and held and not all(otherwise(one, lesson.direction or "") for one in held):
            return own
    return where


def otherwise(episode: Episode, direction: str) -> bool:
    """Returns whether an episode says that something else was done than a playbook says to do."""
    own, wanted = facts(episode), direction.casefold()
    sides = {name for pair in SIDES for name in pair}
    names = TURNED if wanted in sides else DIRECTIONS
    done = {str(own[name]).casefold() for name in names if name in own}
    return bool(done) and wanted not in done and not done & set(wanted.split())


def promoted_from(
    id: str,
    title: str,
    trigger: str,
    conditions: Sequence[Condition],
    direction: str | None,
    successes: int,
    n: int,
) -> Playbook | None:
    """Returns the playbook of these counts, if they are enough for one.

    None below 8 outcomes or 70 % success, or without a trigger or a direction.
    """
    called = drop_stop_words(split_words(trigger))
    if (
        n < LEAST_OUTCOMES
        or successes < LEAST_RATE * n
        or not (called or conditions)
        or not direction
    ):
        return None
    return Playbook(id, title, called, tuple(conditions), direction, successes, n)


def match(
    playbooks: Iterable[Playbook], situation: Episode, *, least_fit: float = 0.3
) -> list[Match]:
    """The playbooks that fit a situation, by success rate × fit × min(1, n / 10), the best first.

    A situation is an episode that has not ended yet. A condition that does not hold rules a
    playbook out; one the situation does not tell counts as not met.
    """
    found = [
        Match(one, fits, score(one, fits))
        for one in playbooks
        if (fits := fit(one, situation)) >= least_fit
    ]
    return sorted(
        (one for one in found if one.score > 0), key=lambda one: (-one.score, one.playbook.id)
    )


def score(playbook: Playbook, fit: float) -> float:
    return playbook.rate * fit * min(1.0, playbook.n / FULL)


def fit(playbook: Playbook, situation: Episode) -> float:
    """Returns how far a situation is what the playbook is for, between 0 and 1."""
    parts = [condition.holds(situation) for condition in playbook.conditions]
    if any(met is False for met in parts):
        return 0.0
    values = [str(value) for value in situation.attributes.values() if isinstance(value, str)]
    told = [
        situation.title,
        open_body(situation.body)[0],
        *situation.tags,
        *situation.entities,
        *values,
    ]
    told += [name.replace("_", " ") for name in situation.attributes]
    said = {_stem(word) for word in drop_stop_words(split_words(" ".join(told)))}
    shares = [float(met is True) for met in parts]
    if playbook.terms:
        wanted = {_stem(word) for word in playbook.terms}
        shares.append(len(wanted & said) / len(wanted))
    return sum(shares) / len(shares) if shares else 0.0


def _stem(word: str) -> str:
    """The word without a plural's ending."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
