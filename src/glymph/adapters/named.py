"""Memories that a framework finds by an address of its own: folders, and a name in the last one.

The address is kept in the attributes, and in tags to search by: each folder with those above it
("users", "users.ada"), and the name ("#food"). The framework alone says what takes the place of
what: nothing is refused as junk, and nothing is compared with other memories. What upkeep archived
is still found by its address, but not by a search.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from glymph.client import Glymph
from glymph.context import Context
from glymph.errors import MemoryNotFound, Refused
from glymph.model import Hit, Memory, State
from glymph.prune.execute import put_away
from glymph.undo.restore import restore
from glymph.write.add import add
from glymph.write.edit import update

LONGEST_TAG = 180  # characters; a tag may have 200
PATH, NAME, VALUE = "folders", "name", "value"
TRIES = 1000
REMEMBERED = 10_000  # addresses whose ids are kept at hand


class Address(NamedTuple):
    folders: tuple[str, ...]
    name: str

    @property
    def tags(self) -> list[str]:
        depths = range(1, len(self.folders) + 1)
        return [*(folder_tag(self.folders[:depth]) for depth in depths), _cut(f"#{self.name}")]


def folder_tag(folders: tuple[str, ...]) -> str:
    return _cut(".".join(folders))


def _cut(tag: str) -> str:
    """Returns the tag, or a beginning and a hash of one that is too long."""
    if len(tag) <= LONGEST_TAG:
        return tag
    return f"{tag[: LONGEST_TAG - 17]}~{hashlib.sha256(tag.encode()).hexdigest()[:16]}"


def address_of(memory: Memory) -> Address | None:
    """Returns the address of a memory; None if it was not stored by one."""
    if NAME not in memory.attributes:
        return None
    return Address(tuple(memory.attributes[PATH]), memory.attributes[NAME])


class NamedMemories:
    """The memories of one source in the space of a handle, by address."""

    def __init__(self, glymph: Glymph, source: str) -> None:
        self.glymph = glymph
        self.source = source
        self._ids: dict[Address, str] = {}

    def _context(self, session: str | None) -> Context:
        ctx = self.glymph.context
        exact = replace(ctx.settings, junk_gate="off", compare="off")
        return replace(ctx, settings=exact, session=session or ctx.session)

    def now(self) -> datetime:
        return self.glymph.context.now()

    def find(self, address: Address) -> Memory | None:
        """Returns the memory at an address, also an archived one; None if there is none."""
        known = self._ids.get(address)
        found = None if known is None else self._get(known)
        if found is not None and self._stands_at(found, address):
            return found
        page = self.glymph.list(
            source=self.source, tags=address.tags[-2:], states=(State.LIVE, State.ARCHIVED),
            include_superseded=True, limit=self.glymph.settings.max_page,
        )  # fmt: skip
        same = [one for one in page if self._stands_at(one, address)]
        if not same:
            return None
        if len(self._ids) >= REMEMBERED:
            self._ids.clear()
        self._ids[address] = same[0].id
        return same[0]

    def _get(self, memory_id: str) -> Memory | None:
        try:
            return self.glymph.get(memory_id)
        except MemoryNotFound:
            return None

    def _stands_at(self, memory: Memory, address: Address) -> bool:
        kept = memory.state != State.TRASHED and not self._is_over(memory)
        return kept and address_of(memory) == address

    def _is_over(self, memory: Memory) -> bool:
        ends = memory.expires_at
        return ends is not None and ends <= self.now() and not memory.pinned

    def put(
        self, address: Address, text: str, value: Any = None, *, expires_at: datetime | None = None,
        session: str | None = None, more: Mapping[str, Any] | None = None,
    ) -> str:  # fmt: skip
        """Stores a memory at an address, or changes the one that is there; returns its id."""
        attributes = {PATH: list(address.folders), NAME: address.name, VALUE: value, **(more or {})}
        fields: dict[str, Any] = {
            "attributes": attributes, "tags": address.tags,
            "title": self._title(address), "expires_at": expires_at, "event_at": self.now(),
        }  # fmt: skip
        ctx = self._context(session)
        there = self.find(address)
        if there is None:
            return self._add(ctx, text, fields)
        if there.state == State.ARCHIVED:
            restore(ctx, there.id, reason=f"{self.source} wrote it again")
        update(ctx, there.id, text=text, **fields)
        return there.id

    def _title(self, address: Address) -> str:
        return "/".join((*address.folders, address.name))[: self.glymph.settings.max_title_chars]

    def _add(self, ctx: Context, text: str, fields: dict[str, Any]) -> str:
        """Stores a memory of its own, though another address may say the same at the same time."""
        for _ in range(TRIES):
            added = add(ctx, text, source=self.source, **fields)
            if added.refused is not None:
                raise Refused(f"It was not stored: {added.refused}.")
            if added.duplicate_of is None:
                return str(added.id)
            fields["event_at"] += timedelta(microseconds=1)
        raise Refused("It was not stored: other memories say the same at this very moment.")

    def extend(self, memory: Memory, expires_at: datetime, session: str | None = None) -> None:
        """Puts off the end of a memory."""
        update(self._context(session), memory.id, expires_at=expires_at)

    def move(self, memory: Memory, address: Address, session: str | None = None) -> None:
        """Gives a memory another address."""
        placed = {PATH: list(address.folders), NAME: address.name}
        update(
            self._context(session), memory.id, attributes={**memory.attributes, **placed},
            tags=address.tags, title=self._title(address),
        )  # fmt: skip

    def remove(self, memory: Memory, session: str | None = None) -> None:
        """Moves a memory to the trash; raises Refused if it must stay."""
        receipt = put_away(self._context(session), memory.id, "delete")
        for refusal in (*receipt.skipped, *receipt.failed):
            raise Refused(f"{memory.title} stays: {refusal.reason}.")

    def walk(
        self, folders: tuple[str, ...] = (), *, archived: bool = False, first: int | None = None
    ) -> Iterator[Memory]:
        """Yields what is in a folder and those below, newest first: what is live, or all.

        Whoever needs only the `first` few has no more read for them.
        """
        states = (State.LIVE, State.ARCHIVED) if archived else (State.LIVE,)
        cursor, longest = None, self.glymph.settings.max_page
        most = longest if first is None else min(max(first, 1), longest)
        tags = [folder_tag(folders)] if folders else None
        while True:
            page = self.glymph.list(
                source=self.source, tags=tags, states=states, include_superseded=True, limit=most,
                cursor=cursor,
            )  # fmt: skip
            yield from (one for one in page if self._lies_in(one, folders))
            if (cursor := page.cursor) is None:
                return
            most = min(2 * most, longest)

    def _lies_in(self, memory: Memory, folders: tuple[str, ...]) -> bool:
        address = address_of(memory)
        there = address is not None and address.folders[: len(folders)] == folders
        return there and not self._is_over(memory)

    def search(self, query: str, folders: tuple[str, ...], limit: int) -> list[Hit]:
        """Returns what answers a query in a folder and those below, best first."""
        hits = self.glymph.search(
            query, source=self.source, tags=[folder_tag(folders)] if folders else None,
            include_superseded=True, limit=min(limit, self.glymph.settings.max_page),
        )  # fmt: skip
        return [hit for hit in hits if self._lies_in(hit.memory, folders)]
