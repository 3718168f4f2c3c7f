"""Analysis of a space: its stale groups, why they are stale and what would be lost.

The result is a stored plan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from glymph import telemetry
from glymph.checks import show
from glymph.context import Context, every_row
from glymph.decay.lifecycle import lifecycle
from glymph.decay.sections import IDENTITY_KIND
from glymph.errors import InvalidInput
from glymph.model import State
from glymph.moments import micros, moment, shift
from glymph.prune import labels, plans, staleness
from glymph.prune.appraise import Appraisal, appraise
from glymph.prune.execute import closure
from glymph.prune.facts import collect_facts, count_links
from glymph.prune.groupings import find_groups, parse_grouping
from glymph.prune.marks import is_live
from glymph.prune.material import load_material
from glymph.prune.plan import Group, Impact, Member, Plan, Totals, plan_id
from glymph.prune.rules import Facts, Findings, apply_rules, rules
from glymph.prune.stale_groups import (
    Pick,
    Ranking,
    StaleGroup,
    rank_linked_groups,
    rank_other_groups,
)
from glymph.prune.staleness import Vitals
from glymph.prune.staying import find_reasons_to_stay
from glymph.prune.vectors import align_all, align_rows
from glymph.store import columns, guards, records
from glymph.store.arrays import Columns, Flags, Slots
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader
from glymph.write.grading import Grader

EXAMINED = 500  # recalls of which a plan says what they showed first
FIRST = 5  # hits of a recall that count as shown first
BY_LINKS = "community"
CHUNK = 1_000  # rows read at a time
EVERY_LIVE = Filter(states=(State.LIVE,), include_superseded=True)


@telemetry.observe_calls("analyze")
def analyze(
    ctx: Context, *, min_staleness: float = 0.3, max_groups: int = 20,
    include_isolated: bool = False, grouping: str = BY_LINKS,
) -> Plan:  # fmt: skip
    """Finds the stalest groups of live memories and stores them as a plan.

    One can prune from the plan until it expires.
    """
    thresholds = _check_arguments(ctx, min_staleness, max_groups, include_isolated, grouping)
    started = perf_counter()
    now = ctx.now()
    with ctx.reading() as reader:
        reading = columns.read(reader)
        ranking = _rank(ctx, reader, reading.columns, **thresholds)
        grader = Grader(ctx)
        groups = _describe_groups(ctx, reader, reading.columns, ranking, grader)
    plan = Plan(
        id=plan_id(ctx.space, thresholds, [group.nodes for group in groups]),
        space=ctx.space,
        created_at=now,
        expires_at=shift(now, days=ctx.settings.plan_days),
        totals=_totals(ranking, (perf_counter() - started) * 1000),
        thresholds=thresholds,
        groups=tuple(groups),
    )
    telemetry.note(total_nodes=plan.totals.memories, stale_groups_found=len(groups))
    if ctx.store.writable:
        plans.save_plan(ctx, plan)
        grader.keep()
        if reading.worth_keeping:
            columns.keep(ctx.store, reading)
    return plan


def _rank(
    ctx: Context,
    reader: Reader,
    held: Columns,
    *,
    min_staleness: float,
    max_groups: int,
    include_isolated: bool,
    grouping: str,
) -> Ranking:
    pick = _picker(ctx, reader, held)
    if grouping == BY_LINKS:
        return rank_linked_groups(
            held, curves=reader.curves(), now=micros(ctx.now()), min_staleness=min_staleness,
            max_groups=max_groups, include_isolated=include_isolated, pick=pick,
        )  # fmt: skip
    return rank_other_groups(
        held, _group_otherwise(ctx, reader, held, grouping), curves=reader.curves(),
        now=micros(ctx.now()), min_staleness=min_staleness, max_groups=max_groups, pick=pick,
    )  # fmt: skip


def _group_otherwise(ctx: Context, reader: Reader, held: Columns, way: str) -> list[Slots]:
    """Groups live memories by something else than links; those are ranked without reading rows."""
    rows = [row for row in every_row(reader, EVERY_LIVE, CHUNK) if row["kind"] != IDENTITY_KIND]
    rows.reverse()  # the oldest first
    material = load_material(ctx, reader, rows, [way], held)
    slots = held.finder()(np.array([row["key"] for row in rows], dtype=np.int64))
    return [slots[np.array(places)] for places in find_groups(material, way).values()]


def _picker(ctx: Context, reader: Reader, held: Columns) -> Pick | None:
    """Returns what marks the memories that rules select for a plan; None if no rule does so."""
    if not any("analyze" in rule.selects for rule in rules()):
        return None

    def pick(slots: Slots, group: Slots, count: int) -> Flags:
        now = micros(ctx.now())
        vitals = staleness.measure_vitals(
            held.memories, held.kinds, curves=reader.curves(), now=now
        )
        own = vitals.at(slots)
        sizes = np.bincount(group, minlength=count)
        dormant = np.bincount(group, staleness.is_dormant(own.retrievability), count)
        facts = collect_facts(
            held, slots, own, now=now, connections=count_links(held, is_live(held))[slots],
            alignment=align_all(ctx, reader, held, slots), group_size=sizes[group],
            group_dormant=(dormant / np.maximum(sizes, 1))[group],
        )  # fmt: skip
        return apply_rules(facts, "analyze").find_first() >= 0

    return pick


def _check_arguments(
    ctx: Context,
    min_staleness: object,
    max_groups: object,
    include_isolated: object,
    grouping: object,
) -> dict[str, Any]:
    if (
        isinstance(min_staleness, bool)
        or not isinstance(min_staleness, int | float)
        or not 0 <= min_staleness <= 1
    ):
        raise InvalidInput(
            "min_staleness", f"{show(min_staleness)} is not between 0 (fresh) and 1 (stale)."
        )
    most = ctx.settings.max_page
    if (
        isinstance(max_groups, bool)
        or not isinstance(max_groups, int)
        or not 1 <= max_groups <= most
    ):
        raise InvalidInput(
            "max_groups", f"{show(max_groups)} is not a whole number from 1 to {most}."
        )
    parse_grouping(grouping)
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
        dormant=ranking.dormant,
        elapsed_ms=round(elapsed_ms, 1),
    )


# describing the groups


@dataclass(frozen=True, slots=True)
class Details:
    """The facts about the members of all groups."""

    now: int
    rows: Mapping[int, Row]
    appraisal: Mapping[int, Appraisal]
    shown: Mapping[str, set[int]]  # for each memory the recalls that showed it first
    examined: int
    staying: Mapping[str, str]  # why, by id


def _describe_groups(
    ctx: Context, reader: Reader, held: Columns, ranking: Ranking, grader: Grader
) -> list[Group]:
    """Returns the groups as a plan shows them."""
    if not ranking.groups:
        return []
    now = micros(ctx.now())
    keys = list(dict.fromkeys(key for group in ranking.groups for key in group.keys.tolist()))
    rows = reader.by_key(keys, EVERY_LIVE)
    shown, examined = find_shown_first(reader)
    staying = find_reasons_to_stay(reader, grader, [row["id"] for row in rows.values()])
    current = [row for row in rows.values() if row["superseded_by"] is None]
    appraisal = appraise(rows.values(), now=now, grades=grader.grade(reader, current))
    details = Details(now, rows, appraisal, shown, examined, staying)
    found = apply_rules(_collect_facts(ctx, reader, held, ranking, details), "analyze")
    groups, at = [], 0
    for number, group in enumerate(ranking.groups, start=1):
        groups.append(_group(reader, number, group, details, found, at))
        at += len(group.keys)
    return groups


def _collect_facts(
    ctx: Context, reader: Reader, held: Columns, ranking: Ranking, details: Details
) -> Facts:
    """Returns the facts of all members, one group after the other."""
    keys = np.concatenate([group.keys for group in ranking.groups])
    sizes = np.array([len(group.keys) for group in ranking.groups])
    dormant = np.array([group.dormant for group in ranking.groups])
    rows = [details.rows[key] for key in keys.tolist()]
    links = Counter(end for edge in reader.edges_touching(list(details.rows)) for end in edge[:2])
    return collect_facts(
        held,
        held.finder()(keys),
        Vitals.join([group.vitals for group in ranking.groups]),
        now=details.now,
        connections=np.array([links[key] for key in keys.tolist()]),
        alignment=align_rows(ctx, reader, held, rows),
        redundancy=np.array([details.appraisal[row["key"]].redundancy for row in rows]),
        group_dormant=np.repeat(dormant / sizes, sizes),
        group_size=np.repeat(sizes, sizes),
    )


def find_shown_first(reader: Reader) -> tuple[Mapping[str, set[int]], int]:
    """Returns for each memory the latest recalls that showed it among their first.

    Also returns how many recalls were examined.
    """
    recalls = reader.recalls(limit=EXAMINED)
    found: dict[str, set[int]] = {}
    for recall in recalls:
        for memory_id in records.words(recall["shown"])[:FIRST]:
            found.setdefault(memory_id, set()).add(recall["key"])
    return found, len(recalls)


def _group(
    reader: Reader, number: int, group: StaleGroup, details: Details, found: Findings, start: int
) -> Group:
    """Returns one group; its members' facts begin at a place of the findings."""
    keys = group.keys.tolist()
    nodes = [
        _member(details, key, stale, found, start + place)
        for place, (key, stale) in enumerate(zip(keys, group.scores.tolist(), strict=True))
    ]
    told = [
        {**details.rows[key], "attributes": records.attributes(details.rows[key])} for key in keys
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
        impact=_impact(reader, keys, nodes, details),
    )


