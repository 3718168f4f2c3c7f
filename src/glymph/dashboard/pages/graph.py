"""Graph: every live memory and its links on one canvas."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from starlette.responses import JSONResponse, Response

from glymph.dashboard.page import LOOK, Page
from glymph.dashboard.visit import READ, Visit, page_router
from glymph.model import Graph
from glymph.text.controls import remove_controls

router = page_router()
PAGE = Page("Graph", "/graph", router, group=LOOK, order=20, key="g")
TITLE = 60  # characters
STAGES = ("ACTIVE", "WEAK", "DORMANT")
MOST = 50_000  # memories that a canvas is asked to draw


@router.get("/graph")
async def show(focus: str = "", visit: Visit = READ) -> Response:
    """Shows the canvas, which asks for its data itself."""
    return visit.show("graph.html", focus=focus)


@router.get("/graph/data")
async def data(visit: Visit = READ) -> Response:
    """Returns the graph in columns: short names would be most of it otherwise."""
    return JSONResponse(pack(await visit.run(lambda g: g.graph(), large=True)))


@router.get("/graph/memories/{memory_id}")
async def card(memory_id: str, visit: Visit = READ) -> Response:
    """Shows one memory beside the canvas."""
    memory, edges = await visit.run(lambda g: (g.get(memory_id), g.edges(memory_id)))
    return visit.show("_card.html", memory=memory, links=len(edges))


def pack(graph: Graph, now: datetime | None = None) -> dict[str, Any]:
    """Returns a graph as columns of numbers, with words by their place in a list."""
    now = now or datetime.now(UTC)
    nodes = graph.nodes[:MOST]
    place = {node["id"]: number for number, node in enumerate(nodes)}
    kinds = sorted({node["kind"] for node in nodes})
    links = [
        (place[edge["source"]], place[edge["target"]], edge["weight"])
        for edge in graph.edges
        if edge["source"] in place and edge["target"] in place
    ]
    return {
        "ids": [node["id"] for node in nodes],
        "titles": [remove_controls(node["title"][:TITLE]) for node in nodes],
        "kinds": kinds,
        "kind": [kinds.index(node["kind"]) for node in nodes],
        "stage": [STAGES.index(node["lifecycle"]) for node in nodes],
        "presence": [round(node["retrievability"], 3) for node in nodes],
        "idle": [_days(node["last_used_at"] or node["created_at"], now) for node in nodes],
        "edges": [end for source, target, _ in links for end in (source, target)],
        "weights": [round(weight, 2) for _, _, weight in links],
        "left_out": len(graph.nodes) - len(nodes),
    }


def _days(then: str, now: datetime) -> int:
    return max(0, (now - datetime.fromisoformat(then)).days)
