"""Server-sent events: what happens in a space, as it happens, from any process on the store."""

import json
from typing import Annotated

from fastapi import APIRouter, Header
from starlette.responses import Response, StreamingResponse

from glymph.model import Operation
from glymph.plain import plain
from glymph.service.events import open_stream
from glymph.service.serving import READ, Asked

router = APIRouter(tags=["events"])


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
    return await open_stream(asked, last, _write)


def _write(one: Operation) -> str:
    return f"event: {one.verb}\ndata: {json.dumps(plain(one))}"
