"""The routes of the service, a router a file.

Other routes are mounted here: `ROUTERS` are for programs and stand in the OpenAPI document, `PAGES`
are for people and do not. Both come before the answer "there is nothing here".
"""

from __future__ import annotations

from fastapi import APIRouter

from glymph.service.routes import calls, events, memories, operator, tools, upkeep

ROUTERS: tuple[APIRouter, ...] = (
    operator.router,
    memories.router,
    upkeep.router,
    tools.router,
    calls.router,
    events.router,
)
PAGES: tuple[APIRouter, ...] = ()
