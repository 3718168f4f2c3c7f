"""Review: the groups of a plan, what each would mean, and one decision for each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from starlette.responses import Response

from glymph.client import Glymph
from glymph.dashboard.page import DECIDE, Page
from glymph.dashboard.visit import CURATE, READ, Visit, page_router
from glymph.errors import InvalidInput, PlanExpired, PlanNotFound, TooMany
from glymph.model import Receipt
from glymph.prune.plan import Plan

router = page_router()
PAGE = Page("Review", "/review", router, group=DECIDE, order=10, key="r")
ACTIONS = ("archive", "delete")
MEMBERS, MORE = 8, 60  # of a group that are listed at first, and at a time
GROUPS_SHOWN = 20


@router.get("/review")
async def show(plan: str | None = None, isolated: bool = False, visit: Visit = READ) -> Response:
    """Shows the newest plan, or the one asked for."""
    found = await visit.run(lambda g: _find(g, plan))
    gone = await visit.run(lambda g: _find_gone(g, found)) if found else set()
    days = await visit.run(lambda g: g.settings.trash_days)
    return visit.show(
        "review.html",
        days=days,
        plan=found,
        members=MEMBERS,
        gone=gone,
        isolated=isolated,
        more=MORE,
    )


def _find(glymph: Glymph, plan_id: str | None) -> Plan | None:
    if plan_id:
        try:
            return glymph.plan(plan_id)
        except (PlanNotFound, PlanExpired):
            return next(iter(glymph.plans()), None)  # a newer one takes its place
    return next(iter(glymph.plans()), None)


def _find_gone(glymph: Glymph, plan: Plan) -> set[str]:
    """Returns the members that are no longer live: somebody has put them away meanwhile."""
    with glymph.context.reading() as reader:
        rows = reader.standing_of(plan.node_ids)
    return {one for one in plan.node_ids if one not in rows or rows[one]["state"] != "LIVE"}


@router.get("/review/members")
async def members(plan: str, group: int, begin: int, visit: Visit = READ) -> Response:
    """Shows further members of a group."""
    found = await visit.run(lambda g: g.plan(plan))
    chosen = next((one for one in found.groups if one.group == group), None)
    if chosen is None:
        raise InvalidInput("group", f"the plan has no group {group}. Open the plan again.")
    gone = await visit.run(lambda g: _find_gone(g, found))
    return visit.show("_members.html", plan=found, group=chosen, begin=begin, many=MORE, gone=gone)


@router.post("/review/analyze")
async def analyze(visit: Visit = CURATE) -> Response:
    """Looks for groups that went stale together, and shows the plan. Nothing is changed."""
    staleness = float(visit.text("min_staleness", "0.3"))
    isolated = bool(visit.text("isolated"))
    plan = await visit.run(
        lambda g: g.analyze(staleness, GROUPS_SHOWN, include_isolated=isolated), large=True
    )
    return visit.go("/review", plan=plan.id, isolated="1" if isolated else None)


@router.post("/review/preview")
async def preview(visit: Visit = CURATE) -> Response:
    """Shows what the decisions would do, before anything is done."""
    plan_id = visit.text("plan")
    plan = await visit.run(lambda g: g.plan(plan_id))
    chosen = _choose(plan, {name: str(value) for name, value in visit.form.items()})
    would: dict[str, Receipt] = {}
    too_many = ""
    for action, ids in chosen.items():
        if ids:
            receipt, told = await visit.run(partial(_try, plan_id, ids, action))
            would[action], too_many = receipt, too_many or told
    titles = {node.id: node.title for group in plan.groups for node in group.nodes}
    return visit.show(
        "review_confirm.html", plan=plan, would=would, chosen=chosen, titles=titles,
        too_many=too_many,
    )  # fmt: skip


def _choose(plan: Plan, form: Mapping[str, str]) -> dict[str, list[str]]:
    """Returns the ids to archive and to delete; a member's own decision counts first."""
    chosen: dict[str, list[str]] = {action: [] for action in ACTIONS}
    for group in plan.groups:
        whole = form.get(f"g{group.group}", "keep")
        for node in group.nodes:
            action = form.get(f"m{node.id}") or whole
            if action in chosen and not any(node.id in ids for ids in chosen.values()):
                chosen[action].append(node.id)
    return chosen


def _try(plan: str, ids: list[str], action: str, glymph: Glymph) -> tuple[Receipt, str]:
    """Returns what would be done, and what is said against doing so much at once."""
    try:
        return glymph.prune(plan, ids=ids, action=action, dry_run=True), ""
    except TooMany as error:
        would = glymph.prune(plan, ids=ids, action=action, dry_run=True, confirm_large=True)
        return would, str(error)


@router.post("/review/apply")
async def apply(visit: Visit = CURATE) -> Response:
    """Does what was shown."""
    plan, sure = visit.text("plan"), bool(visit.text("confirm_large"))
    wanted = {action: ids for action in ACTIONS if (ids := visit.texts(action))}
    done = [
        await visit.run(partial(_prune, plan, ids, action, sure)) for action, ids in wanted.items()
    ]
    if not done:
        raise InvalidInput("plan", "nothing was chosen. Decide about a group, or a member, first.")
    return visit.tell("/review", *done, plan=plan)


def _prune(plan: str, ids: list[str], action: str, sure: bool, glymph: Glymph) -> Receipt:
    return glymph.prune(plan, ids=ids, action=action, confirm_large=sure, reason="reviewed")
