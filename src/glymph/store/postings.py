"""Where words stand in the texts of one space, and how much each counts.

A store keeps an index of words for all its spaces. What is asked for is read from there once, kept
here for this space alone, and weighed by this space alone (BM25): what other spaces hold changes
nothing. Memories that changed since are split into words here. A small space beside others is
split as a whole: finding it in the index of all would take as long as they are large.
"""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from glymph.store.arrays import find_slots
from glymph.store.locks import ProcessLock

if TYPE_CHECKING:
    from glymph.store.reader import Reader
    from glymph.store.view import View
    from glymph.text.query import Words

SATURATION, SHORTNESS = 1.2, 0.75  # BM25's k1 and b
LEAST_WEIGHT = 1e-6  # of a word that most texts hold
CLOSE = 9  # words from one to the other, at most
KEY_BITS, COLUMN_BITS = 24, 20  # where a memory and a column begin in a mark (see TextIndex)
NUMBER_BITS = 52  # where the number of a word begins, when those of several are told apart
MOST_SLOTS = (1 << (NUMBER_BITS - KEY_BITS)) - 1
NEVER_CLOSE = (1 << 63) - 1  # to any mark
SMALL = 2_000  # memories of a space beside others that is split as a whole
MANY_CHANGED = 1_000  # memories, from which on words are read anew: of each some ten are kept here
STEP = 16  # bytes in which lengths are told, so that a letter more or less changes no order
MOST_MARKS = 6_000_000  # kept, 8 to 16 bytes each: the words asked for longest ago go first
MOST_WORDS = 4_000  # kept: also one that stands nowhere takes half a kilobyte

Marks = NDArray[np.int64]
Slots = NDArray[np.int32]
Phrase = tuple[str, ...]  # a word that was asked for, as the index splits it


@dataclass(frozen=True, slots=True)
class Counts:
    """The number of texts, and of those that hold each phrase."""

    texts: int
    holding: Mapping[Phrase, int]

    def weigh(self, phrase: Phrase) -> float:
        """Returns what a phrase counts: the more, the fewer of the texts hold it."""
        holding = self.holding.get(phrase, 0)
        rarity = math.log((max(self.texts - holding, 0) + 0.5) / (holding + 0.5))
        return max(rarity, LEAST_WEIGHT)


def join_counts(several: Iterable[Counts]) -> Counts:
    """Returns the counts of spaces that are searched together."""
    texts, holding = 0, dict[Phrase, int]()
    for counts in several:
        texts += counts.texts
        for phrase, count in counts.holding.items():
            holding[phrase] = holding.get(phrase, 0) + count
    return Counts(texts, holding)


class Standing:
    """The marks of a word, with slots for keys, in order, as of a change of the space.

    `slots` are those that hold it, `times` how often.
    """

    __slots__ = ("change", "marks", "slots", "times")

    def __init__(self, marks: Marks, change: int, slots: Slots, times: Slots) -> None:
        self.marks, self.change, self.slots, self.times = marks, change, slots, times

    def part(self) -> Standing:
        """Returns the same with arrays of its own: a part of one keeps the whole in memory."""
        return Standing(self.marks.copy(), self.change, self.slots.copy(), self.times.copy())


def _stand(marks: Marks, change: int) -> Standing:
    slots, times = _count_places(marks)
    return Standing(marks, change, slots.astype(np.int32), times)


def _stand_apart(marks: Marks, words: NDArray[np.intp], count: int, change: int) -> list[Standing]:
    """Does the same for the marks of several words, one word after the other."""
    numbered, times = _count_places(marks | words << NUMBER_BITS)
    slots = (numbered & MOST_SLOTS).astype(np.int32)
    ends = np.arange(1, count + 1)
    of_marks = [0, *np.searchsorted(words, ends).tolist()]
    of_slots = [0, *np.searchsorted(numbered, ends << (NUMBER_BITS - KEY_BITS)).tolist()]
    return [
        Standing(marks[begin:end], change, slots[first:last], times[first:last])
        for (begin, end), (first, last) in zip(pairwise(of_marks), pairwise(of_slots), strict=True)
    ]


def _count_places(marks: Marks) -> tuple[Marks, Slots]:
    """Returns the slots of marks, in order, and how many marks each of them has."""
    every = marks >> KEY_BITS
    begins = np.empty(len(every), dtype=np.bool_)
    begins[:1] = True
    np.not_equal(every[1:], every[:-1], out=begins[1:])
    first = begins.nonzero()[0]
    times = np.empty(len(first), dtype=np.int32)
    np.subtract(first[1:], first[:-1], out=times[:-1], casting="unsafe")
    times[-1:] = len(every) - first[-1:]
    return every[first], times


