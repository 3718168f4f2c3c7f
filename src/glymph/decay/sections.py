"""Sections and kinds as data.

They tell how fast each fades, how it ranks, and what part it plays in consolidation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Literal


class Section(StrEnum):
    SIGNALS = "SIGNALS"
    EPISODIC = "EPISODIC"
    KNOWLEDGE = "KNOWLEDGE"
    PROCEDURAL = "PROCEDURAL"


@dataclass(frozen=True, slots=True)
class RankWeights:
    """The weight of each signal when memories of a section are ranked; they add up to one."""

    semantic: float
    keyword: float
    graph: float
    recency: float
    authority: float
    affinity: float


@dataclass(frozen=True, slots=True)
class SectionProfile:
    stability: float  # days until retrievability 0.9, for kinds without their own
    decay: float  # exponent of the forgetting curve
    max_stability: float
    role: Literal["source", "target"]  # in consolidation: episodes are sources, lessons targets
    salience_gain: float  # stability factor at salience 1; at 1.0 salience has no effect either way
    ranking: RankWeights


@dataclass(frozen=True, slots=True)
class KindProfile:
    section: Section
    stability: float
    decays: bool = True


SECTIONS: dict[Section, SectionProfile] = {
    Section.SIGNALS: SectionProfile(
        2.0, 0.80, 30.0, "source", 1.0, RankWeights(0.15, 0.10, 0.10, 0.45, 0.10, 0.10)
    ),
    Section.EPISODIC: SectionProfile(
        14.0, 0.50, 180.0, "source", 2.0, RankWeights(0.20, 0.15, 0.15, 0.30, 0.10, 0.10)
    ),
    Section.KNOWLEDGE: SectionProfile(
        60.0, 0.20, 365.0, "target", 2.0, RankWeights(0.35, 0.15, 0.20, 0.05, 0.20, 0.05)
    ),
    Section.PROCEDURAL: SectionProfile(
        120.0, 0.1542, 730.0, "target", 3.0, RankWeights(0.25, 0.25, 0.20, 0.05, 0.15, 0.10)
    ),
}

_S, _E, _K, _P = Section.SIGNALS, Section.EPISODIC, Section.KNOWLEDGE, Section.PROCEDURAL

KINDS: dict[str, KindProfile] = {
    "signal": KindProfile(_S, 2.0),
    "watchpoint": KindProfile(_S, 5.0),
    "trade_entry": KindProfile(_E, 21.0),
    "trade_close": KindProfile(_E, 21.0),
    "trade_modify": KindProfile(_E, 14.0),
    "turn_summary": KindProfile(_E, 7.0),
    "session_summary": KindProfile(_E, 14.0),
    "event": KindProfile(_E, 10.0),
    "lesson": KindProfile(_K, 90.0),
    "summary": KindProfile(_K, 90.0),
    "thesis": KindProfile(_K, 30.0),
    "fact": KindProfile(_K, 60.0),
    "preference": KindProfile(_K, 60.0),
    "decision": KindProfile(_K, 60.0),
    "curiosity": KindProfile(_K, 14.0),
    "goal": KindProfile(_K, 60.0, decays=False),
    "note": KindProfile(_K, 60.0),
    "self": KindProfile(_K, 60.0, decays=False),
    "playbook": KindProfile(_P, 180.0),
    "missed_opportunity": KindProfile(_P, 30.0),
    "good_pass": KindProfile(_P, 30.0),
}

IDENTITY_KIND = "self"
SUMMARY_KIND = "summary"  # what consolidation made of several memories; it says nothing new
ANNOUNCED = ("lesson", "thesis", "playbook")  # kinds whose fading is announced


def kind_profile(kind: str, section: Section | None = None) -> KindProfile:
    """Returns the profile of a kind.

    A word nobody defined lives in the given section, else in KNOWLEDGE.
    """
    known = KINDS.get(kind)
    if known is not None:
        return known
    home = section or Section.KNOWLEDGE
    return KindProfile(home, SECTIONS[home].stability)


@lru_cache(maxsize=1024)
def initial_stability(kind: str, section: Section, salience: float) -> float:
    """Days until a new memory's retrievability falls to 0.9.

    Salience 0.5 is neutral; above it the stability grows up to the section's gain, below it shrinks
    down to a fifth. Sections with gain 1 ignore salience.
    """
    profile = SECTIONS[section]
    base = kind_profile(kind, section).stability
    if profile.salience_gain == 1.0:
        factor = 1.0
    elif salience >= 0.5:
        factor = 1.0 + (salience - 0.5) * 2.0 * (profile.salience_gain - 1.0)
    else:
        factor = 0.2 + salience * 2.0 * 0.8
    return min(base * factor, profile.max_stability)


Weights = Mapping[Section, RankWeights]
SECTION_WEIGHTS: Weights = {section: profile.ranking for section, profile in SECTIONS.items()}
