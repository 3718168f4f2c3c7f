"""Memories of the same named set."""

from __future__ import annotations

from glymph.prune.groupings import Grouping, Groups, Material, by_names


def groups(material: Material, option: str) -> Groups:
    return by_names(item.clusters for item in material.items)


GROUPING = Grouping("cluster", groups)
