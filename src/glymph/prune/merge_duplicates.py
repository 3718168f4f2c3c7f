"""Unattended merging of near-duplicates: found, checked with care and made one.

The originals are archived.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from glymph.context import Context, OpenOperation
from glymph.decay.sections import SECTIONS
from glymph.errors import EmbedderFailed, InvalidInput
from glymph.model import DuplicatePair, Refusal, State
from glymph.prune.allowance import allowance
from glymph.prune.marks import is_mergeable
from glymph.prune.results import Joined
from glymph.store import guards
from glymph.store.arrays import SECTIONS as SECTION_NAMES
from glymph.store.arrays import Columns, Slots
from glymph.store.contract import Filter, Row
from glymph.store.lsh import near_pairs
from glymph.store.reader import Reader
from glymph.write.autolink import near_pairs_of
from glymph.write.draft import Draft
from glymph.write.duplicates import decide_pairs, stored_vectors
from glymph.write.merge import into_one, merged_draft
from glymph.write.neighbours import kept_bands
from glymph.write.replace import was_shown_again
from glymph.write.tombstones import match_tombstones

VERB = "garden"
TARGETS = tuple(str(name) for name in SECTION_NAMES if SECTIONS[name].role == "target")
SAME = ("kind", "section", "event_at", "expires_at")  # what must be equal besides the words
TOGETHER = 20  # memories that become one at a time
CHANGED = "it was changed or used meanwhile"

Near = Sequence[tuple[int, int, float]]  # keys of two memories and their cosine


@dataclass(frozen=True, slots=True)
class Twins:
    """Memories that say the same and may become one, with the reason to think so."""

    rows: tuple[Row, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class FoundTwins:
    groups: tuple[Twins, ...]
    kept: tuple[Refusal, ...]  # near enough, and left alone


class _Unfit(Exception):
    """The reason why a group does not become one."""


def why_not(ctx: Context) -> str | None:
    """Returns why duplicates cannot be looked for; None if they can."""
    model, lacking = ctx.embedding.try_model()
    return (
        None
        if model is not None
        else lacking or ctx.embedding.absence or "the handle has no embedder."
    )


# finding


def find_all_twins(ctx: Context, reader: Reader, held: Columns, *, now: int) -> FoundTwins:
    """Returns all groups of a space, the nearest first. It needs an embedder."""
    wanted = Filter(sections=TARGETS, live_at=now)
    keys, vectors = stored_vectors(ctx, reader, wanted)
    may = np.isin(keys, held.memories["key"][is_mergeable(held, now=now)])
    if not may.all():
        keys, vectors = keys[may], vectors[may]
    first, second, cosines = near_pairs(vectors, least=kept_bands(ctx, reader).duplicate)
    order = np.argsort(-cosines, kind="stable")
    near = list(
        zip(
            keys[first[order]].tolist(),
            keys[second[order]].tolist(),
            cosines[order].tolist(),
            strict=True,
        )
    )
    return judge(ctx, reader, near, wanted)


def find_twins(
    ctx: Context, reader: Reader, keys: Sequence[int], among: Slots, *, now: int
) -> FoundTwins:
    """Returns the groups of some memories with others of those `among`. It needs an embedder."""
    model, _ = ctx.embedding.try_model()
    view = ctx.embedding.mirrors.view(reader, model)
    wanted = Filter(sections=TARGETS, live_at=now)
    passing = view.mask(wanted) & view["embedded"] & np.isin(view["key"], among)
    slots = view.slots(list(keys))
    near = near_pairs_of(
        reader, view, slots[slots >= 0], passing, least=kept_bands(ctx, reader).duplicate
    )
    return judge(ctx, reader, sorted(near, key=lambda one: -one[2]), wanted)


def judge(ctx: Context, reader: Reader, near: Near, wanted: Filter) -> FoundTwins:
    """Returns which near pairs may become one.

    They are above the band, and the same by their texts and all else known.
    """
    bands = kept_bands(ctx, reader)
    above = [one for one in near if one[2] > bands.duplicate]
    pairs = [
        pair
        for pair in decide_pairs(reader, wanted, above, bands, None)
        if pair.verdict == "duplicate"
    ]
    rows = reader.memories({end for pair in pairs for end in (pair.a, pair.b)})
    asked = {end for one in reader.questions() for end in (one["older"], one["newer"])}
    contrary = _find_contrary(reader, rows)
    kept: list[Refusal] = []
    good: list[DuplicatePair] = []
    for pair in pairs:
        ends = rows[pair.a], rows[pair.b]
        why = _why_different(*ends)
        if asked & {pair.a, pair.b}:
            why = "an open question names one of them"
        elif frozenset(row["key"] for row in ends) in contrary:
            why = "a link says that they contradict each other"
        if why is None:
            good.append(pair)
        else:
            kept.append(Refusal(pair.a, f"it is not merged with {pair.b}: {why}"))
    reasons = {frozenset((pair.a, pair.b)): pair.reason for pair in good}
    groups = group_alike((pair.a, pair.b) for pair in good)
    found = [
        Twins(_oldest_first(rows[one] for one in group), reasons[frozenset(group[:2])])
        for group in groups
    ]
    return FoundTwins(tuple(found), tuple(kept))


def _oldest_first(rows: Iterable[Row]) -> tuple[Row, ...]:
    return tuple(sorted(rows, key=lambda row: (row["created_at"], row["key"])))


def _find_contrary(reader: Reader, rows: Mapping[str, Row]) -> set[frozenset[int]]:
    links = reader.edges_touching([row["key"] for row in rows.values()]) if rows else []
    return {
        frozenset((source, target)) for source, target, kind, *_ in links if kind == "contradicts"
    }


def _why_different(a: Row, b: Row) -> str | None:
    """Returns in what two memories differ besides their words; nothing of it may get lost."""
    for column in SAME:
        if a[column] != b[column]:
            return f"they differ in {column}"
    if json.loads(a["attributes"] or "{}") != json.loads(b["attributes"] or "{}"):
        return "they differ in attributes"
    return None


# merging


@dataclass(slots=True)
class JoinOutcome:
    """The results of merging some groups."""

    joined: list[Joined] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    held_back: int = 0  # for the cap has no room for them


@dataclass(frozen=True, slots=True)
class _Ready:
    """A group of memories and what it is about to become.

    That is a new memory, or the one of them that covers the others.
    """

    twins: Twins
    new: Draft
    meant: Mapping[str, bytes]
    survivor: str | None

    @property
    def leavers(self) -> int:
        return len(self.twins.rows) - (self.survivor is not None)


def join(ctx: Context, groups: Sequence[Twins], parent: Callable[[], int]) -> JoinOutcome:
    """Makes one memory of each group, all in one transaction, as far as the cap has room for them.

    It keeps all they say, and their uses, links and places in clusters; it is as old as the newest
    of them. They are chained to it and archived.
    """
    outcome = JoinOutcome()
    ready = _prepare_all(ctx, groups, outcome)
    if not ready:
        return outcome
    waiting: list[str] = []
    with ctx.operation(VERB, reason="they say the same", parent=parent()) as op:
        left = allowance(ctx, op.writer)
        for one in ready:
            if one.leavers > left:
                outcome.held_back += 1
            elif (joined := _join(ctx, op, one)) is None:
                outcome.refused.append(Refusal(one.twins.rows[0]["id"], CHANGED))
            else:
                left -= one.leavers
                outcome.joined.append(joined)
                waiting += [] if one.meant or joined.id is None else [joined.id]
    ctx.settle_soon(waiting)
    return outcome


def _prepare_all(ctx: Context, groups: Sequence[Twins], outcome: JoinOutcome) -> list[_Ready]:
    """Returns the groups that may become one, as far as the cap allows."""
    found: list[_Ready] = []
    with ctx.reading() as reader:
        left = allowance(ctx, reader)
        for twins in groups:
            try:
                one = _prepare(ctx, reader, twins)
            except _Unfit as why:
                outcome.refused.append(Refusal(twins.rows[0]["id"], str(why)))
                continue
            if one.leavers > left:
                outcome.held_back += 1
            else:
                left -= one.leavers
                found.append(one)
    return found


def _prepare(ctx: Context, reader: Reader, twins: Twins) -> _Ready:
    if any(was_shown_again(reader, row["key"]) for row in twins.rows):
        raise _Unfit("an undo has taken one of them apart from another before")
    new = _draft(ctx, twins.rows)
    known = reader.by_content([new.content_hash]).get(new.content_hash)
    if known is not None and known["id"] not in {row["id"] for row in twins.rows}:
        raise _Unfit("another memory says all of it already")
    if match_tombstones(ctx, reader, [new.text])[0]:
        raise _Unfit("what they would become was removed on request")
    if known is not None:
        return _Ready(twins, new, {}, known["id"])
    return _Ready(twins, new, _embed(ctx, new), None)


def _join(ctx: Context, op: OpenOperation, one: _Ready) -> Joined | None:
    """Merges a group; returns None if one of it was changed or used since it was compared."""
    rows, now = one.twins.rows, op.writer.memories([row["id"] for row in one.twins.rows])
    if not all(_is_unchanged(row, now.get(row["id"])) for row in rows):
        return None
    whole, parts = into_one(ctx, op, [now[row["id"]] for row in rows], one.new, one.meant, by=VERB)
    if one.survivor is None:
        op.writer.change(
            "memories", {whole["key"]: {"created_at": max(row["created_at"] for row in rows)}}
        )
    op.writer.set_state([row["key"] for row in parts], state=State.ARCHIVED, at=op.now, by=VERB)
    op.reasons |= {row["id"]: f"{whole['id']} says the same ({one.twins.reason})" for row in parts}
    return Joined(whole["id"], whole["title"], tuple(row["id"] for row in parts), one.twins.reason)


def foretell(ctx: Context, groups: Sequence[Twins]) -> JoinOutcome:
    """Returns what would become of the groups."""
    outcome = JoinOutcome()
    for one in _prepare_all(ctx, groups, outcome):
        parts = tuple(row["id"] for row in one.twins.rows if row["id"] != one.survivor)
        outcome.joined.append(
            Joined(one.survivor, one.twins.rows[-1]["title"], parts, one.twins.reason)
        )
    return outcome


def _draft(ctx: Context, rows: Sequence[Row]) -> Draft:
    """Returns what they become. A text that is too long is refused."""
    try:
        new = merged_draft(ctx, rows, join_texts([row["text"] for row in rows]), rows[-1]["title"])
    except InvalidInput as error:
        raise _Unfit(f"together they are too much for one memory: {error}") from error
    last = rows[-1]
    alike_in = {name: last[name] for name in ("attributes", "event_at", "expires_at")}
    shared = {
        name: last[name] for name in ("source", "session") if len({row[name] for row in rows}) == 1
    }
    return new._replace(**alike_in, **shared)


def _embed(ctx: Context, new: Draft) -> dict[str, bytes]:
    """Returns the vector of the new text at once, for the next look.

    If the model fails, it is asked later.
    """
    try:
        vectors = ctx.embedding.encode([new.text])
    except EmbedderFailed:
        return {}
    return dict(zip([new.content_hash], vectors, strict=False))


def _is_unchanged(row: Row, now: Row | None) -> bool:
    if now is None or guards.find_obstacle(now, State.ARCHIVED) or now["superseded_by"] is not None:
        return False
    return bool((now["version"], now["last_used_at"]) == (row["version"], row["last_used_at"]))


def group_alike(pairs: Iterable[tuple[str, str]], *, most: int = TOGETHER) -> list[tuple[str, ...]]:
    """Returns groups in which every two members are a given pair.

    They are made from the first pairs on, and no two groups share a member.
    """
    given = [(a, b) for a, b in pairs if a != b]
    known = {frozenset(pair) for pair in given}
    group_of: dict[str, list[str]] = {}
    found: list[list[str]] = []
    for a, b in given:
        if a in group_of and b in group_of:
            continue
        if a not in group_of and b not in group_of:
            group_of[a] = group_of[b] = [a, b]
            found.append(group_of[a])
            continue
        group, new = (group_of[a], b) if a in group_of else (group_of[b], a)
        if len(group) < most and all(frozenset((new, one)) in known for one in group):
            group.append(new)
            group_of[new] = group
    return [tuple(group) for group in found]


def join_texts(texts: Collection[str]) -> str:
    """Returns texts one after the other, without those that another contains word for word."""
    stripped = list(dict.fromkeys(text.strip() for text in texts))
    return "\n\n".join(
        text for text in stripped if not any(text != other and text in other for other in stripped)
    )
