"""What a handle does to remember: add, change, supersede, pin, link."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Unpack

from glymph import forget, write
from glymph.client.handle import Handle
from glymph.model import Added, Edge, Receipt

if TYPE_CHECKING:  # what services take and give; each service is loaded when it is first called
    from glymph.write.draft import NewMemory
    from glymph.write.edit import MemoryChanges


class Remembering(Handle):
    """What a handle does to remember: add, change, supersede, pin, link."""

    def add(self, text: str, *, revive: bool = False, **fields: Unpack[NewMemory]) -> Added:
        """Stores one memory, or reinforces the live one of the same words; what it updates is
        flagged.

        The answer says what was done. `revive` takes in what was removed on request.
        """
        return write.add.add(self._ctx, text, revive=revive, **fields)

    def add_many(self, items: Iterable[str | Mapping[str, Any]]) -> list[Added]:
        """Stores many memories under one operation. An item is a text, or a mapping of `text` and
        fields.
        """
        return write.add.add_many(self._ctx, items)

    def update(
        self, memory_id: str, *, reason: str | None = None, **changes: Unpack[MemoryChanges]
    ) -> Receipt:
        """Changes the given fields of a memory; the old ones stay in its history."""
        return write.edit.update(self._ctx, memory_id, reason=reason, **changes)

    def supersede(self, old: str, new_text: str) -> Receipt:
        """Makes a new statement take an older one's place; `old` is an id, or describes the belief.

        `succeeded` names the older memory and the newer one.
        """
        return forget.supersede.supersede(self._ctx, old, new_text)

    def pin(self, memory_id: str, *, reason: str | None = None) -> Receipt:
        """Keeps a memory from being archived, trashed, superseded or merged away until it is
        unpinned.
        """
        return write.edit.pin(self._ctx, memory_id, reason=reason)

    def unpin(self, memory_id: str, *, reason: str | None = None) -> Receipt:
        return write.edit.unpin(self._ctx, memory_id, reason=reason)

    def link(
        self,
        a: str,
        b: str,
        type: str = "user_linked",
        weight: float | None = None,
        *,
        reason: str | None = None,
    ) -> Receipt:
        """Links memory a to memory b."""
        return write.link.link(self._ctx, a, b, type=type, weight=weight, reason=reason)

    def unlink(
        self, a: str, b: str, type: str = "user_linked", *, reason: str | None = None
    ) -> Receipt:
        return write.link.unlink(self._ctx, a, b, type=type, reason=reason)

    def edges(self, memory_id: str) -> list[Edge]:
        """The links of a memory to and from live ones."""
        return write.link.edges_of(self._ctx, memory_id)

    def write(self, text: str, mode: str = "replace") -> Receipt:
        """Replaces or extends the page an agent keeps about itself: its part of memory.md."""
        return write.edit.write_page(self._ctx, text, mode)

    def page(self) -> str:
        """The agent's own page; empty if it never wrote one."""
        return write.edit.read_page(self._ctx)
