"""manage_clusters: named sets of memories."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from glymph.errors import InvalidInput
from glymph.plain import plain
from glymph.tools import data
from glymph.tools.arguments import Texts
from glymph.tools.blocks import Line, Table, format_pairs
from glymph.tools.brief import brief_receipt
from glymph.tools.contract import POSITIONAL, Arguments, Tool, ids_of
from glymph.tools.render import Blocks, render_receipt

if TYPE_CHECKING:
    from glymph.client import Glymph


class ClusterArguments(Arguments):
    action: Literal["list", "create", "delete", "add", "remove"] = Field(
        "list", description="What to do.", json_schema_extra=POSITIONAL
    )
    name: str | None = Field(None, description="The cluster's name or id.")
    ids: Texts = Field(
        [], description="Memories to add or remove.", json_schema_extra=ids_of("memory")
    )
    kind: str | None = Field(
        None, description="With create: fill it with all memories of this kind."
    )
    tag: str | None = Field(
        None, description="With create: fill it with all memories that carry this tag."
    )


def run(glymph: Glymph, args: ClusterArguments) -> Mapping[str, Any]:
    if args.action == "list":
        return {"clusters": plain(glymph.clusters())}
    if args.name is None:
        raise InvalidInput("name", f"which cluster? `{args.action}` needs a name.")
    if args.action == "create":
        rule = {key: value for key, value in (("kind", args.kind), ("tag", args.tag)) if value}
        done = glymph.clusters.create(args.name, rule=rule or None)
    elif args.action == "delete":
        done = glymph.clusters.delete(args.name)
    elif args.action == "add":
        done = glymph.clusters.add(args.name, args.ids)
    else:
        done = glymph.clusters.remove(args.name, args.ids)
    return data.dump_receipt(done)


def render(result: Mapping[str, Any]) -> Blocks:
    if "clusters" not in result:
        yield from render_receipt(result)
        return
    rows = [
        [
            cluster["name"],
            len(cluster["members"]),
            cluster["active"],
            cluster["weak"],
            cluster["dormant"],
            format_pairs(cluster["rule"] or {}) or "by hand",
        ]
        for cluster in result["clusters"]
    ]
    yield Table(["cluster", "members>", "active>", "weak>", "dormant>", "filled by"], rows)
    if not rows:
        yield Line("No clusters yet. `glymph memory clusters create --name NAME` makes one.")


TOOL = Tool(
    name="manage_clusters",
    command="clusters",
    description="List, make, fill or remove named sets of memories; a set can fill itself by kind "
    "or tag.",
    arguments=ClusterArguments,
    run=run,
    brief=brief_receipt,
    profile="curator",
    render=render,
    destructive=True,
    keep_chars=150,
)
