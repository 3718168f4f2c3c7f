"""Pruning: exactly what was shown or named, behind the same guards, in one transaction that can be undone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from glymph.core import guards
from glymph.core.draft import checked_list
from glymph.core.model import Receipt, Refusal, State
from glymph.core.plan import Plan, Pruned
from glymph.core.presence import lifecycle
from glymph.core.rules import REASONS
from glymph.core.timing import MICROS_PER_DAY, micros, optional_micros
from glymph.errors import InvalidInput, TooMany
from glymph.services.plans import stored_plan
from glymph.services.states import checked_ids
from glymph.services.workplace import Workplace
from glymph.store import records
from glymph.store.contract import Reader, Row

GOALS = {"archive": State.ARCHIVED, "delete": State.TRASHED}
FEW = 5  # ids that a person or an agent names one by one

Seen = Mapping[str, tuple[int, int | None]]  # version and last use of each memory, as a plan showed them


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be pruned, and under which guards."""

    verb: str
    ids: Sequence[str]
    goal: State
    seen: Seen | None = None
    cascade: bool = False
    named: bool = False  # so few that the guards of use and age do not apply
    most: int | None = None  # that may go without being confirmed
    daily: int | None = None  # that may still go today; the rest stays
    reason: str | None = None


def prune(
    place: Workplace, plan: Plan | str, *, groups: Iterable[int] | None = None, ids: Iterable[str] | None = None,
    action: str = "archive", cascade: bool = False, confirm_large: bool = False, reason: str | None = None,
    dry_run: bool = False,
) -> Receipt:  # fmt: skip
    """Archives or trashes what a plan shows: all of it, some groups, or some ids. What changed since is left."""
    shown = stored_plan(place, plan.id if isinstance(plan, Plan) else plan)
    seen = {
        node.id: (node.version, optional_micros(node.last_used_at, "last_used_at"))
        for group in shown.groups
        for node in group.nodes
    }
    wanted = _chosen(shown, groups, ids)
    most = None if confirm_large else _cap(place)
    why = reason or f"plan {shown.id}"
    request = Request("prune", wanted, _goal(action), seen, cascade=cascade, most=most, reason=why)
    return _carry_out(place, request, dry_run=dry_run)


def batch_prune(
    place: Workplace, node_ids: Iterable[str], action: str, *, confirm_large: bool = False,
    reason: str | None = None, dry_run: bool = False,
) -> Receipt:  # fmt: skip
    """Archives or trashes memories by id, behind the guards of a prune."""
    goal = _goal(action)
    most = None if confirm_large else _cap(place)
    request = Request("prune", checked_ids(node_ids), goal, most=most, reason=reason)
    return _carry_out(place, request, dry_run=dry_run)


def execute_prune(
    place: Workplace, node_ids: Iterable[str], reason: str, *, cascade: bool = False, dry_run: bool = False
) -> Pruned:
    """Trashes memories for one of four reasons; with `cascade` also what only exists through them.

    What cannot go is named among the errors, and the rest goes.
    """
    if reason not in REASONS:
        raise InvalidInput(
            "reason", f"{reason!r} is not known. Use one of {', '.join(REASONS)}; nothing was done."
        )
    given = checked_list("node_ids", node_ids)
    if not given:
        return Pruned(reason=reason, message="No ids were given: nothing was pruned.")
    left = place.settings.prune_daily - _pruned_today(place)
    request = Request(
        "execute_prune", checked_ids(given), State.TRASHED, cascade=cascade, daily=max(left, 0), reason=reason
    )
    return _as_pruned(place, _carry_out(place, request, dry_run=dry_run), reason)


def _pruned_today(place: Workplace) -> int:
    with place.reading() as reader:
        return reader.changed_by("execute_prune", micros(place.now()) - MICROS_PER_DAY)


def _as_pruned(place: Workplace, done: Receipt, reason: str) -> Pruned:
    refusals = [*done.failed, *done.skipped]
    days = place.settings.trash_days
    return Pruned(
        pruned_count=len(done.succeeded),
        cascade_pruned=len(done.cascaded),
        errors=tuple({"node_id": one.id, "error": _no_uuid(one.id) or one.reason} for one in refusals),
        recoverable_until=done.recoverable_until,
        reason=reason,
        note=f"They are in the trash and can be restored for {days} days." if done.succeeded else "",
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
    place: Workplace, ids: str | Iterable[str], action: str, *, reason: str | None = None, dry_run: bool = False
) -> Receipt:
    """Archives or trashes named memories; of more than a few, those much used or very young are left."""
    wanted = checked_ids(ids)
    request = Request(action, wanted, GOALS[action], named=len(wanted) <= FEW, reason=reason)
    return _carry_out(place, request, dry_run=dry_run)


def closure(reader: Reader, keys: Iterable[int]) -> list[Row]:
    """What only exists through these memories, and through that, and so on: what a cascade would take along."""
    going = set(keys)
    found: set[int] = set()
    frontier = set(going)
    while frontier:
        frontier = guards.orphaned(going, reader.resting_on(sorted(frontier)))
        going |= frontier
        found |= frontier
    places = reader.rows([("memories", key) for key in sorted(found)])
    return [{**row, "key": key} for (_, key), row in sorted(places.items())]