class Postings:
    """The words of one mirror. What it names may be a change ahead of a reader or behind."""

    def __init__(self, *, whole: bool) -> None:
        self._lock = ProcessLock()
        self._whole = whole  # whether all memories are split here, ...
        self._begun = False  # ... which the first question begins
        self._standing: dict[str, Standing] = {}  # by word, the one asked for last at the end
        self._kept = 0  # marks of all of them
        self._change = 0
        self._changed: dict[int, int] = {}  # the change by slot
        # Marks of changed memories by word, as plain numbers: objects would take ten times as much.
        self._said: dict[str, array[int]] = {}
        self._said_by: dict[int, list[str]] = {}  # the words that have marks of each slot
        self._summed = (-1, -1)  # the size and the change of ...
        self._sums = (0, 1.0)  # ... the number of texts and their usual length in steps

    def note(
        self, reader: Reader, keys: Sequence[int], slots: Sequence[int], *, change: int
    ) -> None:
        """Takes in that memories changed, came or went; a slot below 0 is none."""
        with self._lock:
            self._change = change
            if not (self._standing or self._whole):
                return
            if len(self._changed) + len(keys) > MANY_CHANGED + SMALL * self._whole:
                self._standing.clear()
                self._kept = 0
                self._changed.clear()
                self._said.clear()
                self._said_by.clear()
                self._whole = False
                return
            self._split(reader, dict(zip(keys, slots, strict=True)))

    def _split(self, reader: Reader, changed: Mapping[int, int]) -> None:
        """Reads what memories say, by key and slot."""
        index = reader.text_index
        assert index is not None
        there = {slot for slot in changed.values() if slot >= 0}
        for slot in there & self._said_by.keys():
            for word in self._said_by.pop(slot):
                marks = self._said[word]
                marks[:] = array("q", [mark for mark in marks if mark >> KEY_BITS != slot])
                if not marks:  # nobody says it any more
                    del self._said[word]
        self._changed |= dict.fromkeys(there, self._change)
        for key, texts in index.read_texts([key for key, slot in changed.items() if slot >= 0]):
            slot = changed[key]
            said_by = self._said_by.setdefault(slot, [])
            for column, text in enumerate(texts):
                begin = slot << KEY_BITS | column << COLUMN_BITS
                for place, word in enumerate(map(sys.intern, index.split(text))):
                    marks = self._said.setdefault(word, array("q"))
                    if not marks or marks[-1] >> KEY_BITS != slot:
                        said_by.append(word)
                    marks.append(begin + place)

    # asking

    def count(self, reader: Reader, view: View, words: Words) -> Counts:
        """Returns how many texts there are, and how many hold each word."""
        with self._lock:
            held = self._look_up(reader, view, words.words)
            texts, _ = self._sum_up(view)
        return _count(held.values(), texts)

    def score(
        self, reader: Reader, view: View, words: Words, *, counts: Counts | None = None
    ) -> NDArray[np.float64]:
        """Returns the score of each slot; above 0 where its text holds any of the words.

        Words are weighed by the counts of all spaces that are searched together, or of this alone.
        """
        with self._lock:
            held = self._look_up(reader, view, words.words)
            texts, usual = self._sum_up(view)
        counts = counts or _count(held.values(), texts)
        found = [
            (standing.slots, standing.times, counts.weigh(phrase))
            for phrase, standing in dict(held.values()).items()
        ]
        pairs = [(held.get(one, NONE), held.get(other, NONE)) for one, other in words.pairs]
        pairs = [(one, other) for one, other in pairs if one[0] != other[0]]
        both = [*pairs, *((other, one) for one, other in pairs)]
        close = _find_close([(one[1].marks, other[1].marks) for one, other in both])
        weights = [counts.weigh(one[0]) for one, _ in both]
        found += [(*places, weight) for places, weight in zip(close, weights, strict=True)]
        return _add_up(found, view, usual)

    def _look_up(
        self, reader: Reader, view: View, words: Sequence[str]
    ) -> dict[str, tuple[Phrase, Standing]]:
        """Returns each word as the index splits it, and where it stands; without those of none."""
        index = reader.text_index
        assert index is not None
        if self._whole and not self._begun:
            self._begun = True
            keys = enumerate(view["key"].tolist())
            self._split(reader, {key: at for at, key in keys if at not in self._changed})
        split = {word: tuple(index.split(word)) for word in words}
        single = self._find(reader, view, {part for phrase in split.values() for part in phrase})
        return {word: (said, _follow(single, said)) for word, said in split.items() if said}

    def _sum_up(self, view: View) -> tuple[int, float]:
        """Returns how many texts there are and how long one usually is, in steps."""
        if self._summed != (view.size, self._change):
            there = view["state"] >= 0
            texts = int(np.count_nonzero(there))
            usual = float(_step(view["size"]).mean(where=there)) if texts else 0.0
            self._summed, self._sums = (view.size, self._change), (texts, max(usual, 1.0))
        return self._sums

    def _find(self, reader: Reader, view: View, words: Collection[str]) -> dict[str, Standing]:
        """Returns where single words stand now; those that are not known yet are read."""
        new = self._read(reader, view, [word for word in words if word not in self._standing])
        self._standing |= new
        self._kept += sum(len(standing.marks) for standing in new.values())
        found: dict[str, Standing] = {}
        for word in words:
            standing = self._standing.pop(word)
            if standing.change < self._change:
                self._kept -= len(standing.marks)
                standing = self._bring_up(word, standing)
                self._kept += len(standing.marks)
            found[word] = self._standing[word] = standing
        while len(self._standing) > 1 and (
            self._kept > MOST_MARKS or len(self._standing) > MOST_WORDS
        ):
            self._kept -= len(self._standing.pop(next(iter(self._standing))).marks)
        return found

    def _read(self, reader: Reader, view: View, words: Sequence[str]) -> dict[str, Standing]:
        if self._whole or not words:
            return {word: _stand(np.zeros(0, dtype=np.int64), -1) for word in words}
        index, change = reader.text_index, reader.newest_change()
        assert index is not None
        found = index.find_marks(words)
        marks = np.concatenate([found[word] for word in words])
        numbers = np.repeat(np.arange(len(words)), [len(found[word]) for word in words])
        slots = find_slots(view["key"], marks >> KEY_BITS)
        marks = slots << KEY_BITS | marks & ((1 << KEY_BITS) - 1)
        here = slots >= 0
        if not here.all():
            marks, numbers = marks[here], numbers[here]
        standing = _stand_apart(marks, numbers, len(words), change)
        return {word: one.part() for word, one in zip(words, standing, strict=True)}

    def _bring_up(self, word: str, known: Standing) -> Standing:
        """Returns the marks of a word with those of the memories that changed since."""
        changed = [slot for slot, change in self._changed.items() if change > known.change]
        if not changed:
            known.change = self._change
            return known
        since = np.asarray(changed, dtype=np.int64)
        stale = np.isin(known.marks >> KEY_BITS, since)
        said = np.array(self._said.get(word, ()), dtype=np.int64)  # a copy: the array may grow
        new = said[np.isin(said >> KEY_BITS, since)]
        marks = np.concatenate([known.marks[~stale], new])
        marks.sort()
        return _stand(marks, self._change)


