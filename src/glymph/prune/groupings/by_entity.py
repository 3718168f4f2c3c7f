"""Memories about the same person, place or thing."""

from __future__ import annotations

from glymph.prune.groupings import Grouping, Groups, Material, by_names


def groups(material: Material, option: str) -> Groups:
    return by_names(item.entities for item in material.items)


GROUPING = Grouping("entity", groups)
