"""Decides whether two texts say the same: by their cosine, and by guards for what it misses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Literal

from glymph.text.bands import BANDS, Bands
from glymph.text.negation import NEGATIONS
from glymph.text.normal import STOP_WORDS
from glymph.text.patterns import compile_late
from glymph.text.sentences import begins_sentence
from glymph.text.values import Value, values
from glymph.text.words import WORD, plain_words, stem, word_set

# Words by which a text speaks of what is not, or not yet, or need not be.
MODALITIES: dict[str, frozenset[str]] = {
    "possible": word_set(
        "might may could maybe perhaps possibly probably likely if unless whether suppose"
    ),
    "wished": word_set(
        "want wants wanted hope hopes wish wishes plan plans planning intend intends would"
    ),
    "future": word_set("will shall going gonna tomorrow soon"),
    "due": word_set("should must ought need needs"),
    "past": word_set("was were had did used formerly previously"),
    "again": word_set("another also too additional extra more less fewer"),
}
PERSONS: dict[str, frozenset[str]] = {
    "speaker": word_set("i me my mine myself we us our ours"),
    "listener": word_set("you your yours"),
    "other": word_set("he him his she her hers they them their theirs"),
}

DIRECTIONS = word_set(
    "on off up down in out into over under above below before after from to with per"
)

# What may stand in one of two texts and not in the other: it joins or stresses, and says nothing of
# its own.
_FILLING = word_set(
    "however though although while whereas very really quite simply basically indeed being there "
    "mr mrs ms"
)


def relation(
    a: str,
    b: str,
    cosine: float | None,
    *,
    bands: Bands = BANDS,
    names: tuple[Collection[str], Collection[str]] = ((), ()),
) -> tuple[Literal["duplicate", "connect", "nothing"], str]:
    """Returns how two texts stand to each other, and why.

    `names` are the entities known of each. Without a cosine only the same words are a duplicate.
    """
    near = cosine is not None and cosine >= bands.connect
    same = bare(a) == bare(b)
    fired = differences(a, b, names=names) if near or same else ()
    if same and not fired:
        return "duplicate", "the same words"
    if cosine is None or not near:
        return "nothing", "not near" if cosine is not None else "no vector"
    if cosine < bands.duplicate:
        return "connect", f"near, {cosine:.2f}"
    if fired:
        return "connect", f"near, {cosine:.2f}, but they differ in {', '.join(fired)}"
    return "duplicate", f"the same, {cosine:.2f}"


_SYMBOLS = compile_late(
    r"[+#<>=*/^%$€£~|\\&]+|!=|(?<!\w)-(?=\d)"
)  # C++ is not C, nor -5 the same as 5


def differences(
    a: str, b: str, *, names: tuple[Collection[str], Collection[str]] = ((), ())
) -> tuple[str, ...]:
    """The guards that fire: in what two texts differ that must never be merged away."""
    left, right = plain_words(a), plain_words(b)
    return tuple(
        guard
        for guard, differs in {
            "numbers": _exact(a, {"number", "percent", "money"})
            != _exact(b, {"number", "percent", "money"}),
            "dates": _exact(a, {"date", "time"}) != _exact(b, {"date", "time"}),
            "identifiers": _exact(a, {"identifier"}) != _exact(b, {"identifier"}),
            "negation": _count(left, NEGATIONS) != _count(right, NEGATIONS),
            "names": _names_differ(a, b, names),
            "modality": _classes(left, MODALITIES) != _classes(right, MODALITIES),
            "person": _classes(left, PERSONS) != _classes(right, PERSONS),
            "question": a.rstrip().endswith("?") != b.rstrip().endswith("?"),
            "words": _tells_more(_words_beside_values(a), _words_beside_values(b)),
            "direction": _count_each(left, DIRECTIONS) != _count_each(right, DIRECTIONS),
            "symbols": Counter(_SYMBOLS.findall(a)) != Counter(_SYMBOLS.findall(b)),
            "order": _is_reordered(_words_beside_values(a), _words_beside_values(b))
            or _is_swapped(a, b),
        }.items()
        if differs
    )


SHARED = 0.6  # of the words of the shorter text, from which on a negation turns the other around
_FIGURES = compile_late(r"\d+")


def differ_in_values(a: str, b: str) -> bool:
    """Tells whether two texts name other figures or identifiers, or one denies what the other says.

    Such texts are never the same, whatever else speaks for it. What only one of them names does not
    make them differ: people leave figures out, or write them in words.
    """
    for find in (_figures, _identifiers):
        first, second = find(a), find(b)
        if first - second and second - first:
            return True
    left, right = plain_words(a), plain_words(b)
    if bool(_count(left, NEGATIONS)) == bool(_count(right, NEGATIONS)):
        return False
    first, second = ({stem(word) for word in words} for words in (left, right))
    return len(first & second) >= SHARED * min(len(first), len(second))


def _figures(text: str) -> set[str]:
    return {figure.lstrip("0") for figure in _FIGURES.findall(text)}


def _identifiers(text: str) -> set[str]:
    return {value.key for value in values(text) if value.kind == "identifier"}


def _words_beside_values(text: str) -> tuple[str, ...]:
    """The words without what is compared as a value."""
    for value in reversed(values(text)):
        text = f"{text[: value.start]} {text[value.end :]}"
    return plain_words(text)


def bare(text: str) -> str:
    """The words of a text and nothing else, comparable."""
    return " ".join(plain_words(text))


def find_names(text: str, known: Iterable[str] = ()) -> frozenset[str]:
    """Finds the names in a text.

    They are capitalised words that do not begin a sentence, and the words of the known entities.
    """
    found = {word for name in known for word in plain_words(name)}
    for match in WORD.finditer(text):
        word = match[0]
        if word[0].isupper() and word not in ("I", "I'm", "I've", "I'd", "I'll"):
            inner = not begins_sentence(text, match.start())
            if inner or (len(word) > 1 and not word[1:].islower()):
                found |= set(plain_words(word))
    return frozenset(found)


def _exact(text: str, kinds: set[str]) -> Counter[tuple[str, str]]:
    return Counter(_key(value) for value in values(text) if value.kind in kinds)


def _key(value: Value) -> tuple[str, str]:
    return value.key, value.unit


def _count(words: Iterable[str], of: Collection[str]) -> int:
    return sum(word in of for word in words)


def _count_each(words: Iterable[str], of: Collection[str]) -> Counter[str]:
    return Counter(word for word in words if word in of)


def _classes(words: Iterable[str], table: dict[str, frozenset[str]]) -> frozenset[str]:
    present = set(words)
    return frozenset(name for name, members in table.items() if members & present)


def _names_differ(a: str, b: str, known: tuple[Collection[str], Collection[str]]) -> bool:
    """Returns whether one names what the other does not even mention."""
    return bool(
        find_names(a, known[0]) - set(plain_words(b))
        or find_names(b, known[1]) - set(plain_words(a))
    )


def _keep_telling(words: Iterable[str]) -> list[str]:
    return [
        stem(word)
        for word in words
        if word in NEGATIONS or (word not in STOP_WORDS and word not in _FILLING)
    ]


def _tells_more(a: Iterable[str], b: Iterable[str]) -> bool:
    """Returns whether one says a telling word that the other has in no spelling.

    If they were merged, that detail would be lost.
    """
    one, other = _keep_telling(a), _keep_telling(b)
    left, right = _join_as(one, set(other)), _join_as(other, set(one))
    return any(not _spelt(word, right) for word in left - right) or any(
        not _spelt(word, left) for word in right - left
    )


def _join_as(words: Sequence[str], as_in: set[str]) -> set[str]:
    """The words, with two that the other text writes as one joined: "chip set" is "chipset"."""
    pairs = [(one, two) for one, two in pairwise(words) if one + two in as_in]
    return (set(words) - {word for pair in pairs for word in pair}) | {
        one + two for one, two in pairs
    }


def _spelt(word: str, among: Iterable[str]) -> bool:
    """Returns whether a word is there in another spelling."""
    return len(word) > 4 and any(
        SequenceMatcher(None, word, other).ratio() >= 0.86 for other in among
    )


def _is_swapped(a: str, b: str) -> bool:
    """Returns whether the same values come in another order while the words do not.

    An example is 40 for Ann and 60 for Ben, or the other way round.
    """
    left, right = ([_key(value) for value in values(text)] for text in (a, b))
    return (
        left != right
        and Counter(left) == Counter(right)
        and _words_beside_values(a) == _words_beside_values(b)
    )


def _is_reordered(a: Iterable[str], b: Iterable[str]) -> bool:
    """Returns whether the same words come in another order: who bit whom."""
    left, right = _keep_telling(a), _keep_telling(b)
    return left != right and Counter(left) == Counter(right)
