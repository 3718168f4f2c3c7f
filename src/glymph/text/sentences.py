"""Cuts texts into sentences.

There is one splitter. What differs between the rooms is a `Rule`: which marks end a sentence,
what the next one may begin with, and which full stops belong to a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from glymph.text.patterns import compile_late

_MARKS = ".!?…"
_DENSE_MARKS = "。！？"  # of scripts without spaces: the next sentence follows at once
_ALWAYS_SHORT = "dr mr mrs ms st vs prof sr sra dra jr mme ca bzw tel art inc ltd co nr e.g i.e z.b"
ABBREVIATIONS = frozenset(f"{_ALWAYS_SHORT} approx".split())
# Written words of instructions and manuals; "5 min. He left" may end a sentence elsewhere.
WRITTEN_ABBREVIATIONS = ABBREVIATIONS | frozenset(
    "apt cf ch chap corp dept eq est fig figs gen hon hr hrs incl lt max min op para pp ref resp "
    "rev sec sect sgt str vol".split()
)
_LAST_WORD = compile_late(r"([^\s\"'(]{0,40})\.\Z")
# The months of languages that write a full stop behind the day, as they stand in a date.
_MONTHS = """
jan januar jänner feb februar feber mär märz mrz apr april mai jun juni jul juli aug august sep sept
september okt oktober nov november dez dezember marts mars maj december desember
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
ledna února března dubna května června července srpna září října listopadu prosince
januára februára apríla mája júna júla augusta septembra októbra novembra decembra
tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta
lokakuuta marraskuuta joulukuuta
"""
_MONTH = compile_late(rf"(?:{'|'.join(_MONTHS.split())})\b", re.IGNORECASE)
_NUMBERED = compile_late(r"\S{0,20}\d")
_INITIALS = compile_late(r"(?:[^\W\d_]\.)*[^\W\d_]")  # p.m, U.S, J


class Rule(NamedTuple):
    """The break between two sentences, and which full stops end none."""

    between: re.Pattern[str]  # the group `gap` separates them; a closing quote before it stays
    abbreviations: frozenset[str] = frozenset()
    initials: bool = False  # "J. Smith" and "at 5 p.m. today" go on
    ordinals: bool = False  # "am 3. Mai" goes on, and whatever follows such a number
    dates: bool = False  # "am 3. Mai" goes on; "I am 34. My sister is 31" does not
    trailing: bool = False  # "wait... what" goes on


# Notes and memories: the next sentence may begin with anything, an emoji as well.
NOTES = Rule(
    compile_late(rf"(?<=[{_MARKS}])[\"'”’)]*(?P<gap>\s+)(?=\S)|(?<=[{_DENSE_MARKS}])|\n+"),
    ABBREVIATIONS,
    initials=True,
    ordinals=True,
)
NOTE_MARK = re.compile(rf"[{_MARKS}{_DENSE_MARKS}\n]")  # no break of a note is before one of these
# What was said in a conversation: ":)" behind a sentence belongs to it.
SPOKEN = Rule(
    compile_late(
        rf"(?<=[{_MARKS}{_DENSE_MARKS}])[\"')\]]*(?P<gap>\s+)(?=[\"'(\[¿¡«„“]?[^\W_])|\n+"
        rf"|(?<=[{_DENSE_MARKS}])"
    ),
    ABBREVIATIONS,
    initials=True,
    dates=True,
    trailing=True,
)
# One line of what a user typed, where the next sentence often begins with a small letter.
TYPED = Rule(
    compile_late(r"(?<=[.!?])[\"')]?(?P<gap>\s+)(?=[\"'(]?[A-Za-z`])"),
    WRITTEN_ABBREVIATIONS,
    initials=True,
    trailing=True,
)
# What states something by itself: also the parts around a semicolon, a colon or a dash.
STATEMENTS = Rule(compile_late(r"(?<=[.!?;:])(?P<gap>\s+)|\n+|\s[–—-]\s"), ABBREVIATIONS)
# A model's lesson: a sentence begins with a capital or a figure, "vs. shorts" goes on.
LESSON = Rule(compile_late(r"(?<=[.!?])[\"')\]]*(?P<gap>\s+)(?=[\"'(\[]?[^\Wa-z_])|\n+"))
# For cutting out what was removed: every mark ends a piece, since less is cut out then.
PIECES = Rule(compile_late(rf"(?<=[{_MARKS}{_DENSE_MARKS}])(?P<gap>\s+)|\n+"))

STATEMENT_END = compile_late(r"[.!?;\n](?:\s|$)")
_BEFORE_BEGINNING = frozenset('.!?:;"“(')
_LISTED_BEGINNING = compile_late(r"(?:\A|[.!?:]\s+|\n)[\s\"'(*-]*")


def split_sentences(text: str, rule: Rule) -> list[str]:
    """Returns the sentences without what stands between them; empty ones are left out."""
    pieces = map(str.strip, split_with_breaks(text, rule)[::2])
    return [piece for piece in pieces if piece]


def join_sentences(sentences: Sequence[str], rule: Rule) -> str:
    """Returns sentences as one text that splits into them again: by lines where need be."""
    joined = " ".join(sentences)
    return joined if split_sentences(joined, rule) == list(sentences) else "\n".join(sentences)


def split_with_breaks(text: str, rule: Rule) -> list[str]:
    """Returns sentences and what stands between them in turn; joined they are the text."""
    cuts = [0, *(place for span in find_breaks(text, rule) for place in span), len(text)]
    return [text[start:end] for start, end in pairwise(cuts)]


def find_breaks(text: str, rule: Rule, start: int = 0) -> Iterator[tuple[int, int]]:
    """Yields the start and end of what separates two sentences, from a place in the text on."""
    for found in rule.between.finditer(text, start):
        if "\n" in found[0] or not _goes_on(text, found, rule):
            yield max(found.start(), found.start("gap")), found.end()


def _goes_on(text: str, found: re.Match[str], rule: Rule) -> bool:
    """Returns whether the full stop before a break belongs to a word, so no sentence ends there."""
    following = text[found.end() : found.end() + 1]
    if following.islower() and text.endswith("…", 0, found.start()):
        return rule.trailing
    last = _LAST_WORD.search(text, max(0, found.start() - 41), found.start())
    if last is None:
        return False
    word = last[1]
    low = word.casefold()
    if word.endswith("."):
        return rule.trailing and following.islower()
    if low == "no":  # "no. 5" and "no. P-77"; but "She said no. He left"
        return bool(rule.abbreviations) and _NUMBERED.match(text, found.end()) is not None
    if low == "etc":
        return bool(rule.abbreviations) and following.islower()
    if low in rule.abbreviations:
        return True
    if rule.initials and _INITIALS.fullmatch(word):
        return len(word) == 1 or following.islower()
    if not (word.isdigit() and len(word) <= 2):
        return False
    return rule.ordinals or (rule.dates and _MONTH.match(text, found.end()) is not None)


def begins_sentence(text: str, at: int) -> bool:
    """Returns whether a word at this place begins a sentence, a quotation or a bracket."""
    end = at  # looked at from here backwards: a pattern would read the whole text for each word
    while end and text[end - 1].isspace():
        if text[end - 1] == "\n":
            return True
        end -= 1
    return text[end - 1] in _BEFORE_BEGINNING if end else at == 0


def find_starts(text: str) -> set[int]:
    """Returns where sentences begin, behind bullets and opening marks."""
    return {found.end() for found in _LISTED_BEGINNING.finditer(text)}
