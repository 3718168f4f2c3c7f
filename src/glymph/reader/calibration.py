"""Turns what the network says into shares that mean what they say.

The numbers come with the weights: they were fitted on texts that the network was not trained on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Calibration:
    """How to read the network's numbers, and from where on a judgement counts as certain."""

    temperatures: Mapping[str, float]
    together: Sequence[float]  # weights of own odds, of the best other's, of being first; a shift
    among: Sequence[float]  # weights of the odds of a text read with others, and alone; a shift
    crowded: Sequence[float]  # the same, where there are more texts than are read together
    relevance: Sequence[float]  # scale and shift of the odds that a text answers
    certain: float  # from here on a judgement of a relation is certain
    flag: float  # from here on an update is worth telling
    doubt: float  # from here on an older statement may be out of date
    hide: float  # from here on an older statement may be hidden without asking
    same: float  # from here on two statements beside others count as one
    merge: float  # from here on two texts may count as one without asking

    @classmethod
    def parse(cls, stored: Mapping[str, Any]) -> Calibration:
        """Reads the numbers as they lie beside the weights."""
        return cls(**stored)

    def share_out(self, task: str, logits: Floats) -> Floats:
        """Returns the share of each answer."""
        return softmax(logits / self.temperatures[task])

    def weigh_together(self, shares: Floats) -> Floats:
        """Lowers the shares of candidates beside which another is far more likely meant.

        `shares` holds a row per candidate, of which the first column is the share of "none".
        """
        if len(shares) < 2:
            return shares
        own, rival, first, shift = self.together
        odds, others, leads = compare_candidates(shares)
        weighed = own * odds + rival * others + first * leads + shift
        meant = 1 / (1 + np.exp(-weighed))
        return np.concatenate([1 - meant[:, None], _share_kinds(shares) * meant[:, None]], axis=1)

    def judge_targets(self, together: Floats, alone: Floats, *, crowded: bool) -> Floats:
        """Returns the shares of texts that a request may mean, read with others and each alone.

        Where they are `crowded`, reading them together tells less.
        """
        beside, own, shift = self.crowded if crowded else self.among
        odds = beside * find_odds(softmax(together)) + own * find_odds(softmax(alone)) + shift
        meant = 1 / (1 + np.exp(-odds))[:, None]
        kinds = _share_kinds(softmax(together)) + _share_kinds(softmax(alone))
        return np.concatenate([1 - meant, kinds / 2 * meant], axis=1)

    def find_relevance(self, odds: Floats) -> Floats:
        """Returns how likely a text answers, from the network's odds."""
        scale, shift = self.relevance
        answers: Floats = 1 / (1 + np.exp(-(scale * odds + shift)))
        return answers


def compare_candidates(shares: Floats) -> tuple[Floats, Floats, Floats]:
    """Returns for each candidate its odds, those of its best rival, and whether it leads."""
    odds = find_odds(shares)
    best = int(odds.argmax())
    others = np.full(len(odds), odds[best])
    others[best] = np.delete(odds, best).max() if len(odds) > 1 else 0.0
    return odds, np.maximum(others, 0.0), np.arange(len(odds)) == best


def find_odds(shares: Floats) -> Floats:
    """Returns the log odds that any answer but the first holds."""
    none = np.clip(shares[:, 0], 1e-6, 1 - 1e-6)
    odds: Floats = np.log(1 - none) - np.log(none)
    return odds


def _share_kinds(shares: Floats) -> Floats:
    """Returns how likely each answer is where the first one does not hold."""
    kinds: Floats = shares[:, 1:] / np.clip(shares[:, 1:].sum(axis=1, keepdims=True), 1e-9, None)
    return kinds


def softmax(logits: Floats) -> Floats:
    """Returns shares that add up to one in each row."""
    size = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares: Floats = size / size.sum(axis=-1, keepdims=True)
    return shares
