"""Ways of grouping memories, one a file. `analyze` and `consolidate` use the same ones.

A new grouping is one new file here, with a `GROUPING`; its name is that of the file:

    from glymph.prune.groupings import Grouping, Groups, Material, group_by_names

    def group(material: Material, option: str) -> Groups:
        return group_by_names(item.title.split()[:1] for item in material.items)

    GROUPING = Grouping(group)

A grouping of another package is the same value, named by an entry point of `glymph.groupings`:

    [project.entry-points."glymph.groupings"]
    first_word = "my_package.first_word:GROUPING"

Callers name a grouping, with an option behind a colon where it takes one:
`analyze(grouping="first_word")`, `consolidate(grouping=["attribute:project", "first_word"])`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from glymph.errors import InvalidInput
from glymph.extensions import ExtensionPoint

Groups = dict[str, list[int]]  # places of members in the material, by the name of their group
Need = Literal["links", "vectors", "clusters"]


@dataclass(frozen=True, slots=True)
class Item:
    """The fields of a memory that a grouping sees."""

    id: str = ""
    title: str = ""
    text: str = ""
    tags: Sequence[str] = ()
    entities: Sequence[str] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    session: str | None = None
    clusters: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Links:
    """The links of a space between nodes from 0, with their weights today.

    There may be more nodes than items: what hangs together by a memory that is not to be grouped
    belongs together all the same.
    """

    nodes: NDArray[np.int64]  # of the items
    count: int  # of all nodes
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    weight: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Material:
    """Memories to be grouped, with links, vectors and clusters where a grouping needs them."""

    items: Sequence[Item]
    links: Links | None = None
    vectors: NDArray[np.float32] | None = None  # a row of zeros for a memory without one


@dataclass(frozen=True, slots=True)
class Grouping:
    """One way of grouping."""

    group: Callable[[Material, str], Groups]
    takes: str = ""  # what must follow the colon, in a word; empty for nothing
    needs: frozenset[Need] = frozenset()  # what is loaded for it


GROUPINGS: ExtensionPoint[Grouping] = ExtensionPoint(
    "glymph.groupings", Grouping, package=__name__, attribute="GROUPING"
)


def parse_grouping(way: object) -> tuple[Grouping, str]:
    """Returns the grouping that a text names, and what stands behind the colon."""
    if not isinstance(way, str):
        raise InvalidInput(
            "grouping", f"expected a text, got {type(way).__name__}. {_list_known()}"
        )
    name, _, option = way.partition(":")
    grouping = GROUPINGS.get(name)
    if grouping is None:
        raise InvalidInput("grouping", f"{name!r} is not known. {_list_known()}")
    if bool(option) != bool(grouping.takes):
        raise InvalidInput("grouping", f"{way!r} is not understood. Write {_form(name, grouping)}.")
    return grouping, option


def _list_known() -> str:
    forms = (_form(name, grouping) for name, grouping in sorted(GROUPINGS.members.items()))
    return f"Use one of {', '.join(forms)}."


def _form(name: str, grouping: Grouping) -> str:
    return f"{name}:{grouping.takes.upper()}" if grouping.takes else name


def group_items(material: Material, way: str) -> Groups:
    """Returns every group by its name, those of one member as well."""
    grouping, option = parse_grouping(way)
    return grouping.group(material, option)


def find_groups(material: Material, way: str) -> Groups:
    """Returns the groups of more than one memory, the largest first."""
    found = group_items(material, way)
    several = {name: sorted(set(places)) for name, places in found.items() if len(set(places)) > 1}
    return dict(sorted(several.items(), key=lambda item: (-len(item[1]), item[0])))


# for the files here


def group_by_names(names: Iterable[Iterable[str]]) -> Groups:
    """Groups places by each of the names they carry."""
    found: Groups = defaultdict(list)
    for place, carried in enumerate(names):
        for name in carried:
            found[name].append(place)
    return dict(found)


def group_by_labels(labels: Sequence[int], items: Sequence[Item]) -> Groups:
    """Groups places by a label each, and names a group after its oldest member.

    Who is alone with a label is in no group.
    """
    found: dict[int, list[int]] = defaultdict(list)
    for place, label in enumerate(labels):
        found[label].append(place)
    several = [places for places in found.values() if len(places) > 1]
    # Ids are in the order of their making, so that a name stays when a group grows.
    oldest = [min((items[place].id, place) for place in places)[1] for places in several]
    named: Groups = {}
    for first, places in sorted(
        zip(oldest, several, strict=True), key=lambda one: (items[one[0]].id, one[0])
    ):
        title = items[first].title
        named[title if title not in named else f"{title} ({items[first].id or first})"] = places
    return named
