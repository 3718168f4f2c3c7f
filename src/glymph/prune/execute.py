"""Pruning of exactly what was shown or named, behind the guards.

It is one transaction that can be undone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from glymph import telemetry
from glymph.checks import checked_list, show
from glymph.context import NAMED, Context
from glymph.decay.lifecycle import lifecycle
from glymph.errors import InvalidInput, TooMany
from glymph.model import Receipt, Refusal, State
from glymph.moments import micros, optional_micros
from glymph.prune.allowance import count_cap, count_today
from glymph.prune.plan import Plan, Pruned
from glymph.prune.plans import load_plan
from glymph.prune.rules import REASONS
from glymph.prune.staying import find_reasons_to_stay
from glymph.store import foresight, guards, records
from glymph.store.contract import Ask, Row
from glymph.store.reader import Reader
from glymph.undo.restore import checked_ids
from glymph.write.grading import Grader

GOALS = {"archive": State.ARCHIVED, "delete": State.TRASHED}
FEW = 5  # ids that a person or an agent names one by one

Seen = Mapping[
    str, tuple[int, int | None]
]  # version and last use of each memory, as a plan showed them


@dataclass(frozen=True, slots=True)
class Request:
    """The memories to prune, and under which guards."""

    verb: str
    ids: Sequence[str]
    goal: State
    plan: Plan | None = None  # that showed them
    cascade: bool = False
    named: bool = False  # so few that the guards of use and age do not apply
    capped: bool = False  # as many as may go without being confirmed; more are refused
    confirmed: bool = False  # by whoever asks
    daily: bool = False  # as many as may still go today; the rest stays
    reason: str | None = None


def prune(
    ctx: Context, plan: Plan | str, *, groups: Iterable[int] | None = None,
    ids: Iterable[str] | None = None, action: str = "archive", cascade: bool = False,
    confirm_large: bool = False, reason: str | None = None, dry_run: bool = False,
) -> Receipt:  # fmt: skip
    """Archives or trashes what a plan shows: all of it, some groups, or some ids.

    What changed since is left.
    """
    shown = load_plan(ctx, plan.id if isinstance(plan, Plan) else plan)
    request = Request(
        "prune", _chosen(shown, groups, ids), _goal(action), shown,
        cascade=cascade, capped=True, confirmed=confirm_large, reason=reason or f"plan {shown.id}",
    )  # fmt: skip
    return _carry_out(ctx, request, dry_run=dry_run)


def batch_prune(
    ctx: Context, node_ids: Iterable[str], action: str, *, confirm_large: bool = False,
    reason: str | None = None, dry_run: bool = False,
) -> Receipt:  # fmt: skip
    """Archives or trashes memories by id, behind the guards of a prune."""
    goal = _goal(action)
    request = Request(
        "prune",
        checked_ids(node_ids),
        goal,
        capped=True,
        confirmed=confirm_large,
        reason=reason,
    )
    return _carry_out(ctx, request, dry_run=dry_run)


def execute_prune(
    ctx: Context,
    node_ids: Iterable[str],
    reason: str,
    *,
    cascade: bool = False,
    dry_run: bool = False,
) -> Pruned:
    """Trashes memories for one of four reasons; with `cascade` also what only exists through them.

    What cannot go is named among the errors, and the rest goes.
    """
    if reason not in REASONS:
        raise InvalidInput(
            "reason",
            f"{show(reason)} is not known. Use one of {', '.join(REASONS)}; nothing was done.",
        )
    given = checked_list("node_ids", node_ids)
    if not given:
        return Pruned(reason=reason, message="No ids were given: nothing was pruned.")
    request = Request(
        "execute_prune",
        checked_ids(given),
        State.TRASHED,
        cascade=cascade,
        daily=True,
        reason=reason,
    )
    return _as_pruned(ctx, _carry_out(ctx, request, dry_run=dry_run), reason)


def _as_pruned(ctx: Context, done: Receipt, reason: str) -> Pruned:
    refusals = [*done.failed, *done.skipped]
    days = ctx.settings.trash_days
    return Pruned(
        pruned_count=len(done.succeeded),
        cascade_pruned=len(done.cascaded),
        errors=tuple(
            {"node_id": one.id, "error": _no_uuid(one.id) or one.reason} for one in refusals
        ),
        recoverable_until=done.recoverable_until,
        reason=reason,
        note=f"In the trash; can be restored for {days} days." if done.recoverable_until else "",
        operation_id=done.operation_id or None,
        receipt=done,
    )


def _no_uuid(memory_id: str) -> str | None:
    try:
        UUID(memory_id)
    except ValueError:
        return "this is no UUID; give a memory's id"
    return None


def put_away(
    ctx: Context,
    ids: str | Iterable[str],
    action: str,
    *,
    reason: str | None = None,
    dry_run: bool = False,
) -> Receipt:
    """Archives or trashes named memories.

    Of more than a few, those much used or very young are left.
    """
    wanted = checked_ids(ids)
    request = Request(action, wanted, GOALS[action], named=len(wanted) <= FEW, reason=reason)
    return _carry_out(ctx, request, dry_run=dry_run)


Stays = Callable[[Row], str | None]  # why a memory cannot be taken along, if so


def closure(
    reader: Reader, keys: Iterable[int], stays: Stays | None = None
) -> tuple[list[Row], dict[str, str]]:
    """Returns what exists only through these memories, directly or by way of others.

    That is what a cascade takes along. Also returns the ids of what would go along but cannot, with
    the reasons. What rests on something that stays, stays.
    """
    going = set(keys)
    carried: dict[int, Row] = {}
    fixed: dict[int, tuple[str, str]] = {}
    frontier = set(going)
    while frontier:
        lost = (
            guards.find_orphans(going, reader.resting_on(sorted(frontier), guards.DEPENDENCE))
            - fixed.keys()
        )
        found = reader.rows([("memories", key) for key in sorted(lost)])
        rows = {key: {**row, "key": key} for (_, key), row in found.items()}
        reasons = {key: (stays or _why_fixed)(row) for key, row in rows.items()}
        fixed |= {key: (rows[key]["id"], why) for key, why in reasons.items() if why is not None}
        frontier = rows.keys() - fixed.keys()
        carried |= {key: rows[key] for key in frontier}
        going |= frontier
    return [carried[key] for key in sorted(carried)], dict(fixed.values())


def _why_fixed(row: Row) -> str | None:
    return guards.find_obstacle(row, State.TRASHED)


# carrying out


@dataclass(slots=True)
class Selection:
    """The memories of a request that may go, and why the rest stays."""

    moving: list[Row] = field(default_factory=list)
    carried: list[Row] = field(default_factory=list)
    skipped: list[Refusal] = field(default_factory=list)
    failed: list[Refusal] = field(default_factory=list)

    @property
    def size(self) -> int:
        """The number of memories that go."""
        return len(self.moving) + len(self.carried)

    def skip(self, row: Row, reason: str) -> None:
        self.skipped.append(Refusal(row["id"], reason))


def _carry_out(ctx: Context, request: Request, *, dry_run: bool) -> Receipt:
    """Prunes and returns the receipt.

    A dry run returns what the receipt would say, without an operation.
    """
    if dry_run:
        with ctx.reading() as reader:
            chosen = _select(ctx, reader, request)
        ids = tuple(row["id"] for row in chosen.moving)
        carried = tuple(row["id"] for row in chosen.carried)
        return Receipt(
            "", request.verb, ids, tuple(chosen.skipped), tuple(chosen.failed), cascaded=carried,
            titles={row["id"]: row["title"] for row in chosen.moving[:NAMED]},
        )  # fmt: skip
    with ctx.operation(request.verb, reason=request.reason, ahead=_foresee(request)) as op:
        telemetry.note(prune_action="archive" if request.goal is State.ARCHIVED else "delete")
        chosen = _select(ctx, op.writer, request)
        _check_size(ctx, op.writer, request, chosen.size)
        going = [row["key"] for row in [*chosen.moving, *chosen.carried]]
        op.puts_away = bool(going)
        op.writer.set_state(going, state=request.goal, at=op.now, by=request.verb)
        op.succeeded += [row["id"] for row in chosen.moving]
        op.titles |= {row["id"]: row["title"] for row in chosen.moving[:NAMED]}
        op.cascaded += [row["id"] for row in chosen.carried]
        op.skipped += chosen.skipped
        op.failed += chosen.failed
        if request.goal is State.TRASHED:
            op.recoverable_until = ctx.trash_ends(op.now)
    return ctx.receipt(op)


def _foresee(request: Request) -> list[Ask]:
    """Returns what a prune will ask for."""
    return [
        foresight.standing_of(request.ids),
        foresight.curves(),
        foresight.does_any_rest_on(request.ids, guards.EVIDENCE),
    ]


def _check_size(ctx: Context, reader: Reader, request: Request, size: int) -> None:
    """Refuses more than may go at once, unless somebody who may has confirmed it."""
    may_confirm = not ctx.is_agent or ctx.settings.agents_may_confirm == "on"
    confirmed = request.confirmed and may_confirm
    if not request.capped or confirmed or size <= min(guards.ALWAYS, ctx.settings.prune_most):
        return
    most = count_cap(ctx, reader)
    if size > most:
        raise TooMany(size, most, may_confirm=may_confirm)


def _select(ctx: Context, reader: Reader, request: Request) -> Selection:
    chosen = Selection()
    rows = reader.standing_of(request.ids)
    now = ctx.now()
    seen = None if request.plan is None else _find_seen(request.plan)
    present = dict(
        zip(rows, records.retrievabilities(list(rows.values()), reader, now), strict=True)
    )
    planned = request.plan is not None and not request.named  # of ids, somebody has named each
    grader = Grader(ctx, left=len(request.ids))  # none goes unread
    staying = find_reasons_to_stay(reader, grader, request.ids) if planned else {}
    for memory_id in request.ids:
        row = rows.get(memory_id)
        if row is None:
            chosen.failed.append(Refusal(memory_id, "no such memory in this space"))
            continue
        why = guards.find_obstacle(row, request.goal) or _why_changed(row, seen)
        if why is None and not request.named:
            why = guards.worth_keeping(
                row, lifecycle(present[memory_id], row["state"]), now=micros(now)
            ) or staying.get(memory_id)
        if why is None:
            chosen.moving.append(row)
        else:
            chosen.skip(row, why)
    if request.daily:
        return _within_the_day(ctx, reader, request, chosen)
    return _with_what_rests_on_them(reader, request, chosen)


def _find_seen(plan: Plan) -> Seen:
    return {
        node.id: (node.version, optional_micros(node.last_used_at, "last_used_at"))
        for group in plan.groups
        for node in group.nodes
    }


def _why_changed(row: Row, seen: Seen | None) -> str | None:
    if seen is None:
        return None
    if row["id"] not in seen:
        return "it is not part of this plan"
    if (row["version"], row["last_used_at"]) != seen[row["id"]]:
        return "it was changed or used since the plan was made; analyse again"
    return None


def _within_the_day(ctx: Context, reader: Reader, request: Request, chosen: Selection) -> Selection:
    """Returns as many as may still go today, with what goes along; the rest is skipped."""
    most = ctx.settings.prune_daily
    gone = count_today(ctx, reader, request.verb)
    left = max(0, most - gone)
    count = min(left, len(chosen.moving))
    while True:
        within = Selection(chosen.moving[:count], [], list(chosen.skipped), list(chosen.failed))
        for row in chosen.moving[count:]:
            within.skip(row, f"the cap of {most} a day is reached; use a plan, or wait")
        within = _with_what_rests_on_them(reader, request, within)
        if within.size <= left:
            return within
        count -= 1


def _with_what_rests_on_them(reader: Reader, request: Request, chosen: Selection) -> Selection:
    """Adds what a cascade takes along, and keeps the last evidence of anything that stays."""
    if not request.cascade and not reader.does_any_rest_on(request.ids, guards.EVIDENCE):
        return chosen
    stays = _make_stays(request)
    kept: dict[int, str] = {}
    while True:
        moving = [row for row in chosen.moving if row["key"] not in kept]
        carried: list[Row] = []
        fixed: dict[str, str] = {}
        if request.cascade:
            carried, fixed = closure(reader, [row["key"] for row in moving], _also(kept, stays))
        going = [row["key"] for row in [*moving, *carried]]
        needed = guards.last_evidence(going, reader.resting_on(going, guards.EVIDENCE))
        if not needed:
            break
        needers = reader.rows([("memories", key) for key in set(needed.values())])
        kept |= {key: _rests(needers["memories", needer], fixed) for key, needer in needed.items()}
    left = [Refusal(row["id"], kept[row["key"]]) for row in chosen.moving if row["key"] in kept]
    return Selection(moving, carried, [*chosen.skipped, *left], chosen.failed)


def _also(kept: Mapping[int, str], stays: Stays) -> Stays:
    return lambda row: kept.get(row["key"]) or stays(row)


def _rests(needer: Row, fixed: Mapping[str, str]) -> str:
    why = fixed.get(needer["id"])
    way = "; prune that too, or cascade" if why is None else f" and cannot go along: {why}"
    return f"{needer['title']!r} ({needer['id']}) rests on it alone{way}"


def _make_stays(request: Request) -> Stays:
    """Returns a test that tells why something cannot be taken along.

    Either it is fixed, or the plan did not show it.
    """
    plan = request.plan
    if plan is None:
        return lambda row: guards.find_obstacle(row, request.goal)
    shown = {
        *plan.node_ids,
        *(memory_id for group in plan.groups for memory_id in group.impact.cascade),
    }
    made = micros(plan.created_at)

    def stays(row: Row) -> str | None:
        if why := guards.find_obstacle(row, request.goal):
            return why
        if row["id"] not in shown:
            return "the plan did not show that it would go along; analyse again"
        if max(row["updated_at"], row["state_at"], row["last_used_at"] or 0) > made:
            return "it was changed or used since the plan was made; analyse again"
        return None

    return stays


# what is meant


def _goal(action: str) -> State:
    if not isinstance(action, str) or action not in GOALS:
        raise InvalidInput("action", f"{show(action)} is not known. Use archive or delete.")
    return GOALS[action]


def _chosen(plan: Plan, groups: Iterable[int] | None, ids: Iterable[str] | None) -> list[str]:
    """Returns the ids of a plan that are meant, in the plan's order."""
    if groups is not None and ids is not None:
        raise InvalidInput("ids", "give groups or ids, not both.")
    if ids is not None:
        return checked_ids(ids)
    if groups is None:
        return list(plan.node_ids)
    numbers = checked_list("groups", groups)
    if not numbers:
        raise InvalidInput("groups", "is empty. Name at least one group, or leave it out for all.")
    known = {group.group: group for group in plan.groups}
    if unknown := [
        n for n in numbers if isinstance(n, bool) or not isinstance(n, int) or n not in known
    ]:
        raise InvalidInput(
            "groups", f"{show(unknown[0])} is no group of this plan. It has 1 to {len(known)}."
        )
    return list(dict.fromkeys(node for number in numbers for node in known[number].node_ids))
