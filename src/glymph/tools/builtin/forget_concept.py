"""forget_concept: show what forgetting a person, thing or number would do; then do it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from shlex import quote
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.errors import InvalidInput, Refused
from glymph.forget.plan import ForgetPlan, check_same_mode
from glymph.forget.requests import Action, read_request
from glymph.plain import plain
from glymph.tools.arguments import ForgetMode
from glymph.tools.blocks import Line
from glymph.tools.brief import brief_forgotten
from glymph.tools.contract import WORDS, Arguments, Tool, ids_of
from glymph.tools.render import Blocks, describe_rewritten, render_receipt

if TYPE_CHECKING:
    from glymph.client import Glymph
    from glymph.forget.plan import Forgotten

LONGEST = 200  # characters of a memory in a plan


class ForgetArguments(Arguments):
    request: str | None = Field(
        None,
        description="Whom or what to forget: a description, an identifier or a name.",
        json_schema_extra=WORDS,
    )
    plan: str | None = Field(
        None,
        description="Id of the plan that was shown: does exactly that.",
        json_schema_extra=ids_of("plan"),
    )
    mode: ForgetMode | None = Field(
        None,
        description="release (default): trash, recoverable; purge: for good, if the operator "
        "allows. As its plan.",
    )


def run(glymph: Glymph, args: ForgetArguments) -> Mapping[str, Any]:
    """Returns the plan for a request; with the id of a plan, does what it shows."""
    _check(glymph, args)
    if args.plan is None:
        return _plan_as_data(_find_plan(glymph, args))
    shown = _find_plan(glymph, args)
    done: Forgotten = glymph.forget(shown, mode=shown.mode, apply=True)
    return {
        **plain(done.receipt),
        "edited": list(done.edited),
        "reachable": plain(done.reachable),
        "candidates": plain(done.candidates),
    }


def preview(glymph: Glymph, args: ForgetArguments) -> Mapping[str, Any]:
    """Returns what would go or be reworded, also in conversations; changes nothing."""
    _check(glymph, args)
    plan = _plan_as_data(_find_plan(glymph, args))
    return {**plan, "conversations": _find_in_conversations(glymph, plan)}


def _check(glymph: Glymph, args: ForgetArguments) -> None:
    if (args.request is None) == (args.plan is None):
        raise InvalidInput(
            "request",
            "give a request to see its plan, or the id of a plan to act on it: one of them.",
        )
    mode = args.mode if args.plan is None else glymph.forget_plan(args.plan).mode
    if mode == "purge" and getattr(glymph.settings, "tools_may_purge", "off") != "on":
        instead = "Use" if args.plan is None else "This plan is a purge: make a new plan with"
        raise Refused(
            f"Tools may not remove for good here. {instead} mode 'release'; the operator allows it "
            "with `glymph config set tools_may_purge on`."
        )


def _find_plan(glymph: Glymph, args: ForgetArguments) -> ForgetPlan:
    if args.plan is None:
        return glymph.forget(str(args.request), mode=args.mode or "release")
    shown = glymph.forget_plan(args.plan)
    check_same_mode(shown, args.mode)
    return shown


def _plan_as_data(plan: ForgetPlan) -> dict[str, Any]:
    data: dict[str, Any] = plain(plan)
    return {"plan_id": plan.id, "text": plan.text, "would": plan.mode, **data}


def _find_in_conversations(glymph: Glymph, plan: Mapping[str, Any]) -> dict[str, Any]:
    """Counts what a purge would cut out of conversations, and what else says the request there."""
    most = glymph.settings.max_text_chars
    going = [text for text in _texts_to_cut(plan) if len(text) <= most]
    along = glymph.conversations.erase(*going) if going else None
    by_hand = None
    if len(plan["request"]) <= most and not _covers(going, plan["request"]):
        by_hand = glymph.conversations.erase(plan["request"])
    return {"purge": plain(along), "request": plain(by_hand)}


def _texts_to_cut(plan: Mapping[str, Any]) -> list[str]:
    """Returns the texts and identifiers that a purge cuts out of conversations, too."""
    texts = [action["old"] for action in _find_changes(plan)]
    if plan["mode"] != "purge" or not texts:
        return []
    return [*texts, *(each.text for each in read_request(plan["request"]).strong)]


def _find_changes(plan: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [action for action in plan["actions"] if action["kind"] in ("remove", "rewrite")]


def _covers(going: Sequence[str], request: str) -> bool:
    """Tells whether everything that says the request goes anyway."""
    return any(_fold(text).casefold() in _fold(request).casefold() for text in going)


def render(result: Mapping[str, Any]) -> Blocks:
    yield from render_plan(result) if "actions" in result else render_receipt(result)


def render_plan(plan: Mapping[str, Any]) -> Blocks:
    """Shows a plan to forget, what conversations say of it, and how to act on it."""
    yield Line(_read_plan(plan).describe(LONGEST))
    here = "" if plan["space"] == "default" else f" --space {quote(plan['space'])}"
    conversations = plan.get("conversations") or {}
    if also := describe_rewritten(conversations.get("purge")):
        yield Line(f"The purge would also write {also} anew, without it.")
    if said := describe_rewritten(conversations.get("request")):
        command = f"glymph memory history erase {quote(plan['request'])} --apply{here}"
        yield Line(
            f"Conversations say it, too. To write {said} anew without it, for good: {command}"
        )
    if _find_changes(plan):
        purging = " --mode purge" if plan["mode"] == "purge" else ""
        command = f"glymph forget --plan {plan['plan_id']}{purging}{here} --apply"
        yield Line(f"Nothing was changed. Do it with: {command}", "dim")


def _read_plan(plan: Mapping[str, Any]) -> ForgetPlan:
    """Returns the plan that its data stand for."""
    known = {field.name for field in fields(ForgetPlan)}
    given = {name: part for name, part in plan.items() if name in known}
    moments = {name: datetime.fromisoformat(plan[name]) for name in ("created_at", "expires_at")}
    actions = tuple(Action(**action) for action in plan["actions"])
    return ForgetPlan(**{**given, **moments, "actions": actions})


def _fold(text: str) -> str:
    return " ".join(text.split())


TOOL = Tool(
    name="forget_concept",
    command="forget",
    description="Show what forgetting a person, thing or number would do; with its plan's id, do "
    "it. Undoable, unless it purges.",
    arguments=ForgetArguments,
    run=run,
    brief=brief_forgotten,
    profile="core",
    render=render,
    destructive=True,
    preview=preview,
    render_preview=render_plan,
    acts_on="plan",
)
