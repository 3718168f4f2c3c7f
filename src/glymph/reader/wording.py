"""Word what the reader is asked: two texts, the first of which begins with the task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

Span: TypeAlias = tuple[int, int]  # where a stretch of a text begins and ends

RELATIONS = ("none", "same", "replaces", "part")
TARGETS = ("none", "all", "part")
WORTHS = ("noise", "passing", "lasting", "vital")
# Of a sentence that was said: not worth keeping, understood alone, only behind the one before it,
# or only as an answer to what the other side said.
KEEPINGS = ("none", "alone", "continued", "answering")
BETWEEN = " | "  # two texts of a scene


MOST_HEARD, MOST_BEFORE, MOST_SAID = 240, 200, 600  # characters of a talk that are read


class Said(NamedTuple):
    """A sentence of a conversation with what stands before it."""

    role: str  # who said it: user or assistant; tool for a command
    text: str
    before: str = ""  # what the same turn says before it
    heard: str = ""  # what the other side said last


class Pair(NamedTuple):
    """Two texts to be read together; the second is empty where only one is judged."""

    first: str
    second: str


def word_relation(newer: str, older: str) -> Pair:
    """Ask what a newer text does to an older one."""
    return Pair(f"compare: {newer}", older)


def word_target(verb: str, request: str, new: str | None, text: str) -> Pair:
    """Ask how much of a text a request means."""
    return Pair(f"{verb}: {request} => {new}" if new else f"{verb}: {request}", text)


class Scene(NamedTuple):
    """Several texts put into one, to be read together, and where each of them begins there."""

    pair: Pair
    starts: tuple[int, ...]


def word_scene(verb: str, request: str, new: str | None, texts: Sequence[str]) -> Scene:
    """Ask how much of each of several texts, read together, a request means."""
    starts: list[int] = []
    at = 0
    for text in texts:
        starts.append(at)
        at += len(text) + len(BETWEEN)
    asked = word_target(f"among {verb}", request, new, BETWEEN.join(texts))
    return Scene(asked, tuple(starts))


def word_relevance(question: str, text: str) -> Pair:
    """Ask whether a text answers a question."""
    return Pair(f"query: {question}", text)


def word_worth(text: str) -> Pair:
    """Ask what a text is worth keeping."""
    return Pair(f"worth: {text}", "")


def word_keeping(said: Said) -> Pair:
    """Ask whether a sentence is worth keeping for later conversations."""
    other = "assistant" if said.role == "user" else "user"
    context = f"{other}: {_keep_end(said.heard, MOST_HEARD)}" if said.heard else ""
    if said.before:
        context += f" {said.role}: {_keep_end(said.before, MOST_BEFORE)}"
    return Pair(f"keep {said.role}: {context}".strip(), said.text[:MOST_SAID])


def _keep_end(text: str, most: int) -> str:
    return text if len(text) <= most else "…" + text[-most:]
