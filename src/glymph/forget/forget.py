"""Forgets on request: makes a plan, does exactly that in one operation, and checks what is left.

forget → make_plan (shown) → _execute → purge → certificate.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from glymph.checks import checked_id, checked_text, show
from glymph.context import Context, OpenOperation
from glymph.errors import IdentifierLeft, InvalidInput, PlanExpired, PlanNotFound
from glymph.forget.certificate import Removal, certify
from glymph.forget.judge import find_judges
from glymph.forget.lookup import EVERYTHING, LIVE, find_candidates, name_candidates
from glymph.forget.person import bury_own_identifiers
from glymph.forget.plan import (
    ForgetPlan,
    Forgotten,
    Mode,
    Reachable,
    check_same_mode,
    forget_plan_id,
)
from glymph.forget.planner import UNSAFE
from glymph.forget.purge import erase_wordings, remove_for_good
from glymph.forget.request import read_checked
from glymph.forget.requests import Action, Decide, Request, plan, read_request
from glymph.forget.reword import (
    fields_still_holding,
    holds_beside_text,
    holds_same_box,
    list_texts,
    reword,
)
from glymph.forget.rights import check_may_purge
from glymph.model import State
from glymph.moments import micros, shift
from glymph.plain import plain
from glymph.recall.search import MAX_QUERY_CHARS, search
from glymph.store.contract import Row
from glymph.store.guards import EVIDENCE
from glymph.store.reader import Reader
from glymph.text.quotes import GONE
from glymph.write.question_queue import ask_whether_meant

USER_REQUESTED = "user_requested"
BY_ANSWER = "answer the question about it"
BY_ID = "if it is meant, forget it by its id"
BESIDE = "its title, kind, tags, entities or attributes hold it; update those, or name its id"
SAME_BOX = "it holds the address with a tag, which goes to the same box"
PROBED = 5  # hits looked at for each removed text
MOST_PROBES = 20
MOST_QUESTIONS = 5  # of one request


def forget(
    ctx: Context,
    request: str | ForgetPlan,
    *,
    mode: str = "release",
    reason: str = USER_REQUESTED,
    apply: bool = False,
    decide: Decide | None = None,
) -> ForgetPlan | Forgotten:
    """Returns the plan for a request, kept for a while; with `apply`, carries it out.

    A request is a description, an identifier, a subject or the id of a memory; with `apply` also
    the id of a plan that was shown: exactly that plan is carried out. `release` moves to the trash
    and rewords, which undo reverts; `purge` removes for good. A plan has a mode of its own: it is
    no purge because somebody says so.
    """
    wanted = _check_mode(mode, reason)
    if isinstance(request, ForgetPlan):
        shown: ForgetPlan | None = request
    else:
        shown = _load_plan(ctx, request) if apply else None
    if shown is not None:
        _check_mode(shown.mode, reason)
        if mode == "purge":  # "release" may be the default, and not said at all
            check_same_mode(shown, mode)
        if apply and shown.expires_at <= ctx.now():
            raise PlanExpired(shown.id, shown.expires_at)
        return _execute(ctx, shown, reason) if apply else shown
    checked_text("request", request, MAX_QUERY_CHARS)
    made = make_plan(ctx, str(request), wanted, decide=decide)
    if apply:
        return _execute(ctx, made, reason, fresh=True)
    _save_plan(ctx, made)
    return made


def _check_mode(mode: str, reason: str) -> Mode:
    if mode == "release":
        return "release"
    if mode != "purge":
        raise InvalidInput(
            "mode", f"{show(mode)} is neither 'release' nor 'purge'. Use one of them."
        )
    if reason != USER_REQUESTED:
        raise InvalidInput(
            "reason", f"a purge needs the reason {USER_REQUESTED!r}. Use mode='release' otherwise."
        )
    return "purge"


# the plan


def make_plan(
    ctx: Context, request: str, mode: Mode, *, decide: Decide | None = None
) -> ForgetPlan:
    """Returns the plan for a request, without keeping it."""
    asked = read_checked(request)
    with ctx.reading() as reader:
        named = reader.memories([request.strip()])
        among = EVERYTHING if mode == "purge" else LIVE
        near = name_candidates(named) if named else find_candidates(ctx, reader, asked, among)
    judges = find_judges(ctx, mode, request, near.rows)
    found = plan(
        request, near.statements, mode=mode, likeness=near.likeness, judges=judges, decide=decide
    )
    rows = near.rows
    with ctx.reading() as reader:
        oldest_first = sorted(found.actions, key=lambda action: int(rows[action.id]["key"]))
        actions = (*oldest_first, *_find_beside(asked, rows, found.actions))
        derived = _find_derived(reader, rows, found.actions)
    now = ctx.now()
    return ForgetPlan(
        id=forget_plan_id(ctx.space, request, mode, actions),
        space=ctx.space,
        request=request,
        mode=mode,
        created_at=now,
        expires_at=shift(now, days=ctx.settings.plan_days),
        actions=actions,
        why="; ".join(filter(None, [found.why, near.say_cut(), *judges.problems])),
        derived=derived,
        identifier_left=_find_left(asked, rows, found.of("rewrite")) if mode == "purge" else {},
    )


def _find_beside(
    asked: Request, rows: Mapping[str, Row], actions: Sequence[Action]
) -> tuple[Action, ...]:
    """Returns questions about memories that hold an identifier beside their text, or with a tag."""
    planned = {action.id for action in actions}
    others = [row for row in rows.values() if row["id"] not in planned]
    beside = {row["id"]: BESIDE for row in others if holds_beside_text(asked, row)}
    tagged = {row["id"]: SAME_BOX for row in others if holds_same_box(asked, row)}
    why = tagged | beside
    return tuple(
        Action("ask", row["id"], row["text"], "", why[row["id"]], 0.3, row["version"])
        for row in others
        if row["id"] in why
    )


def _find_derived(
    reader: Reader, rows: Mapping[str, Row], actions: Sequence[Action]
) -> tuple[str, ...]:
    """Returns the memories known here that rest on what goes and are not planned for themselves."""
    going = [rows[one.id]["key"] for one in actions if one.kind == "remove" and one.id in rows]
    pairs = reader.resting_on(going, EVIDENCE) if going else []
    by_key = {row["key"]: row["id"] for row in rows.values()}
    planned = {action.id for action in actions if action.kind != "ask"}
    return tuple(sorted({by_key[key] for pair in pairs for key in pair if key in by_key} - planned))


def _find_left(
    asked: Request, rows: Mapping[str, Row], rewriting: Iterable[Action]
) -> dict[str, tuple[str, ...]]:
    """Returns, by memory, the fields that would hold an identifier of the request even reworded."""
    found = {one.id: fields_still_holding(asked, rows[one.id], one.new) for one in rewriting}
    return {memory_id: fields for memory_id, fields in found.items() if fields}


def _save_plan(ctx: Context, made: ForgetPlan) -> None:
    """Keeps a plan; if its request tells something purged, only if it does something.

    Only a purge needs such a request again, and leaves it nowhere; any other plan is kept without.
    """
    with ctx.store.writing(ctx.space, None) as writer:
        writer.drop_expired_plans(micros(ctx.now()))
        if ctx.find_purged(writer, [made.request]):
            if not made.actions:
                return
            made = made if made.mode == "purge" else replace(made, request=GONE)
        writer.save_plan({
            "id": made.id,
            "created_at": micros(made.created_at),
            "expires_at": micros(made.expires_at),
            "body": json.dumps(plain(made), ensure_ascii=False),
        })  # fmt: skip


def forget_plan(ctx: Context, plan_id: str) -> ForgetPlan:
    """Returns the kept plan to forget of this id, or raises PlanNotFound."""
    found = _load_plan(ctx, checked_id(plan_id, "plan_id"))
    if found is None:
        raise PlanNotFound(plan_id, ctx.space, "forget(…)")
    return found


def _load_plan(ctx: Context, plan_id: str) -> ForgetPlan | None:
    """Returns the kept plan of this id, if it is one to forget."""
    if not isinstance(plan_id, str) or len(plan_id) != 32 or not plan_id.isalnum():
        return None
    with ctx.reading() as reader:
        row = reader.plan(plan_id)
        body = json.loads(row["body"]) if row is not None else {}
        return _read_plan(body) if body.get("kind") == "forget" else None


def _read_plan(body: dict[str, Any]) -> ForgetPlan:
    moments = {name: datetime.fromisoformat(body[name]) for name in ("created_at", "expires_at")}
    actions = tuple(Action(**action) for action in body["actions"])
    left = {one: tuple(fields) for one, fields in body.get("identifier_left", {}).items()}
    values = {**body, **moments, "actions": actions, "identifier_left": left}
    return ForgetPlan(**{**values, "derived": tuple(body["derived"])})


# carrying it out


def _execute(ctx: Context, shown: ForgetPlan, reason: str, *, fresh: bool = False) -> Forgotten:
    """Carries a plan out in one operation and looks for what is left.

    `fresh` is a plan that was made in the same call, so that nobody has seen it.
    """
    purging = shown.mode == "purge"
    if purging:
        check_may_purge()
    asked = read_request(shown.request)
    removals: list[Removal] = []
    with ctx.operation("purge" if purging else "forget", reason=reason) as op:
        rows = op.writer.memories([action.id for action in shown.actions])
        going = [action for action in shown.removed if _can_act(op, rows, action, fresh)]
        editing = [action for action in shown.rewritten if _can_act(op, rows, action, fresh)]
        if purging:
            for memory_id, fields in _find_left(asked, rows, editing).items():
                raise IdentifierLeft(memory_id, fields)
        for action in shown.refused:
            op.skip(action.id, action.reason)
        if purging:  # it leaves its request nowhere, also where it found nothing
            op.writer.drop_plan(shown.id)
        _leave_in_doubt(op, shown, [] if purging else _ask_about(ctx, op, rows, shown))
        for action in editing:
            reword(op, rows[action.id], action.new)
        ids = [action.id for action in going]
        edited = [action.id for action in editing]
        if purging:
            said = op.writer.past_words([rows[one]["key"] for one in (*ids, *edited)])
            said += [text for one in ids for text in list_texts(rows[one])]
            also = [one.text for one in asked.strong]  # logs of queries must not repeat it either
            if ids:
                removals.append(remove_for_good(op, ctx, ids, tombstone=True, also=also))
            if edited or (also and not ids):  # nothing else may hold an identifier of it, either
                removals.append(erase_wordings(op, ctx, edited, tombstone=bool(edited), also=also))
            removals += bury_own_identifiers(op, ctx, asked, said)
        elif ids:
            keys = [rows[one]["key"] for one in ids]
            op.writer.set_state(keys, state=State.TRASHED, at=op.now, by="forget")
            op.recoverable_until = ctx.trash_ends(op.now)
        op.succeeded += [*ids, *edited]
        op.answer |= {"plan": shown.id, "edited": edited}
    ctx.settle_soon(edited)
    return Forgotten(
        receipt=ctx.receipt(op),
        plan=shown,
        edited=tuple(edited),
        candidates=shown.candidates,
        reachable=_find_reachable(ctx, shown, asked, [*going, *editing]),
        certificate=certify(ctx, op.intent.id, *removals) if purging else None,
    )


def _leave_in_doubt(op: OpenOperation, shown: ForgetPlan, asked: Sequence[str]) -> None:
    """Notes what a request may mean, and how somebody says that it does."""
    for action in shown.candidates:
        way = BY_ANSWER if action.id in asked else BY_ID
        named = action.reason in (BESIDE, UNSAFE)  # these say what to do
        op.skip(action.id, action.reason if named else f"{action.reason}; {way}")


def _ask_about(
    ctx: Context, op: OpenOperation, rows: Mapping[str, Row], shown: ForgetPlan
) -> list[str]:
    """Asks about the likeliest of what a request may mean, so that somebody can say so later.

    Returns those that a question waits for.
    """
    likeliest = sorted(shown.candidates, key=lambda action: -action.confidence)[:MOST_QUESTIONS]
    here = [one.id for one in likeliest if one.id in rows and rows[one.id]["state"] == State.LIVE]
    ask_whether_meant(ctx, op, shown.request, here)
    return here


def _can_act(op: OpenOperation, rows: Mapping[str, Row], action: Action, fresh: bool) -> bool:
    """Tells whether a memory is as the plan saw it; notes on the operation why it is not.

    Of a fresh plan the text alone counts: meanwhile the background may have linked the memory.
    """
    row = rows.get(action.id)
    if row is None:
        op.fail(action.id, "no such memory in this space")
    elif row["text"] != action.old or (row["version"] != action.version and not fresh):
        op.skip(action.id, "it has changed since the plan was made; make a new one")
    elif row["pinned"]:
        op.skip(action.id, "it is pinned; unpin it first, then repeat the call")
    elif row["protected"] and action.kind == "remove":
        op.skip(action.id, "it is protected; only what it says can be edited")
    else:
        return True
    return False


def _find_reachable(
    ctx: Context, shown: ForgetPlan, asked: Request, done: Sequence[Action]
) -> tuple[Reachable, ...]:
    """Returns what the request still means, and what searches still find of what was removed."""
    if not done:
        return ()
    found: list[Reachable] = []
    if asked.strong:  # of a description nobody can tell for certain that it is met no more
        again = make_plan(ctx, shown.request, shown.mode)
        left = [*again.removed, *again.rewritten]
        found += [Reachable(action.id, "the request") for action in left]
        beside = [action for action in again.actions if action.reason == BESIDE]
        found += [Reachable(action.id, BESIDE) for action in beside]
    gone = {action.id for action in done if action.kind == "remove"}
    former = {action.old for action in done}
    texts = [action.old[:MAX_QUERY_CHARS] for action in done[:MOST_PROBES]]
    for probe in [*texts, *(one.text for one in asked.strong)]:
        hits = [hit.memory for hit in search(ctx, probe, limit=PROBED)]
        found += [Reachable(one.id, probe) for one in hits if one.id in gone or one.text in former]
    return tuple(dict.fromkeys(found))
