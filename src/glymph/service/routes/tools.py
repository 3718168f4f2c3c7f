"""Every tool under its own name, `POST /v1/tools/NAME`, by its own schema."""

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from glymph.service.access import role_for
from glymph.service.calling import Key, call_tool, respond
from glymph.service.routes.examples import body_of
from glymph.service.serving import READ, Asked, asked
from glymph.tools import all_tools
from glymph.tools.contract import Tool

router = APIRouter(tags=["tools"])


@router.get("/v1/tools")
async def list_tools(asked: Asked = READ) -> Response:
    """Returns every tool with the schema of its arguments and the role it needs."""
    found = [
        {
            "name": tool.name, "description": tool.description, "role": role_for(tool).label,
            "read_only": tool.read_only, "destructive": tool.destructive,
            "idempotent": tool.idempotent, "schema": tool.schema,
        }
        for tool in all_tools().values()
    ]  # fmt: skip
    return respond({"tools": found})


def route_for(tool: Tool) -> Callable[..., Awaitable[Response]]:
    """Returns the function that answers a request for a tool, its arguments in the body."""
    needed = asked(role_for(tool))

    async def call(
        request: Request,
        arguments: Annotated[tool.arguments, body_of(tool)],  # type: ignore[name-defined]
        asked: Asked = needed,
        key: Key = None,
    ) -> Response:
        return await call_tool(asked, tool, arguments, request=request, key=key)

    return call


for _tool in all_tools().values():
    router.post(
        f"/v1/tools/{_tool.name}", name=_tool.name, operation_id=_tool.name,
        summary=_tool.description,
    )(route_for(_tool))  # fmt: skip
