"""Which memories of a space say the same, for every report that counts or lists them."""

from __future__ import annotations

from collections import defaultdict

from glymph.context import Context, every_row
from glymph.prune.merge_duplicates import group_alike
from glymph.store.contract import Filter
from glymph.store.lsh import near_pairs
from glymph.store.reader import Reader
from glymph.text.normal import normalise
from glymph.write.duplicates import decide_pairs, stored_vectors
from glymph.write.neighbours import kept_bands

COMPARED = 20_000  # memories up to which they are compared while somebody waits
CHUNK = 1_000

Groups = list[tuple[str, ...]]  # ids, which grow with time


def find_same(ctx: Context, reader: Reader, *, now: int) -> Groups | None:
    """Returns the groups of current memories that say the same, oldest first; None of too many.

    By vectors, texts and values where there is an embedder; without one only those of equal words.
    """
    if reader.live_count(COMPARED + 1) > COMPARED:
        return None
    wanted = Filter(live_at=now)
    equal = _find_equal(reader, wanted)
    first = {one: ids[0] for ids in equal for one in ids}
    near = [] if ctx.embedding.try_model()[0] is None else _find_near(ctx, reader, wanted)
    joined = group_alike((first.get(a, a), first.get(b, b)) for a, b in near)
    classes = {ids[0]: ids for ids in equal}
    groups = [[one for start in group for one in classes.pop(start, (start,))] for group in joined]
    return [tuple(sorted(group)) for group in (*groups, *classes.values())]


def mark_repeated(groups: Groups) -> dict[str, str]:
    """Returns for all but the newest of each group the id of the newest, which says it as well."""
    return {one: group[-1] for group in groups for one in group[:-1]}


def _find_near(ctx: Context, reader: Reader, wanted: Filter) -> list[tuple[str, str]]:
    """Returns the pairs whose vectors and values say that they are one, the nearest first."""
    keys, vectors = stored_vectors(ctx, reader, wanted)
    bands = kept_bands(ctx, reader)
    first, second, cosines = near_pairs(vectors, least=bands.duplicate)
    near = list(zip(keys[first].tolist(), keys[second].tolist(), cosines.tolist(), strict=True))
    pairs = [
        one for one in decide_pairs(reader, wanted, near, bands, None) if one.verdict == "duplicate"
    ]
    return [(one.a, one.b) for one in sorted(pairs, key=lambda one: -one.cosine)]


def _find_equal(reader: Reader, wanted: Filter) -> Groups:
    """Returns the groups of equal words about the same moment."""
    said: dict[tuple[str, int | None], list[str]] = defaultdict(list)
    for row in every_row(reader, wanted, CHUNK):
        said[normalise(row["text"]), row["event_at"]].append(row["id"])
    return [tuple(sorted(ids)) for ids in said.values() if len(ids) > 1]
