"""Finds what of a conversation is worth keeping, by the reader, in any language it reads.

Every sentence is judged with what stands before it, and once more without where it may be worth
keeping; both judgements, its worth by itself and its place are weighed. What is understood only
behind the sentence before it is kept together with that one, what begins a turn behind a question
together with the question, an item of a list together with the line that announces the list. Of
the commands that an agent ran those are kept that a project is worked with.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from glymph.learn.transcript import Turn
from glymph.learn.turn_lines import read_said_lines
from glymph.reader.contract import Judgement, Reader
from glymph.reader.wording import KEEPINGS, Said
from glymph.text.sentences import SPOKEN, split_sentences
from glymph.text.words import drop_stop_words, split_words
from glymph.write.grading import LASTING, VITAL


class Signs(NamedTuple):
    """What tells whether a sentence of a conversation is worth keeping."""

    behind: float  # the odds that it is, read behind what stands before it, as a logarithm
    alone: float  # and read alone
    before: float  # the share of the sentence before it in the same turn
    sentences: float  # of the turn, as a logarithm: the more there are, the more is in passing
    opens: float  # 1 where a conversation opens: there people say what they want done
    lasting: float  # the share of its being worth keeping for long, whoever says it
    vital: float  # and of its being vital


NONE, ALONE, CONTINUED, ANSWERING = range(len(KEEPINGS))
# The share from which on a sentence is kept, or a command.
LEAST: Mapping[str, float] = {"user": 0.7, "assistant": 0.8}
LEAST_READ = 0.12  # the share from which on a sentence is read a second time
LEAST_COMMAND = 0.75  # people rarely hold one to be worth keeping
# The share below which what a model keeps of a turn was of the moment, and a part of a sentence's
# words that a statement about it repeats.
LEAST_TOLD: Mapping[str, float] = {"user": 0.015, "assistant": 0.04}
REPEATED = 0.25
CERTAIN = 1e-4  # nothing is surer than that
PROMPT = "$ "  # before a command
JOINED = 0.3  # of the share of being kept at all, from which on what stands before it is kept along
LONGEST = 600  # characters of a sentence that may be a statement
MOST = 120  # sentences of one turn that are read, and commands; what is longer is pasted
ANSWERS = " – "  # between what was said and the answer to it
# How much each sign tells that a sentence is worth keeping, fitted by training/fit_sifting.py.
SHIFT = -0.02
WEIGHTS = Signs(
    behind=0.41, alone=0.17, before=0.89, sentences=-0.39, opens=-1.62, lasting=-0.02, vital=0.75
)
_CREDENTIALS = re.compile(
    r"pass|pwd|token|secret|api[-_]?key|auth|credential|\blogin\b|sudo -S"
    r"|\b(?:curl|wget|mysql\w*|mariadb\w*|mongo\w*|redis-cli|smbclient|ldap\w*)\b.* -[apuUw]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Sifted:
    """A statement in the words of a conversation, and the turn that says it."""

    text: str
    turn: Turn
    said: bool = True  # False for a command: nobody said it


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    heading: str = ""  # the line that announces the list it stands in


def sift_turns(reader: Reader, turns: Sequence[Turn], heard: dict[str, str]) -> list[Sifted]:
    """Returns what of some turns is worth keeping, in their order.

    `heard` is what each side said last before these turns; it is brought up to date. Before the
    assistant has said anything, the conversation opens.
    """
    found: list[Sifted] = []
    succeeded = {one for turn in turns for one in turn.succeeded}
    for turn in turns:
        ran = [one.text for one in turn.commands if one.id in succeeded]
        commands = _pick_commands(reader, ran, heard.get("user", ""))
        found += (Sifted(text, turn, said=False) for text in commands)
        if not turn.text:
            continue
        sentences = list(islice(_read_sentences(turn.text), MOST))
        other = heard.get("assistant" if turn.role == "user" else "user", "")
        asked = _ask_about(turn.role, sentences, other)
        judged = reader.sift(asked)
        signs = find_signs(reader, asked, judged, opens="assistant" not in heard)
        kept = {at: _weigh(one) for at, one in signs.items()}
        found += (Sifted(text, turn) for text in _join(turn.role, sentences, judged, kept, other))
        heard[turn.role] = " ".join(one.text for one in sentences) or heard.get(turn.role, "")
    return found


def _pick_commands(reader: Reader, ran: Sequence[str], heard: str) -> Iterator[str]:
    """Yields the commands that will be needed again; none that may hold a password."""
    commands = [f"{PROMPT}{command}" for command in ran[:MOST] if not _CREDENTIALS.search(command)]
    asked = [Said("tool", command, "", heard) for command in commands]
    for command, judgement in zip(commands, reader.sift(asked), strict=True):
        if _find_kept(judgement) >= LEAST_COMMAND:
            yield command


def find_passing(
    reader: Reader, turns: Sequence[Turn], told: Sequence[tuple[int, str]]
) -> list[bool]:
    """Returns whether statements, each with the place of its turn, come from nothing to keep.

    Of a turn those sentences count of which the statement repeats some words, else all of them.
    What is likely vital is never passing, and nothing is to a reader that cannot tell.
    """
    judged = {at: _judge_turn(reader, turns, at) for at in {at for at, _ in told}}
    found = []
    for at, text in told:
        said = drop_stop_words(split_words(text))
        near = [
            kept for words, kept in judged[at] if len(said & words) >= REPEATED * max(1, len(words))
        ]
        shares = near or [kept for _, kept in judged[at]]
        passing = bool(shares) and max(shares) < LEAST_TOLD[turns[at].role]
        found.append(passing and not _is_vital(reader.grade([text])[0]))
    return found


def _is_vital(judgement: Judgement) -> bool:
    """Returns whether a statement is more likely vital than not."""
    return bool(judgement.shares) and judgement.shares[VITAL] >= 0.5


def _judge_turn(
    reader: Reader, turns: Sequence[Turn], at: int
) -> list[tuple[frozenset[str], float]]:
    """Returns the telling words of a turn's sentences, and how likely each is worth keeping."""
    turn = turns[at]
    before = (one.text for one in reversed(turns[:at]) if one.role != turn.role and one.text)
    other = " ".join(one.text for one in _read_sentences(next(before, "")))
    sentences = list(islice(_read_sentences(turn.text), MOST))
    judged = reader.sift(_ask_about(turn.role, sentences, other))
    return [
        (drop_stop_words(split_words(one.text)), _find_kept(judgement))
        for one, judgement in zip(sentences, judged, strict=True)
        if judgement.shares
    ]


