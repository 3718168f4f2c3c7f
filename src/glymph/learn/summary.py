"""Composes a summary: of what several memories say, the sentences that tell most.

Nothing is worded anew without a language model, so nothing can be told wrongly: each line is a
sentence of one memory, with its day. What may be vital to somebody is always among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from glymph.moments import moment
from glymph.text.information import score_texts
from glymph.text.sentences import NOTES, split_sentences
from glymph.text.tokens import tokens
from glymph.text.words import drop_stop_words, split_words

LEAST_TOKENS = 40  # of a summary, however short what it is drawn from
MOST_TOKENS = 600
FEWEST_WORDS = 3  # of a sentence that tells something
REPEATED = 0.7  # of a sentence's telling words stand in one that was chosen: it is said already
QUESTIONS = ("?", "？")
GAP = " … "  # between two sentences of a memory that left out what stood between them


@dataclass(frozen=True, slots=True)
class Statement:
    """What one memory says, when, how much of it is not noise, and whether it may be vital."""

    id: str
    at: int
    text: str
    worth: float = 1.0
    vital: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a summary, the day it is of, and the memories that say it."""

    text: str
    at: int
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Sentence:
    statement: Statement
    place: int  # among the sentences of its memory
    text: str
    cost: int
    words: frozenset[str]


def choose_lines(statements: Sequence[Statement], share: float) -> list[Line]:
    """Returns the sentences that tell most within a share of the tokens, the oldest first."""
    total = sum(tokens(one.text) for one in statements)
    left = min(max(share * total, LEAST_TOKENS), MOST_TOKENS)
    chosen: list[_Sentence] = []
    said: dict[str, list[frozenset[str]]] = {}  # the words of chosen sentences, by each of them
    for one in _put_in_order(list(_list_sentences(statements))):
        if one.cost > left or _is_said(one.words, said):
            continue
        chosen.append(one)
        left -= one.cost
        for word in one.words:
            said.setdefault(word, []).append(one.words)
    return _join_lines(chosen)


def write_text(lines: Iterable[Line]) -> str:
    """Returns a summary's text: a line for each, after its day."""
    return "\n".join(f"{moment(line.at):%Y-%m-%d}: {line.text}" for line in lines)


def _list_sentences(statements: Iterable[Statement]) -> Iterable[_Sentence]:
    for statement in statements:
        for place, text in enumerate(split_sentences(statement.text, NOTES)):
            words = split_words(text)
            if len(words) >= FEWEST_WORDS and not text.endswith(QUESTIONS):
                told = drop_stop_words(words)
                yield _Sentence(statement, place, text, tokens(text) + 1, told)


def _put_in_order(sentences: Sequence[_Sentence]) -> list[_Sentence]:
    """Returns sentences in the order to choose them: the vital ones, then what tells most.

    A long sentence tells more than a short one, but not in proportion: the square of what it tells
    is weighed against its length.
    """
    told = score_texts([one.text for one in sentences]) if sentences else np.zeros(0)
    gain = [
        float(one.statement.worth * own**2 / one.cost)
        for one, own in zip(sentences, told.tolist(), strict=True)
    ]
    order = sorted(
        range(len(sentences)),
        key=lambda at: (not sentences[at].statement.vital, -gain[at], at),
    )
    return [sentences[at] for at in order]


def _is_said(words: frozenset[str], said: Mapping[str, Sequence[frozenset[str]]]) -> bool:
    others = (other for word in words for other in said.get(word, ()))
    return any(len(words & other) >= REPEATED * len(words) for other in others)


def _join_lines(chosen: Iterable[_Sentence]) -> list[Line]:
    """Returns a line for each memory of which a sentence was chosen."""

    def order(one: _Sentence) -> tuple[int, str, int]:
        return one.statement.at, one.statement.id, one.place

    lines = []
    for statement, several in groupby(sorted(chosen, key=order), key=lambda one: one.statement):
        text, last = "", -1
        for one in several:
            between = "" if not text else " " if one.place == last + 1 else GAP
            text, last = text + between + one.text, one.place
        lines.append(Line(text, statement.at, (statement.id,)))
    return lines
