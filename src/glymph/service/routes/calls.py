"""Calls of a handle's methods, for `Glymph.open("http://…")`; the rest of /v1 is for others."""

from typing import Any

from fastapi import APIRouter, Path
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from glymph.client import Glymph
from glymph.errors import InvalidInput, NotOverTheWire, PlanNotFound
from glymph.service.access import ALL_SPACES, Role
from glymph.service.calling import Key, answer
from glymph.service.problems import problem
from glymph.service.retelling import retell_call
from glymph.service.routes.memories import Model
from glymph.service.serving import READ, Asked
from glymph.wire.coding import read_argument
from glymph.wire.methods import ADMIN, METHODS

router = APIRouter(tags=["calls"])
RESUMED = ("add", "add_many")  # they find what they answered before by themselves


class Call(Model):
    arguments: dict[str, Any] = Field(
        {}, description="By name. A time is {\"$moment\": ISO 8601}, a plan {\"$plan\": ID}.",
        examples=[{"query": "tea", "limit": 3}],
    )  # fmt: skip


@router.post("/v1/call/{method}")
async def call(
    request: Request, body: Call, method: str = Path(examples=["search"]),
    asked: Asked = READ, key: Key = None,
) -> Response:  # fmt: skip
    """Calls a method of the handle; `result` is what it gives back."""
    if method not in METHODS:
        raise NotOverTheWire(method[:60], f"These do: {', '.join(METHODS)}.")
    asked.access.check_role(Role[METHODS[method].upper()])
    if METHODS[method] == ADMIN and not asked.access.opens_all:
        asked.access.check_space(ALL_SPACES)
    if isinstance(spaces := body.arguments.get("spaces"), list):
        asked.check_spaces([str(one) for one in spaces])
    elif spaces is not None:
        raise InvalidInput("spaces", "expected a list of names. Pass one, such as ['default'].")
    if method == "extract" and not isinstance(body.arguments.get("transcript"), list):
        raise InvalidInput("transcript", "must be a list of messages: no file is opened here.")

    def work(glymph: Glymph) -> dict[str, Any]:
        result = _find(glymph, method)(**_read(glymph, body.arguments))
        if method == "spaces":
            result = [one for one in result if asked.access.opens(one.name)]
        return {"result": result}

    create = method in ("add", "add_many", "supersede", "write")
    try:
        return await answer(
            asked, work, request=request, key=key, create=create, resumes=method in RESUMED,
            retell=retell_call(_find(Glymph, method)),
        )  # fmt: skip
    except TypeError as error:
        return problem(422, "TypeError", str(error))


def _find(handle: Glymph | type[Glymph], path: str) -> Any:
    found: Any = handle
    for name in path.split("."):
        found = getattr(found, name)
    return found


def _read(glymph: Glymph, arguments: dict[str, Any]) -> dict[str, Any]:
    def load_plan(plan_id: str) -> Any:
        try:
            return glymph.plan(plan_id)
        except PlanNotFound:
            return glymph.forget_plan(plan_id)

    return {name: read_argument(value, load_plan) for name, value in arguments.items()}
