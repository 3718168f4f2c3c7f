"""The application: every route behind the checks that all of them share."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from glymph import __version__
from glymph.errors import GlymphError
from glymph.service import problems
from glymph.service.routes import PAGES, ROUTERS
from glymph.service.serving import Service

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
