"""Trash: what waits there, how long it can still come back, and the end of it."""

from __future__ import annotations

from starlette.responses import Response

from glymph.client import Glymph
from glymph.dashboard.page import DECIDE, Page
from glymph.dashboard.visit import ADMIN, CURATE, READ, Visit, page_router
from glymph.errors import InvalidInput
from glymph.model import Trashed

router = page_router()
PAGE = Page("Trash", "/trash", router, group=DECIDE, order=40, key="t")
SHOWN = 200
FOR_GOOD = (
    "They are removed for good, with their history. There is no undo, and a certificate says "
    "which places are clean."
)


@router.get("/trash")
async def show(visit: Visit = READ) -> Response:
    """Shows what is in the trash, the next to expire first."""
    found, days, now = await visit.run(
        lambda g: (g.trash(), g.settings.trash_days, g.context.now())
    )
    return visit.show("trash.html", trashed=found[:SHOWN], total=len(found), days=days, now=now,
                      expired=sum(one.expired for one in found))  # fmt: skip


@router.post("/trash/restore")
async def restore(visit: Visit = CURATE) -> Response:
    """Brings memories back to life."""
    ids = visit.texts("ids")
    if not ids:
        raise InvalidInput("ids", "nothing is chosen. Mark at least one memory, and try again.")
    return visit.tell("/trash", await visit.run(lambda g: g.restore(ids)))


@router.get("/trash/empty")
async def ask(all: bool = False, visit: Visit = ADMIN) -> Response:
    """Shows what emptying the trash would remove for good."""
    going = await visit.run(lambda g: _going(g, all=all))
    if not going:
        raise InvalidInput("trash", "nothing in it is past its time. There is nothing to remove.")
    return visit.show(
        "confirm.html", title="Empty the trash?", explained=FOR_GOOD, memories=going[:SHOWN],
        receipt=None, action="/trash/empty", button=f"Remove {len(going):,} for good",
        back=visit.href("/trash"), fields={"all": "1"} if all else {},
    )  # fmt: skip


def _going(glymph: Glymph, *, all: bool) -> list[Trashed]:
    return [one for one in glymph.trash() if all or one.expired]


@router.post("/trash/empty")
async def empty(visit: Visit = ADMIN) -> Response:
    """Removes for good what is past its time, or everything."""
    whole = bool(visit.text("all"))
    return visit.tell("/trash", await visit.run(lambda g: g.trash.empty(all=whole), large=True))


@router.post("/trash/{memory_id}/erase")
async def erase(memory_id: str, visit: Visit = ADMIN) -> Response:
    """Makes a plan to remove one memory for good, which is shown before anything is done."""
    plan = await visit.run(lambda g: g.forget(memory_id, mode="purge"))
    return visit.go(f"/forget/{plan.id}")
