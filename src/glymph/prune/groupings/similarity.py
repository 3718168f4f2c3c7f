"""Memories that say nearly the same, as far as their vectors tell."""

from __future__ import annotations

from glymph.prune import graph
from glymph.prune.groupings import Grouping, Groups, Material, group_by_labels
from glymph.store.lsh import near_pairs
from glymph.text.bands import BANDS


def group(material: Material, option: str) -> Groups:
    if material.vectors is None:
        return {}
    first, second, cosines = near_pairs(material.vectors, least=BANDS.connect)
    labels = graph.groups(len(material.items), first, second, cosines.astype(float))
    return group_by_labels(labels.tolist(), material.items)


GROUPING = Grouping(group, needs=frozenset({"vectors"}))
