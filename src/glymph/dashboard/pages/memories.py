"""Memories: search as the agent searches, browse, and one memory with all that happened to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, time
from typing import Any

from starlette.responses import Response

from glymph.client import Glymph
from glymph.dashboard.charts import draw_decay, draw_timeline
from glymph.dashboard.page import LOOK, Page
from glymph.dashboard.render import USES
from glymph.dashboard.visit import CURATE, READ, WRITE, Visit, page_router
from glymph.decay.sections import Section
from glymph.errors import InvalidInput, MemoryNotFound
from glymph.model import Change, Edge, Memory, Receipt, State
from glymph.service.access import Role
from glymph.upkeep import overview

router = page_router()
PAGE = Page("Memories", "/memories", router, group=LOOK, order=10, key="m")
WEEKS = 52  # of the timeline
FOUND, LISTED, MOST_LINKS, MOST_CHAIN = 30, 40, 60, 20
TOLD = (
    "title", "text", "kind", "section", "state", "pinned", "superseded_by", "tags", "entities",
    "attributes", "salience", "trust", "source", "event_at", "expires_at",
)  # fmt: skip
ACTIONS = {
    "archive": "Searches will no longer find it. It is kept, and comes back whenever you ask.",
    "delete": "It goes to the trash, and can come back from there until its time is over.",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One change in the history of a memory, with the values from before and after it."""

    change: Change
    fields: Mapping[str, tuple[Any, Any]]
    used: bool


@router.get("/memories")
async def show(visit: Visit = READ) -> Response:
    """Shows what a search finds and why; without one, the newest memories."""
    asked = visit.request.query_params
    filters = _filters(asked)
    query, cursor = asked.get("q", "").strip(), asked.get("cursor")
    values: dict[str, Any] = {"hits": (), "page": None, "query": query, "filters": filters}
    values["ticks"] = draw_timeline(
        await visit.run(lambda g: overview.count_arrivals(g.context, weeks=WEEKS))
    )
    if query:
        values["hits"] = await visit.run(lambda g: g.search(query, limit=FOUND, **filters))
    else:
        values["page"] = await visit.run(
            lambda g: g.list(limit=LISTED, cursor=cursor or None, **filters)
        )
    return visit.show("memories.html", states=list(State), sections=list(Section), **values)


