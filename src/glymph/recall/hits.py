"""Candidates of a search, and what it answers with: how each scored, and why it was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from glymph.model import Hit, Memory
from glymph.recall import spread
from glymph.recall.channels import Pool
from glymph.recall.newer_first import Answer, Place
from glymph.recall.past import by_words_only
from glymph.store import records
from glymph.store.contract import Row


@dataclass(slots=True)
class Score:
    """The relevance of a candidate, and what the channels say of it."""

    relevance: float
    parts: dict[str, float]


@dataclass(slots=True)
class Candidate:
    """A memory with its score, before anybody asks why it was found."""

    pool: Pool
    key: int
    score: Score
    retrievability: float
    standing: float
    rows: Mapping[int, Row]  # it, and those from which activation came
    likely: float | None = None  # how likely it answers, where a reader was asked
    passage: str | None = None  # what of it does, where it was read

    def as_answer(self) -> Answer:
        """Returns what is compared with other answers to the same question."""
        own = self.score.parts["relevance"]
        return Answer(self.place, self.rows[self.key], own, self.passage or "")

    @property
    def place(self) -> Place:
        return self.pool.reader.space, self.key

    @property
    def total(self) -> float:
        return self.score.relevance * self.standing

    @property
    def was_found_itself(self) -> bool:
        """Whether its words or its meaning speak for it, and not just what it is linked with."""
        return any(self.score.parts.get(name, 0.0) > 0 for name in ("keyword", "semantic"))


def make_hit(one: Candidate, maybe_outdated_by: tuple[str, ...]) -> Hit:
    """Returns a candidate as what a search answers with."""
    memory = records.as_present(one.rows[one.key], one.pool.reader.space, one.retrievability)
    parts = {name: value for name, value in one.score.parts.items() if value > 0}
    parts["standing"] = one.standing
    why = _explain(one, memory, parts) + (
        "; it may be out of date: see the newer one above it" if maybe_outdated_by else ""
    )
    score = one.total if one.likely is None else one.likely
    return Hit(memory, score, parts, why, maybe_outdated_by)


def lift(hit: Hit, older: Candidate, *, least: float) -> Hit:
    """Lifts a hit above an older one that it updates."""
    why = f"it updates {older.rows[older.key]['title']!r}"
    parts = {**hit.parts, "newer": least - hit.score}
    return replace(hit, score=least, parts=parts, why=f"{hit.why}; {why}" if hit.why else why)


def _explain(one: Candidate, memory: Memory, parts: Mapping[str, float]) -> str:
    """Says why a memory was found."""
    reasons = []
    if "keyword" in parts:
        reasons.append("its text matches the words of the query")
    if "semantic" in parts:
        reasons.append("its meaning is near the query")
    if parts.get("relevance", 0.0) >= 0.5:
        reasons.append("it seems to answer the query")
    if "affinity" in parts:
        carried = [name for name in memory.entities if name in one.pool.question.names]
        reasons.append(
            f"it is about {', '.join(carried)}" if carried else "it is about a name in the query"
        )
    if "session" in parts:
        reasons.append("what was said next to it in its session matches")
    if "links" in parts:
        reasons.append(_explain_links(one))
    if one.pool.lacking:
        reasons.append(by_words_only(one.pool.lacking))
    return "; ".join(reasons)


def _explain_links(one: Candidate) -> str:
    """Says how activation came: from which memory, and over which links."""

    def title(key: int, otherwise: str) -> str:
        return f"{one.rows[key]['title']!r}" if key in one.rows else otherwise

    steps = spread.path(one.key, one.pool.reached)
    way = [title(steps[0][1].source, "a memory that was found")]
    for key, step in steps:
        name = "this" if key == one.key else title(key, "another")
        way.append(f"{step.type} ({step.weight:.2f}) → {name}")
    return "linked: " + " → ".join(way)
