"""batch_prune: archive or trash what a plan showed, or memories by id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.errors import InvalidInput
from glymph.tools import data
from glymph.tools.arguments import Numbers, Removal, Texts
from glymph.tools.brief import brief_receipt
from glymph.tools.contract import MEMORY, Arguments, Tool, ids_of
from glymph.tools.render import render_prune_preview, render_receipt

if TYPE_CHECKING:
    from glymph.client import Glymph
    from glymph.model import Receipt


class BatchPruneArguments(Arguments):
    node_ids: Texts = Field(
        [],
        description="Ids of memories.",
        json_schema_extra=MEMORY,
    )
    action: Removal = Field(
        "archive",
        description="archive: hidden, kept; delete: trash, emptied after trash_days (30).",
    )
    plan: str | None = Field(
        None,
        description="Id of the plan that showed them: what changed since is skipped.",
        json_schema_extra=ids_of("plan"),
    )
    groups: Numbers | None = Field(
        None, description="With a plan: numbers of whole groups, instead of ids."
    )
    cascade: bool = Field(
        False, description="With a plan: also what only exists through them, as the plan shows."
    )
    confirm_large: bool = Field(
        False,
        description="Yes, really so many at once; an agent's word counts if the operator says so.",
    )
    reason: str | None = Field(None, description="Why.")


def run(glymph: Glymph, args: BatchPruneArguments) -> Mapping[str, Any]:
    return data.dump_receipt(_prune(glymph, args, dry_run=False))


def preview(glymph: Glymph, args: BatchPruneArguments) -> Mapping[str, Any]:
    """Returns what a run would do, id by id."""
    return {"would": args.action, **data.dump_receipt(_prune(glymph, args, dry_run=True))}


def _prune(glymph: Glymph, args: BatchPruneArguments, *, dry_run: bool) -> Receipt:
    if args.plan is None:
        if args.groups is not None or args.cascade:
            raise InvalidInput(
                "plan", "groups and cascade belong to a plan. Give its id, from analyze_memory."
            )
        if not args.node_ids:
            raise InvalidInput(
                "node_ids", "is empty. Name at least one memory, or a plan and its groups."
            )
        return glymph.batch_prune(
            args.node_ids,
            args.action,
            confirm_large=args.confirm_large,
            reason=args.reason,
            dry_run=dry_run,
        )
    return glymph.prune(
        args.plan, groups=args.groups, ids=args.node_ids or None, action=args.action,
        cascade=args.cascade, confirm_large=args.confirm_large, reason=args.reason, dry_run=dry_run,
    )  # fmt: skip


TOOL = Tool(
    name="batch_prune",
    command="batch-prune",
    description="Archive or trash memories a plan showed, or by id, behind guards; undo_operation "
    "reverts it until the trash is emptied.",
    arguments=BatchPruneArguments,
    run=run,
    brief=brief_receipt,
    profile="core",
    short=("plan", "groups", "node_ids", "action"),
    render=render_receipt,
    destructive=True,
    idempotent=True,
    keep_chars=300,
    preview=preview,
    render_preview=render_prune_preview,
)
