"""Lessons: what was learnt, and what speaks for and against each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from glymph.client import Glymph
from glymph.dashboard.page import LOOK, Page
from glymph.dashboard.visit import READ, Visit, page_router
from glymph.model import Memory

router = page_router()
PAGE = Page("Lessons", "/lessons", router, group=LOOK, order=30, key="l")
KINDS = ("lesson", "playbook", "thesis")
SHOWN, NAMED = 20, 5
FOR, AGAINST = ("generalizes", "derived_from", "applied_to"), ("contradicts",)


@dataclass(frozen=True, slots=True)
class Learnt:
    """A lesson with its evidence."""

    memory: Memory
    successes: int
    failures: int
    episodes: int
    speaks_for: tuple[Memory, ...]
    speaks_against: tuple[Memory, ...]
    more_for: int = 0
    more_against: int = 0

    @property
    def judged(self) -> int:
        return self.successes + self.failures


@router.get("/lessons")
async def show(cursor: str = "", kind: str = "", visit: Visit = READ) -> Response:
    """Shows lessons, newest first."""
    kinds = [kind] if kind in KINDS else list(KINDS)
    found, older = await visit.run(lambda g: _look(g, kinds, cursor or None))
    return visit.show("lessons.html", lessons=found, older=older, kind=kind, kinds=KINDS)


def _look(glymph: Glymph, kinds: list[str], cursor: str | None) -> tuple[list[Learnt], str | None]:
    page = glymph.list(limit=SHOWN, cursor=cursor, kinds=kinds)
    return [_weigh(glymph, memory) for memory in page], page.cursor


def _weigh(glymph: Glymph, memory: Memory) -> Learnt:
    edges = glymph.edges(memory.id)

    def others(types: tuple[str, ...]) -> list[str]:
        ends = [e.target if e.source == memory.id else e.source for e in edges if e.type in types]
        return list(dict.fromkeys(ends))

    good, bad = others(FOR), others(AGAINST)
    counts = _counts(memory.attributes)
    return Learnt(
        memory, counts.get("successes", 0), counts.get("failures", 0),
        counts.get("episodes", 0) or len(good),
        tuple(glymph.get(one) for one in good[:NAMED]),
        tuple(glymph.get(one) for one in bad[:NAMED]),
        max(0, len(good) - NAMED), max(0, len(bad) - NAMED),
    )  # fmt: skip


def _counts(attributes: Mapping[str, Any]) -> dict[str, int]:
    """Returns how often it held and did not: as a playbook was followed, or as it was found."""
    book = attributes.get("playbook")
    if isinstance(book, Mapping) and isinstance(book.get("n"), int):
        won = int(book.get("successes", 0))
        return {"successes": won, "failures": book["n"] - won, "episodes": book["n"]}
    found = attributes.get("evidence")
    told = found if isinstance(found, Mapping) else {}
    return {name: value for name, value in told.items() if isinstance(value, int)}
