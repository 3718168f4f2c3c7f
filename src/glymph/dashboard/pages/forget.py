"""Forget: say whom or what, see what would go, and only then let it go."""

from __future__ import annotations

from starlette.responses import Response

from glymph.dashboard.page import DECIDE, Page
from glymph.dashboard.visit import CURATE, Visit, page_router
from glymph.errors import InvalidInput, Refused
from glymph.service.access import Role
from glymph.store.certificate import CLEAN

router = page_router()
PAGE = Page("Forget", "/forget", router, group=DECIDE, order=30, role=Role.CURATE, key="f")
MODES = ("release", "purge")
SHOWN = 20  # certificates


@router.get("/forget")
async def show(request: str = "", visit: Visit = CURATE) -> Response:
    """Shows where to say it, and what was removed for good before."""
    found = await visit.run(lambda g: g.certificates())
    return visit.show("forget.html", certificates=found[:SHOWN], request=request)


@router.post("/forget")
async def plan(visit: Visit = CURATE) -> Response:
    """Finds what a request means, and shows it as a plan. Nothing is changed."""
    request, mode = visit.text("request").strip(), visit.text("mode", "release")
    if mode not in MODES or not request:
        raise InvalidInput("request", "say whom or what to forget, such as a name or a number.")
    _check_mode(visit, mode)
    made = await visit.run(lambda g: g.forget(request, mode=mode), large=True)
    return visit.go(f"/forget/{made.id}")


def _check_mode(visit: Visit, mode: str) -> None:
    if mode == "purge" and not visit.may("admin"):
        raise Refused(
            "Removing for good takes the role admin. Choose “into the trash”, or sign in with a "
            "token of that role."
        )


@router.get("/forget/certificates/{operation}")
async def certificate(operation: str, visit: Visit = CURATE) -> Response:
    """Shows what a removal for good can vouch for."""
    found = await visit.run(lambda g: g.certificates())
    one = next((each for each in found if each.operation_id == operation), None)
    if one is None:
        raise InvalidInput(
            "operation", "there is no certificate of it. Forget lists those there are."
        )
    clean = [place for place in one.places if place.status == CLEAN]
    return visit.show(
        "certificate.html", certificate=one, clean=len(clean),
        places=[*(place for place in one.places if place not in clean), *clean],
    )  # fmt: skip


@router.get("/forget/{plan_id}")
async def look(plan_id: str, visit: Visit = CURATE) -> Response:
    """Shows a plan: what goes, what is reworded, what stays, and what may be meant."""
    return visit.show("forget_plan.html", plan=await visit.run(lambda g: g.forget_plan(plan_id)))


@router.post("/forget/{plan_id}")
async def apply(plan_id: str, visit: Visit = CURATE) -> Response:
    """Does exactly what the plan shows."""
    shown = await visit.run(lambda g: g.forget_plan(plan_id))
    _check_mode(visit, shown.mode)
    if shown.mode == "purge" and visit.text("sure") != "yes":
        raise Refused("Nothing was removed: say first that it is to be for good.")
    done = await visit.run(lambda g: g.forget(shown, mode=shown.mode, apply=True), large=True)
    if done.certificate is not None and done.succeeded:
        return visit.go(f"/forget/certificates/{done.operation_id}")
    return visit.tell("/forget", done.receipt)
