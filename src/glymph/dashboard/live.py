"""Tells the pages that are open that something has changed: a word for each operation."""

from __future__ import annotations

from typing import Annotated

from fastapi import Header
from starlette.responses import Response

from glymph.dashboard.visit import READ, Visit, page_router
from glymph.service.events import open_stream

router = page_router()


@router.get("/live")
async def follow(
    visit: Visit = READ, last: Annotated[str | None, Header(alias="Last-Event-ID")] = None
) -> Response:
    """Streams what is done in the space. Pages ask for what they show themselves."""
    return await open_stream(visit.asked, last or None, lambda one: f"data: {one.verb}")
