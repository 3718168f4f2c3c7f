"""Episodes to learn from: what is known of each, which belong together, which of them a model is
shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from glymph.decay.sections import KINDS, SECTIONS
from glymph.errors import InvalidInput
from glymph.learn.tickers import CRYPTO, Vocabulary, opened, symbol
from glymph.moments import moment
from glymph.prune.outcomes import Outcome, outcome, outcome_bearing

LEAST = 3  # episodes of a group that is worth asking about
MOST_GROUPS = 5  # of one run
MOST_SHOWN = 15  # episodes of a group in one question
MOST_BODY = 500  # characters of an episode that are shown
MOST_VALUES, LONGEST_VALUE = 20, 40  # values of an episode that are shown, and characters of one
GENERAL = "_general"
SOURCE_KINDS = tuple(kind for kind, one in KINDS.items() if SECTIONS[one.section].role == "source")

Scalar = str | int | float | bool
PLAIN = (str, int, float)
LARGEST = 1e300  # numbers beyond it are not counted with: no average of them could be told
Labels = Mapping[str, Mapping[str, str]]  # by the way of grouping, then by the episode's id
Keys = Callable[["Episode"], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Episode:
    """One thing that happened, and how it ended if that is known. `at` is in microseconds since
    1970.
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
    """Episodes that belong together. The key is the same from run to run; the label is for people
    and models.
    """

    key: str
    label: str
    episodes: tuple[Episode, ...]


def told(
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
    found = _outcome(own) or (None if outcome_bearing(own) else _outcome(opened(body)[1]))
    return Episode(id, kind, at, title, body, tags, entities, own, trust, session, found)


def _outcome(source: Mapping[str, Any]) -> Outcome | None:
    try:
        return outcome(source)
    except OverflowError:
        return outcome(_bounded(source))


def _bounded(source: Mapping[str, Any]) -> dict[str, Any]:
    """What remains without numbers that are too large, here and one level below."""
    kept = {
        name: {n: v for n, v in value.items() if not _too_large(v)}
        if isinstance(value, dict)
        else value
        for name, value in source.items()
    }
    return {name: value for name, value in kept.items() if not _too_large(value)}


def _too_large(value: object) -> bool:
    return isinstance(value, int | float) and abs(value) > LARGEST


def plain(value: object) -> bool:
    """Whether a value is a text or a number to count with."""
    return isinstance(value, PLAIN) and value != "" and not _too_large(value)


def facts(episode: Episode) -> dict[str, Scalar]:
    """The plain values of an episode by name: its attributes, those one level below, those of a
    JSON body.
    """
    if "facts" not in episode.read:
        episode.read["facts"] = _facts(episode)
    known: dict[str, Scalar] = episode.read["facts"]
    return known


def _facts(episode: Episode) -> dict[str, Scalar]:
    sources = [episode.attributes]
    if episode.body.lstrip().startswith("{"):
        sources.append(opened(episode.body)[1])
    found: dict[str, Scalar] = {}
    for source in sources:
        inner = []
        for name, value in source.items():
            if plain(value):
                found.setdefault(name, value)
            elif isinstance(value, dict):
                inner.append(value)
        for level in inner:
            for name, value in level.items():
                if plain(value):
                    found.setdefault(name, value)
    return found


# which come first


def ordered(episodes: Iterable[Episode]) -> list[Episode]:
    """Those that tell how they ended first, and of these the newest."""
    return sorted(episodes, key=lambda one: (one.outcome is None, -one.at, one.id))


def shown(group: Group, most: int = MOST_SHOWN) -> tuple[Episode, ...]:
    """The episodes of a group that go into a question."""
    return tuple(ordered(group.episodes)[:most])


def chosen(groups: Iterable[Group], *, least: int = LEAST, most: int = MOST_GROUPS) -> list[Group]:
    """The groups that are large enough, the largest first, at most so many."""
    enough = [group for group in groups if len(group.episodes) >= least]
    return sorted(enough, key=lambda group: (-len(group.episodes), group.key))[:most]


# what belongs together


def grouped(
    episodes: Sequence[Episode],
    ways: Sequence[str] = ("symbol",),
    *,
    labels: Labels | None = None,
    vocabulary: Vocabulary = CRYPTO,
) -> list[Group]:
    """Every episode in one group: of the first way that has a name for it, else in the general one;
    largest first.

    Ways are `attribute:NAME`, `symbol`, `entity`, `tag` and `session`, and those that look at all
    memories at once, `cluster`, `community` and `similarity`, whose labels are passed in. Of
    several tags or entities the one that most of the episodes share counts.
    """
    strategies = [(way, _strategy(way, labels or {}, vocabulary)) for way in ways]
    carried = [_carried(episode, strategies) for episode in episodes]
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


def _carried(episode: Episode, strategies: Sequence[tuple[str, Keys]]) -> tuple[str, Sequence[str]]:
    for way, keys in strategies:
        if names := keys(episode):
            return way, names
    return "", ()


def _strategy(way: str, labels: Labels, vocabulary: Vocabulary) -> Keys:
    name, _, option = way.partition(":")
    if name == "attribute" and option:
        return partial(_by_attribute, option)
    if name in ("cluster", "community", "similarity") and not option:
        return partial(_by_label, labels.get(name, {}))
    if name == "symbol" and not option:
        return partial(_by_symbol, vocabulary)
    if option or name not in _PLAIN:
        known = ", ".join(
            ("attribute:NAME", "symbol", *_PLAIN, "cluster", "community", "similarity")
        )
        raise InvalidInput("grouping", f"{way!r} is not known. Use one of {known}.")
    return _PLAIN[name]


def _by_attribute(name: str, episode: Episode) -> Sequence[str]:
    value = facts(episode).get(name)
    return () if value is None else (str(value),)


def _by_label(labels: Mapping[str, str], episode: Episode) -> Sequence[str]:
    label = labels.get(episode.id)
    return (label,) if label else ()


def _by_symbol(vocabulary: Vocabulary, episode: Episode) -> Sequence[str]:
    name = symbol(episode.title, episode.body, episode.attributes, vocabulary=vocabulary)
    return (name,) if name else ()


_PLAIN: dict[str, Keys] = {
    "entity": lambda episode: episode.entities,
    "tag": lambda episode: episode.tags,
    "session": lambda episode: (episode.session,) if episode.session else (),
}


# what a model sees


def record(alias: str, episode: Episode, most: int = MOST_BODY) -> dict[str, Any]:
    """What a model is shown of an episode: kind, date to the minute, title, text, how it ended,
    plain values.
    """
    text = opened(episode.body)[0].strip()
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
