"""Takes texts apart into words.

Each way of doing it is named here once, with what it is for.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from glymph.text.normal import STOP_WORDS, normalise
from glymph.text.patterns import compile_late
from glymph.text.remember import remember

# Letters and digits, held together by apostrophes: "don't" is one word.
WORD = compile_late(r"[^\W_]+(?:['’][^\W_]+)*")
# Letters and digits alone, as a text index sees them: "don't" is two words.
RUN = compile_late(r"[^\W_]+")
# With points and vowel signs, which are parts of words though not to Python: Hebrew, Arabic, and
# from Devanagari to Sinhala.
_SIGNS = (
    "\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u0900-\u0963\u0966-\u0dff"
)
# Also held together by hyphens, dots and at signs: what may be a name is kept whole.
_PART = rf"[^\W_]+(?:[{_SIGNS}]+[^\W_]*)*"
NAME_WORD = compile_late(rf"{_PART}(?:[-'’.@]{_PART})*")
SIGNED_WORD = rf"[^\W_](?:[^\W_]|[{_SIGNS}])*"
_SIGNED_WORD = compile_late(SIGNED_WORD)

# Scripts written without spaces between words: Thai to Myanmar, Khmer, Kana, Han, Yi.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\ua000-\ua48f\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
UNSPACED = compile_late(f"[{_UNSPACED}]+")
# Hangul as well: it has spaces, but what belongs to a word hangs on it without one.
UNSPACED_OR_HANGUL = compile_late(f"[{_UNSPACED}\uac00-\ud7a3]")
# Between two numbers a syllable belongs to them, as in Korean number plates: "12가 3456".
_BETWEEN_WORDS = compile_late(f"[{_UNSPACED}]|(?<![0-9])[\uac00-\ud7a3]|[\uac00-\ud7a3](?! ?[0-9])")
# Only what counts as a letter there, without digits and marks of the scripts.
UNSPACED_LETTERS = compile_late(
    "[\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u1049\u1780-\u17d3]+"
    "|(?:[^\\W_](?<=[\u2e80-\U0010ffff]))+"
)
DENSE = 0x2E80  # from this code point on a character says about as much as a short word

_SHORT = (
    ("n't", " not"),
    ("'m", " am"),
    ("'re", " are"),
    ("'ve", " have"),
    ("'ll", " will"),
    ("can not", "cannot"),
)
# Forms of one word that no ending explains, and words that are spelt in two ways.
_UNLIKE = {
    form: word
    for word, forms in {
        "day": "daily days", "good": "better best", "child": "children", "woman": "women",
        "men": "man men", "say": "says said", "gray": "grey", "tv": "television",
        "phone": "telephone", "bike": "bicycle", "photo": "photograph", "fridge": "refrigerator",
        "ok": "okay", "sit": "sat", "stand": "stood", "hold": "held", "begin": "began begun",
        "writ": "wrote written", "speak": "spoke spoken", "buy": "bought", "think": "thought",
        "bring": "brought", "teach": "taught", "catch": "caught", "swim": "swam swum",
        "fly": "flew flown", "sleep": "slept", "keep": "kept", "send": "sent", "tell": "told",
        "sing": "sang sung",
    }.items()
    for form in forms.split()
}  # fmt: skip
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ied", "ers", "er", "ed", "es", "s", "ly")


def word_set(text: str) -> frozenset[str]:
    """Returns the words of a listing."""
    return frozenset(text.split())


def any_of(words: Iterable[str]) -> str:
    """Returns a pattern that matches any of these words, longer ones first."""
    return "|".join(sorted(map(re.escape, words), key=lambda word: (-len(word), word)))


def split_words(text: str) -> list[str]:
    """Returns the words in lower case, short forms kept whole."""
    return WORD.findall(text.replace("’", "'").lower())


def count_words(text: str) -> int:
    """Returns about how many words a text has; two characters are one in scripts without spaces."""
    dense = 0 if text.isascii() else sum(map(len, UNSPACED.findall(text)))
    return len(UNSPACED.sub(" ", text).split() if dense else text.split()) + -(-dense // 2)


def drop_stop_words(words: Iterable[str]) -> frozenset[str]:
    """Returns the words that say something."""
    return frozenset(words) - STOP_WORDS


def split_signed(text: str) -> list[str]:
    """Returns the words as a text index sees them, vowel signs included."""
    return _SIGNED_WORD.findall(unicodedata.normalize("NFC", text))


def pair_characters(run: str) -> list[str]:
    """Returns each two neighbouring characters of a run without spaces; a single one is its own."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


@remember(1024)
def plain_words(text: str) -> tuple[str, ...]:
    """The words of a text, folded, with short forms written out: "isn't" is two words.

    Texts share the words that they have in common: each with its own would be ten times as large.
    """
    folded = (
        normalise(text).replace("’", "'").replace("won't", "will not").replace("can't", "cannot")
    )
    for short, long in _SHORT:
        folded = folded.replace(short, long)
    return tuple(_share(word.removesuffix("'s")) for word in WORD.findall(folded))


@remember(16384)
def _share(word: str) -> str:
    """Returns the copy of a word that is there already."""
    return word


@remember(16384)
def stem(word: str) -> str:
    """The word without a common English ending: "moves", "moved" and "moving" are one."""
    if word in _UNLIKE:
        return _UNLIKE[word]
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "s":
                word = word[:-1]
            break
    return word.rstrip("eiy") if len(word.rstrip("eiy")) >= 3 else word


@remember(1024)
def stems(text: str) -> frozenset[str]:
    """The stems of all words of a text."""
    return frozenset(map(stem, plain_words(text)))


def blank_unspaced(text: str) -> str:
    """Returns a text with a space for each letter of scripts that do not part words.

    So a number or an address ends where such letters begin; every place stays the same.
    """
    return text if text.isascii() else _BETWEEN_WORDS.sub(" ", text)
