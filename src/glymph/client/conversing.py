"""What a handle does with conversations: their histories, and what a host's own compaction would
lose.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glymph.checks import checked_text
from glymph.client.handle import Handle
from glymph.errors import InvalidInput

if TYPE_CHECKING:
    from glymph.client.history import History
    from glymph.history.erase import Erasure as Erasure
    from glymph.history.places import Kept
    from glymph.history.policy import HistorySettings


def carried_over(transcript: str | Path) -> str:
    """What tells most of a session that its host has compacted; empty if nothing does."""
    from glymph.history.build import carry_over

    return carry_over(transcript)


class Conversing(Handle):
    """What a handle does with conversations."""

    def conversations(
        self, folder: str | Path | None = None, *, settings: HistorySettings | Mapping[str, Any] | None = None,
        **more: Any,
    ) -> History:  # fmt: skip
        """The conversations of this space, in the usual place, in a folder, or with "store" in the
        store itself.

        The usual place is what the setting `history_folder` names, or a folder beside the file of
        the store, or on a server the store. `more` are the other arguments of `History`.
        """
        from glymph.client.history import History
        from glymph.history.places import choose_folder

        return History(choose_folder(self._ctx, folder), self, settings=settings, **more)

    def every_conversation(self) -> list[Kept]:
        """The conversations of this space in all places, the one in which something was said last
        first.
        """
        from glymph.history import places

        return places.sort_newest_first([
            places.Kept(one.session, one.messages, one.summarised, one.newest_at, places.name_place(root))
            for root in places.list_roots(self._ctx)
            for one in self.conversations(places.name_place(root)).sessions()
        ])  # fmt: skip

    def conversations_with(
        self, session: str | None, *, settings: HistorySettings | Mapping[str, Any] | None = None
    ) -> History:
        """The conversations among which a session is, wherever it lies: the usual place is looked
        at first.

        Raises InvalidInput, which names some that there are, if it is nowhere.
        """
        from glymph.history import places

        for root in [] if session is None else places.list_roots(self._ctx):
            history = self.conversations(places.name_place(root), settings=settings)
            if history.exists(str(session)):
                return history
        known = dict.fromkeys(one.session for one in self.every_conversation())
        raise InvalidInput("session", places.explain_unknown(session, list(known)))

    def conversation_folders(self, *spaces: str) -> list[Path]:
        """The folders with conversations of some spaces, or of this one: exports and backups are
        without them.
        """
        from glymph.history import places

        found = (places.list_folders(self._ctx, space) for space in spaces or (self.space,))
        return list(dict.fromkeys(folder for folders in found for folder in folders))

    def memories_saying(self, text: str) -> list[str]:
        """The ids of memories that repeat a text whole, such as notes on a conversation it was cut
        out of.
        """
        from glymph.history.find import find_memories_repeating

        checked_text("text", text, self._ctx.settings.max_text_chars)
        return find_memories_repeating(self._ctx, text)

    def carried_over(self, transcript: str | Path) -> str:
        """What tells most of a session that its host has compacted, without what was removed on
        request.
        """
        from glymph.history.build import carry_over

        return carry_over(transcript, ctx=self._ctx)

    def erase_from_conversations(self, *texts: str, apply: bool = False) -> Erasure:
        """Cuts texts out of every conversation of this space for good; without `apply`, says how
        many files.
        """
        from glymph.history.erase import erase
        from glymph.text.quotes import Quotes

        for text in texts:
            checked_text("text", text, self._ctx.settings.max_text_chars)
        return erase(self._ctx, Quotes(texts), dry_run=not apply)
