"""What the digest at the start of a session tells of a conversation, and what it should not.

Others than the conversation's writers wrote what a next session would ask. A question is answered
where the digest holds a whole statement that answers it; a statement is stale where a later one has
put it out of date as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.harness.contract import Figure
from glymph import Glymph

TOKENS = 1_500


@dataclass(slots=True)
class Digests:
    """Counts over the digests of several conversations."""

    questions: int = 0
    answered: int = 0
    lines: int = 0  # statements shown
    stale: int = 0  # of these

    def look(self, glymph: Glymph, talk: Mapping[str, Any], asked: Sequence[Any]) -> None:
        """Looks at the digest of a store that was told a conversation."""
        lines = {line.removeprefix("- ") for line in glymph.surface(TOKENS).splitlines()}
        shown = {
            statement["label"]
            for statement in talk["statements"]
            if " ".join(statement["text"].split()) in lines
        }
        self.questions += len(asked)
        self.answered += sum(not shown.isdisjoint(one["answers"]) for one in asked)
        self.lines += len(shown)
        self.stale += len(shown & _find_stale(talk))

    def describe(self, ending: str, when: str) -> dict[str, Figure]:
        """Returns the figures: of what a next session would ask only where that was written."""
        stale = Figure(
            self.stale, f"of {self.lines} statements shown are out of date{when}", exactly=0
        )
        if not self.questions:
            return {f"digest_stale{ending}": stale}
        answered = Figure(
            round(100 * self.answered / self.questions, 2),
            f"% of {self.questions} questions of a next session answered by {TOKENS} tokens{when}",
            at_least=60,
        )
        return {f"digest_answered{ending}": answered, f"digest_stale{ending}": stale}


def _find_stale(talk: Mapping[str, Any]) -> set[str]:
    stale: set[str] = set()
    for statement in talk["statements"]:
        kind, _, targets = statement["expect"].partition(":")
        if kind == "updates":
            stale |= {target.strip() for target in targets.split(",")}
    return stale


def read_questions(path: Path) -> dict[str, Sequence[Any]]:
    """Returns what a next session would ask, by conversation, where that was written."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    cases = map(json.loads, lines)
    return {case["id"]: case["questions"] for case in cases}