NONE: tuple[Phrase, Standing] = ((), _stand(np.zeros(0, dtype=np.int64), 0))


def _count(held: Iterable[tuple[Phrase, Standing]], texts: int) -> Counts:
    return Counts(texts, {phrase: len(standing.slots) for phrase, standing in held})


def _follow(single: Mapping[str, Standing], phrase: Phrase) -> Standing:
    """Returns where the parts of a phrase stand one after the other, by the place of the last."""
    standing = single[phrase[0]]
    for part in phrase[1:]:
        marks = np.intersect1d(standing.marks + 1, single[part].marks, assume_unique=True)
        standing = _stand(marks, standing.change)
    return standing


def _find_close(pairs: Sequence[tuple[Marks, Marks]]) -> list[tuple[Slots, Slots]]:
    """Returns where marks of a word have one of another close by, in the same column.

    For each pair of words the slots, and how many marks of the first are such in each. All pairs
    are looked at together: each alone would cost more in calls than in comparisons.
    """
    if not pairs:
        return []
    lengths = [len(one) for one, _ in pairs], [len(other) for _, other in pairs]
    first, second = (
        np.concatenate([pair[side] for pair in pairs])
        | np.repeat(np.arange(len(pairs)), lengths[side]) << NUMBER_BITS
        for side in (0, 1)
    )
    second = np.append(second, NEVER_CLOSE)
    near = second[np.searchsorted(second, first - CLOSE)] <= first + CLOSE
    marks = first[near]
    words = marks >> NUMBER_BITS
    found = _stand_apart(marks & ((1 << NUMBER_BITS) - 1), words, len(pairs), 0)
    return [(one.slots, one.times) for one in found]


def _add_up(
    found: Sequence[tuple[Slots, Slots, float]], view: View, usual: float
) -> NDArray[np.float64]:
    """Returns for each slot the sum of what words say that stand there so many times."""
    if not found:
        return np.zeros(view.size)
    slots = np.concatenate([one[0] for one in found])
    times = np.concatenate([one[1] for one in found])
    weights = np.repeat([one[2] for one in found], [len(one[0]) for one in found])
    known = slots < view.size
    if not known.all():  # the mirror has grown since the view was made
        slots, times, weights = slots[known], times[known], weights[known]
    length = _step(view["size"][slots]) * (SATURATION * SHORTNESS / usual)
    length += SATURATION * (1 - SHORTNESS)
    weights *= (SATURATION + 1) * times
    weights /= times + length
    return np.bincount(slots, weights, minlength=view.size).astype(np.float64, copy=False)


def _step(sizes: NDArray[np.int32]) -> NDArray[np.int32]:
    return (sizes + STEP // 2) // STEP
