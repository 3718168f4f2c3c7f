"""Shortens a stretch of conversation without a model: keeps the sentences that tell most.

Where a reader is there, its verdict on a sentence counts most, in any language it reads; rules can
only save a sentence that it would drop: one that holds an identifier, a date or a quantity, or that
they hold to be a decision or a correction. Without a verdict the rules decide. Besides that, a
sentence is worth what it tells by itself and what the message around it tells (rare words, names,
numbers, days); questions, what is said elsewhere and an agent's own words are worth less. Long
sentences pay for their length. Nothing is made up: every point is somebody's words, and says whose
and when.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from glymph.history.spoken import is_question, read_kept, tells
from glymph.learn.extract_rules import find_noteworthy
from glymph.prune.worth import redundancy
from glymph.reader.wording import Said as Spoken
from glymph.text.identifiers import identifiers
from glymph.text.information import score_texts
from glymph.text.injection import find_order
from glymph.text.normal import normalise
from glymph.text.tokens import tokens
from glymph.text.words import count_words

AROUND = 0.5  # of a sentence's worth is that of the message it stands in
LENGTH = 0.33  # power of its length by which worth is divided
FRAME = 2  # tokens that a point takes besides its words
NOTED = 0.3  # more for what rules hold to be lasting
CORRECTED = 0.2  # more for what replaces something said before
JUDGED = 1.5  # times how likely a reader holds it to be worth keeping, more
EXACT = 0.4  # so likely at least is what holds an identifier, a date or a quantity
RULED = 0.5  # and what rules hold to be lasting, or a correction
ASKED = 0.5  # of its worth is left to a question
AGENT = 0.8  # and to the words of an agent, which the user's facts come before
RECENT = 0.05  # more for the newest than for the oldest
NEAR = 6  # messages between two points that still belong together
GROUP_WORDS = 60  # of points that make one memory
MOST_SENTENCES = 20_000  # that are weighed at once

_CORRECTION = re.compile(
    r"\b(?:actually|correction|i was wrong|my mistake|no longer|not \w+ anymore|any ?more|instead "
    r"of|rather than|"
    r"changed (?:my|our) mind|turns out|scratch that|i mean[t]?|used to|from now on)\b",
    re.IGNORECASE,
)


class Verdict(NamedTuple):
    """What a reader holds of a sentence."""

    worth: float  # how likely it is worth keeping
    noise: float = 0.0  # how likely it tells nothing at all
    needs: Literal["", "before", "question"] = ""  # what it is understood with only


# Judges sentences, the most important first; None for those that there was no time for.
Judge: TypeAlias = Callable[[Sequence[Spoken]], Sequence[Verdict | None]]


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


@dataclass(slots=True, eq=False)
class _Sentence:
    text: str
    place: int
    number: int
    worth: float = 0.0
    beside: _Sentence | None = None  # that it is understood with only

    @property
    def asks(self) -> bool:
        return is_question(self.text)


_Spoken: TypeAlias = dict[int, list[_Sentence]]  # by the place of the message, the newest first


def extract_points(said: Sequence[Said], budget: int, judge: Judge | None = None) -> list[Point]:
    """Returns what tells most within a budget of tokens, in its order, with secrets masked."""
    spoken = _collect_sentences(said) if budget > 0 else {}
    questions = {} if judge is None else _find_questions(spoken, said)
    found = _find_candidates(spoken, said, questions)
    if not found:
        return []
    verdicts: dict[int, Verdict] = {}
    _weigh(found, said)
    if judge is not None:
        verdicts = _ask(judge, found, spoken, said)
        for at, verdict in verdicts.items():
            found[at].beside = _find_beside(found[at], verdict, spoken, questions)
    _add_judgement(found, said, verdicts)
    return _join(_choose(found, budget), said)


def _choose(found: Iterable[_Sentence], left: int) -> set[_Sentence]:
    """Returns the best sentences that fit, each with the one it needs if both do."""
    chosen: set[_Sentence] = set()
    begun: set[int] = set()
    for sentence in sorted(found, key=lambda one: (-one.worth, -one.place, one.number)):
        alone = {sentence} - chosen
        both = alone if sentence.beside is None else alone | ({sentence.beside} - chosen)
        for new in (both, alone):
            cost = sum(tokens(one.text) + (1 if one.place in begun else FRAME) for one in new)
            if sentence.worth > 0 and cost <= left:
                left -= cost
                chosen |= new
                begun |= {one.place for one in new}
                break
    return chosen


def choose_best(found: Iterable[Point], *, most: int) -> list[Point]:
    """Returns the points worth most that fit into so many words with their frames, in order."""
    kept: list[Point] = []
    for point in sorted(found, key=lambda one: (-one.worth, -one.place)):
        length = count_words(point.line)
        if length <= most:
            most -= length
            kept.append(point)
    return sorted(kept, key=lambda one: one.place)


def group_points(found: Sequence[Point]) -> list[list[Point]]:
    """Groups points said near each other on one day, as many as are still one thing to remember."""
    together: list[list[Point]] = []
    length = 0
    for point in found:
        own = count_words(point.text)
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
        length = count_words(lines[place])
        if length <= most:
            most -= length
            kept.append(place)
    return [lines[place] for place in sorted(kept)]


# weighing


def _collect_sentences(said: Sequence[Said]) -> _Spoken:
    """Returns the sentences of each message, none that steers the agent.

    If there are too many, those of the newest messages are taken.
    """
    found: _Spoken = {}
    count = 0
    for place in range(len(said) - 1, -1, -1):
        own = enumerate(read_kept(said[place].text))
        found[place] = [_Sentence(text, place, number) for number, text in own]
        count += len(found[place])
        if count >= MOST_SENTENCES:
            break
    return found


def _find_questions(spoken: _Spoken, said: Sequence[Said]) -> dict[int, _Sentence]:
    """Returns the question that each message answers: one with which the one before it ends."""
    found: dict[int, _Sentence] = {}
    for place in spoken:
        before = spoken.get(place - 1)
        if before and said[place].speaker != said[place - 1].speaker and before[-1].asks:
            found[place] = before[-1]
    return found


def _find_candidates(
    spoken: _Spoken, said: Sequence[Said], questions: Mapping[int, _Sentence]
) -> list[_Sentence]:
    """Returns the sentences that tell something or begin an answer; of repeated ones the newest."""
    found: list[_Sentence] = []
    known: set[tuple[str, str]] = set()
    for place, own in spoken.items():  # the newest first
        for sentence in own:
            key = (said[place].speaker, normalise(sentence.text))
            answers = sentence.number == 0 and place in questions
            if key not in known and (answers or tells(sentence.text)):
                known.add(key)
                found.append(sentence)
    return sorted(found, key=lambda one: (one.place, one.number))


def _weigh(found: Sequence[_Sentence], said: Sequence[Said]) -> None:
    """Gives every sentence the worth of what it tells, alone and with the message around it."""
    places = sorted({sentence.place for sentence in found})
    whole = dict(
        zip(places, score_texts([said[place].text for place in places]).tolist(), strict=True)
    )
    alone = score_texts([sentence.text for sentence in found])
    for at, sentence in enumerate(found):
        told = AROUND * whole[sentence.place] + (1 - AROUND) * float(alone[at])
        sentence.worth = told + RECENT * sentence.place / len(said)


def _add_judgement(
    found: Sequence[_Sentence], said: Sequence[Said], verdicts: Mapping[int, Verdict]
) -> None:
    """Adds what a reader holds of each sentence, or rules where it has not judged."""
    lasting = _find_lasting(said, {sentence.place for sentence in found})
    owners = [said[sentence.place].speaker for sentence in found]
    again: NDArray[np.float64] = redundancy([sentence.text for sentence in found], owners)
    for at, sentence in enumerate(found):
        noted = (sentence.place, normalise(sentence.text)) in lasting
        corrected = bool(_CORRECTION.search(sentence.text))
        worth, verdict = sentence.worth, verdicts.get(at)
        if verdict is None:
            worth += NOTED * noted + CORRECTED * corrected
        else:
            saved = max(RULED * (noted or corrected), EXACT * bool(identifiers(sentence.text)))
            worth += JUDGED * max(verdict.worth, saved)
            worth *= 1 if saved else 1 - verdict.noise
        worth *= (ASKED if sentence.asks else 1) * (AGENT if said[sentence.place].agent else 1)
        worth *= 1 - float(again[at])
        sentence.worth = worth / (tokens(sentence.text) + FRAME) ** LENGTH


def _ask(
    judge: Judge, found: Sequence[_Sentence], spoken: _Spoken, said: Sequence[Said]
) -> dict[int, Verdict]:
    """Has sentences judged in their context: people's first, then those that tell most."""
    order = sorted(
        range(len(found)), key=lambda at: (said[found[at].place].agent, -found[at].worth, at)
    )
    verdicts = judge([_word(found[at], spoken, said) for at in order])
    return {at: one for at, one in zip(order, verdicts, strict=True) if one is not None}


def _word(sentence: _Sentence, spoken: _Spoken, said: Sequence[Said]) -> Spoken:
    place = sentence.place
    answers = place > 0 and said[place - 1].speaker != said[place].speaker
    return Spoken(
        "assistant" if said[place].agent else "user",
        sentence.text,
        " ".join(one.text for one in spoken[place][: sentence.number]),
        " ".join(one.text for one in spoken.get(place - 1, ())) if answers else "",
    )


def _find_beside(
    sentence: _Sentence, verdict: Verdict, spoken: _Spoken, questions: Mapping[int, _Sentence]
) -> _Sentence | None:
    """Returns the sentence that another one is understood with only."""
    if verdict.needs == "before" and sentence.number > 0:
        return spoken[sentence.place][sentence.number - 1]
    question = questions.get(sentence.place)
    if question is None or verdict.needs == "question":
        return question
    short = tokens(question.text) <= tokens(sentence.text)  # a longer one is mostly an offer
    return question if sentence.number == 0 and short else None


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
