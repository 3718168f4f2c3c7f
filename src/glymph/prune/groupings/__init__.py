"""What belongs together: one way of grouping a file.

A new way is a new file here with a `GROUPING`. `grouped` takes its name, and an option behind a
colon: `attribute:symbol`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glymph.errors import InvalidInput

Groups = dict[str, list[int]]  # places of members in the material, by the name of their group
_NO_LINKS = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Item:
    """What a grouping knows of a memory."""

    tags: Sequence[str] = ()
    entities: Sequence[str] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    clusters: Sequence[str] = ()
    session: str | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Material:
    """Memories to be grouped; links join places of theirs and have their weight of today."""

    items: Sequence[Item]
    source: NDArray[np.int64] = field(default_factory=lambda: _NO_LINKS)
    target: NDArray[np.int64] = field(default_factory=lambda: _NO_LINKS)
    weight: NDArray[np.float64] = field(default_factory=lambda: _NO_LINKS.astype(np.float64))
    vectors: NDArray[np.float32] | None = None  # a row of zeros for a memory without one


@dataclass(frozen=True, slots=True)
class Grouping:
    name: str
    groups: Callable[[Material, str], Groups]
    takes: str = ""  # what must follow the colon, in a word; empty for nothing


@cache
def groupings() -> dict[str, Grouping]:
    """Every way of grouping by its name."""
    modules = sorted(module.name for module in pkgutil.iter_modules(__path__))
    found = [importlib.import_module(f"{__name__}.{name}").GROUPING for name in modules]
    return {grouping.name: grouping for grouping in found}


def grouped(material: Material, way: str) -> Groups:
    """The groups of more than one memory, the largest first."""
    grouping, option = understood(way)
    found = grouping.groups(material, option)
    several = {name: sorted(set(places)) for name, places in found.items() if len(set(places)) > 1}
    return dict(sorted(several.items(), key=lambda item: (-len(item[1]), item[0])))


def understood(way: str) -> tuple[Grouping, str]:
    """The grouping a text names, and what it says after the colon."""
    name, _, option = way.partition(":")
    grouping = groupings().get(name)
    if grouping is None:
        raise InvalidInput(
            "grouping", f"{name!r} is not known. Use one of {', '.join(groupings())}."
        )
    if bool(option) != bool(grouping.takes):
        form = f"{name}:{grouping.takes.upper()}" if grouping.takes else name
        raise InvalidInput("grouping", f"{way!r} is not understood. Write {form}.")
    return grouping, option


def by_names(names: Iterable[Iterable[str]]) -> Groups:
    """Places by each of the names they carry."""
    found: Groups = defaultdict(list)
    for place, carried in enumerate(names):
        for name in carried:
            found[name].append(place)
    return dict(found)


def by_labels(labels: Sequence[int], items: Sequence[Item]) -> Groups:
    """Places by a label each; a group is named after its first member."""
    found: dict[int, list[int]] = defaultdict(list)
    for place, label in enumerate(labels):
        found[label].append(place)
    named: Groups = {}
    for places in found.values():
        title = items[places[0]].title
        named[title if title not in named else f"{title} ({places[0]})"] = places
    return named
