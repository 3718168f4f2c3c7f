"""Memories that hang together by links; what is too large falls into communities."""

from __future__ import annotations

from glymph.prune import graph
from glymph.prune.groupings import Grouping, Groups, Material, by_labels


def groups(material: Material, option: str) -> Groups:
    holding = material.weight >= graph.CONNECTING
    labels = graph.groups(
        len(material.items),
        material.source[holding],
        material.target[holding],
        material.weight[holding],
    )
    return by_labels(labels.tolist(), material.items)


GROUPING = Grouping("community", groups)
