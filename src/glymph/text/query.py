"""Takes a question apart into words, names and the rest.

Words are for the text index, names for the fields, the rest for the embedding model.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from glymph.text.normal import STOP_WORDS
from glymph.text.patterns import compile_late
from glymph.text.words import SIGNED_WORD, UNSPACED, pair_characters, split_signed

MOST_WORDS = 64  # of a query; a longer one is cut
MOST_PAIRED = 16  # words; in a longer query the pairs say little more than the words
MOST_PIECES = 32
COMMON_NAME = 0.02  # a name on more of the memories than this says who is meant, not what

_POSSESSED = compile_late(rf"({SIGNED_WORD})(?:['’][sS]\b)?")


@dataclass(frozen=True, slots=True)
class Words:
    """Words that a text index is asked for.

    It is asked for any of the words, and for pairs of them that stand together in the query.
    """

    words: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...] = ()

    def only(self, kept: Collection[str]) -> Words:
        """The same without the words that are not kept."""
        pairs = tuple(pair for pair in self.pairs if pair[0] in kept and pair[1] in kept)
        return Words(tuple(word for word in self.words if word in kept), pairs)


@dataclass(frozen=True, slots=True)
class Question:
    """A query, taken apart."""

    words: Words
    pieces: tuple[str, ...]  # neighbouring characters of scripts that do not separate words
    text: str  # what is embedded
    names: frozenset[str]  # entities it names, as they are stored


def read_query(
    query: str, names: Mapping[str, Sequence[str]], share: Callable[[str], float]
) -> Question:
    """The query, taken apart.

    `names` are the entities known in the space by their first word, `share` gives the part of the
    memories that carries one. A name that many carry is cut from what is embedded: it would find
    every "Bye, Nate!" said to the one who is meant. The text index keeps it, for it knows the
    entities as a field.
    """
    composed = unicodedata.normalize("NFC", query)
    found = split_signed(composed)
    shares = {name: share(name) for name in _find_names(found, names)}
    named = [name for name in shares if shares[name] > 0]
    words = telling_words(found)
    of_names = {word for name in named for word in name_words(name)}
    unnamed = [word for word in words if word.casefold() not in of_names]
    common = {word for name in named if shares[name] >= COMMON_NAME for word in name_words(name)}
    left = any(word.casefold() not in common for word in words)
    return Question(
        words=Words(tuple(words), tuple(pairwise(unnamed)) if len(unnamed) <= MOST_PAIRED else ()),
        pieces=tuple(_pieces(composed)[:MOST_PIECES]),
        text=_without(composed, common) if left else composed,
        names=frozenset(named),
    )


def asked_words(text: str, most: int) -> tuple[str, ...]:
    """The words of a text to look for its like with."""
    return tuple(telling_words(split_signed(text))[:most])


def telling_words(found: Sequence[str]) -> list[str]:
    """The distinct words of a query in order, without stop words unless there are only those.

    Their case is left to the index, which folds it in its own way.
    """
    distinct: dict[str, str] = {}
    for word in found:
        distinct.setdefault(word.casefold(), word)
    telling = [word for folded, word in distinct.items() if folded not in STOP_WORDS]
    return (telling or list(distinct.values()))[:MOST_WORDS]


def _find_names(words: Sequence[str], names: Mapping[str, Sequence[str]]) -> list[str]:
    """The known entities whose words follow one another in the query."""
    folded = [word.casefold() for word in words]
    found = []
    for at, word in enumerate(folded):
        for name in names.get(word, ()):
            parts = name_words(name)
            if folded[at : at + len(parts)] == parts:
                found.append(name)
    return found


def name_words(name: str) -> list[str]:
    """An entity's words, comparable."""
    return [word.casefold() for word in split_signed(name)]


def _without(text: str, common: set[str]) -> str:
    """The text without some words and the possessive that hangs on them."""
    if not common:
        return text
    kept = _POSSESSED.sub(lambda found: " " if found[1].casefold() in common else found[0], text)
    return " ".join(kept.split())


def _pieces(text: str) -> list[str]:
    """Returns the pairs of neighbouring characters in runs of unspaced scripts.

    A run of one character is its own piece.
    """
    pieces: dict[str, None] = {}
    for run in UNSPACED.findall(text):
        pieces |= dict.fromkeys(pair_characters(run))
    return list(pieces)