def _find_kept(judgement: Judgement) -> float:
    return 1 - judgement.shares[NONE] if judgement.shares else 0.0


def _read_sentences(text: str) -> Iterator[_Sentence]:
    heading = ""
    for line in read_said_lines(text):
        if not line.listed:
            heading = line.text if line.text.endswith(":") else ""
        above = heading if line.listed else ""
        for sentence in split_sentences(line.text, SPOKEN):
            yield _Sentence(" ".join(sentence.split()), above)


def _ask_about(role: str, sentences: Sequence[_Sentence], other: str) -> list[Said]:
    texts = [one.text for one in sentences]
    return [Said(role, text, " ".join(texts[:at]), other) for at, text in enumerate(texts)]


def find_signs(
    reader: Reader, asked: Sequence[Said], judged: Sequence[Judgement], *, opens: bool
) -> dict[int, Signs]:
    """Returns what tells of the sentences of a turn, by their places; most need no second look."""
    behind = [_find_kept(one) for one in judged]
    again = [at for at, share in enumerate(behind) if share >= LEAST_READ]
    alone = reader.sift([asked[at]._replace(before="", heard="") for at in again])
    worth = [one.shares for one in reader.grade([asked[at].text for at in again])]
    return {
        at: Signs(
            _find_odds(behind[at]),
            _find_odds(_find_kept(one)),
            behind[at - 1] if at else 0.0,
            math.log(len(asked)),
            float(opens),
            grades[LASTING] if grades else 0.0,
            grades[VITAL] if grades else 0.0,
        )
        for at, one, grades in zip(again, alone, worth, strict=True)
    }


def _weigh(signs: Signs) -> float:
    odds = SHIFT + sum(weight * sign for weight, sign in zip(WEIGHTS, signs, strict=True))
    return 1 / (1 + math.exp(-odds))


def _find_odds(share: float) -> float:
    share = min(max(share, CERTAIN), 1 - CERTAIN)
    return math.log(share / (1 - share))


def _join(
    role: str, sentences: Sequence[_Sentence], judged: Sequence[Judgement],
    shares: Mapping[int, float], other: str,
) -> Iterator[str]:  # fmt: skip
    """Yields the statements of a turn, of sentences that are worth keeping by these shares."""
    stretches: list[list[int]] = []
    answering: set[int] = set()
    for at, judgement in enumerate(judged):
        kept = _find_kept(judgement)
        if shares.get(at, 0.0) < LEAST[role] or len(sentences[at].text) > LONGEST:
            continue
        start = at
        if judgement.shares[CONTINUED] >= JOINED * kept and at > 0:
            start = at - 1
        if stretches and start <= stretches[-1][1] and start < at:
            stretches[-1][1] = at
        else:
            stretches.append([start, at])
        if judgement.shares[ANSWERING] >= JOINED * kept:
            answering.add(stretches[-1][0])
    for start, end in stretches:
        said = " ".join(one.text for one in sentences[start : end + 1])
        heading = sentences[start].heading
        if heading:
            said = f"{heading} {said}"
        answers = start in answering or (start == 0 and _is_question(other))
        question = _find_question(other) if answers else ""
        yield f"{question}{ANSWERS}{said}" if question else said


def _find_question(other: str) -> str:
    """Returns what an answer answers: the last question of the other side, else its last words."""
    sentences = split_sentences(other, SPOKEN)
    return (list(filter(_is_question, sentences)) or sentences or [""])[-1]


def _is_question(text: str) -> bool:
    return text.rstrip("\"')” ").endswith(("?", "？"))
