"""Puts the pages into an application of the service."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from glymph.dashboard.live import router as live
from glymph.dashboard.page import all_pages
from glymph.dashboard.render import STATIC
from glymph.dashboard.sign_in import OneTimeLinks
from glymph.dashboard.visit import HEADERS
from glymph.dashboard.welcome import router as welcome


class OurFiles(StaticFiles):
    """The files beside the templates; their address changes with them, so browsers keep them."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_kept(message: dict[str, object]) -> None:
            if message["type"] == "http.response.start":
                kept = {**HEADERS, "Cache-Control": "public, max-age=31536000, immutable"}
                found = message.setdefault("headers", [])
                assert isinstance(found, list)
                found += [(name.lower().encode(), text.encode()) for name, text in kept.items()]
            await send(message)

        await super().__call__(scope, receive, send_kept)  # type: ignore[arg-type]


def add_pages(app: FastAPI, links: OneTimeLinks | None = None) -> OneTimeLinks:
    """Adds every page; returns the links by which somebody may be let in once."""
    app.state.links = links or OneTimeLinks()
    for router in (welcome, live, *(page.router for page in all_pages())):
        app.include_router(router, include_in_schema=False)
    app.mount("/static", OurFiles(directory=STATIC), name="static")
    return app.state.links  # type: ignore[no-any-return]