def _filters(asked: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in ("kinds", "sections", "states", "tags"):
        if given := [one for one in asked.getlist(name) if one.strip()]:
            found[name] = given
    if asked.get("all"):
        found["include_superseded"] = True
    for name, end in (("since", time.min), ("until", time.max)):
        if day := asked.get(name):
            found[name] = datetime.combine(_day(name, day), end, UTC)
    return found


def _day(name: str, given: str) -> date:
    try:
        return date.fromisoformat(given)
    except ValueError:
        raise InvalidInput(name, f"{given[:40]!r} is no day. Write it as 2026-03-31.") from None


@router.get("/memories/{memory_id}")
async def show_one(memory_id: str, visit: Visit = READ) -> Response:
    """Shows a memory with its history, its place among others, and how it will fade."""
    return visit.show("memory.html", **await visit.run(lambda g: _look(g, memory_id)))


def _look(glymph: Glymph, memory_id: str) -> dict[str, Any]:
    memory = glymph.get(memory_id)
    edges = glymph.edges(memory_id)
    shown = edges[:MOST_LINKS]
    others = {other: _find(glymph, other) for edge in shown for other in (edge.source, edge.target)}
    with glymph.context.reading() as reader:
        curves = reader.curves()
    live = memory.state is State.LIVE
    steps = list(_steps(memory, glymph.history(memory_id)))[::-1]
    heirs = {one for step in steps for one in step.fields.get("superseded_by", ()) if one}
    named = {one: _find(glymph, one) for one in heirs}
    return {
        "memory": memory,
        "steps": steps,
        "names": {one: found.title for one, found in named.items() if found},
        "edges": [(edge, others[_other(edge, memory_id)]) for edge in shown],
        "more_edges": len(edges) - len(shown),
        "chain": _chain(glymph, memory, edges),
        "newer_ones": list(_doubts(memory, edges, others)) if live else (),
        "decay": draw_decay(memory, curves, glymph.context.now()) if live else None,
    }


def _other(edge: Edge, memory_id: str) -> str:
    return edge.target if edge.source == memory_id else edge.source


def _find(glymph: Glymph, memory_id: str) -> Memory | None:
    try:
        return glymph.get(memory_id)
    except MemoryNotFound:
        return None


def _doubts(
    memory: Memory, edges: Sequence[Edge], others: Mapping[str, Memory | None]
) -> Iterator[Memory]:
    """Yields the newer memories that may put this one out of date, while nobody has decided."""
    for edge in edges:
        if edge.type == "supersedes" and edge.target == memory.id and not memory.superseded_by:
            newer = others.get(edge.source)
            if newer is not None and newer.state is State.LIVE:
                yield newer


def _chain(glymph: Glymph, memory: Memory, edges: Sequence[Edge]) -> list[Memory]:
    """Returns the statements that replaced each other, the oldest first; empty if there is one."""
    older = [
        edge.target for edge in edges if edge.type == "supersedes" and edge.source == memory.id
    ]
    found = [one for one in (_find(glymph, each) for each in older) if one and one.superseded_by]
    chain = [*sorted(found, key=lambda one: one.created_at), memory]
    while chain[-1].superseded_by and len(chain) < MOST_CHAIN:
        newer = _find(glymph, chain[-1].superseded_by)
        if newer is None or newer in chain:
            break
        chain.append(newer)
    return chain if len(chain) > 1 else []


def _steps(memory: Memory, changes: Sequence[Change]) -> Iterator[Step]:
    """Yields the changes, each with what a field was and what it became."""
    after = {one.name: getattr(memory, one.name) for one in fields(memory)}
    told: list[Step] = []
    for change in reversed(changes):
        seen = {name: (old, after.get(name)) for name, old in change.before.items() if name in TOLD}
        used = bool(USES & change.before.keys())
        told.append(Step(change, {} if change.action == "insert" else seen, used))
        after |= change.before
    yield from reversed(told)


@router.post("/memories/{memory_id}/doubt")
async def decide(memory_id: str, visit: Visit = WRITE) -> Response:
    """Decides whether a newer memory puts this one out of date."""
    newer, choice = visit.text("newer"), visit.text("choice")
    if choice not in ("replaced", "both"):
        raise InvalidInput("choice", f"{choice[:40]!r} is no answer. Say which of the two holds.")
    put: Any = "link" if choice == "replaced" else "unlink"
    done = await visit.run(
        lambda g: getattr(g, put)(newer, memory_id, "supersedes", reason="decided by a person")
    )
    return visit.tell(f"/memories/{memory_id}", done)


@router.get("/memories/{memory_id}/{action}")
async def ask(memory_id: str, action: str, visit: Visit = CURATE) -> Response:
    """Shows what archiving or deleting a memory would do."""
    would = await visit.run(lambda g: _put_away(g, memory_id, action, dry_run=True))
    memory = await visit.run(lambda g: g.get(memory_id))
    return visit.show(
        "confirm.html", title=f"{action.capitalize()} this memory?", explained=ACTIONS[action],
        memories=[memory], receipt=would, action=f"/memories/{memory_id}/{action}",
        button=action.capitalize(), back=visit.href(f"/memories/{memory_id}"), fields={},
    )  # fmt: skip


@router.post("/memories/{memory_id}/{action}")
async def act(memory_id: str, action: str, visit: Visit = WRITE) -> Response:
    """Pins or unpins a memory, brings it back, or puts it away."""
    if action in ACTIONS:
        visit.access.check_role(Role.CURATE)
        work: Any = lambda g: _put_away(g, memory_id, action, dry_run=False)  # noqa: E731
    elif action in ("pin", "unpin", "restore"):
        work = lambda g: getattr(g, action)(memory_id)  # noqa: E731
    else:
        raise InvalidInput("action", f"{action[:40]!r} is nothing that can be done to a memory.")
    return visit.tell(f"/memories/{memory_id}", await visit.run(work))


def _put_away(glymph: Glymph, memory_id: str, action: str, *, dry_run: bool) -> Receipt:
    if action not in ACTIONS:
        raise InvalidInput("action", f"{action[:40]!r} is nothing that can be done to a memory.")
    put: Any = getattr(glymph, action)
    receipt: Receipt = put([memory_id], dry_run=dry_run)
    return receipt
