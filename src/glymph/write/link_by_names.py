"""Links memories that name the same thing, where no embedder tells which are near.

Each new memory is linked to the latest earlier one that carries one of its entities, tags or its
session: a chain for each name, so that groups exist.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from glymph.context import Context
from glymph.store import records
from glymph.store.contract import Filter, Row
from glymph.write.reconcile import ACTOR
from glymph.write.replace import join

COUNTER = "linked_by_names_upto"  # the newest memory that was looked at
AT_ONCE = 2_000  # memories looked at in one run, and earlier ones that they may be linked to
CURRENT = Filter()
TYPES = {"entity": "same_entity", "tag": "related_to", "session": "temporal_adjacent"}


def link_without_vectors(ctx: Context) -> None:
    """Links what names the same, if there is no embedder and the store can be written to."""
    if ctx.embedding.embedder is None and ctx.store.writable:
        link_by_names(ctx)


def link_by_names(ctx: Context) -> int:
    """Links what was added since the last time; returns how many links it made.

    Undoing an `add` takes its links along, as it does what reconciling did. What was there before
    the first run counts as added then.
    """
    with ctx.reading() as reader:
        seen = reader.counter(COUNTER) or 0
        new = reader.page_after(CURRENT, after=seen, limit=AT_ONCE)
        if not new:
            return 0
        before = reader.page(CURRENT, before=new[0]["key"], limit=AT_ONCE)
    made = 0
    own = replace(ctx, actor=ACTOR)  # undo() without an id means what somebody asked for
    for row, older in _pair([*reversed(before), *new], first_new=new[0]["key"]):
        with own.operation("reconcile", reason="it names the same", session=row["session"]) as op:
            for other, kind in older.values():
                join(op, op.row(row["id"]), op.row(other["id"]), kind)
            op.writer.bump([row["key"]])  # by which undoing its `add` finds this operation
            op.succeeded.append(row["id"])
        made += len(older)
    with ctx.store.writing(ctx.space, None) as writer:
        writer.set_counter(COUNTER, new[-1]["key"])
    return made


def _pair(rows: Sequence[Row], first_new: int) -> Iterator[tuple[Row, dict[int, tuple[Row, str]]]]:
    """Yields each new row with the latest earlier ones of its names, each by the best kind."""
    latest: dict[tuple[str, str], Row] = {}
    for row in rows:
        named = list(_list_names(row))
        if row["key"] >= first_new:
            known = [(latest[one], TYPES[one[0]]) for one in reversed(named) if one in latest]
            if known:
                yield row, {older["key"]: (older, kind) for older, kind in known}
        latest |= dict.fromkeys(named, row)


def _list_names(row: Row) -> Iterator[tuple[str, str]]:
    yield from (("entity", name) for name in records.words(row["entities"]))
    yield from (("tag", name) for name in records.words(row["tags"]))
    if row["session"]:
        yield "session", row["session"]
