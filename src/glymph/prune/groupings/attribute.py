"""Memories with the same value of an attribute: `attribute:symbol`."""

from __future__ import annotations

from glymph.prune.groupings import Grouping, Groups, Item, Material, group_by_names
from glymph.text.attributes import find_values


def group(material: Material, option: str) -> Groups:
    return group_by_names(_find_value(item, option) for item in material.items)


def _find_value(item: Item, name: str) -> list[str]:
    value = find_values(item.attributes, item.text).get(name)
    return [] if value is None else [str(value)]


GROUPING = Grouping(group, takes="name")
