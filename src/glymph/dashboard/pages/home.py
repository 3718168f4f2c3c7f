"""Home: how the memory is doing, what came and went, and what waits for somebody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any

from starlette.responses import Response

from glymph.client import Glymph
from glymph.dashboard.charts import draw_flow
from glymph.dashboard.page import LOOK, Page
from glymph.dashboard.render import shares
from glymph.dashboard.visit import READ, Visit, page_router
from glymph.model import Operation
from glymph.upkeep import overview

router = page_router()
PAGE = Page("Home", "/", router, group=LOOK, order=0, key="h")
WEEKS = 26
LOOKED_AT, SHOWN = 60, 8  # operations
ASLEEP = {"lifecycle", "ai_prune", "consolidate", "garden", "reconcile", "extract", "empty", "fold"}
STAGES = ("active", "weak", "dormant", "archived", "trashed")


@dataclass(frozen=True, slots=True)
class Way:
    """Where a task of curation is seen to: what there is of it, what that means, and the page."""

    one: str
    many: str
    told: str
    path: str
    label: str
    query: Mapping[str, str] = field(default_factory=dict)


TASKS = {
    "analyze_memory": Way(
        "stale group", "stale groups", "They belong together, and nobody used them for long.",
        "/review", "Review",
    ),
    "answer_question": Way(
        "open question", "open questions", "Two statements that may not both hold.",
        "/questions", "Answer",
    ),
    "get_pruning_candidates": Way(
        "orphan", "orphans", "Nothing leads to them, and nobody used them for a month.",
        "/review", "Review", {"isolated": "1"},
    ),
    "trigger_consolidation": Way(
        "new episode", "new episodes", "The job Consolidate makes few lessons of them.",
        "/jobs", "To the jobs",
    ),
    "merge_memories": Way(
        "group of duplicates", "groups of duplicates",
        "They say the same. The job Garden makes one of each, with a way back.",
        "/jobs", "To the jobs",
    ),
    "memory_link": Way(
        "memory without links", "memories without links",
        "Nothing to do: links come when memories are used together.",
        "/graph", "See where they lie",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Happening:
    """Operations of one kind in a row, told as one."""

    verb: str
    actor: str
    count: int
    changes: int
    newest: Operation
    asleep: bool

    @property
    def at(self) -> datetime:
        return self.newest.at


@router.get("/")
async def show(visit: Visit = READ) -> Response:
    """Shows the state of the space."""
    return visit.show("home.html", **await visit.run(look))


@router.get("/home/curation")
async def curation(visit: Visit = READ) -> Response:
    """Shows what could be put in order; it takes a while to find, so the page asks for it later."""
    found = await visit.run(lambda glymph: glymph.memetic_status(), large=True)
    return visit.show("_curation.html", status=found, tasks=TASKS)


def look(glymph: Glymph) -> dict[str, Any]:
    """Returns what the page shows."""
    seen = overview.oversee(glymph.context, weeks=WEEKS)
    return {
        "seen": seen,
        "bar": shares({stage: getattr(seen, stage) for stage in STAGES}),
        "flow": draw_flow(seen.flows),
        "status": glymph.autonomous_status(),
        "questions": glymph.questions(),
        "happenings": list(_tell(glymph.operations(limit=LOOKED_AT)))[:SHOWN],
    }


def _tell(operations: Iterable[Operation]) -> Iterator[Happening]:
    for (verb, actor), row in groupby(operations, lambda one: (one.verb, one.actor)):
        several = list(row)
        changes = sum(one.edits or one.changes for one in several)
        yield Happening(verb, actor, len(several), changes, several[0], verb in ASLEEP)
