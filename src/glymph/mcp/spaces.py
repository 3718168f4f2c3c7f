"""Handles for requests over HTTP: on the server's space, or on the one that a header names."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from glymph import environment
from glymph.checks import checked_space
from glymph.client import Glymph
from glymph.errors import InvalidInput, Refused, SpaceNotFound
from glymph.tools.contract import Tool

SPACE_HEADER = "Glymph-Space"
MOST_HANDLES = 256  # spaces whose handle is kept


class Handles:
    """Handles for requests: on one space, or on the one that a request's header names.

    All share the store, its connections and the embedding model, so that one more space costs
    little.
    """

    def __init__(self, glymph: Glymph, *, url: str | None = None, any_space: bool = False) -> None:
        self.first = glymph
        self._url, self._any_space = url, any_space
        self._kept: OrderedDict[tuple[str, str, str], Glymph] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, request: Any, tool: Tool) -> Glymph:
        """Returns the handle for a request.

        A space that does not exist yet is created by a tool that puts something into it, never by
        looking.
        """
        given = request.headers.get(SPACE_HEADER) if request is not None else None
        if given is None:
            return self.first
        space = read_space(given)
        if space != self.first.space and not self._any_space:
            raise InvalidInput(
                SPACE_HEADER,
                f"this server has the space {self.first.space!r} only. Leave the header out, or "
                "start the server with --any-space.",
            )
        return self.open(space, create=tool.opens_spaces)

    def open(
        self, space: str, *, actor: str | None = None, agents: str | None = None,
        create: bool = False,
    ) -> Glymph:  # fmt: skip
        """Returns the handle of a space and an actor; `create` makes a space that is missing.

        `agents` is the name whose day an agent uses up.
        """
        first = self.first
        key = (space, actor or first.actor, agents or first.context.agents)
        if key == (first.space, first.actor, first.context.agents):
            return first
        with self._lock:
            if (known := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
                return known
        opened = self._open(*key, create=create)
        with self._lock:
            opened = self._kept.setdefault(key, opened)
            while len(self._kept) > MOST_HANDLES:
                self._kept.popitem(last=False)  # nothing to close: what it is embedding it finishes
        return opened

    def _open(self, space: str, actor: str, agents: str, *, create: bool) -> Glymph:
        handle = Glymph(replace(self.first.context, space=space, actor=actor, agents=agents))
        try:
            with handle.context.reading():
                return handle
        except SpaceNotFound as error:
            if not create:
                raise SpaceNotFound(space, made_by="The first memory_add") from error
            self._create(handle)
        return handle

    def _create(self, handle: Glymph) -> None:
        try:
            environment.open_glymph(self._url, handle.space, handle.actor, create=True).close()
        except Refused:
            with handle.context.reading():
                return  # another server has just created it


def read_space(given: str) -> str:
    """Returns the name in a header, which is percent-encoded where it is not ASCII."""
    try:
        return checked_space(unquote(given, errors="strict"))
    except UnicodeDecodeError as error:
        raise InvalidInput(
            SPACE_HEADER, "is not UTF-8, percent-encoded. Encode the name again."
        ) from error
