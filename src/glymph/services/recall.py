"""Finding memories. Looking never reinforces; reporting what was used does."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from difflib import get_close_matches
from typing import Any, TypedDict, Unpack

from glymph.core.draft import checked_id, checked_list, checked_space, checked_text, one_of, optional_text
from glymph.core.edges import OUTCOME_CONFIRMED, USED_EXPLICITLY, USED_TOGETHER
from glymph.core.model import Hit, Outcome, Recall, Receipt, State
from glymph.core.reinforcement import RATINGS, reinforced
from glymph.core.sections import KINDS, Section
from glymph.core.text import query_words
from glymph.core.timing import micros, optional_micros
from glymph.errors import InvalidInput, RecallNotFound
from glymph.services.workplace import Operating, Workplace
from glymph.store import records
from glymph.store.contract import Filter, Reader

MAX_QUERY_CHARS = 20_000


class Filters(TypedDict, total=False):
    """Which memories a listing or a search is about; by default what is LIVE and current."""

    kinds: Sequence[str] | None
    sections: Sequence[str] | None
    tags: Sequence[str] | None  # all of them
    since: datetime | None
    until: datetime | None
    states: Sequence[str] | None
    include_superseded: bool
    session: str | None


class SearchOptions(Filters, total=False):
    """The filters, and how much to give back from where."""

    limit: int
    spaces: Sequence[str] | None
    budget_tokens: int | None


def wanted(filters: Filters) -> Filter:
    """The checked filter."""
    unknown = filters.keys() - Filters.__annotations__.keys()
    if unknown:
        raise InvalidInput(min(unknown), f"no such filter. Known: {', '.join(Filters.__annotations__)}.")
    return Filter(
        states=_choices("states", filters.get("states"), State) or (State.LIVE,),
        kinds=_texts("kinds", filters.get("kinds")),
        sections=_choices("sections", filters.get("sections"), Section),
        tags=_texts("tags", filters.get("tags")),
        since=optional_micros(filters.get("since"), "since"),
        until=optional_micros(filters.get("until"), "until"),
        include_superseded=bool(filters.get("include_superseded")),
        session=optional_text("session", filters.get("session")),
    )


def _listed(field: str, values: object) -> list[Any] | None:
    """The values of a filter, None for one left out; an empty list would ask for nothing at all."""
    if values is None:
        return None
    listed = checked_list(field, values)
    if not listed:
        raise InvalidInput(field, "is an empty list, which nothing matches. Leave it out to get everything.")
    return listed


def _texts(field: str, values: object) -> tuple[str, ...] | None:
    listed = _listed(field, values)
    return None if listed is None else tuple(checked_text(field, value, 200) for value in listed)


def _choices(field: str, values: object, choices: Any) -> tuple[str, ...] | None:
    listed = _listed(field, values)
    return None if listed is None else tuple(one_of(field, value, choices) for value in listed)


def check_kinds(reader: Reader, wanted: Filter) -> None:
    """Refuses a kind nobody has ever used or defined: most likely a slip of the pen."""
    unknown = [kind for kind in wanted.kinds or () if kind not in KINDS]
    if not unknown:
        return
    known = {*KINDS, *reader.kinds()}
    for kind in unknown:
        if kind not in known:
            near = get_close_matches(kind, known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else " Leave kinds out to see what there is."
            raise InvalidInput("kinds", f"no memory of kind {kind!r} was ever stored in {reader.space!r}.{hint}")


def search(
    place: Workplace, query: str, *, limit: int = 10, spaces: Sequence[str] | None = None,
    budget_tokens: int | None = None, **filters: Unpack[Filters],
) -> list[Hit]:  # fmt: skip
    """The best hits, without touching anything."""
    checked_text("query", query, MAX_QUERY_CHARS)
    checked_limit(place, limit)
    now = place.now()
    matching = replace(wanted(filters), live_at=micros(now))
    words = query_words(query)
    given = _listed("spaces", spaces)
    names = [place.space] if given is None else [checked_space(name) for name in given]
    hits: list[Hit] = []
    for name in dict.fromkeys(names):
        with place.reading(name) as reader:
            check_kinds(reader, matching)
            found = reader.matching(words, matching, limit=limit)
            hits += _hits(found, name, now)
    hits.sort(key=lambda hit: -hit.score)
    return within_budget(hits[:limit], budget_tokens)


def _hits(found: Sequence[tuple[Any, float]], space: str, now: datetime) -> list[Hit]:
    memories = records.memories([row for row, _ in found], space, now)
    return [
        Hit(memory, score, {"keyword": score}, "its text matches the words of the query")
        for memory, (_, score) in zip(memories, found, strict=True)
    ]


def within_budget(hits: Sequence[Hit], budget_tokens: int | None) -> list[Hit]:
    """The hits, best first, that fit a token budget (a token counted as four characters)."""
    if budget_tokens is None:
        return list(hits)
    if isinstance(budget_tokens, bool) or not isinstance(budget_tokens, int) or budget_tokens < 1:
        raise InvalidInput(
            "budget_tokens", f"{budget_tokens!r} is not a whole number of at least 1. Pass one, or leave it out."
        )
    packed: list[Hit] = []
    left = budget_tokens
    for hit in hits:
        cost = -(-len(hit.memory.text) // 4)
        if cost <= left:
            packed.append(hit)
            left -= cost
    return packed


def recall(place: Workplace, query: str, *, reinforce: bool = False, **options: Unpack[SearchOptions]) -> Recall:
    """A search whose hits are logged, so that their use can be reported."""
    hits = tuple(search(place, query, **options))
    if not place.store.writable:
        also = " and nothing was reinforced" if reinforce else ""
        return Recall(None, query, hits, f"The store is read-only: this recall was not logged{also}.")
    at = micros(place.now())
    recall_id = place.new_id(at)
    row = {
        "id": recall_id, "at": at, "actor": place.actor, "session": place.session,
        "query": query, "shown": json.dumps([hit.memory.id for hit in hits]),
    }  # fmt: skip
    with place.store.writing(place.space, None) as writer:
        writer.log_recall(row, keep=place.settings.recall_log_size)
    if reinforce and hits:
        own = [hit.memory.id for hit in hits if hit.memory.space == place.space]
        _report(place, recall_id, dict.fromkeys(own, Outcome.USED), gain=USED_TOGETHER)
    return Recall(recall_id, query, hits)


def report(
    place: Workplace, recall_id: str, *, used: Iterable[str] | None = (), confirmed: Iterable[str] | None = (),
    contradicted: Iterable[str] | None = (),
) -> Receipt:  # fmt: skip
    """Says which recalled memories were used; this alone reinforces. The best report of an id counts."""
    checked_id(recall_id, "recall_id")
    outcomes: dict[str, Outcome] = {}
    for outcome, ids in (
        (Outcome.CONTRADICTED, contradicted),
        (Outcome.USED, used),
        (Outcome.CONFIRMED, confirmed),
    ):
        given = [ids] if isinstance(ids, str) else checked_list(outcome, () if ids is None else ids)
        outcomes |= dict.fromkeys((checked_id(memory_id, outcome) for memory_id in given), outcome)
    return _report(place, recall_id, outcomes, gain=USED_EXPLICITLY)


def _report(place: Workplace, recall_id: str, outcomes: dict[str, Outcome], *, gain: float) -> Receipt:
    with place.operation("report", reason=f"recall {recall_id}") as op:
        logged = op.writer.recall(recall_id)
        if logged is None:
            raise RecallNotFound(recall_id, place.space)
        shown = set(json.loads(logged["shown"]))
        reported: dict[str, str] = json.loads(logged["reported"])
        rows = op.writer.memories(outcomes)
        for memory_id, outcome in outcomes.items():
            if memory_id not in rows:
                op.fail(memory_id, "no such memory in this space")
            elif memory_id not in shown:
                op.fail(memory_id, "this recall did not show it")
            elif rows[memory_id]["state"] != State.LIVE:
                op.skip(memory_id, f"it is {rows[memory_id]['state']} now")
            else:
                row = rows[memory_id]
                op.writer.change("memories", {row["key"]: reinforced(row, outcome, op.now)})
                reported[memory_id] = _better(reported.get(memory_id), outcome)
                op.succeeded.append(memory_id)
        op.writer.set_reported(logged["key"], json.dumps(reported))
        _strengthen(op, [rows[i] for i in op.succeeded], outcomes, gain)
    return place.receipt(op)


def _better(earlier: str | None, outcome: Outcome) -> str:
    if earlier is not None and RATINGS[Outcome(earlier)] >= RATINGS[outcome]:
        return earlier
    return str(outcome)


def _strengthen(op: Operating, rows: Sequence[Any], outcomes: dict[str, Outcome], gain: float) -> None:
    """Links whose both ends were used together grow stronger, more so when both were confirmed."""
    good = {row["key"]: outcomes[row["id"]] for row in rows if outcomes[row["id"]] is not Outcome.CONTRADICTED}
    if len(good) < 2:
        return
    changes: dict[int, dict[str, Any]] = {}
    for row in rows:
        for edge in op.writer.edges(of=row["id"]):
            ends = good.get(edge["source"]), good.get(edge["target"])
            if None in ends:
                continue
            confirmed = ends == (Outcome.CONFIRMED, Outcome.CONFIRMED)
            weight = min(1.0, edge["weight"] + (OUTCOME_CONFIRMED if confirmed else gain))
            changes[edge["key"]] = {"weight": weight, "last_used_at": op.now}
    op.writer.change("edges", changes)


def checked_limit(place: Workplace, limit: object) -> None:
    most = place.settings.max_page
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= most:
        raise InvalidInput("limit", f"{limit!r} does not fit. Pass a whole number from 1 to {most}.")
