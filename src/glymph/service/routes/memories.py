"""Memories, links and clusters, as other programs are used to asking for them."""

from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Body, Header, Query
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, create_model
from starlette.requests import Request
from starlette.responses import Response

from glymph.checks import checked_space
from glymph.client import Glymph
from glymph.plain import plain
from glymph.service.calling import IfMatch, Key, answer, call_tool, parse_etag, respond
from glymph.service.routes.examples import ID, body_of
from glymph.service.serving import CURATE, READ, WRITE, Asked
from glymph.tools import all_tools, data
from glymph.tools.arguments import Texts

router = APIRouter(tags=["memories"])
TOOLS = all_tools()
Id = Annotated[str, Field(max_length=100, examples=[ID])]
ADD, LINK = TOOLS["memory_add"], TOOLS["memory_link"]
NewMemory: Any = Annotated[ADD.arguments, body_of(ADD)]
NewLink: Any = Annotated[LINK.arguments, body_of(LINK)]


class Model(BaseModel):
    """A body or a query; what it does not know is refused."""

    model_config = ConfigDict(extra="forbid")


class ListQuery(Model):
    limit: int = Field(100, ge=1, le=1000)
    cursor: str | None = Field(None, description="`cursor` of the page before.")
    kinds: list[str] | None = None
    sections: list[str] | None = None
    tags: list[str] | None = None
    states: list[str] | None = Field(None, description="LIVE (default), ARCHIVED, TRASHED.")
    session: str | None = None
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    at: AwareDatetime | None = Field(None, description="As things stood at this time.")
    include_superseded: bool = False


# The fields of memory_update, but for the id, which stands in the address.
Changes: Any = create_model(
    "Changes", __base__=Model,
    **{  # type: ignore[call-overload]
        name: (field.annotation, field)
        for name, field in TOOLS["memory_update"].arguments.model_fields.items()
        if name != "id"
    },
)  # fmt: skip


class Similar(Model):
    text: str = Field(description="What somebody is about to add.", examples=["Tea is at four."])
    limit: int = Field(5, ge=1, le=100)


class Ids(Model):
    ids: Texts = Field(examples=[[ID]])
    reason: str | None = None


class NewCluster(Model):
    name: str = Field(examples=["travel"])
    kind: str | None = Field(None, description="Filled by this kind instead of by hand.")
    tag: str | None = Field(None, description="Filled by this tag instead of by hand.")


@router.get("/v1/memories")
async def list_memories(
    request: Request, query: Annotated[ListQuery, Query()], asked: Asked = READ
) -> Response:
    """Returns a page of memories, newest first, and the cursor of the next."""
    given = query.model_dump(exclude_none=True)
    return await answer(
        asked, lambda glymph: plain(glymph.list(**given)), request=request, large=query.limit > 100
    )


@router.post("/v1/memories", status_code=201)
async def add_memory(
    request: Request, arguments: NewMemory, asked: Asked = WRITE, key: Key = None,
) -> Response:  # fmt: skip
    """Remembers one thing, or reinforces what was known already."""
    return await call_tool(
        asked, TOOLS["memory_add"], arguments, request=request, key=key, status=201
    )


@router.get("/v1/memories/{id}", responses={304: {"description": "It has the version you know."}})
async def get_memory(
    request: Request, id: Id, asked: Asked = READ,
    at: Annotated[AwareDatetime | None, Query(description="As it stood then.")] = None,
    history: Annotated[bool, Query(description="Also all that ever happened to it.")] = False,
    cursor: Annotated[str | None, Query(description="`next_cursor` of a cut answer.")] = None,
    known: Annotated[str | None, Header(alias="If-None-Match")] = None,
) -> Response:  # fmt: skip
    """Returns a memory with its links; its version is the ETag."""
    tool = TOOLS["memory_get"]
    arguments = tool.arguments(id=id, at=at, history=history, cursor=cursor)  # type: ignore[call-arg]
    found = await asked.run(lambda glymph: tool.run(glymph, arguments))
    etag = f'"{found["memory"]["version"]}"'
    if known is not None and etag in {one.strip() for one in known.split(",")}:
        return Response(status_code=304, headers={"ETag": etag})
    answered = await call_tool(asked, tool, arguments, request=request)
    answered.headers["ETag"] = etag
    return answered


@router.patch("/v1/memories/{id}")
async def update_memory(
    request: Request, id: Id, changes: Annotated[Changes, Body(examples=[{"title": "Tea"}])],
    asked: Asked = WRITE, key: Key = None, if_match: IfMatch = None,
) -> Response:  # fmt: skip
    """Changes fields of a memory; with If-Match only if nobody did so meanwhile."""
    tool = TOOLS["memory_update"]
    arguments = tool.arguments.model_validate({**changes.model_dump(exclude_unset=True), "id": id})
    expects = parse_etag(id, if_match)
    return await call_tool(asked, tool, arguments, request=request, key=key, expects=expects)


