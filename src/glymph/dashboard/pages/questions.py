"""Questions: two statements side by side, and one click."""

from __future__ import annotations

from starlette.responses import Response

from glymph.dashboard.page import DECIDE, Page
from glymph.dashboard.visit import READ, WRITE, Visit, page_router

router = page_router()
PAGE = Page("Questions", "/questions", router, group=DECIDE, order=20, key="q")
SHOWN = 25


@router.get("/questions")
async def show(visit: Visit = READ) -> Response:
    """Shows the doubts that wait for an answer, oldest first."""
    found = await visit.run(lambda g: g.questions())
    return visit.show("questions.html", questions=found[:SHOWN], total=len(found))


@router.post("/questions/{question_id}")
async def answer(question_id: str, visit: Visit = WRITE) -> Response:
    """Answers one of them."""
    choice, text = visit.text("choice"), visit.text("text") or None
    done = await visit.run(
        lambda g: g.answer(question_id, choice, text=text if choice == "merge" else None)
    )
    return visit.tell("/questions", done)
