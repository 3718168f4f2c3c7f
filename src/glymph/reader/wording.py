"""Word what the reader is asked: two texts, the first of which begins with the task."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

Span: TypeAlias = tuple[int, int]  # where a stretch of a text begins and ends

RELATIONS = ("none", "same", "replaces", "part")
TARGETS = ("none", "all", "part")
WORTHS = ("noise", "passing", "lasting", "vital")


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


def word_relevance(question: str, text: str) -> Pair:
    """Ask whether a text answers a question."""
    return Pair(f"query: {question}", text)


def word_worth(text: str) -> Pair:
    """Ask what a text is worth keeping."""
    return Pair(f"worth: {text}", "")
