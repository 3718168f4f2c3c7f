"""What happens in a space, as it happens, from any process on the store: server-sent events."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from functools import partial

from starlette.responses import StreamingResponse

from glymph.client import Glymph
from glymph.errors import TooFast
from glymph.model import Operation
from glymph.service.serving import Asked

LASTS = 600.0  # seconds: who reads on comes again, and is asked again who it is
LOOK, ALIVE = 1.0, 15.0  # seconds between two looks at the journal, and between two signs of life
MOST_STREAMS = 64
PAGE = 100
MOST_AT_ONCE = 1000  # operations: who was away for longer lists them with GET /v1/operations
_open: set[object] = set()


async def open_stream(
    asked: Asked, last: str | None, write: Callable[[Operation], str]
) -> StreamingResponse:
    """Answers with the operations of a space as they come, each an event as `write` tells it.

    `last` is the id of the operation after which to go on; None: from now on. Who is cut off
    before anything happened learns at once where to go on.
    """
    if len(_open) >= MOST_STREAMS:
        raise TooFast(ALIVE)
    newest = await asked.run(_newest)
    if last is not None:
        await asked.run(lambda glymph: glymph.audit(last, limit=1))  # raises if there is none
    return StreamingResponse(_stream(asked, last or newest, write), media_type="text/event-stream")


async def _stream(
    asked: Asked, since: str | None, write: Callable[[Operation], str]
) -> AsyncIterator[bytes]:
    mark, quiet, end = object(), 0.0, time.monotonic() + LASTS
    _open.add(mark)
    try:
        yield f"retry: 2000\nid: {since or ''}\n\n".encode()
        while not asked.service.stopping.is_set() and time.monotonic() < end:
            for one in await asked.run(partial(_find_since, since=since)):
                since, quiet = one.id, 0.0
                yield f"id: {one.id}\n{write(one)}\n\n".encode()
            await asyncio.sleep(LOOK)
            quiet += LOOK
            if quiet >= ALIVE:
                quiet = 0.0
                yield b": alive\n\n"
    finally:
        _open.discard(mark)


def _newest(glymph: Glymph) -> str | None:
    return next((one.id for one in glymph.operations(limit=1)), None)


def _find_since(glymph: Glymph, since: str | None) -> list[Operation]:
    """Returns the operations after one, oldest first."""
    if _newest(glymph) == since:  # mostly: a hundred operations are not read for nothing
        return []
    new: list[Operation] = []
    cursor: str | None = None
    while len(new) < MOST_AT_ONCE:
        page = glymph.operations(limit=PAGE, cursor=cursor)
        for one in page:
            if one.id == since:
                return new[::-1]
            new.append(one)
        if (cursor := page.cursor) is None:
            break
    return new[::-1]
