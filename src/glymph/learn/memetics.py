"""Reports on a space as a whole: entropy, coherence, what to do next, and which tool does it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from glymph.context import Context
from glymph.decay.stages import find_policy
from glymph.learn import memetic_figures
from glymph.learn.memetic_figures import GROUP, MemeticStatus, Task
from glymph.moments import MICROS_PER_DAY, micros
from glymph.prune import staleness
from glymph.prune.marks import find_orphans, is_live, is_source
from glymph.prune.merge_duplicates import TOGETHER
from glymph.prune.results import ORPHAN_DAYS
from glymph.prune.sameness import find_same
from glymph.prune.schedule import CONSOLIDATED
from glymph.prune.stale_groups import LinkedGroups, group_by_links, score_groups
from glymph.recall.counter import recalls_ever, stage_of
from glymph.store import columns
from glymph.store.arrays import Columns, Floats, Slots
from glymph.store.contract import Filter
from glymph.store.reader import Reader
from glymph.write.duplicates import stored_vectors

STALE = 0.3  # of a group, as analyze_memory has it
LOOK_BACK = 14 * MICROS_PER_DAY  # of a consolidation
BLOCK = 1 << 14

EVERY_LIVE = Filter(include_superseded=True)


def memetic_status(ctx: Context) -> MemeticStatus:
    """The state of a space, from one look; it changes nothing."""
    now = micros(ctx.now())
    with ctx.reading() as reader:
        held = columns.read(reader).columns
        tissue = group_by_links(held)
        spread = memetic_figures.entropy(tissue.sizes)
        tight, by = _tightness(ctx, reader, held, tissue)
        whole = memetic_figures.coherence(tissue.sizes, tight)
        recalls, stage = recalls_ever(reader), stage_of(reader)
        tasks = tuple(_tasks(ctx, reader, held, tissue, now))
    return MemeticStatus(
        memories=len(tissue.slots),
        communities=len(tissue.sizes),
        entropy=round(spread, 4),
        coherence=round(whole, 4),
        coherence_by=by,
        suggested_action=memetic_figures.suggested_action(len(tissue.slots), spread, whole),
        curation_tasks=tasks,
        stage=stage,
        recalls=recalls,
        policy=find_policy(stage, sessions=ctx.settings.ai_prune_sessions),
    )


# coherence


def _tightness(
    ctx: Context, reader: Reader, held: Columns, tissue: LinkedGroups
) -> tuple[Floats, str]:
    """Returns how tight each community is, and by what that was measured.

    It is measured by vectors where there are any, else by links.
    """
    if not (tissue.sizes >= GROUP).any():
        return np.full(len(tissue.sizes), np.nan), "none"
    found = _by_vectors(ctx, reader, held, tissue)
    if found is not None:
        return found, "vectors"
    return memetic_figures.density(tissue.sizes, _links_inside(held, tissue)), "links"


def _by_vectors(ctx: Context, reader: Reader, held: Columns, tissue: LinkedGroups) -> Floats | None:
    if ctx.embedding.try_model()[0] is None:
        return None
    keys, vectors = stored_vectors(ctx, reader, EVERY_LIVE)
    own = held.memories["key"][tissue.slots]  # in order
    at = np.minimum(np.searchsorted(own, keys), len(own) - 1)
    group = tissue.group[at]
    counts = (own[at] == keys) & (tissue.sizes[group] >= GROUP)
    if not counts.any():
        return None
    unit = np.array(vectors[counts], dtype=np.float32)
    for start in range(0, len(unit), BLOCK):
        some = unit[start : start + BLOCK]
        some /= np.maximum(np.linalg.norm(some, axis=1), np.finfo(np.float32).tiny)[:, None]
    return memetic_figures.closeness(unit, group[counts], len(tissue.sizes))


def _links_inside(held: Columns, tissue: LinkedGroups) -> Slots:
    """Counts the pairs of members that are linked in each community.

    A pair counts once, in whatever direction and however often it is linked.
    """
    label = np.full(held.size, -1)
    label[tissue.slots] = tissue.group
    find = held.finder()
    source, target = find(held.edges["source"]), find(held.edges["target"])
    inside = (label[source] >= 0) & (label[source] == label[target]) & (source != target)
    low, high = np.minimum(source, target)[inside], np.maximum(source, target)[inside]
    pairs = np.unique(low * max(held.size, 1) + high)
    return np.bincount(label[pairs // max(held.size, 1)], minlength=len(tissue.sizes))


# tasks


def _tasks(
    ctx: Context, reader: Reader, held: Columns, tissue: LinkedGroups, now: int
) -> Iterator[Task]:
    """Returns what there is to put in order, each with the call that does it."""
    vitals = staleness.measure_vitals(held.memories, held.kinds, curves=reader.curves(), now=now)
    stale = int(np.count_nonzero((score_groups(tissue, vitals).score >= STALE) & ~tissue.isolated))
    if stale:
        yield Task("stale groups", stale, "analyze_memory", {"min_staleness": STALE})
    yield from _duplicates(ctx, reader, now)
    if raised := len(reader.questions()):
        yield Task("questions", raised, "answer_question", {})
    lonely = find_orphans(held, now=now, without=np.zeros(0, dtype=np.int64))
    if len(lonely):
        yield Task(
            "orphans", len(lonely), "get_pruning_candidates", {"min_staleness_days": ORPHAN_DAYS}
        )
    if (fresh := _episodes(reader, held, now)) >= GROUP:
        yield Task("episodes to learn from", fresh, "trigger_consolidation")
    alone = np.flatnonzero(tissue.isolated)
    if len(alone):
        key = int(held.memories["key"][tissue.slots[np.flatnonzero(tissue.group == alone[-1])[0]]])
        newest = reader.by_key([key], EVERY_LIVE)[key]["id"]
        yield Task("unlinked", len(alone), "memory_link", {"source": newest})


def _episodes(reader: Reader, held: Columns, now: int) -> int:
    """Live episodes of the last two weeks that came after the last consolidation."""
    since = max(reader.counter(CONSOLIDATED) or 0, now - LOOK_BACK)
    return int(
        np.count_nonzero(is_live(held) & is_source(held) & (held.memories["created_at"] > since))
    )


def _duplicates(ctx: Context, reader: Reader, now: int) -> Iterator[Task]:
    """Groups that say the same, with the ids of the first; of too many nobody has counted them."""
    groups = find_same(ctx, reader, now=now)
    if groups is None:
        yield Task("duplicates", None, "merge_memories")
    elif groups:
        yield Task("duplicates", len(groups), "merge_memories", {"ids": list(groups[0][:TOGETHER])})
