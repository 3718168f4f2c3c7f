"""Keeps conversations short without losing what matters: transcripts, cursor, summaries, search.

    transcript.jsonl   every message, one a line; nothing is ever taken out
    state.json         the cursor and the summary of what lies before it, replaced as one
    memory.md          the summary (the machine's part) and the agent's page, for people to edit

Other rooms use the modules named here; each is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from glymph.lazy import load_on_first_use

if TYPE_CHECKING:
    from collections.abc import Sequence

    from glymph.context import TextKeeper
    from glymph.history import build as build
    from glymph.history import conversation as conversation
    from glymph.history import cut as cut
    from glymph.history import disk as disk
    from glymph.history import erase as erase
    from glymph.history import find as find
    from glymph.history import history as history
    from glymph.history import messages as messages
    from glymph.history import places as places
    from glymph.history import policy as policy
    from glymph.history import shelves as shelves
    from glymph.history import shorten as shorten
    from glymph.history import transcript as transcript
else:
    __getattr__ = load_on_first_use(__name__)


def list_text_keepers() -> Sequence[TextKeeper]:
    """Returns the parts that keep texts outside of memories; every context carries this list."""
    from glymph.forget.name_keeper import NameKeeper  # only a purge needs them
    from glymph.history.erase import ConversationKeeper

    return (ConversationKeeper(), NameKeeper())
