"""The story of `glymph demo`: half a year of Mira's life, as her assistant was told it.

Who she is and what she says is made up; what becomes of it happens in the store that is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

START = datetime(2026, 1, 5, 8, tzinfo=UTC)

HOME = "Mira lives in Ghent, above the bakery on Sluizeken."
ALLERGY = "Mira is allergic to penicillin."
WORK = "Mira works as a night nurse at the Maria hospital."
MOVED = "Mira left Ghent for good and lives in Antwerp now."
MOVED_PLAINLY = "Mira lives in Antwerp, near the zoo."
CHANGED = "Mira works days now, in the children's ward."
DEBT = "Jonas still owes Mira 240 euros."
MAIL = "jonas.peeters@mail.be"
FLATMATE = f"Jonas, Mira's former flatmate, can be reached at {MAIL}."

# The day, the kind and the text.
TOLD = (
    (0, "fact", HOME),
    (0, "fact", ALLERGY),
    (1, "preference", "Mira likes answers of three sentences at most."),
    (2, "fact", WORK),
    (12, "fact", FLATMATE),
    (13, "fact", DEBT),
    (14, "fact", "Mira's sister Noor studies biology in Leuven."),
)
SMALL_TALK = (
    (3, "event", "The bus was eight minutes late this morning."),
    (8, "event", "Had a cheese sandwich for lunch."),
    (20, "event", "It rained all afternoon."),
    (33, "event", "The lift was out of order until noon."),
)
KITCHEN = (
    (4, "project", "The kitchen gets new cupboards from a carpenter in Aalst."),
    (5, "project", "The kitchen cupboards will be oak, oiled, without handles."),
    (6, "project", "The carpenter asks 2,900 euros for the cupboards."),
    (9, "project", "The kitchen worktop comes from Aalst, too."),
)

LIVES = "Where does Mira live?"
WORKS = "When does Mira work?"
DOCTOR = "What must a doctor know about Mira?"
DOCTOR_PLAINLY = "What is Mira allergic to?"
CUPBOARDS = "What does the carpenter ask for the cupboards?"
KEY = "Where is the spare key?"

NIGHTS = 60
CHATS = (
    ("Shall I take the tram or the bike today?", "The bike: it stays dry until six."),
    ("What can I cook with leeks and eggs?", "A leek tart; the dough is in the freezer."),
    ("When does Noor arrive?", "Her train gets in at ten past seven, on platform four."),
    ("Remind me to water the fern.", "I will, on Sunday evening."),
    ("Is there milk left?", "Half a bottle, and it is good until Thursday."),
    ("How late is the library open?", "Until eight on weekdays, until five on Saturday."),
)


def day(number: int) -> datetime:
    """Returns the morning of a day of the story; the first is 0."""
    return START + timedelta(days=number)


def tell_nights() -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yields night by night what was drunk in the evening, and how Mira slept."""
    chance = Random(3)
    for night in range(NIGHTS):
        drink = "tea" if night % 2 else "coffee"
        walk = chance.random() < 0.5
        well = chance.random() >= (0.75 if drink == "coffee" else 0.07)
        text = (
            f"Night {night + 1}: {drink} in the evening, {'a' if walk else 'no'} walk, "
            f"{'slept through' if well else 'awake until three'}."
        )
        yield night, text, {"evening drink": drink, "evening walk": walk, "success": well}


def tell_chats() -> Iterator[tuple[int, list[dict[str, str]]]]:
    """Yields day by day what Mira and her assistant said to each other."""
    for number in range(80):
        said = [CHATS[(2 * number + at) % len(CHATS)] for at in (0, 1)]
        if number == 21:
            said.append(("The spare key hangs behind the meter cupboard.", "Noted."))
        if number == 47:
            said.append((f"Write to {MAIL} about the deposit.", "The letter is sent."))
        pairs = [zip(("user", "assistant"), pair, strict=True) for pair in said]
        yield number, [{"role": role, "content": text} for pair in pairs for role, text in pair]
