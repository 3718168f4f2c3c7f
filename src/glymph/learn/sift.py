"""Finds what of a conversation is worth keeping, by the reader, in any language it reads.

Every sentence is judged with what stands before it. What is understood only behind the sentence
before it is kept together with that one, what begins a turn behind a question together with the
question, an item of a list together with the line that announces the list. Of the commands that an
agent ran those are kept that a project is worked with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from glymph.learn.transcript import Turn
from glymph.learn.turn_lines import read_said_lines
from glymph.reader.contract import Judgement, Reader
from glymph.reader.wording import KEEPINGS, Said
from glymph.text.sentences import SPOKEN, split_sentences
from glymph.text.words import drop_stop_words, split_words
from glymph.write.grading import VITAL

NONE, ALONE, CONTINUED, ANSWERING = range(len(KEEPINGS))
# The share from which on a sentence is kept, or a command.
LEAST: Mapping[str, float] = {"user": 0.4, "assistant": 0.6}
LEAST_COMMAND = 0.75  # people rarely hold one to be worth keeping
# The share below which what a model keeps of a turn was of the moment, and a part of a sentence's
# words that a statement about it repeats.
LEAST_TOLD: Mapping[str, float] = {"user": 0.04, "assistant": 0.1}
REPEATED = 0.25
PROMPT = "$ "  # before a command
JOINED = 0.3  # of the share of being kept at all, from which on what stands before it is kept along
LONGEST = 600  # characters of a sentence that may be a statement
MOST = 120  # sentences of one turn that are read, and commands; what is longer is pasted
ANSWERS = " – "  # between what was said and the answer to it
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

    `heard` is what each side said last before these turns; it is brought up to date.
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
        judged = reader.sift(_ask_about(turn.role, sentences, other))
        found += (Sifted(text, turn) for text in _join(turn.role, sentences, judged, other))
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


def _join(
    role: str, sentences: Sequence[_Sentence], judged: Sequence[Judgement], other: str
) -> Iterator[str]:
    """Yields the statements of a turn."""
    stretches: list[list[int]] = []
    answering: set[int] = set()
    for at, judgement in enumerate(judged):
        kept = _find_kept(judgement)
        if kept < LEAST[role] or len(sentences[at].text) > LONGEST:
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
