"""Memories that carry the same tag."""

from __future__ import annotations

from glymph.prune.groupings import Grouping, Groups, Material, group_by_names


def group(material: Material, option: str) -> Groups:
    return group_by_names(item.tags for item in material.items)


GROUPING = Grouping(group)
