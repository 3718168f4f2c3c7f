"""A plan: groups of stale memories as they were shown, and what pruning them would touch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from glymph.model import Receipt
from glymph.prune.rules import rules

EMPTY = "No memories found: the store is empty. There is nothing to analyse."
NOTHING = "No group reaches the staleness asked for"
MOSTLY = 0.1  # the share of dormant memories from which on a graph is not called healthy


@dataclass(frozen=True, slots=True)
class Member:
    """A memory of a group, with the reasons to prune it.

    `version` and `last_used_at` are what the plan saw.
    """

    id: str
    title: str
    kind: str
    section: str
    lifecycle: str
    retrievability: float
    staleness: float
    worth: float  # what recall would lose with it, among the group's members: 0 to 1
    access_count: int
    created_at: datetime
    last_used_at: datetime | None
    version: int
    rules: tuple[str, ...] = ()  # that fired, and what each says
    reasons: tuple[str, ...] = ()
    recalls: int = 0  # of the latest ones that showed it among their first five
    blocked: str | None = None  # why a prune would skip it as things stand


@dataclass(frozen=True, slots=True)
class Impact:
    """The loss that pruning a group would mean."""

    recalls: int  # of the latest ones that showed a member among their first five
    examined: int
    lessons: tuple[str, ...] = ()  # live memories that rest on a member
    cascade: tuple[
        str, ...
    ] = ()  # memories that only exist through the members, and would go with them


@dataclass(frozen=True, slots=True)
class Group:
    """Memories that belong together and have gone stale together."""

    group: int
    label: str
    staleness: float
    parts: Mapping[str, float]
    nodes: tuple[Member, ...]
    edge_count: int
    avg_retrievability: float
    lifecycle_breakdown: Mapping[str, int]
    days_since_active: float
    avg_access_count: float
    reasons: tuple[str, ...]
    impact: Impact

    @property
    def node_ids(self) -> tuple[str, ...]:
        return tuple(node.id for node in self.nodes)

    @property
    def node_count(self) -> int:
        return len(self.nodes)


@dataclass(frozen=True, slots=True)
class Totals:
    """The counts of what was looked at."""

    memories: int
    edges: int
    connected_groups: int
    isolated: int
    archived: int
    elapsed_ms: float
    dormant: int = 0  # of the memories; 0 in plans from before it was counted


@dataclass(frozen=True, slots=True)
class Plan:
    """The result of an analysis.

    Its id stands for its members as they were; pruning skips what has changed since.
    """

    id: str
    space: str
    created_at: datetime
    expires_at: datetime
    totals: Totals
    thresholds: Mapping[str, Any]
    groups: tuple[Group, ...] = field(default=())

    @property
    def node_ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(node.id for group in self.groups for node in group.nodes))

    @property
    def text(self) -> str:
        """The plan as text: every member with its id in brackets."""
        return say_plan(self)


def say_plan(plan: Plan, counts: Mapping[int, int] | None = None) -> str:
    """Returns a plan as text.

    `counts` has how many members a group really has, by its number, where only some are listed.
    """
    return "\n".join(_lines(plan, counts or {}))


def plan_id(space: str, thresholds: Mapping[str, Any], groups: Sequence[Sequence[Member]]) -> str:
    """Returns the hash of what a plan says.

    That is its members, their versions and last uses, group by group. In which order a group lists
    its members changes with the hour and is no part of it.
    """
    told = [
        sorted(
            [m.id, m.version, m.last_used_at.isoformat() if m.last_used_at else None]
            for m in members
        )
        for members in groups
    ]
    said = json.dumps([space, dict(thresholds), told], sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def say_count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _lines(plan: Plan, counts: Mapping[int, int]) -> list[str]:
    totals = plan.totals
    if not totals.memories:
        return [EMPTY]
    head = (
        f"Analysed {say_count(totals.memories, 'memory', 'memories')} "
        f"and {say_count(totals.edges, 'link', 'links')} in {totals.elapsed_ms:,.0f} ms: "
        f"{say_count(totals.connected_groups, 'group', 'groups')} of linked ones, "
        f"{totals.isolated:,} isolated, {totals.archived:,} archived."
    )
    if not plan.groups:
        return [head, "", _say_why_nothing(totals)]
    lines = [head, f"Plan {plan.id}, valid until {plan.expires_at:%Y-%m-%d %H:%M} UTC:", ""]
    for group in plan.groups:
        lines += [*_group(group, counts.get(group.group, group.node_count)), ""]
    lines.append(
        f'batch_prune(plan="{plan.id}", groups=[…]), or prune("{plan.id}", groups=[…]) of the '
        'library, archives exactly what the plan holds; action="delete" moves it to the trash. '
        "Undo takes an archive back, and a delete until the trash is emptied."
    )
    return lines


def _say_why_nothing(totals: Totals) -> str:
    if totals.dormant < MOSTLY * totals.memories:
        return f"{NOTHING}: the graph is healthy."
    alone = " include_isolated=True shows those in no group." if totals.isolated else ""
    return (
        f"{NOTHING}, but {totals.dormant:,} of {totals.memories:,} memories are dormant. A lower "
        f"min_staleness shows more of them.{alone}"
    )


def _group(group: Group, many: int) -> list[str]:
    counts = ", ".join(f"{n} {name.lower()}" for name, n in group.lifecycle_breakdown.items() if n)
    lines = [
        f"Group {group.group}: {group.label} ({say_count(many, 'memory', 'memories')}, "
        f"{say_count(group.edge_count, 'link', 'links')}, "
        f"last active {group.days_since_active:.0f} days ago, "
        f"retrievability {group.avg_retrievability:.2f}, staleness {group.staleness:.2f})",
        f"  lifecycle: {counts}",
    ]
    if group.reasons:
        lines.append(f"  why: {'; '.join(group.reasons)}")
    impact = group.impact
    recalls = say_count(impact.examined, "recall", "recalls")
    shown = f"shown first by {impact.recalls} of the last {recalls}"
    lines.append(f"  impact: {shown if impact.examined else 'nothing was recalled so far'}")
    if impact.lessons:
        lines[-1] += f"; {say_count(len(impact.lessons), 'memory rests', 'memories rest')} on them"
    if impact.cascade:
        lines[-1] += f"; with cascade {len(impact.cascade)} more would go"
    lines += [_member(node) for node in group.nodes]
    return lines


def _member(node: Member) -> str:
    kept = f"; stays: {node.blocked}" if node.blocked else ""
    of_group = {rule.name for rule in rules() if rule.of_group}  # said of the group as a whole
    told = [why for rule, why in zip(node.rules, node.reasons, strict=True) if rule not in of_group]
    why = f": {', '.join(told)}" if told else ""
    title, stage = " ".join(node.title.split()), node.lifecycle.lower()
    standing = node.kind if any(stage in one for one in told) else f"{node.kind}, {stage}"
    return f"  - {title} ({standing}{why}{kept}) [{node.id}]"


@dataclass(frozen=True, slots=True)
class Pruned:
    """The answer of execute_prune: always soft, recoverable while the trash keeps things."""

    pruned_count: int = 0
    cascade_pruned: int = 0
    errors: tuple[Mapping[str, str], ...] = ()
    soft_deleted: bool = True
    recoverable_until: datetime | None = None
    reason: str = ""
    note: str = ""
    operation_id: str | None = None
    message: str | None = None
    receipt: Receipt | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class PruneCandidate:
    """One memory that may go; the higher its priority, the sooner."""

    memory_id: str
    title: str
    reason: str
    age_days: float
    days_since_use: float
    alignment: float | None  # with the nearest goal; None where there are no goals
    connections: int
    byte_size: int
    priority: float
    why: tuple[str, ...] = field(default=(), repr=False)  # the sentence of each rule that holds


@dataclass(frozen=True, slots=True)
class Candidates:
    """Memories that may go, and counts over all that were looked at."""

    candidates: tuple[PruneCandidate, ...]
    summary: Mapping[str, Any]
