"""LoCoMo's and BEAM's questions for stores that take nothing but a text and its vector.

Everybody gets the same lines. Glymph can be told speaker, session and day apart from the text; what
that adds is asked besides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.harness import dialogues
from benchmarks.harness.contract import Figure, Options, Unavailable
from benchmarks.harness.dialogues import Asked, Dialogue

UNANSWERABLE = "cat5"  # LoCoMo's trick questions: no line answers them
CORPORA = {"locomo": "LoCoMo", "beam": "BEAM"}


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation as lines, the same as fields, and what is asked about it."""

    corpus: str
    lines: Sequence[str]
    fields: Sequence[Mapping[str, Any]]  # as Glymph takes them, moments written out
    asked: Sequence[Asked]

    def score(self, found: Sequence[Sequence[int]]) -> list[float]:
        """The share of each question's evidence among the lines found, in per cent.

        Lines that say the same are one, whichever of them a store has kept.
        """
        shares: list[float] = []
        for question, places in zip(self.asked, found, strict=True):
            evidence = {self.lines[place] for place in question.evidence}
            whole = question.whole - (len(question.evidence) - len(evidence))
            hits = evidence & {self.lines[place] for place in places}
            shares.append(100 * len(hits) / whole)
        return shares


def read_talks(options: Options) -> list[Talk]:
    """Every conversation; none where the data are not at hand."""
    try:
        read = {"locomo": dialogues.locomo(options), "beam": dialogues.beam(options)}
    except Unavailable:
        return []
    return [_talk(corpus, one, options) for corpus, found in read.items() for one in found]


def _talk(corpus: str, dialogue: Dialogue, options: Options) -> Talk:
    lines = [": ".join([*item.get("entities", []), item["text"]]) for item in dialogue.items]
    bare = [replace(question, text=question.text.strip()) for question in dialogue.questions]
    fields = [
        item | {"event_at": item["event_at"] and item["event_at"].isoformat()}
        for item in dialogue.items
    ]
    asked = [question for question in bare if question.group != UNANSWERABLE]
    return Talk(corpus, lines, fields, asked[: options.count(len(asked))])


def count_questions(talks: Sequence[Talk]) -> dict[str, Figure]:
    """How many questions each corpus asks."""
    return {
        f"{corpus}_n": Figure(
            sum(len(talk.asked) for talk in talks if talk.corpus == corpus), f"questions of {name}"
        )
        for corpus, name in CORPORA.items()
        if talks
    }


def count_recall(
    talks: Sequence[Talk], found: Sequence[Sequence[Sequence[int]]]
) -> dict[str, Figure]:
    """The mean over all questions of a corpus, for each."""
    shares: dict[str, list[float]] = {corpus: [] for corpus in CORPORA}
    for talk, answers in zip(talks, found, strict=True):
        shares[talk.corpus] += talk.score(answers)
    return {
        f"{corpus}_r10": Figure(
            float(np.mean(shares[corpus])),
            f"per cent of the evidence among the first ten, mean of {len(shares[corpus])} questions",
        )
        for corpus in CORPORA
    }
