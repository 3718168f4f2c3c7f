"""Texts in bulk: sentences people wrote, and made-up ones.

The words of the made-up ones are as unevenly common as real ones.
"""

from __future__ import annotations

import ast
import re
import sysconfig
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

VOCABULARY = 100_000
SHORTEST, LONGEST = 10, 40  # words of a made-up text

_ONSETS = "b bl br c ch cl cr d dr f fl fr g gl gr h j k l m n p pl pr qu r s sh sl st str t tr v w z".split()
_VOWELS = "a ai e ea i o oa oo u".split()
_CODAS = ["", "l", "n", "nd", "r", "rt", "s", "st", "t", "x"]


def sentences(count: int) -> list[str]:
    """Sentences from the documentation inside Python's own library: English that every machine has."""
    found: dict[str, None] = {}
    library = Path(sysconfig.get_path("stdlib"))
    for path in sorted(library.rglob("*.py")):
        if "site-packages" not in path.parts and "test" not in path.parts:
            found |= dict.fromkeys(_sentences_of(path))
            if len(found) >= count:
                break
    return list(islice(found, count))


def _sentences_of(path: Path) -> Iterator[str]:
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):  # some files are there to be refused
        return
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in ast.walk(tree):
        text = ast.get_docstring(node) if isinstance(node, documented) else None
        for paragraph in (text or "").split("\n\n"):
            for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z])", " ".join(paragraph.split())):
                if 6 <= len(re.findall(r"[A-Za-z]{2,}", sentence)) <= 60 and ">>>" not in sentence:
                    yield sentence


class Prose:
    """An endless supply of made-up texts by Zipf's law, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._words = np.array(self._vocabulary(), dtype=object)
        # With Mandelbrot's offset, the shape of word counts in ordinary prose.
        self._cumulated = np.cumsum(1 / (np.arange(VOCABULARY) + 2.7))

    def _vocabulary(self) -> list[str]:
        """Distinct words, the common ones short: the number of syllables grows with the rank."""
        syllables = ["".join(parts) for parts in product(_ONSETS, _VOWELS, _CODAS)]
        words: dict[str, None] = {}
        while len(words) < VOCABULARY:
            for drawn in self._random.integers(len(syllables), size=(VOCABULARY, 4)).tolist():
                rank = len(words)
                length = 1 + (rank > 60) + (rank > 2500) + (rank > 50_000)
                words["".join([syllables[number] for number in drawn[:length]])] = None
        return list(words)[:VOCABULARY]

    def texts(self, count: int) -> list[str]:
        """The next texts. That two are the same is possible and does not happen."""
        lengths = self._random.integers(SHORTEST, LONGEST, count, endpoint=True)
        ends = np.cumsum(lengths)
        drawn = self._random.random(int(ends[-1])) * self._cumulated[-1]
        words: NDArray[np.object_] = self._words[np.searchsorted(self._cumulated, drawn)]
        return [
            " ".join(words[end - length : end]) for end, length in zip(ends, lengths, strict=True)
        ]


def words_of(text: str, random: np.random.Generator) -> str:
    """A query: five to eight of a text's words, in their order."""
    words = list(dict.fromkeys(re.findall(r"[^\W_]+", text)))
    chosen = random.choice(
        len(words), size=min(len(words), int(random.integers(5, 9))), replace=False
    )
    return " ".join(words[place] for place in sorted(chosen))
