"""Memories with the same value of an attribute: `attribute:symbol`."""

from __future__ import annotations

from glymph.prune.groupings import Grouping, Groups, Material, by_names


def groups(material: Material, option: str) -> Groups:
    values = (item.attributes.get(option) for item in material.items)
    return by_names([] if value in (None, "") else [str(value)] for value in values)


GROUPING = Grouping("attribute", groups, takes="name")
