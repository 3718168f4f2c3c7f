"""Shortens a stretch of conversation without a model: keeps the sentences that tell most.

A sentence is worth what it tells by itself and what the message around it tells (rare words, names,
numbers, days, what the writer did, rules); statements to remember, decisions and corrections are
worth more, questions, what is said elsewhere and an agent's own words less. Long sentences pay for
their length. Nothing is made up: every point is somebody's words, and says whose and when.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

import numpy as np
from numpy.typing import NDArray

from glymph.learn.extract_rules import find_noteworthy
from glymph.prune.worth import redundancy
from glymph.text.information import score_texts
from glymph.text.injection import find_order
from glymph.text.normal import normalise
from glymph.text.secrets import mask_secrets
from glymph.text.sentences import SPOKEN, split_sentences
from glymph.text.tokens import tokens
from glymph.text.words import DENSE, drop_stop_words, split_words
from glymph.write.junk import FILLER, without_shown

AROUND = 0.5  # of a sentence's worth is that of the message it stands in
LENGTH = 0.33  # power of its length by which worth is divided
FRAME = 2  # tokens that a point takes besides its words
NOTED = 0.3  # more for what rules hold to be lasting
CORRECTED = 0.2  # more for what replaces something said before
ASKED = 0.5  # of its worth is left to a question
AGENT = 0.8  # and to the words of an agent, which the user's facts come before
RECENT = 0.05  # more for the newest than for the oldest
NEAR = 6  # messages between two points that still belong together
GROUP_WORDS = 60  # of points that make one memory
# characters of a sentence; of a longer one the beginning is kept if it is prose, and no list or log
LONGEST = 600
PROSE = 0.8  # of the characters of prose are letters or blanks
LONG_WORD = 15  # characters; where words have more than these on average, they are keys or paths
READING = 2  # plain words by which a sentence with one sign of code is still read as a sentence
MOSTLY = 0.6  # of the words of a sentence with more such signs are plain ones
MOST_SENTENCES = 20_000  # that are weighed at once

TELLING = 2  # words that a sentence needs

_EMPTY = frozenset(
    "then so that's it's i'm let's oh too really much see got know think like thing things".split()
)
_FENCE = re.compile(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)
# Lines that surely nobody said: prompts, quotes, headings that are no whole sentence, comments,
# bare paths, tables, tags, decorators, diffs, stacks, numbered lines, statements of a program.
_NO_SENTENCE = re.compile(
    r"\A(?:\$ |>(?!\s?\d)|#+ (?!(?:\S+ ){3,}\S+[.!]\Z)|#!|#(?:include|define|ifn?def|endif"
    r"|pragma)\b|//|/\*|/\S*\Z"
    r"|\||<[A-Za-z/!?]|@[\w.]+(?:\(.*\))?\Z|@@ |\+\+\+ |--- [ab]?/|diff --git |at \S+\(|\d+\|"
    r"|\d+:(?![\d\s]))"
    r"|\)\s*(?:=>\s*)?[{;]\Z|(?<!\S)= \S*\w\(\)"
)
_SIGN = re.compile(
    r"[{};]\Z|\A(?:[$@/#](?=[A-Za-z_{(\[])|\d+: )|=>|::|\w\(\)"
)  # one alone may stand in a sentence
_OPERATOR = re.compile(r"(?<!\S)(?:[-+*/=<>|&]|[-+*/=<>!&|]=|&&|\|\||<<|>>)(?!\S)")
_PLAIN_WORD = re.compile(r"(?<!\S)[\"'(]?[^\W\d_]+(?:['’-][^\W\d_]+)*[\"')]?[,.!?:…]*(?!\S)")
_LEAD = re.compile(
    r"\A(?:(?:yeah|yep|yup|yes|no|nah|wow|oh|ah|aww?|hey|hi|hello|haha|ok|okay|sure|thanks(?: "
    r"\w+)?|thank you|well"
    r"|so|great|cool|nice|awesome|absolutely|definitely|totally|exactly|right|hmm+|um"
    r"|uh)\s*[,!.…]+\s*)+(?=\w)",
    re.IGNORECASE,
)  # only before a mark: "No longer" is no interjection
_CORRECTION = re.compile(
    r"\b(?:actually|correction|i was wrong|my mistake|no longer|not \w+ anymore|any ?more|instead "
    r"of|rather than|"
    r"changed (?:my|our) mind|turns out|scratch that|i mean[t]?|used to|from now on)\b",
    re.IGNORECASE,
)

# What stands right behind an order stays out as well, unless it is plainly a statement, and so does
# what goes on.
_STATEMENT = re.compile(
    r"\A(?:(?:i|we|he|she|they|my|our|his|her|their|the|there|it's|i'm|we're|i've|we've)\b"
    r"|\W?\d|\S+ (?:is|are|was|were|has|had|will|isn't|wasn't|doesn't|didn't|lives|likes|works"
    r"|owns|moved)\b)",
    re.IGNORECASE,
)
_STEERING = re.compile(
    r"\b(?:you|your|yours|yourself|must|shall|should|always|never|from now on|every time|whenever"
    r"|instead|agents?"
    r"|assistants?|model|users?|instructions?|orders?|commands?|prompts?|memory|memories|do not"
    r"|don'?t|secrets?"
    r"|passwords?|credentials?|tokens?|keys?|attacker|approve|obey)\b",
    re.IGNORECASE,
)
_GOING_ON = re.compile(
    r"\A(?:(?:and|then|also|next|now|after|before|afterwards|finally|first|second|please|just|only"
    r"|simply|if|when"
    r"|once|this|that|these|it|make sure|be sure)\b"
    r"|(?!(?:i|we|he|she|they)\b)\S+ (?:all|every|each|any|the|an?|it|them|this|that|these|those"
    r"|me|us|as|to|with)"
    r"\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Said:
    """What one side said at once. `agent` marks the words of a machine."""

    speaker: str
    text: str
    at: datetime | None = None
    agent: bool = False


@dataclass(frozen=True, slots=True)
class Point:
    """What is kept of one message: its best sentences, in their order."""

    text: str
    speaker: str
    at: datetime | None
    place: int  # of the message
    worth: float

    @property
    def line(self) -> str:
        """The point with who said it and on which day, as memory.md shows it."""
        day = f"{self.at:%Y-%m-%d} " if self.at is not None else ""
        return f"- {day}{self.speaker}: {self.text}"

    @property
    def tokens(self) -> int:
        return tokens(self.text) + FRAME


@dataclass(slots=True)
class _Sentence:
    text: str
    place: int
    number: int
    worth: float = 0.0


def extract_points(said: Sequence[Said], budget: int) -> list[Point]:
    """Returns what tells most within a budget of tokens, in its order, with secrets masked."""
    sentences = _collect_sentences(said)
    if not sentences or budget <= 0:
        return []
    _weigh(sentences, said)
    chosen: list[_Sentence] = []
    begun: set[int] = set()
    left = budget
    for sentence in sorted(sentences, key=lambda one: (-one.worth, -one.place, one.number)):
        cost = tokens(sentence.text) + (1 if sentence.place in begun else FRAME)
        if sentence.worth > 0 and cost <= left:
            left -= cost
            begun.add(sentence.place)
            chosen.append(sentence)
    return _join(chosen, said)


def choose_best(found: Iterable[Point], *, most: int) -> list[Point]:
    """Returns the points worth most that fit into so many words with their frames, in order."""
    kept: list[Point] = []
    for point in sorted(found, key=lambda one: (-one.worth, -one.place)):
        length = len(point.line.split())
        if length <= most:
            most -= length
            kept.append(point)
    return sorted(kept, key=lambda one: one.place)


def group_points(found: Sequence[Point]) -> list[list[Point]]:
    """Groups points said near each other on one day, as many as are still one thing to remember."""
    together: list[list[Point]] = []
    length = 0
    for point in found:
        own = len(point.text.split())
        near = (
            together
            and point.place - together[-1][-1].place <= NEAR
            and _day(point) == _day(together[-1][-1])
        )
        if near and length + own <= GROUP_WORDS:
            together[-1].append(point)
            length += own
        else:
            together.append([point])
            length = own
    return together


def _day(point: Point) -> date | None:
    return None if point.at is None else point.at.date()


def choose_best_lines(lines: Sequence[str], *, most: int) -> list[str]:
    """Returns the lines that tell most within so many words, in their order.

    Newer lines, and those that repeat nothing, come first.
    """
    texts = [_without_frame(line) for line in lines]
    weights = score_texts(texts) - redundancy(texts)
    weights += RECENT * np.arange(len(lines)) / max(1, len(lines))
    kept: list[int] = []
    for place in sorted(range(len(lines)), key=lambda at: (-weights[at], -at)):
        length = len(lines[place].split())
        if length <= most:
            most -= length
            kept.append(place)
    return [lines[place] for place in sorted(kept)]


# weighing


def _collect_sentences(said: Sequence[Said]) -> list[_Sentence]:
    """Returns the sentences of all messages, none that steers the agent.

    If there are too many, those of the newest messages are taken.
    """
    found: list[_Sentence] = []
    known: set[tuple[str, str]] = set()
    for place in range(len(said) - 1, -1, -1):
        text, _ = mask_secrets(without_shown(said[place].text))
        for number, sentence in enumerate(_clean(_without_orders(_without_blocks(text)))):
            key = (said[place].speaker, normalise(sentence))
            if key not in known and _tells(sentence):
                known.add(key)
                found.append(_Sentence(sentence, place, number))
        if len(found) >= MOST_SENTENCES:
            break
    return found[::-1]


def _tells(sentence: str) -> bool:
    """Tells whether a sentence has words of its own: "Okay then." has none."""
    telling = drop_stop_words(split_words(sentence)) - FILLER - _EMPTY
    return len(telling) >= TELLING or any(c.isdigit() or ord(c) >= DENSE for c in sentence)


def read_sentences(text: str) -> list[str]:
    """Returns the sentences of a text, without code and leading interjections."""
    return _clean(split_sentences(_without_blocks(text), SPOKEN))


def _clean(pieces: Iterable[str]) -> list[str]:
    shortened = (_beginning(piece) for piece in pieces if not _is_code(piece))
    return [_without_lead(piece) for piece in shortened if any(map(str.isalnum, piece))]


def _without_blocks(text: str) -> str:
    """Returns the text without blocks of code, each run of blanks as one space."""
    return "\n".join(" ".join(line.split()) for line in _FENCE.sub("\n", text).splitlines())


def _is_code(sentence: str) -> bool:
    """Tells a line of code or of a terminal from a sentence, which may well name a function."""
    if _NO_SENTENCE.search(sentence):
        return True
    signs = len(_SIGN.findall(sentence))
    if not signs:
        return False
    plain = len(_PLAIN_WORD.findall(sentence))
    signs += len(_OPERATOR.findall(sentence))
    return plain < READING or (signs > 1 and plain < MOSTLY * len(sentence.split()))


def _beginning(sentence: str) -> str:
    """Returns a sentence, or the beginning of a very long one; nothing of a list or a log."""
    if len(sentence) <= LONGEST:
        return sentence
    if not _reads_like_prose(sentence):
        return ""
    cut = sentence[: LONGEST - 1]
    whole, _, _ = cut.rpartition(" ")
    return (whole if len(whole) > LONGEST // 2 else cut).rstrip(" ,;:") + "…"


def _reads_like_prose(text: str) -> bool:
    read = sum(map(str.isalpha, text)) + text.count(" ")
    dense = sum(ord(c) >= DENSE for c in text)
    return read >= PROSE * len(text) and len(text) - dense <= LONG_WORD * len(text.split())


def _without_lead(sentence: str) -> str:
    rest = _LEAD.sub("", sentence)
    return sentence if rest == sentence else rest[:1].upper() + rest[1:]


def _without_orders(text: str) -> list[str]:
    """Returns the pieces of a text without orders to the agent and what goes on with one.

    Where an order runs through several pieces, none is left.
    """
    pieces = split_sentences(text, SPOKEN)
    if find_order(text) is None:
        return pieces
    left: list[str] = []
    steers = follows = False
    for piece in pieces:
        begins = find_order(piece) is not None
        steers = begins or (steers and _goes_on(piece, right_behind=follows))
        follows = begins
        if not steers:
            left.append(piece)
    return left if len(left) < len(pieces) and find_order(" ".join(left)) is None else []


def _goes_on(piece: str, *, right_behind: bool) -> bool:
    """Tells whether a sentence goes on with an order.

    Right behind one, only a plain statement does not.
    """
    if _STEERING.search(piece) or _GOING_ON.search(piece):
        return True
    return right_behind and not _STATEMENT.search(piece)


def _weigh(sentences: Sequence[_Sentence], said: Sequence[Said]) -> None:
    """Gives every sentence its worth."""
    texts = [sentence.text for sentence in sentences]
    owners = [said[sentence.place].speaker for sentence in sentences]
    places = sorted({sentence.place for sentence in sentences})
    whole = dict(
        zip(places, score_texts([said[place].text for place in places]).tolist(), strict=True)
    )
    alone = score_texts(texts)
    again: NDArray[np.float64] = redundancy(texts, owners)
    lasting = _find_lasting(said, places)
    for at, sentence in enumerate(sentences):
        one = said[sentence.place]
        worth = AROUND * whole[sentence.place] + (1 - AROUND) * float(alone[at])
        worth += NOTED * ((sentence.place, normalise(sentence.text)) in lasting) + CORRECTED * bool(
            _CORRECTION.search(sentence.text)
        )
        worth += RECENT * sentence.place / len(said)
        worth *= (ASKED if sentence.text.rstrip("\"')").endswith("?") else 1) * (
            AGENT if one.agent else 1
        )
        worth *= 1 - float(again[at])
        sentence.worth = worth / (tokens(sentence.text) + FRAME) ** LENGTH


def _find_lasting(said: Sequence[Said], places: Iterable[int]) -> frozenset[tuple[int, str]]:
    """Returns the sentences of people that rules hold to be lasting."""
    return frozenset(
        (place, normalise(found.text))
        for place in places
        if not said[place].agent
        for found in find_noteworthy(said[place].text)
    )


def _join(chosen: Iterable[_Sentence], said: Sequence[Said]) -> list[Point]:
    by_place: dict[int, list[_Sentence]] = {}
    for sentence in sorted(chosen, key=lambda one: (one.place, one.number)):
        by_place.setdefault(sentence.place, []).append(sentence)
    together = {place: " ".join(one.text for one in own) for place, own in by_place.items()}
    return [
        Point(
            text,
            said[place].speaker,
            said[place].at,
            place,
            max(one.worth for one in by_place[place]),
        )
        for place, text in together.items()
        if find_order(text) is None  # sentences that were apart may come to one
    ]


def _without_frame(line: str) -> str:
    """Returns a line of memory.md without its dash and day."""
    return re.sub(r"\A\s*[-*]\s*(?:\d{4}-\d\d-\d\d )?", "", line)