@router.delete("/v1/memories/{id}")
async def delete_memory(
    request: Request, id: Id, asked: Asked = WRITE, key: Key = None, if_match: IfMatch = None,
    reason: Annotated[str | None, Query()] = None,
) -> Response:  # fmt: skip
    """Trashes a memory; undo brings it back until the trash is emptied."""
    tool = TOOLS["memory_delete"]
    arguments = tool.arguments(ids=[id], action="delete", reason=reason)  # type: ignore[call-arg]
    expects = parse_etag(id, if_match)
    return await call_tool(asked, tool, arguments, request=request, key=key, expects=expects)


@router.get("/v1/memories/{id}/history")
async def history(request: Request, id: Id, asked: Asked = READ) -> Response:
    """Returns everything that ever happened to a memory."""
    return await answer(
        asked, lambda glymph: {"history": plain(glymph.history(id))}, request=request
    )


@router.get("/v1/memories/{id}/edges")
async def edges(request: Request, id: Id, asked: Asked = READ) -> Response:
    """Returns the links of a memory to and from live ones."""
    return await answer(asked, lambda glymph: {"edges": plain(glymph.edges(id))}, request=request)


@router.post("/v1/edges")
async def link(
    request: Request, arguments: NewLink, asked: Asked = WRITE, key: Key = None,
) -> Response:  # fmt: skip
    """Links two memories, or takes a link away."""
    return await call_tool(asked, TOOLS["memory_link"], arguments, request=request, key=key)


@router.post("/v1/check-similar")
async def check_similar(request: Request, body: Similar, asked: Asked = READ) -> Response:
    """Returns what is known already and near to a text, the nearest first; stores nothing."""

    def find(glymph: Glymph) -> dict[str, Any]:
        hits = glymph.search(body.text, limit=body.limit)
        return {"similar": [data.dump_hit(hit) for hit in hits]}

    return await answer(asked, find, request=request)


@router.get("/v1/graph")
async def graph(request: Request, asked: Asked = READ) -> Response:
    """Returns every live memory with its links and clusters at once."""
    return await answer(asked, lambda glymph: glymph.graph(), request=request, large=True)


@router.get("/v1/clusters")
async def clusters(request: Request, asked: Asked = READ) -> Response:
    """Returns every cluster with its live members."""
    return await answer(
        asked, lambda glymph: {"clusters": plain(glymph.clusters())}, request=request
    )


@router.post("/v1/clusters", status_code=201)
async def create_cluster(
    request: Request, body: NewCluster, asked: Asked = CURATE, key: Key = None
) -> Response:
    """Makes a cluster."""
    rule = {k: v for k, v in (("kind", body.kind), ("tag", body.tag)) if v is not None} or None
    return await answer(
        asked, lambda glymph: glymph.clusters.create(body.name, rule=rule), request=request,
        key=key, status=201,
    )  # fmt: skip


@router.delete("/v1/clusters/{name}")
async def delete_cluster(
    request: Request, name: str, asked: Asked = CURATE, key: Key = None
) -> Response:
    """Removes a cluster; its memories stay."""
    return await answer(
        asked, lambda glymph: glymph.clusters.delete(name), request=request, key=key
    )


@router.post("/v1/clusters/{name}/members")
async def put_into_cluster(
    request: Request, name: str, body: Ids, asked: Asked = CURATE, key: Key = None
) -> Response:
    """Puts memories into a cluster."""
    return await answer(
        asked, lambda glymph: glymph.clusters.add(name, body.ids), request=request, key=key
    )


@router.delete("/v1/clusters/{name}/members/{id}")
async def take_from_cluster(
    request: Request, name: str, id: Id, asked: Asked = CURATE, key: Key = None
) -> Response:
    """Takes a memory out of a cluster."""
    return await answer(
        asked, lambda glymph: glymph.clusters.remove(name, [id]), request=request, key=key
    )


@router.get("/v1/spaces")
async def spaces(request: Request, asked: Asked = READ) -> Response:
    """Returns the spaces that the token opens."""
    found = await asked.run(lambda glymph: glymph.spaces())
    return respond({"spaces": [one for one in found if asked.access.opens(one.name)]})


@router.put("/v1/spaces/{name}")
async def make_space(request: Request, name: str, asked: Asked = WRITE) -> Response:
    """Makes a space that the token opens, if it is missing."""
    asked.access.check_space(checked_space(name))
    there = replace(asked, space=name)
    return await answer(there, lambda glymph: {"space": glymph.space}, request=request, create=True)
