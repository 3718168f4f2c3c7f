"""What every part of a handle has: the workplace it works in, and the thread that embeds what was
added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from glymph.config import Settings
from glymph.context import Context
from glymph.text.masking import masked
from glymph.write.backfill import Background

LAST_EMBEDDINGS = 5.0  # seconds a closing handle gives to memories that wait for their vectors


class Handle:
    """One space of a store, held by one actor."""

    def __init__(self, ctx: Context) -> None:
        self._move_into(ctx)

    def _move_into(self, ctx: Context) -> None:
        self._background = Background(ctx)
        self._ctx = replace(ctx, embed_soon=self._background.take)

    @property
    def context(self) -> Context:
        """What services and jobs work with."""
        return self._ctx

    @property
    def url(self) -> str:
        """Where the store is, as it was given: a password in it is there, too."""
        return self._ctx.store.url

    @property
    def shown_url(self) -> str:
        """The same as it may be shown."""
        return masked(self._ctx.store.url)[0]

    @property
    def space(self) -> str:
        return self._ctx.space

    @property
    def actor(self) -> str:
        return self._ctx.actor

    @property
    def settings(self) -> Settings:
        return self._ctx.settings


def exhaust(counts: Iterable[int], progress: Callable[[int], None] | None) -> int:
    """The last of the counts, each of them told meanwhile."""
    total = 0
    for total in counts:
        if progress is not None:
            progress(total)
    return total
