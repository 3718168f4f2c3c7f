"""Texts said again in slightly other words, planted among a dialogue's own."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from benchmarks.harness.dialogues import Dialogue

SHARE, TIMES = 0.3, 3  # of the texts; copies of each
SOON = 40  # texts within which a copy follows

_OPENINGS = ("By the way: ", "As I said, ", "Just to repeat: ", "Once more: ")
_ENDINGS = (" Just saying.", " As mentioned.", " That is it.", " So much for that.")
_LONGER = {
    "I'm": "I am", "I've": "I have", "don't": "do not", "it's": "it is", "It's": "It is", "can't": "cannot",
    "that's": "that is", "That's": "That is", "we're": "we are", "didn't": "did not", "I'll": "I will",
}  # fmt: skip
_OTHER = {
    "really": "truly", "great": "wonderful", "big": "large", "started": "began", "nice": "lovely", "also": "too",
    "help": "assist", "begin": "start", "amazing": "wonderful", "kids": "children", "lots": "plenty",
}  # fmt: skip
_WORD = re.compile(r"[\w']+")


@dataclass(frozen=True, slots=True)
class Planted:
    """A dialogue with copies among its items.

    Of each item it has the place of the one it repeats, or its own.
    """

    dialogue: Dialogue
    origin: list[int]


def plant(dialogue: Dialogue, seed: int) -> Planted:
    """Repeats some items some way after themselves.

    The questions stay, their evidence at its new places.
    """
    chance = random.Random(seed)
    count = len(dialogue.items)
    repeated = chance.sample(range(count), int(SHARE * count))
    order = [(float(place), place, 0) for place in range(count)]
    order += [
        (place + chance.random() * SOON, place, turn + 1)
        for place in repeated
        for turn in range(TIMES)
    ]
    made, origin = Dialogue(f"{dialogue.name}+copies"), []
    for _, place, turn in sorted(order):
        item = dialogue.items[place]
        made.items.append({**item, "text": reworded(item["text"], turn, chance)} if turn else item)
        origin.append(place)
    made.questions = dialogue.questions
    return Planted(made, origin)


def reworded(text: str, turn: int, chance: random.Random) -> str:
    """The text in slightly other words.

    Short forms are written out, words exchanged, a phrase put before or after.
    """
    exchange = _LONGER if turn == 1 else _OTHER if turn == 2 else {**_LONGER, **_OTHER}
    text = _WORD.sub(lambda found: exchange.get(found[0], found[0]), text)
    return (
        chance.choice(_OPENINGS) + text if chance.random() < 0.5 else text + chance.choice(_ENDINGS)
    )
