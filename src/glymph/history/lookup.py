"""Which conversations a space has, wherever they lie, and what else in it says what one of them
says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from glymph.context import Context
from glymph.history import places
from glymph.model import State
from glymph.recall.search import MAX_QUERY_CHARS, search
from glymph.text.quotes import Quotes

MOST_NAMED = 10  # conversations in a message
MOST_SAYING = 100  # memories that are looked at
NONE_YET = "There is none yet: `History.append` begins one."


@dataclass(frozen=True, slots=True)
class Kept:
    """A conversation in a list of those of all places: what `Listed` says, and where it lies."""

    session: str
    messages: int
    summarised: int
    newest_at: datetime | None
    where: str  # its folder, or `store`, as `Glymph.conversations` takes it


def roots(ctx: Context) -> list[Path | None]:
    """Every place in which conversations of the space may lie, the usual one first; None stands for
    the store.
    """
    usual = places.usual_folder(ctx)
    first = None if usual is None else usual.absolute()
    return list(dict.fromkeys((first, None, *places.roots(ctx, ctx.space))))


def where(root: Path | None) -> str:
    """A place as `Glymph.conversations` takes it."""
    return places.IN_STORE if root is None else str(root)


def in_order(found: Sequence[Kept]) -> list[Kept]:
    """The conversation in which something was said last first."""
    return sorted(found, key=lambda one: (one.newest_at is not None, one.newest_at), reverse=True)


def unknown(session: str | None, known: Sequence[str]) -> str:
    """What to say to somebody who names no conversation, or one that there is not."""
    told = "name the conversation" if session is None else f"there is no conversation {session!r}"
    if not known:
        return f"{told}. {NONE_YET}"
    names = ", ".join(repr(name) for name in known[:MOST_NAMED])
    more = f" and {len(known) - MOST_NAMED:,} more" if len(known) > MOST_NAMED else ""
    return f"{told}. Known: {names}{more}."


def saying(ctx: Context, text: str) -> list[str]:
    """The ids of memories that repeat a text whole, archived ones included."""
    repeats = Quotes((text,)).whole
    states = (State.LIVE, State.ARCHIVED)
    most = min(MOST_SAYING, ctx.settings.max_page)
    hits = search(ctx, text[:MAX_QUERY_CHARS], limit=most, states=states, include_superseded=True)
    return [hit.memory.id for hit in hits if repeats(hit.memory.text)]
