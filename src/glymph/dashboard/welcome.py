"""The way in and out: by a token, or by a link that counts once."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from glymph.dashboard.render import render
from glymph.dashboard.sign_in import OneTimeLinks, cookie_name, form_proof, is_local, is_own_form
from glymph.dashboard.visit import check_form, page_router, token_of
from glymph.errors import Unauthorized
from glymph.service.serving import service_of

router = page_router()
LONGEST_TOKEN = 512
USED = "This link was used already, or is too old. `glymph open` makes a new one."
UNKNOWN = "Nobody is known by this token: it is mistyped, has expired or was revoked."
ENDED = "Your token has expired or was revoked. Sign in with another to go on."


@router.get("/login")
async def show_sign_in(
    request: Request,
    key: str | None = None,
    ended: str | None = None,
    to: Annotated[str, Query(alias="next")] = "/",
) -> Response:
    """Shows where to put the token; a link that counts once lets in by itself."""
    if key is None:
        return _ask(request, to, ENDED if ended else "")
    links: OneTimeLinks = request.app.state.links
    token = links.redeem(key)
    if token is None:
        return _ask(request, to, USED, status=403)
    return _let_in(request, token, to)


@router.post("/login")
async def sign_in(request: Request) -> Response:
    """Lets somebody in who shows a token."""
    form = await request.form(max_files=0)
    to, token = str(form.get("next") or "/"), str(form.get("token") or "").strip()
    if not is_own_form(request, form.get("form"), None):
        return _ask(request, to, "The page was too old. Please try once more.", status=403)
    try:
        await service_of(request).admit(token[:LONGEST_TOKEN])
    except Unauthorized:
        return _ask(request, to, UNKNOWN, status=403)
    return _let_in(request, token, to)


@router.post("/logout")
async def sign_out(request: Request) -> Response:
    """Forgets the token of this browser."""
    check_form(request, await request.form(max_files=0), token_of(request))
    response = RedirectResponse("/login", 303)
    response.delete_cookie(cookie_name(request), path="/", httponly=True, samesite="strict")
    return response


def _ask(request: Request, to: str, problem: str, *, status: int = 200) -> Response:
    where = to if is_local(to) else "/"
    page = render("login.html", to=where, problem=problem, form_proof=form_proof(None))
    return HTMLResponse(page, status)


def _let_in(request: Request, token: str, to: str) -> Response:
    response = RedirectResponse(to if is_local(to) else "/", 303)
    secure = request.url.scheme == "https"
    response.set_cookie(
        cookie_name(request), token, path="/", httponly=True, samesite="strict", secure=secure
    )
    return response
