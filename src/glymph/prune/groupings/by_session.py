"""Memories of the same conversation."""

from __future__ import annotations

from glymph.prune.groupings import Grouping, Groups, Material, by_names


def groups(material: Material, option: str) -> Groups:
    return by_names([item.session] if item.session else [] for item in material.items)


GROUPING = Grouping("session", groups)
