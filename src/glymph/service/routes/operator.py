"""Routes for whoever runs the service: is it alive, can it work, and who am I."""

from __future__ import annotations

import logging
from typing import Annotated

import anyio
from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from glymph.errors import GlymphError
from glymph.plain import plain
from glymph.service.access import Access, Role
from glymph.service.metrics import MEDIA_TYPE
from glymph.service.problems import problem
from glymph.service.serving import access_of, service_of

log = logging.getLogger("glymph.service")
router = APIRouter(tags=["service"])

READY_SECONDS = 5.0
_LOOKS = anyio.CapacityLimiter(2)  # of its own: a server with many calls in flight is ready


@router.get("/health")
async def health() -> dict[str, str]:
    """Tells that the process answers."""
    return {"status": "ok"}


@router.get("/ready")
async def ready(request: Request) -> Response:
    """Tells whether the store can be read."""
    first = service_of(request).handles.first

    def look() -> None:
        with first.context.reading():
            return

    try:
        with anyio.fail_after(READY_SECONDS):
            await anyio.to_thread.run_sync(look, abandon_on_cancel=True, limiter=_LOOKS)
    except (GlymphError, TimeoutError) as error:
        log.warning("not ready: %s", error or f"no answer of the store in {READY_SECONDS:.0f} s")
        return problem(503, "NotReady", "The store cannot be read. The server's log says why.")
    return JSONResponse({"status": "ready"})


@router.get("/v1/me")
async def me(access: Annotated[Access, Depends(access_of)]) -> JSONResponse:
    """Returns who the token belongs to, which spaces it opens, and how far it goes."""
    shown = {
        "name": access.name,
        "actor": access.actor,
        "spaces": list(access.spaces),
        "role": access.role.label,
        "expires_at": plain(access.expires_at),
    }
    return JSONResponse(shown)


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def metrics(request: Request, access: Annotated[Access, Depends(access_of)]) -> Response:
    """Returns figures of the process for Prometheus; none of them tells what a space holds."""
    access.check_role(Role.ADMIN)
    return Response(service_of(request).metrics.render(), media_type=MEDIA_TYPE)
