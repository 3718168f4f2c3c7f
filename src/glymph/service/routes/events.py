"""Server-sent events: what happens in a space, as it happens, from any process on the store."""

import asyncio
import json
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Header
from starlette.responses import Response, StreamingResponse

from glymph.client import Glymph
from glymph.errors import TooFast
from glymph.model import Operation
from glymph.plain import plain
from glymph.service.serving import READ, Asked

router = APIRouter(tags=["events"])

LOOK, ALIVE = 1.0, 15.0  # seconds between two looks at the journal, and between two signs of life
MOST_STREAMS = 64
PAGE = 100
MOST_AT_ONCE = 1000  # operations: who was away for longer lists them with GET /v1/operations
_open: set[object] = set()


@router.get(
    "/v1/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def events(
    asked: Asked = READ,
    last: Annotated[
        str | None, Header(alias="Last-Event-ID", description="Go on after this operation.")
    ] = None,
) -> Response:
    """Streams the operations of the space, each as an event whose id is the operation's."""
    if len(_open) >= MOST_STREAMS:
        raise TooFast(ALIVE)
    newest = await asked.run(lambda glymph: [one.id for one in glymph.operations(limit=1)])
    if last is not None:
        await asked.run(lambda glymph: glymph.audit(last, limit=1))  # raises if there is none
    since = last or (newest[0] if newest else None)
    return StreamingResponse(_stream(asked, since), media_type="text/event-stream")


async def _stream(asked: Asked, since: str | None) -> AsyncIterator[bytes]:
    mark, quiet = object(), 0.0
    _open.add(mark)
    try:
        yield b"retry: 2000\n\n"
        while not asked.service.stopping.is_set():
            for one in await asked.run(partial(_find_since, since=since)):
                since, quiet = one.id, 0.0
                data = json.dumps(plain(one))
                yield f"id: {one.id}\nevent: {one.verb}\ndata: {data}\n\n".encode()
            await asyncio.sleep(LOOK)
            quiet += LOOK
            if quiet >= ALIVE:
                quiet = 0.0
                yield b": alive\n\n"
    finally:
        _open.discard(mark)


def _find_since(glymph: Glymph, since: str | None) -> list[Operation]:
    """Returns the operations after one, oldest first."""
    new: list[Operation] = []
    while len(new) < MOST_AT_ONCE:
        page = glymph.operations(limit=PAGE, cursor=new[-1].id if new else None)
        for one in page:
            if one.id == since:
                return new[::-1]
            new.append(one)
        if len(page) < PAGE:
            break
    return new[::-1]