def _member(details: Details, key: int, stale: float, found: Findings, at: int) -> Member:
    row, appraisal = details.rows[key], details.appraisal[key]
    present, used = float(found.facts.retrievability[at]), row["last_used_at"]
    phase = lifecycle(present, row["state"])
    why = found.explain(at)
    return Member(
        id=row["id"], title=row["title"], kind=row["kind"], section=row["section"],
        lifecycle=phase.value, retrievability=round(present, 4), staleness=round(stale, 3),
        worth=round(appraisal.worth, 3), access_count=row["access_count"],
        created_at=moment(row["created_at"]),
        last_used_at=None if used is None else moment(used), version=row["version"],
        rules=tuple(rule.name for rule, _ in why), reasons=tuple(text for _, text in why),
        recalls=len(details.shown.get(row["id"], ())),
        blocked=guards.find_obstacle(row, State.ARCHIVED)
        or guards.worth_keeping(row, phase, now=details.now)
        or details.staying.get(row["id"]),
    )  # fmt: skip


def _impact(
    reader: Reader, keys: Sequence[int], nodes: Sequence[Member], details: Details
) -> Impact:
    """Returns what rests on the members, and how many recalls showed one of them first."""
    inside = set(keys)
    resting = reader.resting_on(keys, guards.EVIDENCE)
    needers = {needer for needer, needed in resting if needed in inside and needer not in inside}
    rows = reader.rows([("memories", key) for key in sorted(needers)])
    recalls: set[int] = set().union(*(details.shown.get(node.id, set()) for node in nodes))
    return Impact(
        recalls=len(recalls),
        examined=details.examined,
        lessons=tuple(row["id"] for row in rows.values()),
        cascade=tuple(row["id"] for row in closure(reader, keys)[0]),
    )
