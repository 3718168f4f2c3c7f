"""Calls: a tool or a function is run once for its request, and its data becomes the answer."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any

from fastapi import Header
from starlette.requests import Request
from starlette.responses import Response

from glymph.client import Glymph
from glymph.errors import InvalidInput
from glymph.plain import plain
from glymph.service.retelling import Retell, retell
from glymph.service.serving import Asked
from glymph.store.once import AppliedBefore, OnceRequest, applying_once, check_applied
from glymph.tools.contract import Arguments, Tool
from glymph.tools.pages import MOST_BYTES, run_tool

LARGE = 100  # memories that a call asks for
RESUMED = ("memory_add",)  # tools that find what they answered before by themselves
REPLAYED = "Idempotency-Replayed"
Work = Callable[[Glymph], Any]
Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key", min_length=1, max_length=200, pattern=r"^[\x21-\x7e]+$",
        description="Sent again with the same request, it is applied once.",
    ),
]  # fmt: skip
IfMatch = Annotated[
    str | None,
    Header(alias="If-Match", description="The ETag of the memory as it was looked at: \"7\"."),
]  # fmt: skip


async def answer(
    asked: Asked, work: Work, *, request: Request, key: str | None = None,
    expects: tuple[str, int] | None = None, create: bool = False, large: bool = False,
    resumes: bool = False, retell: Retell = retell, status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:  # fmt: skip
    """Runs work with the handle, once for a request that has a key; answers with its data.

    Sent again, it is answered by `retell`, or by the work itself where that `resumes`.
    """
    fingerprint = await _fingerprint(request) if key else ""
    once = OnceRequest(key, fingerprint, expects, resumes=resumes)

    def apply(glymph: Glymph) -> bytes:
        return encode(find(glymph))

    def find(glymph: Glymph) -> Any:
        try:
            if key is not None and not resumes:
                with glymph.context.reading() as reader:
                    check_applied(reader, once)
            with applying_once(once):
                return work(glymph)
        except AppliedBefore as before:
            return retell(glymph, before)

    body = await asked.run(apply, create=create, large=large)
    told = {**(headers or {}), **({REPLAYED: "true"} if once.replayed else {})}
    return Response(body, status, told, media_type="application/json")


async def _fingerprint(request: Request) -> str:
    what = f"{request.method} {request.url.path}?{request.url.query}\n".encode()
    return hashlib.sha256(what + await request.body()).hexdigest()[:16]


async def call_tool(
    asked: Asked, tool: Tool, arguments: Arguments, *, request: Request, key: str | None = None,
    expects: tuple[str, int] | None = None, status: int = 200,
) -> Response:  # fmt: skip
    """Runs a tool as every way in does, and answers with its data."""

    def work(glymph: Glymph) -> dict[str, Any]:
        return run_tool(tool, glymph, arguments, most_bytes=MOST_BYTES)

    return await answer(
        asked, work, request=request, key=key, expects=expects, create=tool.opens_spaces,
        large=getattr(arguments, "limit", 0) > LARGE, resumes=tool.name in RESUMED, status=status,
    )  # fmt: skip


def respond(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Returns data as JSON."""
    return Response(encode(data), status, headers, media_type="application/json")


def encode(data: Any) -> bytes:
    """Returns data as JSON. Halves of pairs, which UTF-8 cannot write, are escaped."""
    # Most data is plain already; only what the encoder does not know is walked through.
    write = partial(json.dumps, data, default=plain, separators=(",", ":"), allow_nan=False)
    try:
        return write(ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return write().encode()


def parse_etag(memory_id: str, given: str | None) -> tuple[str, int] | None:
    """Returns the version that a memory is expected to have; None if any will do."""
    if given is None or given.strip() == "*":
        return None
    found = re.fullmatch(r'\s*"?(\d{1,18})"?\s*', given)
    if found is None:
        raise InvalidInput("If-Match", f'{given[:40]!r} is no ETag of a memory, such as "7".')
    return memory_id, int(found[1])
