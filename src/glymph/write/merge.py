"""Several memories made into one that stands where they stood; an undo parts them again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from glymph.context import Context, OpenOperation
from glymph.errors import InvalidInput, MemoryNotFound, Refused
from glymph.model import Receipt, State
from glymph.store import guards, records
from glymph.store.contract import Row
from glymph.undo.restore import checked_ids
from glymph.write.add import embed_drafts, get_or_create
from glymph.write.draft import Draft, draft
from glymph.write.replace import supersede

MOST = 100  # memories that become one


def merge(
    ctx: Context, ids: Iterable[str], text: str | None = None, *, title: str | None = None,
    reason: str | None = None,
) -> Receipt:  # fmt: skip
    """Makes one memory of several; `succeeded` names them, and the one they became last.

    Without a text it says what they say, one after the other, each thing once. It inherits their
    tags, entities, uses, links and places in clusters. They are superseded by it: kept, chained,
    and out of recall.
    """
    wanted = checked_ids(ids)
    if not 2 <= len(wanted) <= MOST:
        raise InvalidInput(
            "ids", f"{len(wanted)} given. Name 2 to {MOST} memories that are to become one."
        )
    with ctx.reading() as reader:
        rows = _rows(reader.memories(wanted), wanted, ctx.space)
    new = merged_draft(ctx, rows, text, title)
    vectors = embed_drafts(ctx, [new])
    with ctx.operation("merge", reason=reason) as op:
        now = _rows(op.writer.memories(wanted), wanted, ctx.space)
        if changed := [
            row["id"]
            for row, was in zip(now, rows, strict=True)
            if row["version"] != was["version"]
        ]:
            raise Refused(f"{changed[0]} was changed just now. Look at it, then merge again.")
        one, _ = into_one(ctx, op, now, new, vectors, by="merge")
    ctx.settle_soon([] if vectors else [one["id"]])
    return ctx.receipt(op)


def into_one(
    ctx: Context,
    op: OpenOperation,
    rows: Sequence[Row],
    new: Draft,
    vectors: Mapping[str, bytes],
    *,
    by: str,
) -> tuple[Row, list[Row]]:
    """Makes one memory of several as a part of an operation.

    Returns what they became, and those that it replaces.
    """
    one = get_or_create(ctx, op, new, vectors, by=by)
    parts = [row for row in rows if row["id"] != one["id"]]
    _inherit(op, one, parts)
    _take_places(op, one, parts)
    for row in parts:
        if (partly := op.writer.edge(one["key"], row["key"], "supersedes")) is not None:
            op.writer.remove(
                "edges", [partly["key"]]
            )  # it updated a part of that; now it replaces the whole
        supersede(op, row, one)
    op.succeeded += [*(row["id"] for row in parts), one["id"]]
    return one, parts


def _rows(found: Mapping[str, Row], wanted: Sequence[str], space: str) -> list[Row]:
    for memory_id in wanted:
        row = found.get(memory_id)
        if row is None:
            raise MemoryNotFound(memory_id, space)
        if row["state"] != State.LIVE or row["superseded_by"] is not None:
            raise Refused(
                f"{memory_id} is not current ({row['state']}). Merge what is live and not "
                "superseded."
            )
        if why := guards.find_obstacle(row, State.ARCHIVED):
            raise Refused(f"{memory_id} cannot be merged away: {why}.")
    return [found[memory_id] for memory_id in wanted]


def merged_draft(
    ctx: Context, rows: Sequence[Row], text: str | None = None, title: str | None = None
) -> Draft:
    """Returns what several memories become.

    Of the commonest kind, with all tags and names, trusted like the least.
    """
    kind, section = Counter((row["kind"], row["section"]) for row in rows).most_common(1)[0][0]
    said = dict.fromkeys(
        row["text"].strip() for row in sorted(rows, key=lambda row: (row["created_at"], row["key"]))
    )
    return draft(
        "\n\n".join(said) if text is None else text,
        ctx.settings,
        title=title,
        kind=kind,
        section=section,
        tags=_words(rows, "tags")[: ctx.settings.max_tags],
        entities=_words(rows, "entities")[: ctx.settings.max_tags],
        salience=max(row["salience"] for row in rows),
        trust=min(row["trust"] for row in rows),
    )


def _words(rows: Sequence[Row], column: str) -> list[str]:
    return list(dict.fromkeys(word for row in rows for word in records.words(row[column])))


def _inherit(op: OpenOperation, one: Row, parts: Sequence[Row]) -> None:
    """Gives the one memory the uses of its parts and their links to others."""
    strongest = max([one, *parts], key=lambda row: float(row["stability"]))
    figures: dict[str, Any] = {
        "access_count": sum(row["access_count"] for row in [one, *parts]),
        "last_used_at": max(
            (row["last_used_at"] for row in [one, *parts] if row["last_used_at"]), default=None
        ),
        "stability": strongest["stability"],
        "difficulty": strongest["difficulty"],
    }
    op.writer.change("memories", {one["key"]: {**figures, "version": one["version"] + 1}})
    keys = {row["key"] for row in parts}
    inside = keys | {one["key"]}
    made: dict[tuple[int, int, str], dict[str, Any]] = {}
    for source, target, kind, weight, created, used in op.writer.edges_touching(sorted(keys)):
        ends = (one["key"] if source in keys else source, one["key"] if target in keys else target)
        if (source in inside and target in inside) or kind == "supersedes":
            continue
        edge = {
            "source": ends[0], "target": ends[1], "type": kind, "weight": weight,
            "created_at": created, "last_used_at": used,  # it fades on from where it was
        }  # fmt: skip
        known = made.get((*ends, kind))
        if op.writer.edge(*ends, kind) is None and (known is None or known["weight"] < weight):
            made[(*ends, kind)] = edge
    op.writer.insert("edges", list(made.values()))
    op.writer.bump(
        {end for edge in made.values() for end in (edge["source"], edge["target"])} - {one["key"]}
    )


def _take_places(op: OpenOperation, one: Row, parts: Sequence[Row]) -> None:
    """Puts the one memory into the clusters of its parts, in their place."""
    keys = [row["key"] for row in parts]
    for cluster in op.writer.clusters():
        leaving = op.writer.members(cluster["key"], of=keys)
        op.writer.remove("memberships", [row["key"] for row in leaving])
        if leaving and not op.writer.members(cluster["key"], of=[one["key"]]):
            place = {"cluster": cluster["key"], "memory": one["key"], "added_at": op.now}
            op.writer.insert("memberships", [place])
