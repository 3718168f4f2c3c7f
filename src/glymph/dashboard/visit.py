"""A visit: who looks at a page, in which space, and how the page answers."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, TypeVar
from urllib.parse import parse_qs, urlencode

from fastapi import APIRouter, Depends, Query
from fastapi.routing import APIRoute
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from glymph.client import Glymph
from glymph.dashboard.render import render
from glymph.dashboard.sign_in import FORM_FIELD, cookie_name, form_proof, is_local, is_own_form
from glymph.errors import GlymphError, InvalidInput, OperationNotFound, Unauthorized
from glymph.model import Audit, Receipt
from glymph.service.access import Access, Role
from glymph.service.problems import status_for
from glymph.service.serving import Asked, bearer, service_of

T = TypeVar("T")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with none at all, browsers hide where a form is from
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
MOST_DONE, NAMED = 3, 5  # operations that a page tells of, and memories of each by name
MOST_FIELDS = 20_000  # of a form: a plan may have as many members
PAGES_OWN = ("done", "space")  # parts of an address that do not belong to what is looked at


@dataclass(frozen=True, slots=True)
class Visit:
    """One look at a page."""

    request: Request
    asked: Asked
    token: str | None
    form: FormData
    given_space: str | None = None
    done: tuple[Audit, ...] = ()  # what was just done, to be shown with the way back

    @property
    def access(self) -> Access:
        return self.asked.access

    @property
    def space(self) -> str:
        return self.asked.space

    @property
    def is_fragment(self) -> bool:
        """Whether a part of a page asks, and not a person for a whole one."""
        return self.request.headers.get("hx-request") == "true"

    async def run(self, work: Callable[[Glymph], T], *, large: bool = False) -> T:
        """Runs work with the handle of the space, in a thread."""
        return await self.asked.run(work, large=large)

    def may(self, role: str) -> bool:
        """Tells whether the visitor goes as far as a role."""
        return self.access.role >= Role[role.upper()]

    def href(self, path: str, **query: Any) -> str:
        """Returns the address of a page in the same space."""
        wanted = {name: value for name, value in query.items() if value not in (None, "", ())}
        if self.given_space is not None:
            wanted.setdefault("space", self.given_space)
        return f"{path}?{urlencode(wanted, doseq=True)}" if wanted else path

    def here(self, **query: Any) -> str:
        """Returns the address of this page, with other parts."""
        kept = {
            name: self.request.query_params.getlist(name)
            for name in self.request.query_params
            if name not in PAGES_OWN
        }
        return self.href(self.request.url.path, **{**kept, **query})

    def show(self, template: str, *, code: int = 200, **values: Any) -> Response:
        """Answers with a template."""
        return HTMLResponse(
            render(template, visit=self, form_proof=form_proof(self.token), **values), code
        )

    def go(self, path: str, **query: Any) -> Response:
        """Answers with another page, to be looked at."""
        where = self.href(path, **query)
        if self.is_fragment:
            return Response(status_code=204, headers={"HX-Redirect": where})
        return RedirectResponse(where, 303)

    def tell(self, path: str, *receipts: Receipt, **query: Any) -> Response:
        """Answers with a page that shows what was done; where nothing was, with the reasons."""
        if done := [one.operation_id for one in receipts if one.succeeded]:
            return self.go(path, **query, done=done)
        return self.show("receipt.html", receipts=receipts, back=self.href(path, **query))

    def text(self, field: str, default: str = "") -> str:
        """Returns a field of the form."""
        return str(self.form.get(field) or default)

    def texts(self, field: str) -> list[str]:
        """Returns every value of a field of the form."""
        return [str(one) for one in self.form.getlist(field)]

    @property
    def back(self) -> str:
        """The page that a form came from, as it says."""
        where = self.text("back", "/")
        return where if is_local(where) else "/"

    def return_with(self, *receipts: Receipt) -> Response:
        """Answers with the page that the form came from, which shows what was done."""
        path, _, query = self.back.partition("?")
        kept = {name: found for name, found in parse_qs(query).items() if name not in PAGES_OWN}
        return self.tell(path, *receipts, **kept)


def visiting(role: Role) -> Any:
    """Returns the dependency of a page that needs a role."""

    async def check(
        request: Request, space: Annotated[str | None, Query(min_length=1)] = None
    ) -> Visit:
        service, token = service_of(request), token_of(request)
        access = await service.admit(token)
        access.check_role(role)
        chosen = service.choose_space(access, space)
        form = FormData()
        if request.method == "POST":
            form = await request.form(max_fields=MOST_FIELDS, max_files=0)
            check_form(request, form, token)
        asked = Asked(service, access, chosen, access.actor)
        done = request.query_params.getlist("done")[:MOST_DONE]
        told = await asked.run(partial(_recount, done)) if done else ()
        return Visit(request, asked, token, form, space, told)

    return Depends(check)


READ, WRITE, CURATE, ADMIN = map(visiting, Role)


def _recount(operations: Sequence[str], glymph: Glymph) -> tuple[Audit, ...]:
    """Returns what operations did, those that there are."""
    told = []
    for operation in operations:
        try:
            told.append(glymph.audit(operation, limit=NAMED))
        except (OperationNotFound, InvalidInput):
            continue  # an address that somebody wrote by hand
    return tuple(told)


def token_of(request: Request) -> str | None:
    """Returns the token that a browser keeps for its visitor, or that a program shows."""
    return request.cookies.get(cookie_name(request)) or bearer(request)


def check_form(request: Request, form: FormData, token: str | None) -> None:
    """Raises InvalidInput unless a form is one of ours."""
    if not is_own_form(request, form.get(FORM_FIELD), token):
        raise InvalidInput(
            "form", "it was not sent from a page of this server, or the page is from before you "
            "signed in. Nothing was changed: open the page again, and send it from there.",
        )  # fmt: skip


class PageRoute(APIRoute):
    """A route for people: what goes wrong is a page as well, and every answer has the policy."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Returns the handler."""
        inner = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                response = await inner(request)
            except Unauthorized:
                response = send_to_sign_in(request)
            except GlymphError as error:
                response = show_problem(request, status_for(error), str(error))
            except HTTPException as error:
                response = show_problem(request, error.status_code, str(error.detail))
            for name, value in HEADERS.items():
                response.headers.setdefault(name, value)
            return response

        return handle


def page_router() -> APIRouter:
    """Returns a router for the routes of a page."""
    return APIRouter(route_class=PageRoute)


def send_to_sign_in(request: Request) -> Response:
    """Answers with the way to sign in, and back to the page that was asked for."""
    asked_for = request.url.path
    if request.method == "GET" and request.url.query:
        asked_for = f"{asked_for}?{request.url.query}"
    if request.method != "GET":
        asked_for = "/"
    late = bool(request.cookies.get(cookie_name(request)))
    where = f"/login?{urlencode({'next': asked_for, **({'ended': '1'} if late else {})})}"
    if request.headers.get("hx-request") == "true":
        return Response(status_code=204, headers={"HX-Redirect": where})
    return RedirectResponse(where, 303)


def show_problem(request: Request, status: int, detail: str) -> Response:
    """Answers with what is wrong, and what to do next."""
    whole = request.headers.get("hx-request") != "true"
    back = request.headers.get("hx-current-url") or "/"
    page = render("problem.html" if whole else "_problem.html", detail=detail, back=back)
    # A part of a page is put in its place also where something is wrong.
    return HTMLResponse(page, status if whole else 200)
