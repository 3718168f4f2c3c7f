"""Stored plans: written once, read back until they expire."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from glymph.checks import checked_id
from glymph.context import Context
from glymph.errors import PlanExpired, PlanNotFound
from glymph.moments import micros
from glymph.plain import plain
from glymph.prune.plan import Group, Impact, Member, Plan, Totals

MOST_LISTED = 1000


def save_plan(ctx: Context, plan: Plan) -> None:
    """Stores a plan; those that have expired go."""
    now = micros(ctx.now())
    row = {
        "id": plan.id, "created_at": micros(plan.created_at), "expires_at": micros(plan.expires_at),
        "body": json.dumps(plain(plan), ensure_ascii=False),
    }  # fmt: skip
    with ctx.store.writing(ctx.space, None) as writer:
        writer.drop_expired_plans(now)
        writer.save_plan(row)


def load_plan(ctx: Context, plan_id: str) -> Plan:
    """Returns the plan of an id, or raises PlanNotFound or PlanExpired."""
    checked_id(plan_id, "plan")
    with ctx.reading() as reader:
        row = reader.plan(plan_id)
        body = json.loads(row["body"]) if row is not None else {}
        if "groups" not in body:  # a plan of another kind, such as one to forget
            raise PlanNotFound(plan_id, ctx.space)
        plan = _plan(body)
    if plan.expires_at <= ctx.now():
        raise PlanExpired(plan_id, plan.expires_at)
    return plan


def list_plans(ctx: Context) -> list[Plan]:
    """Returns the plans that have not expired, newest first."""
    with ctx.reading() as reader:
        bodies = [json.loads(row["body"]) for row in reader.plans(limit=MOST_LISTED)]
        found = [_plan(body) for body in bodies if "groups" in body]
    return [plan for plan in found if plan.expires_at > ctx.now()]


def _plan(body: dict[str, Any]) -> Plan:
    return Plan(
        id=body["id"],
        space=body["space"],
        created_at=_moment(body["created_at"]),
        expires_at=_moment(body["expires_at"]),
        totals=Totals(**body["totals"]),
        thresholds=body["thresholds"],
        groups=tuple(_group(group) for group in body["groups"]),
    )


def _group(body: dict[str, Any]) -> Group:
    impact = body["impact"]
    return Group(
        **{
            **body,
            "nodes": tuple(_member(node) for node in body["nodes"]),
            "reasons": tuple(body["reasons"]),
            "impact": Impact(
                **{
                    **impact,
                    "lessons": tuple(impact["lessons"]),
                    "cascade": tuple(impact["cascade"]),
                }
            ),
        }
    )


def _member(body: dict[str, Any]) -> Member:
    used = body["last_used_at"]
    return Member(
        **{
            **body,
            "created_at": _moment(body["created_at"]),
            "last_used_at": None if used is None else _moment(used),
            "rules": tuple(body["rules"]),
            "reasons": tuple(body["reasons"]),
        }
    )


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
