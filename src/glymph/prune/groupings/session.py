"""Memories of the same conversation."""

from __future__ import annotations

from glymph.prune.groupings import Grouping, Groups, Material, group_by_names


def group(material: Material, option: str) -> Groups:
    return group_by_names([item.session] if item.session else [] for item in material.items)


GROUPING = Grouping(group)
