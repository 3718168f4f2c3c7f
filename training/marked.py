"""Give transcripts that three people marked as talks, to learn what of a conversation to keep.

A share of a sentence is the share of people who marked it. A question that an answer is marked
together with is not itself kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from benchmarks.harness.forgetting_cases import lines
from benchmarks.harness.transcripts import Case
from glymph.learn.turn_lines import read_said_lines
from glymph.reader.wording import KEEPINGS
from glymph.text.normal import normalise
from glymph.text.sentences import SPOKEN, split_sentences

FOLDER = Path(__file__).parents[1] / "benchmarks" / "cases" / "extraction"
SETS = "second fourth fifth sixth seventh eighth ninth tenth eleventh".split()
NONE, ALONE, CONTINUED, ANSWERING = range(len(KEEPINGS))

Place = tuple[int, str]  # the number of a turn, and a sentence of it
Shares = list[float]  # how likely a sentence is worth keeping in each way


def read_marked(parts: Sequence[str] = SETS) -> list[Case]:
    """Read the transcripts of some sets; each sentence of a turn has its shares."""
    return [_mark(case) for part in parts for case in lines(FOLDER / f"{part}.jsonl")]


def _mark(case: Case) -> Case:
    votes = _count_votes(case)
    people = len(case["marks"])
    turns = [
        {
            "role": turn["role"],
            "s": [
                [said, _share(votes.get((number, normalise(said)), Counter()), people)]
                for said in _split(turn["role"], turn["text"])
            ],
        }
        for number, turn in enumerate(case["turns"], 1)
    ]
    return {"id": case["id"], "lang": case["lang"], "turns": turns}


def _split(role: str, text: str) -> Iterator[str]:
    """Split a turn as the code does that is to judge it."""
    if role == "tool":
        yield from (line for line in text.splitlines() if line.startswith("$ "))
        return
    for line in read_said_lines(text):
        yield from (" ".join(one.split()) for one in split_sentences(line.text, SPOKEN))


def _share(votes: Counter[int], people: int) -> Shares:
    return [1 - votes.total() / people, *(votes[way] / people for way in range(1, len(KEEPINGS)))]


def _count_votes(case: Case) -> dict[Place, Counter[int]]:
    """Count for each sentence in which way how many people hold it to be worth keeping."""
    votes: dict[Place, Counter[int]] = {}
    for entries in case["marks"]:
        ways: dict[Place, int] = {}
        for entry in entries:
            for place, way in _tell_ways(case, entry):
                ways[place] = min(way, ways.get(place, way))  # alone, if it is so anywhere
        for place, way in ways.items():
            votes.setdefault(place, Counter())[way] += 1
    return votes


def _tell_ways(case: Case, entry: Sequence[tuple[int, str]]) -> Iterator[tuple[Place, int]]:
    """Tell of the sentences of one mark how each is worth keeping; nothing of a question."""
    own = sorted(entry, key=lambda one: one[0])  # within a turn as they were marked
    for at, (number, said) in enumerate(own):
        role = case["turns"][number - 1]["role"]
        answered = any(_role(case, later) not in (role, "tool") for later, _ in own[at + 1 :])
        if said.rstrip("\"') ").endswith("?") and answered:
            continue
        before = own[at - 1] if at else None
        if before and before[0] == number and _is_next(case, number, before[1], said):
            way = CONTINUED
        elif before and before[0] < number and _role(case, before[0]) not in (role, "tool"):
            way = ANSWERING
        else:
            way = ALONE
        yield (number, normalise(said)), way


def _role(case: Case, number: int) -> str:
    role: str = case["turns"][number - 1]["role"]
    return role


def _is_next(case: Case, number: int, first: str, second: str) -> bool:
    """Tell whether a sentence of a turn stands directly behind another."""
    turn = case["turns"][number - 1]
    said = [normalise(one) for one in _split(turn["role"], turn["text"])]
    return (normalise(first), normalise(second)) in pairwise(said)
