"""The contexts in which upkeep runs: one for each space of a store."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator
from dataclasses import replace

from glymph.client import Glymph
from glymph.context import Context
from glymph.errors import ReadOnlyStore, SpaceNotFound
from glymph.llm.interrupt import stoppable


def contexts_of(
    glymph: Glymph, spaces: Collection[str], stop: threading.Event
) -> Iterator[Context]:
    """Yields the contexts of these spaces, or of all there are now, until `stop` is set."""
    for known in glymph.spaces():
        if stop.is_set():
            return
        if not spaces or known.name in spaces:
            yield context_in(glymph, known.name, stop)


def context_in(glymph: Glymph, space: str, stop: threading.Event) -> Context:
    """Returns the context for upkeep of a space. Its model is called off once `stop` is set."""
    # Vectors are left to the job that makes them.
    return replace(stoppable(glymph.context, stop), space=space, settle_soon=lambda ids: None)


def require_writable(glymph: Glymph, spaces: Collection[str] = ()) -> None:
    """Raises unless the store can be maintained and has all of these spaces."""
    if not glymph.context.store.writable:
        raise ReadOnlyStore(glymph.shown_url)
    known = {space.name for space in glymph.spaces()}
    for name in spaces:
        if name not in known:
            raise SpaceNotFound(name)
