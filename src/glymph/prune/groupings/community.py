"""Memories that hang together by links; what is too large falls into communities."""

from __future__ import annotations

from glymph.prune import graph
from glymph.prune.groupings import Grouping, Groups, Material, group_by_labels


def group(material: Material, option: str) -> Groups:
    links = material.links
    if links is None:
        return {}
    holding = links.weight >= graph.CONNECTING
    labels = graph.groups(
        links.count, links.source[holding], links.target[holding], links.weight[holding]
    )
    return group_by_labels(labels[links.nodes].tolist(), material.items)


GROUPING = Grouping(group, needs=frozenset({"links"}))
