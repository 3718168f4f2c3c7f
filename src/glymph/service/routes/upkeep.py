"""Plans, prunes, the trash, operations and jobs: what keeps a memory clean, and the way back."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from glymph.client import Glymph
from glymph.errors import InvalidInput
from glymph.jobs.registry import all_jobs, scheduled_jobs
from glymph.jobs.schedule import mark_as_due
from glymph.plain import plain
from glymph.service.access import role_for
from glymph.service.calling import Key, answer, call_tool
from glymph.service.routes.memories import Ids, Model
from glymph.service.routes.tools import route_for
from glymph.service.serving import ADMIN, CURATE, READ, WRITE, Asked, asked
from glymph.tools import all_tools, data

router = APIRouter(tags=["upkeep"])
TOOLS = all_tools()
# Tools at an address of their own: with POST by a body, with GET by a query.
POSTED = {
    "/v1/search": "memory_search", "/v1/recall": "memory_recall", "/v1/report": "memory_report",
    "/v1/questions/answer": "answer_question", "/v1/plans": "analyze_memory",
    "/v1/prune": "batch_prune", "/v1/undo": "undo_operation", "/v1/forget": "forget_concept",
    "/v1/merge": "merge_memories", "/v1/restore": "restore_memory",
    "/v1/supersede": "memory_supersede",
}  # fmt: skip
ASKED_FOR = {
    "/v1/operations": "get_operations", "/v1/costs": "get_costs",
    "/v1/memory-health": "get_memory_health", "/v1/memetics": "get_memetic_status",
    "/v1/jobs": "get_autonomous_status", "/v1/candidates": "get_pruning_candidates",
    "/v1/conversations/search": "search_history",
}  # fmt: skip


class EmptyTrash(Model):
    all: bool = Field(
        False, description="Also what has not been there for its time.", examples=[False]
    )


def _posted(path: str, name: str) -> None:
    tool = TOOLS[name]
    router.post(path, name=f"post {path}", summary=tool.description)(route_for(tool))


def _asked_for(path: str, name: str) -> None:
    tool = TOOLS[name]
    needed = asked(role_for(tool))

    async def look(
        request: Request,
        arguments: Annotated[tool.arguments, Query()],  # type: ignore[name-defined]
        asked: Asked = needed,
    ) -> Response:
        return await call_tool(asked, tool, arguments, request=request)

    router.get(path, name=f"get {path}", summary=tool.description)(look)


for _path, _name in POSTED.items():
    _posted(_path, _name)
for _path, _name in ASKED_FOR.items():
    _asked_for(_path, _name)


@router.get("/v1/questions")
async def questions(request: Request, asked: Asked = READ) -> Response:
    """Returns the doubts about two memories that wait for an answer."""
    return await answer(
        asked, lambda glymph: {"questions": plain(glymph.questions())}, request=request
    )


@router.get("/v1/plans")
async def plans(request: Request, asked: Asked = READ) -> Response:
    """Returns the plans that have not expired, newest first."""
    return await answer(
        asked, lambda glymph: {"plans": [data.dump_plan(one) for one in glymph.plans()]},
        request=request, large=True,
    )  # fmt: skip


@router.get("/v1/plans/{id}")
async def plan(request: Request, id: str, asked: Asked = READ) -> Response:
    """Returns a plan with its groups, their members and the reasons."""
    return await answer(asked, lambda glymph: data.dump_plan(glymph.plan(id)), request=request)


@router.get("/v1/operations/{id}")
async def operation(request: Request, id: str, asked: Asked = READ) -> Response:
    """Returns an operation with the memories it touched, before and after."""
    return await answer(asked, lambda glymph: glymph.audit(id), request=request)


@router.post("/v1/operations/{id}/undo")
async def undo(request: Request, id: str, asked: Asked = WRITE, key: Key = None) -> Response:
    """Takes an operation back."""
    tool = TOOLS["undo_operation"]
    arguments = tool.arguments.model_validate({"operation_id": id})
    return await call_tool(asked, tool, arguments, request=request, key=key)


@router.get("/v1/trash")
async def trash(request: Request, asked: Asked = READ) -> Response:
    """Returns what is in the trash, the next to expire first."""
    return await answer(asked, lambda glymph: {"trash": plain(glymph.trash())}, request=request)


@router.post("/v1/trash/empty")
async def empty_trash(
    request: Request, body: EmptyTrash, asked: Asked = ADMIN, key: Key = None
) -> Response:
    """Removes for good what has been in the trash for its time, or everything. No undo.

    It needs what a purge needs, the role admin.
    """
    return await answer(
        asked, lambda glymph: glymph.trash.empty(all=body.all), request=request, key=key
    )


@router.post("/v1/archive")
async def archive(request: Request, body: Ids, asked: Asked = CURATE, key: Key = None) -> Response:
    """Hides memories from recall; they are kept and come back whenever asked."""
    return await answer(
        asked, lambda glymph: glymph.archive(body.ids, reason=body.reason), request=request, key=key
    )


@router.post("/v1/jobs/{name}", status_code=202)
async def start_job(request: Request, name: str, asked: Asked = CURATE) -> Response:
    """Makes a job due now; a worker runs it, and GET /v1/jobs tells how it went."""

    def mark(glymph: Glymph) -> dict[str, object]:
        known = {job.name: job.schedule for job in scheduled_jobs(all_jobs())}
        if name not in known:
            raise InvalidInput("name", f"{name[:60]!r} is no job. There are: {', '.join(known)}.")
        return {"job": name, "newly_due": mark_as_due(glymph.context, known[name])}

    return await answer(asked, mark, request=request, status=202, headers={"Location": "/v1/jobs"})


@router.get("/v1/certificates")
async def certificates(request: Request, asked: Asked = CURATE) -> Response:
    """Returns what was removed for good and which places are clean of it, newest first."""
    return await answer(
        asked, lambda glymph: {"certificates": plain(glymph.certificates())}, request=request
    )
