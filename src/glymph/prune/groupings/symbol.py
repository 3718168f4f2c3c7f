"""Memories about the same thing that is traded, by its symbol in attributes, title or text."""

from __future__ import annotations

from glymph.prune.groupings import Grouping, Groups, Material, group_by_names
from glymph.text.tickers import CRYPTO, Vocabulary, symbol


def group(material: Material, option: str, vocabulary: Vocabulary = CRYPTO) -> Groups:
    """Groups by the symbols of a vocabulary; another domain is another one."""
    symbols = (
        symbol(item.title, item.text, item.attributes, vocabulary=vocabulary)
        for item in material.items
    )
    return group_by_names([name] if name else [] for name in symbols)


GROUPING = Grouping(group)