# carrying out


@dataclass(slots=True)
class Selection:
    """What of a request may go, and why the rest stays."""

    moving: list[Row] = field(default_factory=list)
    carried: list[Row] = field(default_factory=list)
    skipped: list[Refusal] = field(default_factory=list)
    failed: list[Refusal] = field(default_factory=list)

    def skip(self, row: Row, reason: str) -> None:
        self.skipped.append(Refusal(row["id"], reason))


def _carry_out(place: Workplace, request: Request, *, dry_run: bool) -> Receipt:
    """The receipt of what was done; of a dry run, that of what would be, without an operation."""
    if dry_run:
        with place.reading() as reader:
            chosen = _selected(place, reader, request)
        ids = tuple(row["id"] for row in chosen.moving)
        carried = tuple(row["id"] for row in chosen.carried)
        return Receipt("", request.verb, ids, tuple(chosen.skipped), tuple(chosen.failed), cascaded=carried)
    with place.operation(request.verb, reason=request.reason) as op:
        chosen = _selected(place, op.writer, request)
        going = [row["key"] for row in [*chosen.moving, *chosen.carried]]
        op.writer.set_state(going, state=request.goal, at=op.now, by=request.verb)
        op.succeeded += [row["id"] for row in chosen.moving]
        op.cascaded += [row["id"] for row in chosen.carried]
        op.skipped += chosen.skipped
        op.failed += chosen.failed
        if request.goal is State.TRASHED:
            op.recoverable_until = place.trash_ends(op.now)
    return place.receipt(op)


def _selected(place: Workplace, reader: Reader, request: Request) -> Selection:
    chosen = Selection()
    rows = reader.standing(request.ids)
    now = place.now()
    present = dict(zip(rows, records.retrievabilities(list(rows.values()), reader, now), strict=True))
    for memory_id in request.ids:
        row = rows.get(memory_id)
        if row is None:
            chosen.failed.append(Refusal(memory_id, "no such memory in this space"))
            continue
        why = guards.standing(row, request.goal) or _changed(row, request.seen)
        if why is None and not request.named:
            why = guards.worth_keeping(row, lifecycle(present[memory_id], row["state"]), now=micros(now))
        if why is None:
            chosen.moving.append(row)
        else:
            chosen.skip(row, why)
    if request.daily is not None:
        for row in chosen.moving[request.daily :]:
            chosen.skip(row, f"the cap of {place.settings.prune_daily} a day is reached; use a plan, or wait")
        del chosen.moving[request.daily :]
    if request.cascade:
        _cascade(reader, request, chosen)
    else:
        _keep_last_evidence(reader, chosen)
    going = len(chosen.moving) + len(chosen.carried)
    if request.most is not None and going > request.most:
        raise TooMany(going, request.most, request.verb)
    return chosen


def _changed(row: Row, seen: Seen | None) -> str | None:
    if seen is None:
        return None
    if row["id"] not in seen:
        return "it is not part of this plan"
    if (row["version"], row["last_used_at"]) != seen[row["id"]]:
        return "it was changed or used since the plan was made; analyse again"
    return None


def _keep_last_evidence(reader: Reader, chosen: Selection) -> None:
    """Lets nothing go on which alone something rests that stays."""
    keys = [row["key"] for row in chosen.moving]
    kept = guards.last_evidence(keys, reader.resting_on(keys))
    if not kept:
        return
    needers = reader.rows([("memories", key) for key in set(kept.values())])
    for row in chosen.moving:
        if row["key"] in kept:
            needer = needers["memories", kept[row["key"]]]
            chosen.skip(row, f"{needer['title']!r} ({needer['id']}) rests on it alone; prune that too, or cascade")
    chosen.moving = [row for row in chosen.moving if row["key"] not in kept]


def _cascade(reader: Reader, request: Request, chosen: Selection) -> None:
    """Takes along what only exists through what goes; pinned and protected ones stay."""
    for row in closure(reader, (row["key"] for row in chosen.moving)):
        if why := guards.standing(row, request.goal):
            chosen.skip(row, why)
        else:
            chosen.carried.append(row)


# what is meant


def _goal(action: str) -> State:
    if action not in GOALS:
        raise InvalidInput("action", f"{action!r} is not known. Use archive or delete.")
    return GOALS[action]


def _cap(place: Workplace) -> int:
    with place.reading() as reader:
        live = reader.live_count()
    return guards.cap(live, percent=place.settings.prune_percent, most=place.settings.prune_most)


def _chosen(plan: Plan, groups: Iterable[int] | None, ids: Iterable[str] | None) -> list[str]:
    """The ids of a plan that are meant, in the plan's order."""
    if groups is not None and ids is not None:
        raise InvalidInput("ids", "give groups or ids, not both.")
    if ids is not None:
        return checked_ids(ids)
    if groups is None:
        return list(plan.node_ids)
    numbers = checked_list("groups", groups)
    known = {group.group: group for group in plan.groups}
    if unknown := [number for number in numbers if number not in known]:
        raise InvalidInput("groups", f"{unknown[0]!r} is no group of this plan. It has 1 to {len(known)}.")
    return list(dict.fromkeys(node for number in numbers for node in known[number].node_ids))
