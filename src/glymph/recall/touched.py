"""The first memories that each of many operations touched, by name, and how many links."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from glymph.model import Named
from glymph.store.reader import Reader

FEW = 3  # memories that are named of each operation


def name_touched(reader: Reader, keys: Sequence[int]) -> dict[int, tuple[tuple[Named, ...], int]]:
    """Returns for each operation the first memories it touched, and how many links."""
    found = reader.touched_by(keys, most=FEW)
    rows = reader.rows([("memories", key) for _, table, key, _ in found if table == "memories"])
    named: dict[int, list[Named]] = defaultdict(list)
    links: Counter[int] = Counter()
    for operation, table, key, total in found:
        if table == "edges":
            links[operation] = total
        elif ("memories", key) in rows:
            row = rows["memories", key]
            named[operation].append(Named(row["id"], row["title"]))
    return {key: (tuple(named[key]), links[key]) for key in keys}
