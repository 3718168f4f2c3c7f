"""Texts not worth remembering: too short, noise, filler, and Glymph's own words.

Glymph's own words are what it put before the agent itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from glymph.text.shown import SHOWN_FROM, SHOWN_TO
from glymph.text.words import RUN

SHORTEST = 2  # letters or digits; scripts with a word in a character need one
MOST_SYMBOLS = 0.6  # of the visible characters
SAME_CHARACTER = 0.8
NOISE_FROM = 12  # letters without a vowel, in one word

LOOKED_AT = 48  # characters of a text that show what it is
ENOUGH_WORDS = 5  # different ones, none of them filler
ENOUGH_LETTERS = 10  # different characters

FILLER = frozenset(
    "ah aha alright alrighty amen anyway awesome aww bye cheers congrats cool correct cya damn "
    "exactly fine glad good goodbye goodnight gotcha great haha hah hehe hello hey hi hm hmm hmmm "
    "huh indeed k kk lmao lol maybe mhm mm mmm morning nah night nice no nope now oh ok okay okey "
    "omg oof ooh ouch perfect please pls right roger sorry sounds sup sure ta thanks thank "
    "thankyou thx true uh uhm um umm very welcome well whatever woah wow ya yay yeah yep yes yo "
    "you yup ja nein danke bitte genau hallo tschüss oui non merci salut sí gracias hola vale ciao "
    "grazie prego".split()
)

_UNIT = re.compile(r"(.{1,6}?)\1{3,}", re.DOTALL)
_SHOWN = re.compile(f"{re.escape(SHOWN_FROM)}.*?(?:{re.escape(SHOWN_TO)}|$)", re.DOTALL)
_CONSONANTS = re.compile(rf"[bcdfghjklmnpqrstvwxz]{{{NOISE_FROM},}}", re.IGNORECASE)


def without_shown(text: str) -> str:
    """The text without what Glymph itself had put into it."""
    return _SHOWN.sub(" ", text).strip() if SHOWN_FROM in text else text


def find_junk(text: str) -> str | None:
    """Returns why a text is not worth remembering; None if it may be."""
    return None if _plainly_prose(text) else _junk(text)


def _plainly_prose(text: str) -> bool:
    """Returns whether the beginning of a text is clearly made of words.

    Then nothing else of it need be looked at.
    """
    if SHOWN_FROM in text:
        return False
    beginning = text[:LOOKED_AT].lower()
    words = sum(map(str.isalpha, set(beginning.split()) - FILLER))
    return words >= ENOUGH_WORDS and len(set(beginning)) >= ENOUGH_LETTERS


def _junk(text: str) -> str | None:
    if SHOWN_FROM in text and not _tells(without_shown(text)):
        return "it only repeats memories that were shown"
    visible = [
        c for c in text if not c.isspace() and unicodedata.category(c) not in ("Cf", "Cc", "Mn")
    ]
    telling = [c for c in visible if c.isalnum()]
    if not telling:
        return "it is only punctuation or emoji"
    if len(telling) < SHORTEST and not any(ord(c) > 0x0E00 for c in telling):
        return "it is too short to say anything"
    if len(telling) < (1 - MOST_SYMBOLS) * len(visible):
        return "it is mostly symbols"
    return _find_repetition(telling) or _noise(text) or _filler(text)


def _tells(text: str) -> bool:
    return any(c.isalnum() for c in text)


def _find_repetition(telling: list[str]) -> str | None:
    _, most = Counter(telling).most_common(1)[0]
    same = (
        len(telling) > SHORTEST
        and most > SAME_CHARACTER * len(telling)
        and not telling[0].isdigit()
    )
    joined = "".join(telling).casefold()
    unit = _UNIT.match(joined)
    whole = unit is not None and len(unit[0]) >= SAME_CHARACTER * len(joined) and unit[1].isalpha()
    return "it only repeats the same characters" if same or whole else None


def _noise(text: str) -> str | None:
    words = RUN.findall(text)
    noisy = [word for word in words if _CONSONANTS.search(word)]
    return "it looks like keys struck at random" if noisy and len(noisy) * 2 > len(words) else None


def _filler(text: str) -> str | None:
    words = [word.casefold() for word in RUN.findall(text)]
    return "it is only filler" if words and all(word in FILLER for word in words) else None
