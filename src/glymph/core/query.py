"""What a question asks for: words for the text index, names for the fields, the rest for the embedding model."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from glymph.core.text import STOP_WORDS

MOST_WORDS = 64  # of a query; a longer one is cut, its rarest meaning is in its beginning
MOST_PIECES = 32
COMMON_NAME = 0.10  # a name on more of the memories than this says who, not what

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
# Scripts written without spaces between words: Thai to Myanmar, Khmer, Kana, Han, Yi.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\ua000-\ua48f\uf900-\ufaff"
    "\U00020000-\U0003ffff]+"
)


@dataclass(frozen=True, slots=True)
class Question:
    """A query, taken apart."""

    words: tuple[str, ...]  # for the text index
    pieces: tuple[str, ...]  # neighbouring characters of scripts that do not separate words
    text: str  # what is embedded
    names: frozenset[str]  # entities it names, as they are stored


def understood(query: str, names: Mapping[str, Sequence[str]], share: Callable[[str], float]) -> Question:
    """The query, taken apart.

    `names` are the entities known in the space by their first word, `share` gives the part of the memories that
    carries one. A name that many carry is left to the fields: as a word it would find every "Bye, Nate!".
    """
    composed = unicodedata.normalize("NFC", query)
    words = _WORD.findall(composed)
    named = _named(words, names)
    common = {word.casefold() for name in named if share(name) >= COMMON_NAME for word in _WORD.findall(name)}
    distinct = {word.casefold(): word for word in reversed(words)}
    ordered = [distinct[folded] for folded in dict.fromkeys(word.casefold() for word in words)]
    telling = [word for word in ordered if word.casefold() not in STOP_WORDS]
    unnamed = [word for word in telling if word.casefold() not in common]
    text = _without(composed, common) if unnamed else composed
    return Question(
        words=tuple((unnamed or telling or ordered)[:MOST_WORDS]),
        pieces=tuple(_pieces(composed)[:MOST_PIECES]),
        text=text,
        names=frozenset(named),
    )


def _named(words: Sequence[str], names: Mapping[str, Sequence[str]]) -> list[str]:
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
    return [word.casefold() for word in _WORD.findall(unicodedata.normalize("NFC", name))]


def _without(text: str, common: set[str]) -> str:
    """The text without some words and the possessive that hangs on them."""
    if not common:
        return text
    cut = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(common)))})\b(?:['’]s\b)?", re.IGNORECASE)
    return " ".join(cut.sub(" ", text).split())


def _pieces(text: str) -> list[str]:
    """Pairs of neighbouring characters in runs of unspaced scripts; a run of one is its own piece."""
    pieces: dict[str, None] = {}
    for run in _UNSPACED.findall(text):
        pairs = [run[at : at + 2] for at in range(len(run) - 1)] or [run]
        pieces |= dict.fromkeys(pairs)
    return list(pieces)
