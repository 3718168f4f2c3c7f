"""Worth: the good of keeping a memory, with named parts; what has the least is pruned first.

Need adds to it, but its absence takes next to nothing away: never used is not stale. What another
memory says as well is worth little, what another one has replaced nothing, and what is pinned
stays.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from glymph.text.information import Frequency, rarities
from glymph.text.negation import NEGATIONS
from glymph.text.words import drop_stop_words, split_words

SAID = 0.7  # of what a text tells; what another text has of it counts from here on
MOST_SHARING = (
    50  # texts with a word; one that more of them share does not lead from one to the other
)
LEADS = 6  # rare words by which a text's likes are looked for
STEP = math.log(1.1)  # of two texts that tell as much within a tenth, the newer one stays

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each part of worth."""

    information: float = 1.0
    need: float = 0.5
    successor: float = 0.5
    redundancy: float = 1.0
    noise: float = 0.1  # of two that tell as much, what a reader takes for noise goes first
    superseded: float = 2.0  # as much as all others together: these go first


WEIGHTS = Weights()


@dataclass(frozen=True, slots=True)
class Worth:
    """The parts, each between 0 and 1, and what they come to: a number per memory."""

    need: Floats
    information: Floats
    redundancy: Floats
    noise: Floats
    superseded: Floats
    successor: Floats
    total: Floats

    def least(self) -> NDArray[np.intp]:
        """Returns the places of all memories, those worth least first; equals in their order."""
        return np.argsort(self.total, kind="stable")


def worth(
    information: ArrayLike,
    *,
    need: ArrayLike = 0.0,
    redundancy: ArrayLike = 0.0,
    noise: ArrayLike = 0.0,
    superseded: ArrayLike = 0.0,
    successor: ArrayLike = 0.0,
    pinned: ArrayLike = False,
    weights: Weights = WEIGHTS,
) -> Worth:
    """Returns the worth of each memory. A pinned one is worth more than any other.

    `superseded` is 1 for what another memory has replaced, less for what it has replaced in part;
    `successor` marks those others: they say how things are now. `noise` is how surely a reader
    takes a text for noise.
    """
    told = np.asarray(information, dtype=np.float64)
    wanted, again, empty, replaced, newer = (
        np.broadcast_to(np.asarray(part, dtype=np.float64), told.shape)
        for part in (need, redundancy, noise, superseded, successor)
    )
    total = weights.information * told + weights.need * wanted + weights.successor * newer
    total = total - weights.redundancy * again - weights.noise * empty
    total = total - weights.superseded * replaced
    total = np.where(np.asarray(pinned, dtype=np.bool_), np.inf, total)
    return Worth(wanted, told, again, empty, replaced, newer, total)


# said elsewhere


@dataclass(frozen=True, slots=True)
class _Said:
    """The content of a text, as far as it matters for being said elsewhere."""

    terms: frozenset[str]
    numbers: frozenset[str]
    denied: bool
    asked: bool
    owner: Hashable
    mass: float

    def covers(self, other: _Said) -> bool:
        """Tells whether nothing keeps this text from saying what the other says."""
        same = self.denied == other.denied and self.owner == other.owner
        return same and (other.asked or not self.asked) and other.numbers <= self.numbers


def redundancy(
    texts: Sequence[str],
    owners: Sequence[Hashable] | None = None,
    *,
    frequency: Frequency | None = None,
    total: int | None = None,
) -> Floats:
    """Returns how much of each text one other, better text says as well.

    It is 0 up to a share of `SAID`, and 1 for all. The better of two is the one that tells more; of
    equals, the later one. Texts come oldest first. Only texts of one owner (who said it, say) are
    compared. A number that the other lacks, or a denial of only one of them, keeps a text from
    being redundant, and a question does not say what a statement says.
    """
    found = [split_words(text) for text in texts]
    telling = [drop_stop_words(one) for one in found]
    rarity = rarities(telling, frequency=frequency, total=total)
    said = [
        _read_text(own, all_words, text, owner, rarity)
        for own, all_words, text, owner in zip(
            telling, found, texts, owners or [None] * len(texts), strict=True
        )
    ]
    result = np.zeros(len(texts))
    standing = _without_copies(said, result)
    index = _index(said, standing)
    ranks = {
        place: (round(math.log(max(said[place].mass, 1e-9)) / STEP), place) for place in standing
    }
    for place in standing:
        result[place] = _elsewhere(place, said, ranks, index, rarity)
    return result


def _read_text(
    own: frozenset[str],
    found: Iterable[str],
    text: str,
    owner: Hashable,
    rarity: Callable[[str], float],
) -> _Said:
    return _Said(
        own,
        frozenset(word for word in own if not word.isalpha() and any(map(str.isdigit, word))),
        any(word in NEGATIONS or word.endswith("n't") for word in found),
        text.rstrip().endswith("?"),
        owner,
        sum(map(rarity, own)),
    )


def _without_copies(said: Sequence[_Said], result: Floats) -> list[int]:
    """Returns the places of all texts but those of which a later one has the same words.

    The texts that are left out are redundant.
    """
    last: dict[tuple[Hashable, ...], int] = {}
    for place, one in enumerate(said):
        key = (one.terms, one.denied, one.asked, one.owner)
        if one.terms and key in last:
            result[last[key]] = 1.0
        last[key if one.terms else (place,)] = place
    return sorted(last.values())


def _index(said: Sequence[_Said], standing: Iterable[int]) -> Mapping[str, Sequence[int]]:
    index: dict[str, list[int]] = defaultdict(list)
    for place in standing:
        for word in said[place].terms:
            index[word].append(place)
    return index


def _elsewhere(
    place: int,
    said: Sequence[_Said],
    ranks: Mapping[int, tuple[int, int]],
    index: Mapping[str, Sequence[int]],
    rarity: Callable[[str], float],
) -> float:
    """Returns how much of this text's information another, better text has at most."""
    own = said[place]
    alone = sum(rarity(word) for word in own.terms if len(index[word]) == 1)
    if own.mass <= 0 or own.mass - alone < SAID * own.mass:
        return 0.0  # too much of it stands nowhere else
    best = 0.0
    for other in _alike(own, index):
        if ranks[other] > ranks[place] and said[other].covers(own):
            best = max(best, sum(map(rarity, own.terms & said[other].terms)) / own.mass)
    return max(0.0, best - SAID) / (1 - SAID)


def _alike(own: _Said, index: Mapping[str, Sequence[int]]) -> Iterator[int]:
    """Yields the texts that share some of the rare words of this one."""
    leads = sorted(
        (word for word in own.terms if 1 < len(index[word]) <= MOST_SHARING),
        key=lambda w: (len(index[w]), w),
    )
    seen: set[int] = set()
    for word in leads[:LEADS]:
        for place in index[word]:
            if place not in seen:
                seen.add(place)
                yield place
