"""Analysing a space: the groups that have gone stale, why, and what would be lost with them, as a
stored plan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from time import perf_counter

from glymph import telemetry
from glymph.context import Context
from glymph.decay.lifecycle import lifecycle
from glymph.errors import InvalidInput
from glymph.model import State
from glymph.moments import MICROS_PER_DAY, micros, moment
from glymph.prune import labels, plans, rules
from glymph.prune.appraise import Appraisal, appraised
from glymph.prune.execute import closure
from glymph.prune.plan import Group, Impact, Member, Plan, Totals, plan_id
from glymph.prune.rules import Candidate
from glymph.prune.stale_groups import Ranking, StaleGroup, ranked_groups
from glymph.store import columns, guards, records
from glymph.store.contract import Filter, Reader, Row

EXAMINED = 500  # recalls of which a plan says what they showed first
FIRST = 5  # hits of a recall that count as shown first
BY_LINKS = "community"
EVERY_LIVE = Filter(states=(State.LIVE,), include_superseded=True)


@telemetry.observed("analyze")
def analyze(
    ctx: Context, *, min_staleness: float = 0.3, max_groups: int = 20, include_isolated: bool = False,
    grouping: str = BY_LINKS,
) -> Plan:  # fmt: skip
    """The stalest groups of live memories, kept as a plan that can be pruned from until it expires."""
    thresholds = _checked(ctx, min_staleness, max_groups, include_isolated, grouping)
    started = perf_counter()
    now = ctx.now()
    with ctx.reading() as reader:
        reading = columns.read(reader)
        if grouping == BY_LINKS:
            ranking = ranked_groups(
                reading.columns, curves=reader.curves(), now=micros(now), min_staleness=min_staleness,
                max_groups=max_groups, include_isolated=include_isolated,
            )  # fmt: skip
        else:
            from glymph.prune.other_groups import grouped_otherwise

            ranking = grouped_otherwise(
                ctx,
                reader,
                reading.columns,
                grouping,
                min_staleness=min_staleness,
                max_groups=max_groups,
            )
        groups = _told(ctx, reader, ranking)
    plan = Plan(
        id=plan_id(ctx.space, thresholds, [group.nodes for group in groups]),
        space=ctx.space,
        created_at=now,
        expires_at=now + timedelta(days=ctx.settings.plan_days),
        totals=_totals(ranking, (perf_counter() - started) * 1000),
        thresholds=thresholds,
        groups=tuple(groups),
    )
    telemetry.note(total_nodes=plan.totals.memories, stale_groups_found=len(groups))
    if ctx.store.writable:
        plans.keep(ctx, plan)
        if reading.worth_keeping:
            columns.keep(ctx.store, reading)
    return plan


def _checked(
    ctx: Context,
    min_staleness: object,
    max_groups: object,
    include_isolated: object,
    grouping: object,
) -> dict[str, object]:
    if (
        isinstance(min_staleness, bool)
        or not isinstance(min_staleness, int | float)
        or not 0 <= min_staleness <= 1
    ):
        raise InvalidInput(
            "min_staleness", f"{min_staleness!r} is not between 0 (fresh) and 1 (stale)."
        )
    most = ctx.settings.max_page
    if (
        isinstance(max_groups, bool)
        or not isinstance(max_groups, int)
        or not 1 <= max_groups <= most
    ):
        raise InvalidInput("max_groups", f"{max_groups!r} is not a whole number from 1 to {most}.")
    if not isinstance(grouping, str):
        raise InvalidInput(
            "grouping", f"expected a text such as {BY_LINKS!r}, got {type(grouping).__name__}."
        )
    return {
        "min_staleness": float(min_staleness), "max_groups": max_groups,
        "include_isolated": bool(include_isolated), "grouping": grouping,
    }  # fmt: skip


def _totals(ranking: Ranking, elapsed_ms: float) -> Totals:
    return Totals(
        memories=ranking.memories,
        edges=ranking.edges,
        connected_groups=ranking.connected,
        isolated=ranking.isolated,
        archived=ranking.archived,
        elapsed_ms=round(elapsed_ms, 1),
    )


# telling


@dataclass(frozen=True, slots=True)
class Telling:
    """What is known about the members of all groups."""

    now: int
    rows: Mapping[int, Row]
    appraisal: Mapping[int, Appraisal]
    links: Mapping[int, int]  # how many links each has
    shown: Mapping[str, set[int]]  # for each memory the recalls that showed it first
    examined: int


def _told(ctx: Context, reader: Reader, ranking: Ranking) -> list[Group]:
    """The groups as a plan shows them."""
    now = micros(ctx.now())
    keys = list(dict.fromkeys(key for group in ranking.groups for key in group.keys.tolist()))
    rows = reader.by_key(keys, EVERY_LIVE)
    links = Counter(end for edge in reader.edges_touching(keys) for end in edge[:2])
    shown, examined = shown_first(reader)
    telling = Telling(now, rows, appraised(rows.values(), now=now), links, shown, examined)
    return [
        _group(reader, number, group, telling)
        for number, group in enumerate(ranking.groups, start=1)
    ]


def shown_first(reader: Reader) -> tuple[Mapping[str, set[int]], int]:
    """For each memory the recalls, of the latest, that showed it among their first; how many were
    looked at.
    """
    recalls = reader.recalls(limit=EXAMINED)
    found: dict[str, set[int]] = {}
    for recall in recalls:
        for memory_id in records.words(recall["shown"])[:FIRST]:
            found.setdefault(memory_id, set()).add(recall["key"])
    return found, len(recalls)


def _group(reader: Reader, number: int, group: StaleGroup, telling: Telling) -> Group:
    keys = group.keys.tolist()
    figures = zip(keys, group.scores.tolist(), group.retrievability.tolist(), strict=True)
    nodes = [_member(telling, key, group, stale, present) for key, stale, present in figures]
    told = [
        {**telling.rows[key], "attributes": records.attributes(telling.rows[key])} for key in keys
    ]
    label = labels.label(told)
    fired = Counter(rule for node in nodes for rule in node.rules)
    return Group(
        group=number,
        label=f"{labels.ISOLATED}{label}" if group.isolated else label,
        staleness=round(group.staleness, 3),
        parts={name: round(value, 3) for name, value in group.parts.items()},
        nodes=tuple(sorted(nodes, key=lambda node: (node.worth, node.created_at, node.id))),
        edge_count=group.edges,
        avg_retrievability=round(group.mean_retrievability, 3),
        lifecycle_breakdown={"ACTIVE": group.active, "WEAK": group.weak, "DORMANT": group.dormant},
        days_since_active=round(group.days_since_active, 1),
        avg_access_count=round(group.mean_uses, 1),
        reasons=tuple(f"{count} {name.replace('_', ' ')}" for name, count in fired.most_common()),
        impact=_impact(reader, keys, nodes, telling),
    )


def _member(telling: Telling, key: int, group: StaleGroup, stale: float, present: float) -> Member:
    row, appraisal, now = telling.rows[key], telling.appraisal[key], telling.now
    phase = lifecycle(present, row["state"])
    used = row["last_used_at"]
    candidate = Candidate(
        lifecycle=phase,
        age_days=(now - row["created_at"]) / MICROS_PER_DAY,
        days_since_use=(now - (used or row["created_at"])) / MICROS_PER_DAY,
        access_count=row["access_count"],
        connections=telling.links[key],
        expired=row["expires_at"] is not None and row["expires_at"] <= now,
        superseded=row["superseded_by"] is not None,
        redundancy=appraisal.redundancy,
        group_dormant=group.dormant / len(group.keys),
        group_size=len(group.keys),
    )
    fired = rules.fired(candidate)
    return Member(
        id=row["id"], title=row["title"], kind=row["kind"], section=row["section"], lifecycle=phase.value,
        retrievability=round(present, 4), staleness=round(stale, 3), worth=round(appraisal.worth, 3),
        access_count=row["access_count"], created_at=moment(row["created_at"]),
        last_used_at=None if used is None else moment(used), version=row["version"],
        rules=tuple(rule.name for rule, _ in fired), reasons=tuple(why for _, why in fired),
        recalls=len(telling.shown.get(row["id"], ())),
        blocked=guards.standing(row, State.ARCHIVED) or guards.worth_keeping(row, phase, now=now),
    )  # fmt: skip


def _impact(
    reader: Reader, keys: Sequence[int], nodes: Sequence[Member], telling: Telling
) -> Impact:
    """What rests on the members, and how many recalls showed one of them first."""
    inside = set(keys)
    resting = reader.resting_on(keys, guards.EVIDENCE)
    needers = {needer for needer, needed in resting if needed in inside and needer not in inside}
    rows = reader.rows([("memories", key) for key in sorted(needers)])
    recalls: set[int] = set().union(*(telling.shown.get(node.id, set()) for node in nodes))
    return Impact(
        recalls=len(recalls),
        examined=telling.examined,
        lessons=tuple(row["id"] for row in rows.values()),
        cascade=tuple(row["id"] for row in closure(reader, keys)[0]),
    )
