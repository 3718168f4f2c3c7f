"""The gardener: drops faded links, merges near-duplicates, lists orphans and refreshes the columns.

Nobody reviews its runs: what leaves life counts against the allowance, and one undo takes all of a
run back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

import numpy as np

from glymph import telemetry
from glymph.context import Context
from glymph.decay.edges import effective_weight
from glymph.errors import Refused
from glymph.model import Refusal
from glymph.moments import MICROS_PER_DAY, micros
from glymph.prune.marks import LEAST, UNTOUCHED_DAYS, find_faded_links, find_orphans, is_mergeable
from glymph.prune.merge_duplicates import VERB, Twins, find_all_twins, foretell, join, why_not
from glymph.prune.results import Gardened, Joined, Orphan
from glymph.store import columns
from glymph.store.arrays import Columns, Slots
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader
from glymph.write.backfill import list_others

# of the parts that move no memory: what the allowance counts is found without them
LINKS_VERB = "garden_links"
AT_ONCE = 1_000  # links dropped in one transaction
GROUPS_AT_ONCE = 20  # that say the same, merged in one
MOST_LISTED = 100  # orphans and refusals told
COMPARED_UPTO = "compared_upto"  # the newest memory that was compared with all others

Ends = tuple[int, int, str]  # source, target and type of a link
EVERY_LIVE = Filter(include_superseded=True)


@dataclass(slots=True)
class GardenRun:
    """One run and its operation, which is opened with the first change and closed at the end."""

    ctx: Context
    reason: str
    key: int | None = None
    operation_id: str | None = None
    merged: list[Joined] = field(default_factory=list)
    kept: list[Refusal] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    held_back: int = 0
    _closing: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> GardenRun:
        return self

    def __exit__(self, *failure: object) -> None:
        self._closing.close()

    def parent(self) -> int:
        """Returns the key of the operation; opens it if it is not open yet."""
        if self.key is None:
            self.key = self._closing.enter_context(self.ctx.bulk(VERB, reason=self.reason))
            with self.ctx.reading() as reader:
                self.operation_id = (reader.operation_by_key(self.key) or {}).get("id")
        return self.key

    def drop(self, links: Sequence[Ends]) -> None:
        """Drops links in one transaction, those apart that were used meanwhile."""
        with self.ctx.operation(
            LINKS_VERB, reason="they have faded away", parent=self.parent()
        ) as op:
            rows = [
                row
                for ends in links
                if (row := op.writer.edge(*ends)) is not None and _is_faint(row, op.now)
            ]
            op.writer.remove("edges", [row["key"] for row in rows])
            op.writer.bump({end for row in rows for end in (row["source"], row["target"])})
            op.writer.describe({"links_dropped": len(rows)})
        self.dropped.update(row["type"] for row in rows)

    def join(self, groups: Sequence[Twins]) -> None:
        """Merges each of some groups in one transaction; why one is not merged is kept."""
        outcome = join(self.ctx, groups, self.parent)
        self.merged += outcome.joined
        self.kept += outcome.refused
        self.held_back += outcome.held_back

    def taken_back(self) -> bool:
        """Tells whether somebody has undone the run while it was under way."""
        with self.ctx.reading() as reader:
            row = None if self.key is None else reader.operation_by_key(self.key)
        return row is not None and bool(row["hash"])


@telemetry.observe_calls("garden")
def garden(ctx: Context, *, dry_run: bool = False) -> Gardened:
    """Tends a space and returns what was done, or with `dry_run` what would be done.

    A second run right after the first finds nothing to do. Without an embedder duplicates are not
    looked for.
    """
    now = micros(ctx.now())
    told = Gardened(dry_run=dry_run, not_compared=why_not(ctx))
    return _foretell(ctx, told, now) if dry_run else _tend(ctx, told, now)


def _foretell(ctx: Context, told: Gardened, now: int) -> Gardened:
    with ctx.reading() as reader:
        held = columns.read(reader).columns
        told, going = _look(ctx, reader, held, told, now)
        found = None if told.not_compared else find_all_twins(ctx, reader, held, now=now)
    told = replace(told, links_dropped=Counter(kind for *_, kind in going))
    if found is None:
        return told
    outcome = foretell(ctx, found.groups)
    kept = (*found.kept, *outcome.refused)[:MOST_LISTED]
    return replace(told, merged=tuple(outcome.joined), kept=kept, held_back=outcome.held_back)


def _tend(ctx: Context, told: Gardened, now: int) -> Gardened:
    """Merges first: what becomes one takes its links along. Then drops what has faded."""
    chunks = columns.refresh(ctx.store, ctx.space)  # for all who read them from here on
    with GardenRun(ctx, "what has faded or is said twice") as run:
        try:
            if not told.not_compared:
                _merge_all(ctx, run, now)
            with ctx.reading() as reader:
                told, going = _look(ctx, reader, columns.read(reader).columns, told, now)
            for at in range(0, len(going), AT_ONCE):
                run.drop(going[at : at + AT_ONCE])
        except Refused:
            if not run.taken_back():
                raise
    chunks += columns.refresh(ctx.store, ctx.space)
    return replace(
        told, links_dropped=dict(run.dropped), merged=tuple(run.merged),
        kept=tuple(run.kept[:MOST_LISTED]), held_back=run.held_back,
        operation_id=run.operation_id, chunks_written=chunks,
    )  # fmt: skip


def _look(
    ctx: Context, reader: Reader, held: Columns, told: Gardened, now: int
) -> tuple[Gardened, list[Ends]]:
    """Returns the run with its orphans and other figures, and the links that go."""
    places = find_fading_links(reader, held, now=now)
    lonely = find_orphans(held, now=now, without=places)
    seen = replace(
        told, orphans=_describe_orphans(reader, held, lonely, now), orphan_count=len(lonely),
        other_vectors=_other_vectors(ctx, reader),
    )  # fmt: skip
    return seen, ends_of(held, places)


def _merge_all(ctx: Context, run: GardenRun, now: int) -> None:
    """Merges until nothing is left that may be: what came of two may say the same as a third."""
    while True:
        with ctx.reading() as reader:
            held = columns.read(reader).columns
            found = find_all_twins(ctx, reader, held, now=now)
        before, run.kept, run.held_back = len(run.merged), list(found.kept), 0
        for at in range(0, len(found.groups), GROUPS_AT_ONCE):
            run.join(found.groups[at : at + GROUPS_AT_ONCE])
        if run.held_back or len(run.merged) == before:
            break
    if not run.held_back:
        _note_compared(ctx, held, now)


def _note_compared(ctx: Context, held: Columns, now: int) -> None:
    """Stores up to where everything was compared, for runs that look only at what is new."""
    keys = held.memories["key"][is_mergeable(held, now=now)]
    if len(keys):
        with ctx.store.writing(ctx.space, None) as writer:
            if (writer.counter(COMPARED_UPTO) or 0) < int(keys[-1]):
                writer.set_counter(COMPARED_UPTO, int(keys[-1]))


# links


def find_fading_links(reader: Reader, held: Columns, *, now: int) -> Slots:
    """Returns the places of links that go.

    Links that somebody made, used or restored in the last two weeks are left out.
    """
    places = find_faded_links(held, now=now)
    if not len(places):
        return places
    since = reader.last_operation_at_or_before(now - UNTOUCHED_DAYS * MICROS_PER_DAY)
    changed = set(reader.changed_rows("edges", since))
    if not changed:
        return places
    if "key" in held.edges:  # which are read only where they are needed
        return places[~np.isin(held.edges["key"][places], list(changed))]
    rows = [reader.edge(*ends) for ends in ends_of(held, places)]
    return places[[row is None or row["key"] not in changed for row in rows]]


def ends_of(held: Columns, places: Slots) -> list[Ends]:
    """Returns the links at these places."""
    edges = held.edges
    types = [held.types[code] for code in edges["type"][places].tolist()]
    return list(
        zip(edges["source"][places].tolist(), edges["target"][places].tolist(), types, strict=True)
    )


def _is_faint(row: Row, now: int) -> bool:
    since = row["created_at"] if row["last_used_at"] is None else row["last_used_at"]
    return effective_weight(row["weight"], row["type"], (now - since) / MICROS_PER_DAY) < LEAST


# telling


def _describe_orphans(reader: Reader, held: Columns, slots: Slots, now: int) -> tuple[Orphan, ...]:
    keys = held.memories["key"][slots[:MOST_LISTED]].tolist()
    rows: Mapping[int, Row] = reader.by_key(keys, EVERY_LIVE)
    return tuple(_list_orphans(rows, keys, now))


def _list_orphans(rows: Mapping[int, Row], keys: Sequence[int], now: int) -> Iterator[Orphan]:
    for key in keys:
        if (row := rows.get(key)) is not None:
            age = (now - row["created_at"]) / MICROS_PER_DAY
            yield Orphan(row["id"], row["title"], row["kind"], round(age, 1))


def _other_vectors(ctx: Context, reader: Reader) -> int:
    """Counts the vectors of other embedders; a reader's grades, kept beside them, are none."""
    own, _ = ctx.embedding.try_model()
    return sum(row["vectors"] for row in list_others(reader, own)) if own is not None else 0
