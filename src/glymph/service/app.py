"""The application: every route behind the checks that all of them share."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from glymph import __version__
from glymph.client import Glymph
from glymph.errors import GlymphError
from glymph.forget import rights
from glymph.mcp.http import PATH, Door, unguarded
from glymph.mcp.server import server_for
from glymph.mcp.spaces import SPACE_HEADER
from glymph.service import problems
from glymph.service.access import role_for
from glymph.service.limits import Guard
from glymph.service.routes import PAGES, ROUTERS
from glymph.service.serving import ACTOR_HEADER, Service, bearer
from glymph.tools.contract import Profile, Tool

DESCRIPTION = (
    "Long-term memory for AI agents that cleans itself while the agent sleeps. Every request shows "
    "a token (`Authorization: Bearer TOKEN`) and may name a space (`Glymph-Space`)."
)
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {
        "description": "What is wrong, and what to do next.",
        "content": {problems.MEDIA_TYPE: {"schema": problems.SCHEMA}},
    }
    for status in problems.STATUSES
}


def make_app(service: Service) -> FastAPI:
    """Returns the application for a service."""
    app = FastAPI(
        title="Glymph",
        version=__version__,
        description=DESCRIPTION,
        openapi_url="/v1/openapi.json",
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        responses=PROBLEMS,
    )
    app.state.service = service
    for router in ROUTERS:
        app.include_router(router)
    for page in PAGES:
        app.include_router(page, include_in_schema=False)
    app.add_exception_handler(GlymphError, problems.answer_error)
    app.add_exception_handler(RequestValidationError, problems.answer_invalid)
    app.add_exception_handler(HTTPException, problems.answer_http)
    app.add_exception_handler(Exception, problems.answer_bug)
    return app


def serve_all(
    service: Service, door: Door, profile: Profile, extend: Callable[[FastAPI], object] = bool
) -> ASGIApp:
    """Returns the whole service: /v1 and pages, and MCP beside them, behind one guard.

    `extend` adds pages of a room above this one to the application.
    """

    def find(request: Any, tool: Tool) -> Glymph:
        access = service.gate.recall(bearer(request)) or service.gate.admit(bearer(request))
        access.check_role(role_for(tool))
        rights.act_as(access.role.label)  # in the context of this call, which ends with it
        space = service.choose_space(access, request.headers.get(SPACE_HEADER))
        actor = service.choose_actor(access, request.headers.get(ACTOR_HEADER))
        return service.open(access, space, actor, create=tool.opens_spaces)

    threads = (service.limiter, service.large)
    agents = unguarded(server_for(find, profile, threads=threads), None)
    api = make_app(service)
    extend(api)
    return Guard(_Switch(service, api, agents), service.limits, door.security())


class _Switch:
    """Leads a request to MCP or to the routes, and counts it."""

    def __init__(self, service: Service, api: FastAPI, agents: ASGIApp) -> None:
        self._service, self._agents = service, agents
        self._api = GZipMiddleware(api, minimum_size=1024, compresslevel=5)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._agents(scope, receive, send)  # the SDK's application has one, /v1 has none
        elif scope["type"] == "http":
            await self._count(scope, receive, send)

    async def _count(self, scope: Scope, receive: Receive, send: Send) -> None:
        status, began = 500, time.perf_counter()

        async def note(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            inner = self._lead_agents if scope["path"] == PATH else self._api
            await inner(scope, receive, note)
        finally:
            route = getattr(scope.get("route"), "path", PATH if scope["path"] == PATH else "-")
            took = time.perf_counter() - began
            self._service.metrics.count(scope["method"], route, status, took)

    async def _lead_agents(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        inner: ASGIApp = self._agents
        try:
            await self._service.admit(bearer(request))
            if scope["method"] != "POST":  # there are no sessions, so no stream to open or to end
                said = f"POST MCP messages to {PATH}."
                inner = problems.problem(405, "MethodNotAllowed", said, {"Allow": "POST"})
        except GlymphError as error:
            inner = problems.answer_error(request, error)
        await inner(scope, receive, send)
