"""Episodes to learn from: what is known of each, and which belong together.

The module also says which of them a model is shown.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from glymph.decay.sections import KINDS, SECTIONS
from glymph.moments import moment
from glymph.prune.groupings import Item, Material, group_items, parse_grouping
from glymph.prune.outcomes import Outcome, bears_outcome, outcome
from glymph.store import records
from glymph.store.contract import Row
from glymph.text.attributes import Scalar, find_values, is_too_large, open_body

LEAST = 3  # episodes of a group that is worth asking about
MOST_GROUPS = 5  # of one run
MOST_SHOWN = 15  # episodes of a group in one question
MOST_BODY = 500  # characters of an episode that are shown
MOST_VALUES, LONGEST_VALUE = 20, 40  # values of an episode that are shown, and characters of one
GENERAL = "_general"
SOURCE_KINDS = tuple(kind for kind, one in KINDS.items() if SECTIONS[one.section].role == "source")


@dataclass(frozen=True, slots=True)
class Episode:
    """One thing that happened, and how it ended if that is known.

    `at` is in microseconds since 1970.
    """

    id: str
    kind: str
    at: int
    title: str
    body: str = ""
    tags: Sequence[str] = ()
    entities: Sequence[str] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    trust: float = 1.0
    session: str | None = None
    outcome: Outcome | None = None
    read: dict[str, Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )  # worked out


@dataclass(frozen=True, slots=True)
class Group:
    """Episodes that belong together.

    The key is the same from run to run; the label is for people and models.
    """

    key: str
    label: str
    episodes: tuple[Episode, ...]


def make_episode(
    id: str,
    kind: str,
    at: int,
    title: str,
    body: str = "",
    *,
    tags: Sequence[str] = (),
    entities: Sequence[str] = (),
    attributes: Mapping[str, Any] | None = None,
    trust: float = 1.0,
    session: str | None = None,
) -> Episode:
    """An episode whose outcome is read from its attributes, or else from a JSON body."""
    own = attributes or {}
    found = _outcome(own) or (None if bears_outcome(own) else _outcome(open_body(body)[1]))
    return Episode(id, kind, at, title, body, tags, entities, own, trust, session, found)


def read_episode(row: Row) -> Episode:
    """Returns the episode that a memory's row tells of."""
    return make_episode(
        row["id"], row["kind"], row["event_at"] or row["created_at"], row["title"], row["text"],
        tags=_words(row["tags"]), entities=_words(row["entities"]),
        attributes=records.attributes(row), trust=row["trust"], session=row["session"],
    )  # fmt: skip


def _words(kept: str) -> tuple[str, ...]:
    return () if kept == "[]" else tuple(records.words(kept))


def _outcome(source: Mapping[str, Any]) -> Outcome | None:
    try:
        return outcome(source)
    except OverflowError:
        return outcome(_drop_huge_numbers(source))


def _drop_huge_numbers(source: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what remains without numbers that are too large, here and one level below."""
    kept = {
        name: {n: v for n, v in value.items() if not is_too_large(v)}
        if isinstance(value, dict)
        else value
        for name, value in source.items()
    }
    return {name: value for name, value in kept.items() if not is_too_large(value)}


def facts(episode: Episode) -> dict[str, Scalar]:
    """Returns the plain values of an episode by name; see `find_values`."""
    if "facts" not in episode.read:
        episode.read["facts"] = find_values(episode.attributes, episode.body)
    known: dict[str, Scalar] = episode.read["facts"]
    return known


# which come first


def order_episodes(episodes: Iterable[Episode]) -> list[Episode]:
    """Returns those that tell how they ended first, and of these the newest."""
    return sorted(episodes, key=lambda one: (one.outcome is None, -one.at, one.id))


def choose_shown(group: Group, most: int = MOST_SHOWN) -> tuple[Episode, ...]:
    """The episodes of a group that go into a question."""
    return tuple(order_episodes(group.episodes)[:most])


def chosen(groups: Iterable[Group], *, least: int = LEAST, most: int = MOST_GROUPS) -> list[Group]:
    """The groups that are large enough, the largest first, at most so many."""
    enough = [group for group in groups if len(group.episodes) >= least]
    return sorted(enough, key=lambda group: (-len(group.episodes), group.key))[:most]


# what belongs together


def group_episodes(
    episodes: Sequence[Episode],
    ways: Sequence[str] = ("symbol",),
    *,
    material: Material | None = None,
) -> list[Group]:
    """Puts every episode in one group, and returns the groups, the largest first.

    The group is of the first way that has a name for the episode, else the general one. The ways
    are those of `prune.groupings`. `material` are the episodes with what the ways need beside them:
    links, vectors and clusters. Of several tags or entities the one that most of the episodes share
    counts.
    """
    given = material or Material([_item(episode) for episode in episodes])
    carried = _find_names(given, ways)
    shared = Counter((way, name) for way, names in carried for name in set(names))
    found: dict[tuple[str, str], list[Episode]] = {}
    for episode, (way, names) in zip(episodes, carried, strict=True):
        name = min(names, key=lambda one: (-shared[way, one], one), default="")
        found.setdefault((way, name), []).append(episode)
    groups = [
        Group(f"{way}:{name}" if way else GENERAL, name if way else GENERAL, tuple(members))
        for (way, name), members in found.items()
    ]
    return sorted(groups, key=lambda group: (-len(group.episodes), group.key))


def _item(episode: Episode) -> Item:
    return Item(
        id=episode.id, title=episode.title, text=episode.body, tags=episode.tags,
        entities=episode.entities, attributes=episode.attributes, session=episode.session,
    )  # fmt: skip


def _find_names(material: Material, ways: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Returns for each item the first way that has a name for it, and all names it has then."""
    found: list[tuple[str, list[str]]] = [("", []) for _ in material.items]
    for way in ways:
        parse_grouping(way)  # a way nobody knows is refused before any work
    for way in ways:
        names: dict[int, list[str]] = defaultdict(list)
        for name, places in group_items(material, way).items():
            for place in places:
                names[place].append(name)
        for place, several in names.items():
            if not found[place][0]:
                found[place] = (way, several)
    return found


# what a model sees


def record(alias: str, episode: Episode, most: int = MOST_BODY) -> dict[str, Any]:
    """Returns what a model is shown of an episode.

    That is its kind, date to the minute, title, text, how it ended, and plain values.
    """
    text = open_body(episode.body)[0].strip()
    told: dict[str, Any] = {
        "id": alias,
        "kind": plain_kind(episode.kind),
        "at": f"{moment(episode.at):%Y-%m-%d %H:%M}",
        "title": " ".join(episode.title.split()),
    }
    if text and text != told["title"]:
        told["body"] = text if len(text) <= most else text[: most - 3] + "..."
    if episode.outcome is not None and episode.outcome.success is not None:
        told["outcome"] = "success" if episode.outcome.success else "failure"
    if values := {
        n: v for n, v in facts(episode).items() if not isinstance(v, str) or len(v) <= LONGEST_VALUE
    }:
        told["values"] = dict(list(values.items())[:MOST_VALUES])
    return told


def plain_kind(kind: str) -> str:
    """The kind without the prefix that some programs put before their own."""
    return kind.removeprefix("custom:")
