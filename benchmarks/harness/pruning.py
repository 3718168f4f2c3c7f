"""Ranking what to prune in a dialogue, and counting what is left of the evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from benchmarks.harness.dialogues import Dialogue
from glymph.embed.contract import Embedder
from glymph.prune.worth import redundancy, worth
from glymph.text import information
from glymph.text.information import Weights, rarities, score_texts
from glymph.text.words import drop_stop_words, split_words
from glymph.write.grading import LASTING, NOISE, VITAL

RANDOM = 5  # orders of which the mean is taken
PENALTY = 0.02  # keeps the weights of what is rare in the data from running away

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A dialogue, its rankings by name, and what its texts have of each part of information.

    In a ranking the lowest is pruned first. There are several of one name where chance plays a
    part.
    """

    dialogue: Dialogue
    rankings: Mapping[str, Sequence[Floats]]
    parts: Floats
    again: Floats
    noise: Floats

    def kept(self, name: str, share: int) -> Floats:
        """The part of each question's evidence that is left, in per cent.

        It is given for each ranking of that name.
        """
        return np.concatenate(
            [kept(self.dialogue, ranking, share) for ranking in self.rankings[name]]
        )

    def needed(self) -> NDArray[np.bool_]:
        """Which items are evidence."""
        found = np.zeros(len(self.dialogue.items), dtype=np.bool_)
        found[[place for question in self.dialogue.questions for place in question.evidence]] = True
        return found


def ranked(
    dialogue: Dialogue, random: np.random.Generator, grades: Embedder | None = None
) -> Ranked:
    """The dialogue under each way of ranking; nothing of it was used, so need plays no part."""
    texts = [item["text"] for item in dialogue.items]
    telling = [drop_stop_words(split_words(text)) for text in texts]
    rarity = rarities(telling)
    again = redundancy(texts, owners(dialogue))
    noise, lasting = find_noise(texts, grades), find_lasting(texts, grades)
    rankings = {
        "ours": [worth(score_texts(texts, lasting=lasting), redundancy=again, noise=noise).total],
        "random": [random.random(len(texts)) for _ in range(RANDOM)],
        "shortest": [np.array([len(text) for text in texts], dtype=np.float64)],
        "idf": [np.array([sum(map(rarity, own)) for own in telling])],
    }
    return Ranked(
        dialogue, rankings, information.measure_parts(texts, lasting=lasting), again, noise
    )


def find_noise(texts: Sequence[str], grades: Embedder | None) -> Floats:
    """How surely the reader takes each text for noise; without a reader it is the same of all."""
    if grades is None:
        return np.zeros(len(texts))
    return np.asarray(grades.embed(texts), dtype=np.float64)[:, NOISE]


def find_lasting(texts: Sequence[str], grades: Embedder | None) -> Floats:
    """How surely the reader holds each text to be of lasting worth; NaN without a reader."""
    if grades is None:
        return np.full(len(texts), np.nan)
    shares = np.asarray(grades.embed(texts), dtype=np.float64)
    return np.asarray(shares[:, LASTING] + shares[:, VITAL])


def owners(dialogue: Dialogue) -> list[tuple[str, ...]]:
    """Who said each item, where that is known."""
    return [tuple(item.get("entities", ())) for item in dialogue.items]


def pruned(ranking: Floats, share: int) -> frozenset[int]:
    """The places of the lowest, so many per cent of all, rounded down."""
    return frozenset(np.argsort(ranking, kind="stable")[: len(ranking) * share // 100].tolist())


def kept(dialogue: Dialogue, ranking: Floats, share: int) -> Floats:
    """The part of each question's evidence that is left, in per cent."""
    gone = pruned(ranking, share)
    return np.array(
        [100 * len(question.evidence - gone) / question.whole for question in dialogue.questions]
    )


def margin(values: Floats) -> float:
    """Half of the 95 % interval of a mean."""
    return float(1.96 * values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


def held_out(one: Ranked, corpora: Sequence[Sequence[Ranked]], share: int) -> Floats:
    """What is kept of a dialogue under weights of information fitted to all the others.

    Both corpora count the same.
    """
    others = [[other for other in corpus if other is not one] for corpus in corpora]
    told = information.weigh_parts(one.parts, fitted([corpus for corpus in others if corpus]))
    return kept(one.dialogue, worth(told, redundancy=one.again, noise=one.noise).total, share)


def fitted(corpora: Sequence[Sequence[Ranked]]) -> Weights:
    """The weights that best tell evidence from the rest.

    They are found by logistic regression with a base rate per dialogue.
    """
    among = [(one, 1 / len(corpus) / len(one.parts)) for corpus in corpora for one in corpus]
    parts = np.concatenate([one.parts for one, _ in among])
    needed = np.concatenate([one.needed() for one, _ in among]).astype(np.float64)
    counts = np.concatenate([np.full(len(one.parts), weight) for one, weight in among])
    spread = parts.std(axis=0) + 1e-9
    number = np.repeat(np.arange(len(among)), [len(one.parts) for one, _ in among])
    table = np.hstack([parts / spread, np.eye(len(among))[number]])
    columns = parts.shape[1]

    def surprise(weights: Floats) -> tuple[float, Floats]:
        logits = table @ weights
        own = np.where(np.arange(len(weights)) < columns, weights, 0.0)
        loss = (counts * (np.logaddexp(0.0, logits) - needed * logits)).sum() + PENALTY * (
            own**2
        ).sum()
        return float(loss), table.T @ (counts * (expit(logits) - needed)) + 2 * PENALTY * own

    found = minimize(surprise, np.zeros(table.shape[1]), jac=True, method="L-BFGS-B").x
    return Weights(*(found[:columns] / spread).tolist())
