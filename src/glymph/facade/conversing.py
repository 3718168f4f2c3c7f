"""What a handle does with conversations: their histories, and what a host's own compaction would lose."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glymph.core.draft import checked_text
from glymph.facade.handle import Handle

if TYPE_CHECKING:
    from glymph.core.history import HistorySettings
    from glymph.facade.history import History
    from glymph.services.conversation.erase import Erasure


def carried_over(transcript: str | Path) -> str:
    """What tells most of a session that its host has compacted; empty if nothing does."""
    from glymph.services.conversation import carry

    return carry.carried_over(transcript)


class Conversing(Handle):
    """What a handle does with conversations."""

    def conversations(
        self, folder: str | Path | None = None, *, settings: HistorySettings | Mapping[str, Any] | None = None,
        **more: Any,
    ) -> History:  # fmt: skip
        """The conversations of this space, in the usual place, in a folder, or with "store" in the store itself.

        The usual place is what the setting `history_folder` names, or a folder beside the file of the store, or on
        a server the store. `more` are the other arguments of `History`.
        """
        from glymph.facade.history import History
        from glymph.services.conversation.places import chosen_folder

        return History(chosen_folder(self._place, folder), self, settings=settings, **more)

    def carried_over(self, transcript: str | Path) -> str:
        """What tells most of a session that its host has compacted, without what was removed on request."""
        from glymph.services.conversation import carry

        return carry.carried_over(transcript, place=self._place)

    def erase_from_conversations(self, *texts: str, apply: bool = False) -> Erasure:
        """Cuts texts out of every conversation of this space for good; without `apply`, says how many files."""
        from glymph.services.conversation.erase import erase
        from glymph.store.erasing import Quotes

        for text in texts:
            checked_text("text", text, self._place.settings.max_text_chars)
        return erase(self._place, Quotes(texts), dry_run=not apply)
