"""Forgetting on request: a plan first, then exactly that in one operation, then a look at what is
left.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from glymph.checks import checked_text
from glymph.context import Context, Operating
from glymph.errors import IdentifierLeft, InvalidInput, PlanExpired, PlanNotFound
from glymph.forget.certificate import certify
from glymph.forget.lookup import EVERYTHING, LIVE, chosen, statements
from glymph.forget.plan import ForgetPlan, Forgotten, Mode, Reachable, forget_plan_id
from glymph.forget.purge import Erased, erase_wordings, remove_for_good
from glymph.forget.requests import Action, Decide, plan, still_held, understood
from glymph.model import State
from glymph.moments import micros
from glymph.plain import plain
from glymph.recall.search import MAX_QUERY_CHARS, search
from glymph.store.contract import Row
from glymph.store.guards import EVIDENCE
from glymph.text.normal import content_hash, derive_title

USER_REQUESTED = "user_requested"
BESIDE = "its title, tags, entities or attributes hold it; change those with update, or name its id"
PROBED = 5  # hits looked at for each removed text
MOST_PROBES = 20


def forget(
    ctx: Context,
    request: str | ForgetPlan,
    *,
    mode: str = "release",
    reason: str = USER_REQUESTED,
    apply: bool = False,
    decide: Decide | None = None,
) -> ForgetPlan | Forgotten:
    """The plan for a request, kept for a while; with `apply`, what came of carrying it out.

    A request is a description, an identifier, a subject or the id of a memory; with `apply` also
    the id of a plan that was shown, of which exactly that is done. `release` moves to the trash and
    rewords, which undo reverts; `purge` removes for good.
    """
    wanted = _checked(mode, reason)
    shown = request if isinstance(request, ForgetPlan) else _shown(ctx, request) if apply else None
    if shown is not None:
        _checked(shown.mode, reason)
        if apply and shown.expires_at <= ctx.now():
            raise PlanExpired(shown.id, shown.expires_at)
        return _act(ctx, shown, reason) if apply else shown
    checked_text("request", request, MAX_QUERY_CHARS)
    made = planned(ctx, str(request), wanted, decide=decide)
    if apply:
        return _act(ctx, made, reason)
    _keep(ctx, made)
    return made


def planned(ctx: Context, request: str, mode: Mode, *, decide: Decide | None = None) -> ForgetPlan:
    """The plan for a request, not kept."""
    with ctx.reading() as reader:
        named = reader.memories([request.strip()])
        wanted = EVERYTHING if mode == "purge" else LIVE
        said, rows = chosen(named) if named else statements(reader, understood(request), wanted)
        found = plan(request, said, decide=decide)
        going = [rows[action.id]["key"] for action in found.of("remove") if action.id in rows]
        in_order = sorted(
            found.actions, key=lambda action: int(rows[action.id]["key"])
        )  # as they were told
        actions = (*in_order, *_beside(request, rows, found.actions))
        resting = _resting(reader.resting_on(going, EVIDENCE) if going else [], rows, found.actions)
    now = ctx.now()
    return ForgetPlan(
        id=forget_plan_id(ctx.space, request, mode, actions), space=ctx.space, request=request,
        mode=mode,
        created_at=now, expires_at=now + timedelta(days=ctx.settings.plan_days), actions=actions,
        why=found.why, derived=resting,
    )  # fmt: skip


def _beside(request: str, rows: Mapping[str, Row], actions: Sequence[Action]) -> tuple[Action, ...]:
    """Memories that hold an identifier of the request beside their text: somebody has to look at
    those.
    """
    known = {action.id for action in actions}
    values = [value.casefold() for value in _values(request)]
    return tuple(
        Action("ask", row["id"], row["text"], "", BESIDE, 0.3, row["version"])
        for row in rows.values()
        if row["id"] not in known and any(value in _fields(row) for value in values)
    )


def _fields(row: Row) -> str:
    return " ".join(
        row[column] for column in ("title", "tags", "entities", "attributes")
    ).casefold()


def forget_plan(ctx: Context, plan_id: str) -> ForgetPlan:
    """The plan to forget of an id, or PlanNotFound."""
    found = _shown(ctx, plan_id)
    if found is None:
        raise PlanNotFound(plan_id, ctx.space)
    return found


def _resting(
    pairs: Iterable[tuple[int, int]], rows: dict[str, Row], actions: Sequence[Action]
) -> tuple[str, ...]:
    """The memories known here that rest on what goes and are not planned for themselves."""
    by_key = {row["key"]: row["id"] for row in rows.values()}
    touched = {action.id for action in actions if action.kind != "ask"}
    found = {by_key[key] for pair in pairs for key in pair if key in by_key}
    return tuple(sorted(found - touched))


def _checked(mode: str, reason: str) -> Mode:
    if mode == "release":
        return "release"
    if mode != "purge":
        raise InvalidInput("mode", f"{mode!r} is neither 'release' nor 'purge'. Use one of them.")
    if reason != USER_REQUESTED:
        raise InvalidInput(
            "reason", f"a purge needs the reason {USER_REQUESTED!r}. Use mode='release' otherwise."
        )
    return "purge"


def _keep(ctx: Context, made: ForgetPlan) -> None:
    row = {
        "id": made.id, "created_at": micros(made.created_at), "expires_at": micros(made.expires_at),
        "body": json.dumps(plain(made), ensure_ascii=False),
    }  # fmt: skip
    with ctx.store.writing(ctx.space, None) as writer:
        writer.drop_expired_plans(micros(ctx.now()))
        writer.save_plan(row)


def _shown(ctx: Context, plan_id: str) -> ForgetPlan | None:
    """The kept plan to forget of this id, if it is one."""
    if not isinstance(plan_id, str) or len(plan_id) != 32 or not plan_id.isalnum():
        return None
    with ctx.reading() as reader:
        row = reader.plan(plan_id)
    body = json.loads(row["body"]) if row is not None else {}
    if body.get("kind") != "forget":
        return None
    moments = {name: datetime.fromisoformat(body[name]) for name in ("created_at", "expires_at")}
    actions = tuple(Action(**action) for action in body["actions"])
    return ForgetPlan(**{**body, **moments, "actions": actions, "derived": tuple(body["derived"])})


def _act(ctx: Context, shown: ForgetPlan, reason: str) -> Forgotten:
    """Carries a plan out in one operation and looks for what is left."""
    purging = shown.mode == "purge"
    erased: list[Erased] = []
    with ctx.operation("purge" if purging else "forget", reason=reason) as op:
        rows = op.writer.memories([action.id for action in shown.actions])
        going = [action for action in shown.removed if _stands(op, rows, action)]
        editing = [action for action in shown.rewritten if _stands(op, rows, action)]
        if purging:
            _check_gone(shown.request, rows, editing)
        for action in (*shown.refused, *shown.candidates):
            op.skip(action.id, action.reason)
        for action in editing:
            reword(op, rows[action.id], action.new)
        ids = [action.id for action in going]
        if purging:
            also = _values(shown.request)
            if ids:
                erased.append(remove_for_good(op, ctx, ids, tombstone=True, also=also))
            if editing:
                kept = [action.id for action in editing]
                erased.append(erase_wordings(op, ctx, kept, tombstone=True, also=also))
        elif ids:
            keys = [rows[one]["key"] for one in ids]
            op.writer.set_state(keys, state=State.TRASHED, at=op.now, by="forget")
            op.recoverable_until = ctx.trash_ends(op.now)
        op.succeeded += [*ids, *(action.id for action in editing)]
    edited = tuple(action.id for action in editing)
    ctx.embed_soon(list(edited))
    return Forgotten(
        receipt=ctx.receipt(op), plan=shown, edited=edited, candidates=shown.candidates,
        reachable=_probed(ctx, shown, [*going, *editing]),
        certificate=certify(ctx, op.intent.id, *erased) if purging else None,
    )  # fmt: skip


def _stands(op: Operating, rows: dict[str, Row], action: Action) -> bool:
    """Whether a memory is as the plan saw it; else why not is noted on the operation."""
    row = rows.get(action.id)
    if row is None:
        op.fail(action.id, "no such memory in this space")
    elif row["version"] != action.version or row["text"] != action.old:
        op.skip(action.id, "it has changed since the plan was made; make a new one")
    elif row["pinned"]:
        op.skip(action.id, "it is pinned; unpin it first, then repeat the call")
    elif row["protected"] and action.kind == "remove":
        op.skip(action.id, "it is protected; only what it says can be edited")
    else:
        return True
    return False


def _check_gone(request: str, rows: Mapping[str, Row], editing: Sequence[Action]) -> None:
    """Raises IdentifierLeft if a memory that is to be reworded would hold an identifier of the
    request even so.
    """
    asked = understood(request)
    for action in editing:
        row = rows[action.id]
        becomes = {**row, **_reworded(row, action.new)}
        left = [
            field
            for field in ("text", "title", "entities", "tags", "attributes")
            if any(still_held(asked, row["text"], said) for said in _said(becomes, field))
        ]
        if left:
            raise IdentifierLeft(action.id, left)


def _said(row: Row, field: str) -> Iterator[str]:
    """The texts in a field of a memory."""
    waiting = [row[field] if field in ("text", "title") else json.loads(row[field] or "null")]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            waiting += value
        elif value is not None and not isinstance(value, bool):
            yield str(value)


def reword(op: Operating, row: Row, text: str) -> None:
    """Gives a memory other words; entities it no longer names go with them."""
    values = {**_reworded(row, text), "updated_at": op.now, "version": row["version"] + 1}
    op.writer.change("memories", {row["key"]: values})


def _reworded(row: Row, text: str) -> dict[str, Any]:
    """What other words change in a memory."""
    named = [
        name
        for name in json.loads(row["entities"] or "[]")
        if name not in row["text"] or name in text
    ]
    values = {
        "text": text,
        "entities": json.dumps(named, ensure_ascii=False),
        "content_hash": content_hash(text, row["kind"], row["event_at"]),
    }
    if row["title"] == derive_title(row["text"]):
        values["title"] = derive_title(text)
    if named == json.loads(row["entities"] or "[]"):
        del values["entities"]
    return values


def _values(request: str) -> list[str]:
    """The identifiers that logs of queries must not repeat either."""
    return [each.text for each in understood(request).strong]


def _probed(ctx: Context, shown: ForgetPlan, done: Sequence[Action]) -> tuple[Reachable, ...]:
    """What the request still means, and what removed texts and identifiers still find of what was
    removed.
    """
    if not done:
        return ()
    again = planned(ctx, shown.request, shown.mode)
    found = [
        Reachable(action.id, "the request")
        for action in again.actions
        if action.kind in ("remove", "rewrite")
    ]
    found += [Reachable(action.id, BESIDE) for action in again.actions if action.reason == BESIDE]
    gone = {action.id for action in done if action.kind == "remove"}
    former = {action.old for action in done}
    for probe in [
        *(action.old[:MAX_QUERY_CHARS] for action in done[:MOST_PROBES]),
        *_values(shown.request),
    ]:
        hits = [hit.memory for hit in search(ctx, probe, limit=PROBED)]
        found += [Reachable(one.id, probe) for one in hits if one.id in gone or one.text in former]
    return tuple(dict.fromkeys(found))
