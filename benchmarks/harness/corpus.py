"""Texts that look like language to an index: a few thousand words, the common ones very common."""

from __future__ import annotations

import random
from itertools import accumulate

VOCABULARY = 6000
TEXT_WORDS = 30

_ONSETS = (
    "b bl br c ch cl cr d dr f fl fr g gl gr h j k l m n p pl pr qu r s sh sl st str t tr v w z"
)
_VOWELS = "a ai e ea i o oa oo u"
_CODAS = ["", "", "", "l", "n", "nd", "r", "rt", "s", "st", "t", "x"]


class Corpus:
    """An endless supply of texts, the same for the same seed on every machine."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._words = self._vocabulary()
        # Zipf's law with Mandelbrot's offset, the shape of word counts in ordinary prose.
        self._weights = list(accumulate(1 / (rank + 2.7) for rank in range(VOCABULARY)))

    def _vocabulary(self) -> list[str]:
        words: dict[str, None] = {}
        while len(words) < VOCABULARY:
            # Common words are short: the length grows with the rank.
            syllables = 1 + (len(words) > 60) + (len(words) > 2500)
            words["".join(self._syllable() for _ in range(syllables))] = None
        return list(words)

    def _syllable(self) -> str:
        pick = self._random.choice
        return pick(_ONSETS.split()) + pick(_VOWELS.split()) + pick(_CODAS)

    def text(self, length: int = TEXT_WORDS) -> str:
        """The next text, of that many words."""
        return " ".join(self._random.choices(self._words, cum_weights=self._weights, k=length))

    def texts(self, count: int) -> list[str]:
        """The next texts, all different."""
        found: dict[str, None] = {}
        while len(found) < count:
            found[self.text()] = None
        return list(found)
