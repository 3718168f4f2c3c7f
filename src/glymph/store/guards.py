"""Reasons to keep a memory from being pruned, who may not overrule them, and how much may go."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from glymph.model import Lifecycle, State
from glymph.moments import MICROS_PER_DAY
from glymph.text.quotes import GONE

MUCH_USED = 10  # uses of an ACTIVE memory above which only its own name prunes it
YOUNG_DAYS = 3
ALWAYS = 10  # memories that may go at once, however few there are
BY_NAME = "name it in a delete or archive of at most five ids"

EVIDENCE = ("derived_from", "generalizes")  # links to what a memory rests on
DEPENDENCE = (*EVIDENCE, "part_of")  # and to what it is a part of

# The name of an actor, or what it begins with, that is a program deciding by itself.
AGENT = "agent"
# Who works for all: what they did, anybody who writes may take back.
BACKGROUND = ("reconcile", "glymph", "daemon", "hook")
# Names that tell nobody's, whatever was said: those that an actor has who was given none.
NAMELESS = frozenset({"user", "assistant", AGENT, *BACKGROUND})

Dependence = tuple[int, int]  # a memory that rests on, or is part of, another; and that other


def is_below(actor: str, name: str) -> bool:
    """Tells whether an actor has this name or one below it, such as "agent:x" below "agent"."""
    return actor == name or actor.startswith((f"{name}:", f"{name}-"))


def is_agent(actor: str) -> bool:
    """Tells whether an actor is a program that decides by itself, as its name says.

    Small letters or capitals make no other name: an agent chooses its own.
    """
    return is_below(actor.strip(" ").lower(), AGENT)


def is_unattended(actor: str) -> bool:
    """Tells whether no person decides what an actor does: it is an agent, or upkeep."""
    return is_agent(actor) or actor in BACKGROUND


def unname(actor: str) -> str:
    """Returns what an actor is called whose name may not be told; an agent stays one."""
    return f"{AGENT}:{GONE}" if is_agent(actor) else GONE


def find_obstacle(row: Mapping[str, Any], goal: State) -> str | None:
    """Returns why a memory cannot go to a state at all; None if it can."""
    if row["state"] == goal:
        return f"it is {goal} already"
    if row["protected"]:
        return "it is protected"
    if row["pinned"]:
        return "it is pinned; unpin it first"
    if goal is State.ARCHIVED and row["state"] == State.TRASHED:
        return "it is in the trash; restore it first"
    return None


MAY_BE_VITAL = f"it may be vital to somebody; {BY_NAME}"
STILL_TO_COME = f"it is about a day to come; {BY_NAME}"
STANDING_GOAL = f"it is a goal, which stands until somebody ends it; {BY_NAME}"
STILL_CURRENT = f"it is the current statement of something that is alive; {BY_NAME}"


def worth_keeping(row: Mapping[str, Any], lifecycle: Lifecycle, *, now: int) -> str | None:
    """Returns why a memory should not go unless somebody names it; None if it may."""
    if lifecycle is Lifecycle.ACTIVE and row["access_count"] > MUCH_USED:
        return f"it is ACTIVE and was used {row['access_count']} times; {BY_NAME}"
    if now - row["created_at"] < YOUNG_DAYS * MICROS_PER_DAY:
        return f"it is less than {YOUNG_DAYS} days old; {BY_NAME}"
    return None


def cap(live: int, *, percent: int, most: int) -> int:
    """Returns how many memories may go at once: a share of the live ones, at least ten."""
    return min(max(ALWAYS, live * percent // 100), most)


def last_evidence(going: Iterable[int], dependences: Collection[Dependence]) -> dict[int, int]:
    """Returns the last evidence that must stay, each with a memory that needs it.

    `dependences` are those of everything that rests on one that goes, on whatever is still live.
    What goes itself needs nothing.
    """
    leaving = dict.fromkeys(going)
    left: dict[int, int] = {}
    for needer, needed in dependences:
        if needer not in leaving:
            left[needer] = left.get(needer, 0) + (needed not in leaving)
    kept: dict[int, int] = {}
    for needer, needed in reversed(list(dependences)):
        if needer in left and left[needer] == 0 and needed in leaving:
            kept[needed] = needer
            left[needer] = 1
    return kept


def find_orphans(going: Collection[int], dependences: Iterable[Dependence]) -> set[int]:
    """Returns what rests on nothing else than those that go."""
    lost: dict[int, bool] = {}
    for needer, needed in dependences:
        if needer not in going:
            lost[needer] = lost.get(needer, True) and needed in going
    return {needer for needer, alone in lost.items() if alone}
