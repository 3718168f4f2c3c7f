"""Conversations: what was said, what was made of it, and where it is kept."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from glymph.client import Glymph
from glymph.dashboard.page import LOOK, Page
from glymph.dashboard.visit import READ, Visit, page_router

router = page_router()
PAGE = Page("Conversations", "/conversations", router, group=LOOK, order=50, key="c")
SHOWN, TURNS, MEMORIES, LONGEST = 60, 40, 20, 4000


@router.get("/conversations")
async def show(visit: Visit = READ) -> Response:
    """Shows the conversations of all places, the most recent first."""
    found = await visit.run(lambda g: g.conversations.every())
    return visit.show("conversations.html", conversations=found[:SHOWN], total=len(found))


@router.get("/conversations/{session}")
async def show_one(session: str, visit: Visit = READ) -> Response:
    """Shows the newest turns of a conversation, its notes, and what was remembered of it."""
    return visit.show("conversation.html", **await visit.run(lambda g: _look(g, session)))


def _look(glymph: Glymph, session: str) -> dict[str, Any]:
    kept = glymph.conversations.with_session(session)
    messages = kept.messages(session)
    memories = glymph.list(limit=MEMORIES, session=session, include_superseded=True)
    return {
        "session": session,
        "turns": [_turn(message) for message in messages[-TURNS:]],
        "earlier": max(0, len(messages) - TURNS),
        "summary": kept.summary(session),
        "memories": list(memories),
    }


def _turn(message: Any) -> tuple[str, str]:
    content = message.get("content", "")
    if not isinstance(content, str):
        parts = content if isinstance(content, list) else [content]
        content = "\n".join(
            str(p.get("text") or p) if isinstance(p, dict) else str(p) for p in parts
        )
    text = content if len(content) <= LONGEST else content[: LONGEST - 1] + "…"
    return str(message.get("role", "")), text
