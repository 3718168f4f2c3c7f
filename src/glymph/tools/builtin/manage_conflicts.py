"""manage_conflicts: what answer_question was called before, and several answers at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from glymph.errors import InvalidInput
from glymph.plain import plain
from glymph.tools import data
from glymph.tools.arguments import Texts
from glymph.tools.brief import brief_questions
from glymph.tools.builtin.answer_question import Choice, render
from glymph.tools.contract import POSITIONAL, Arguments, Tool, ids_of

if TYPE_CHECKING:
    from glymph.client import Glymph


class ConflictArguments(Arguments):
    action: Literal["list", "resolve", "batch_resolve"] = Field(
        "list",
        description="list, resolve one, or batch_resolve several alike.",
        json_schema_extra=POSITIONAL,
    )
    ids: Texts = Field(
        [],
        description="Ids of the questions to answer.",
        json_schema_extra=ids_of("question", positional=True),
    )
    resolution: Choice | None = Field(
        None, description="What holds. Nothing decided: after 14 days both are kept."
    )
    text: str | None = Field(None, description="With merge: what takes the place of both.")


def run(glymph: Glymph, args: ConflictArguments) -> Mapping[str, Any]:
    if args.action == "list":
        return {"questions": plain(glymph.questions())}
    if args.resolution is None:
        raise InvalidInput(
            "resolution", "which holds? Use new_is_current, old_is_current, keep_both or merge."
        )
    if not args.ids:
        raise InvalidInput("ids", "which question? `list` shows those that wait.")
    if args.action == "resolve" and len(args.ids) > 1:
        raise InvalidInput(
            "ids", f"{len(args.ids)} given. Settle several alike with batch_resolve."
        )
    ids = args.ids[0] if args.action == "resolve" else args.ids
    return data.dump_receipt(glymph.answer(ids, args.resolution, text=args.text))


TOOL = Tool(
    name="manage_conflicts",
    command="conflicts",
    description="List doubts about two memories, and settle one or several alike.",
    arguments=ConflictArguments,
    run=run,
    brief=brief_questions,
    profile="curator",
    render=render,
    destructive=True,
    keep_chars=300,
)
