"""Operations: who did what, when and why, and one click to take it back."""

from __future__ import annotations

from starlette.responses import Response

from glymph.dashboard.page import LOOK, Page
from glymph.dashboard.visit import READ, WRITE, Visit, page_router

router = page_router()
PAGE = Page("Operations", "/operations", router, group=LOOK, order=40, key="o")
SHOWN, TOUCHED = 40, 200


@router.get("/operations")
async def show(
    actor: str = "", verb: str = "", session: str = "", cursor: str = "",
    visit: Visit = READ,
) -> Response:  # fmt: skip
    """Shows operations, newest first."""
    found = await visit.run(
        lambda g: g.operations(
            limit=SHOWN, actor=actor.strip() or None, verb=verb.strip() or None,
            session=session.strip() or None, cursor=cursor or None,
        )
    )  # fmt: skip
    return visit.show(
        "operations.html", operations=found, actor=actor, verb=verb, session=session,
        older=found.cursor,
    )  # fmt: skip


@router.get("/operations/{operation_id}")
async def show_one(operation_id: str, visit: Visit = READ) -> Response:
    """Shows one operation with the memories it touched, before and after."""
    told = await visit.run(lambda g: g.audit(operation_id, limit=TOUCHED))
    return visit.show("operation.html", audit=told)


@router.post("/operations/{operation_id}/undo")
async def undo(operation_id: str, visit: Visit = WRITE) -> Response:
    """Takes an operation back, and shows where one was what has become of it."""
    return visit.return_with(await visit.run(lambda g: g.undo(operation_id)))
