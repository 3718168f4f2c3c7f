"""search_history: old turns of a conversation, also those that only a summary stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.plain import plain
from glymph.tools.arguments import Paged
from glymph.tools.contract import WORDS, Tool

if TYPE_CHECKING:
    from glymph.client import Glymph


class HistoryArguments(Paged):
    query: str = Field(description="What was said, in a few words.", json_schema_extra=WORDS)
    session: str | None = Field(
        None, description="The conversation's name; left out: the one you are in."
    )
    limit: int = Field(10, ge=1, le=100, description="Most turns to give back.")


def run(glymph: Glymph, args: HistoryArguments) -> Mapping[str, Any]:
    session = args.session or glymph.context.session
    found = glymph.conversations.with_session(session).search(
        str(session), args.query, limit=args.limit
    )
    return {"session": session, "turns": [plain(one) for one in found]}


TOOL = Tool(
    name="search_history",
    command="search-history",
    description="Find what was said earlier in a conversation, however long ago it was summarised.",
    arguments=HistoryArguments,
    run=run,
    profile="curator",
    read_only=True,
    idempotent=True,
    keep_chars=600,
)
