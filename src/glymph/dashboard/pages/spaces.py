"""Spaces: the memories of a store that the visitor may open."""

from __future__ import annotations

from starlette.responses import Response

from glymph.client import Glymph
from glymph.dashboard.page import RUN, Page
from glymph.dashboard.visit import READ, Visit, page_router
from glymph.model import Space
from glymph.service.access import Access

router = page_router()
PAGE = Page("Spaces", "/spaces", router, group=RUN, order=40, key="p")
SHOWN = 500


@router.get("/spaces")
async def show(visit: Visit = READ) -> Response:
    """Shows the spaces, each a link into it."""
    found = await visit.run(lambda g: _list(g, visit.access))
    return visit.show("spaces.html", spaces=found[:SHOWN], total=len(found))


def _list(glymph: Glymph, access: Access) -> list[Space]:
    return [space for space in glymph.spaces() if access.opens(space.name)]
