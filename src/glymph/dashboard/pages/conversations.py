"""Conversations: what was said, what was made of it, and where it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.responses import Response

from glymph.client import Glymph
from glymph.dashboard.page import LOOK, Page
from glymph.dashboard.visit import READ, Visit, page_router
from glymph.history.find import OldTurn
from glymph.history.places import Kept

router = page_router()
PAGE = Page("Conversations", "/conversations", router, group=LOOK, order=50, key="c")
FOUND, SHOWN, TURNS, MEMORIES, LONGEST = 20, 60, 40, 20, 4000


@router.get("/conversations")
async def show(visit: Visit = READ) -> Response:
    """Shows the conversations of all places, the most recent first."""
    query = visit.request.query_params.get("q", "").strip()
    found = await visit.run(lambda g: g.conversations.every())
    shown = found[:SHOWN]
    said = await visit.run(lambda g: _find(g, shown, query), large=True) if query else ()
    return visit.show(
        "conversations.html", conversations=shown, total=len(found), query=query, said=said
    )


@router.get("/conversations/{session}")
async def show_one(session: str, visit: Visit = READ) -> Response:
    """Shows the newest turns of a conversation, its notes, and what was remembered of it."""
    return visit.show("conversation.html", **await visit.run(lambda g: _look(g, session)))


def _find(glymph: Glymph, among: Sequence[Kept], query: str) -> list[tuple[str, OldTurn]]:
    """Returns the messages of conversations that say most of what is asked for."""
    hits = [
        (one.session, turn)
        for one in among
        for turn in glymph.conversations(one.where).search(one.session, query, limit=FOUND)
    ]
    return sorted(hits, key=lambda hit: hit[1].score, reverse=True)[:FOUND]


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
