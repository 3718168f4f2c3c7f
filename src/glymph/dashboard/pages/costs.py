"""Costs: what language models have cost, and what may still be spent."""

from __future__ import annotations

from starlette.responses import Response

from glymph.dashboard.page import RUN, Page
from glymph.dashboard.visit import READ, Visit, page_router

router = page_router()
PAGE = Page("Costs", "/costs", router, group=RUN, order=20, key="k")
PERIODS = (7, 30, 90, 365)


@router.get("/costs")
async def show(days: int = 30, visit: Visit = READ) -> Response:
    """Shows what was spent, by job, model and day."""
    costs, model, caps = await visit.run(
        lambda g: (g.costs(days=days), g.settings.model, g.settings.spend_daily_usd)
    )
    return visit.show("costs.html", costs=costs, days=days, periods=PERIODS, model=model, cap=caps)
