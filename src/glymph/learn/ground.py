"""Tells whether a conversation bears out what a model took from it.

What is exact (numbers, identifiers, quotations) must stand there. The reader decides the rest: it
reads a statement against the turn that it is taken from, and against that turn behind those before
it. What words make doubtful, since one side denies or names what the other does not, must be the
surer to the reader; words alone refuse nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from glymph.learn.source_check import find_strange_name
from glymph.learn.transcript import Turn
from glymph.learn.turn_lines import read_said_lines
from glymph.reader.contract import Reader
from glymph.reader.wording import RELATIONS
from glymph.text.negation import IN_A_CLAUSE
from glymph.text.sentences import SPOKEN, split_sentences
from glymph.text.words import drop_stop_words, split_words


class Signs(NamedTuple):
    """What tells whether a turn bears a statement out; shares as the logarithms of their odds."""

    told: float  # the turn says the same
    behind: float  # the turn behind those before it says the same
    near: float  # they have to do with each other
    turned: float  # what the turn says would take the place of the statement
    denied: float  # 1 where one of the two denies and the other does not
    strange: float  # 1 where the statement names what the conversation does not


BEFORE = 2  # turns behind which a turn is read
CERTAIN = 1e-3  # nothing is surer than that
# How much each sign tells that a statement is made up, fitted on the cases of benchmark grounding.
SHIFT = -0.10
WEIGHTS = Signs(told=-0.24, behind=-0.20, near=-0.18, turned=0.28, denied=0.85, strange=2.5)
MADE_UP = 0.78  # the share from which on a statement is refused
_SAME, _REPLACES = RELATIONS.index("same"), RELATIONS.index("replaces")


def is_made_up(reader: Reader, turns: Sequence[Turn], at: int, text: str) -> bool | None:
    """Returns whether the turn at a place does not bear a statement out.

    None is from a reader that cannot tell.
    """
    signs = find_signs(reader, turns, at, text)
    if signs is None:
        return None
    odds = SHIFT + sum(weight * sign for weight, sign in zip(WEIGHTS, signs, strict=True))
    return 1 / (1 + math.exp(-odds)) >= MADE_UP


def find_signs(reader: Reader, turns: Sequence[Turn], at: int, text: str) -> Signs | None:
    """Returns what tells whether the turn at a place bears a statement out; None if nothing."""
    source = "\n".join(turn.text for turn in turns)
    own = _read(turns[at])
    behind = " ".join([*map(_read, turns[max(0, at - BEFORE) : at]), own])
    (there,), (back,) = reader.relate(text, [own]), reader.relate(own, [text])
    (longer,) = reader.relate(text, [behind])
    scores = reader.score(text, [own, behind])
    if scores is None or not (there.shares and back.shares and longer.shares):
        return None
    return Signs(
        _find_odds(max(there.shares[_SAME], back.shares[_SAME])),
        _find_odds(longer.shares[_SAME]),
        _find_odds(max(scores)),
        _find_odds(back.shares[_REPLACES]),
        float(_denies(text) != _denies(_find_nearest(text, behind))),
        float(find_strange_name(text, source) is not None),
    )


def _read(turn: Turn) -> str:
    """Returns what a turn says; all of it where nothing of it reads like speech."""
    return " ".join(line.text for line in read_said_lines(turn.text)) or " ".join(turn.text.split())


def _find_nearest(text: str, said: str) -> str:
    """Returns the sentence that shares most words with a statement."""
    words = drop_stop_words(split_words(text))
    sentences = split_sentences(said, SPOKEN)
    return max(sentences, key=lambda one: len(words.intersection(split_words(one))), default="")


def _denies(text: str) -> bool:
    return IN_A_CLAUSE.search(text) is not None


def _find_odds(share: float) -> float:
    share = min(max(share, CERTAIN), 1 - CERTAIN)
    return math.log(share / (1 - share))
