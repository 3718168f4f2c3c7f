"""forget_concept: forget what a description, an identifier or a name stands for, by a plan that was
shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.errors import InvalidInput, Refused
from glymph.plain import plain
from glymph.tools.contract import POSITIONAL, Arguments, Tool

if TYPE_CHECKING:
    from glymph.client import Glymph
    from glymph.forget.plan import ForgetPlan, Forgotten


class ForgetArguments(Arguments):
    request: str | None = Field(
        None,
        description="Whom or what to forget: a description, an identifier or a name.",
        json_schema_extra=POSITIONAL,
    )
    plan: str | None = Field(None, description="Id of the plan that was shown: does exactly that.")
    mode: str = Field(
        "release",
        description="release: trash, recoverable; purge: for good, if the operator allows.",
    )


def run(glymph: Glymph, args: ForgetArguments) -> Mapping[str, Any]:
    """The plan for a request; with the id of a plan, what came of it."""
    _check(glymph, args)
    if args.plan is None:
        return preview(glymph, args)
    done: Forgotten = glymph.forget(glymph.forget_plan(args.plan), mode=args.mode, apply=True)
    return {
        **plain(done.receipt),
        "edited": list(done.edited),
        "reachable": plain(done.reachable),
        "candidates": plain(done.candidates),
    }


def preview(glymph: Glymph, args: ForgetArguments) -> Mapping[str, Any]:
    """What would go, what would be reworded, and what may be meant: nothing is done."""
    _check(glymph, args)
    if args.plan is not None:
        return _shown(glymph.forget_plan(args.plan))
    return _shown(glymph.forget(str(args.request), mode=args.mode))


def _check(glymph: Glymph, args: ForgetArguments) -> None:
    if (args.request is None) == (args.plan is None):
        raise InvalidInput(
            "request",
            "give a request to see its plan, or the id of a plan to act on it: one of them.",
        )
    mode = args.mode if args.plan is None else glymph.forget_plan(args.plan).mode
    if "purge" in (mode, args.mode) and getattr(glymph.settings, "tools_may_purge", "off") != "on":
        raise Refused(
            "Tools may not remove for good here. Use mode 'release'; the operator allows it with "
            "`glymph config set tools_may_purge on`."
        )


def _shown(found: ForgetPlan) -> dict[str, Any]:
    shown: dict[str, Any] = plain(found)
    return {"plan_id": found.id, "text": found.text, "would": found.mode, **shown}


TOOL = Tool(
    name="forget_concept",
    command="forget",
    description="Show what forgetting a person, thing or number would do; with its plan's id, do it. Undoable.",
    arguments=ForgetArguments,
    run=run,
    profile="curator",
    destructive=True,
    preview=preview,
)
