"""Ways of grouping: one a file, each with its own idea of what belongs together."""

from __future__ import annotations

import pkgutil

import numpy as np
import pytest

from glymph import Glymph, errors
from glymph.extensions import ExtensionPoint
from glymph.prune import groupings
from glymph.prune.groupings import GROUPINGS, Grouping, Item, Links, Material, find_groups, symbol
from glymph.testing.embedders import WordEmbedder
from glymph.text.tickers import Vocabulary
from tests.grounds.pruning import chained, install_extension


def links(*pairs, weight=0.9, items=4, nodes=4):
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Links(np.arange(items), nodes, ends[:, 0], ends[:, 1], np.full(len(ends), weight))


ITEMS = [
    Item(
        tags=["ops"],
        entities=["Anna"],
        attributes={"symbol": "BTC"},
        clusters=["a"],
        session="one",
        title="t0",
    ),
    Item(
        tags=["ops", "db"],
        entities=["Bob"],
        attributes={"symbol": "ETH"},
        session="one",
        title="t1",
    ),
    Item(
        tags=["db"],
        entities=["Anna", "Bob"],
        attributes={"symbol": "BTC"},
        clusters=["a"],
        title="t2",
    ),
    Item(title="t3"),
]
VECTORS = np.array([[1, 0], [0, 1], [0.999, 0.01], [0, 0]], dtype=np.float32)
EXPECTED = {
    "tag": {"db": [1, 2], "ops": [0, 1]},
    "entity": {"Anna": [0, 2], "Bob": [1, 2]},
    "attribute:symbol": {"BTC": [0, 2]},
    "cluster": {"a": [0, 2]},
    "session": {"one": [0, 1]},
    "community": {"t1": [1, 3]},
    "similarity": {"t0": [0, 2]},
    "symbol": {"BTC": [0, 2]},
}


def test_every_file_is_a_grouping_with_a_case_here():
    names = {module.name for module in pkgutil.iter_modules(groupings.__path__)}
    assert names == set(GROUPINGS.members) == {way.partition(":")[0] for way in EXPECTED}


@pytest.mark.parametrize("way", EXPECTED)
def test_a_way_of_grouping_finds_what_belongs_together(way):
    material = Material(ITEMS, links((1, 3)), VECTORS)
    assert find_groups(material, way) == EXPECTED[way]


def test_links_that_have_faded_hold_nothing_together():
    assert find_groups(Material(ITEMS, links((1, 3), weight=0.1)), "community") == {}


def test_without_vectors_nothing_is_similar():
    assert find_groups(Material(ITEMS), "similarity") == {}


def test_links_by_way_of_a_memory_that_is_not_grouped_hold_together():
    material = Material(ITEMS, links((0, 4), (4, 3), nodes=5))
    assert find_groups(material, "community") == {"t0": [0, 3]}


def test_a_group_by_links_is_named_after_its_oldest_member():
    items = [Item(id=f"id{9 - n}", title=title) for n, title in enumerate(["c", "b", "a", "a"])]
    found = find_groups(Material(items, links((0, 2), (1, 3))), "community")
    assert found == {"a": [1, 3], "a (id7)": [0, 2]}


def test_an_attribute_may_stand_one_level_below_or_in_a_json_body():
    items = [
        Item(attributes={"desk": "north"}),
        Item(attributes={"trade": {"desk": "north"}}),
        Item(text='{"text": "Closed", "desk": "north"}'),
    ]
    assert find_groups(Material(items), "attribute:desk") == {"north": [0, 1, 2]}


def test_the_vocabulary_of_symbols_is_replaceable():
    material = Material([Item(title="the u2 was late"), Item(title="u2 again")])
    assert symbol.group(material, "", Vocabulary(frozenset({"U2"}))) == {"U2": [0, 1]}


@pytest.mark.parametrize(
    ("way", "said"),
    [("colour", "not known"), ("attribute", "attribute:NAME"), ("tag:ops", "Write tag")],
)
def test_what_is_not_understood_says_how_to_write_it(way, said):
    with pytest.raises(errors.InvalidInput, match=said):
        find_groups(Material(ITEMS), way)


# through the facade

ROOF = [
    f"The roof of our barn was tiled by hand with {colour} slate brought over from Wales"
    for colour in ("red", "grey", "black")
]
OTHER = [
    "Penguins cannot taste sweet things at all",
    "Anna sold the old piano to a school",
    "The kettle in the office was replaced",
]
WAYS = [
    "attribute:project",
    "cluster",
    "community",
    "entity",
    "session",
    "similarity",
    "symbol",
    "tag",
]


@pytest.fixture
def barn(url, clock):
    """Three episodes that belong together in every way, and three that do in none."""
    shared = {
        "tags": ["roof"],
        "entities": ["Roof"],
        "session": "s1",
        "attributes": {"project": "roof", "symbol": "SLATE"},
    }
    with Glymph.open(
        url, clock=clock, embedder=WordEmbedder(ms=0.0), settings={"compare": "off"}
    ) as glymph:
        ids = []
        for text in ROOF:
            clock.advance(minutes=1)
            ids.append(glymph.add(text, kind="event", **shared).id)
        for text in OTHER:
            glymph.add(text, kind="event")
        glymph.create_cluster("barn")
        glymph.add_to_cluster("barn", ids)
        chained(glymph, ids)
        glymph.embed()
        yield glymph, ids


def test_there_is_a_case_for_every_grouping():
    assert {way.partition(":")[0] for way in WAYS} == set(GROUPINGS.members)


@pytest.mark.parametrize("way", WAYS)
def test_analyze_groups_by_every_way(barn, clock, way):
    glymph, ids = barn
    clock.advance(days=60)
    plan = glymph.analyze(grouping=way)
    assert set(ids) in [set(group.node_ids) for group in plan.groups]


@pytest.mark.parametrize("way", WAYS)
def test_consolidate_groups_by_every_way(barn, clock, way):
    glymph, _ = barn
    clock.advance(days=1)
    found = glymph.consolidate(dry_run=True, grouping=[way]).groups
    sizes = {one.group: one.episodes for one in found}
    assert sizes.pop("_general") == 3
    ((name, size),) = sizes.items()
    assert size == 3
    assert name.lower() in ("roof", "barn", "s1", "slate", ROOF[0].lower())


def test_communities_of_consolidate_are_those_of_analyze(barn, clock):
    glymph, ids = barn
    hub = glymph.add("The barn is being rebuilt this year", kind="fact").id
    later = [glymph.add(f"Beam {n} of the barn was lifted", kind="event").id for n in range(3)]
    for one in later:
        glymph.link(one, hub)  # episodes that hang together by way of something else
    found = glymph.consolidate(dry_run=True, grouping=["community"]).groups
    assert sorted(one.episodes for one in found) == [3, 3, 3]
    plan = glymph.analyze(min_staleness=0)
    assert {frozenset(group.node_ids) for group in plan.groups} == {
        frozenset(ids),
        frozenset([*later, hub]),
    }


def test_a_name_stays_while_a_community_grows(barn, clock):
    glymph, ids = barn
    before = {one.group for one in glymph.consolidate(dry_run=True, grouping=["community"]).groups}
    clock.advance(hours=1)
    glymph.link(glymph.add("The gutter of the barn was mended", kind="event").id, ids[1])
    again = glymph.consolidate(dry_run=True, grouping=["community"]).groups
    assert {one.group for one in again} == before
    assert max(one.episodes for one in again) == 4


@pytest.mark.parametrize("way", ["colour", "tag:ops", "attribute", 7])
def test_both_refuse_a_way_they_do_not_know(barn, way):
    glymph, _ = barn
    with pytest.raises(errors.InvalidInput, match="grouping"):
        glymph.analyze(grouping=way)
    with pytest.raises(errors.InvalidInput, match="grouping"):
        glymph.consolidate(grouping=[way])


def test_a_refusal_lists_every_way_that_is_known(barn):
    glymph, _ = barn
    for act in (
        lambda: glymph.analyze(grouping="colour"),
        lambda: glymph.consolidate(grouping=["colour"]),
    ):
        with pytest.raises(errors.InvalidInput) as caught:
            act()
        assert (
            "attribute:NAME, cluster, community, entity, session, similarity, symbol, tag"
            in str(caught.value)
        )


def test_one_text_in_place_of_a_list_is_refused(barn):
    glymph, _ = barn
    with pytest.raises(errors.InvalidInput, match="expected a list"):
        glymph.consolidate(grouping="community")


FIRST_WORD = """
from glymph.prune.groupings import Grouping, group_by_names

def group(material, option):
    return group_by_names([item.title.split()[0].lower()] for item in material.items)

GROUPING = Grouping(group)
"""


def test_a_grouping_of_a_package_serves_both(barn, clock, tmp_path, monkeypatch):
    glymph, ids = barn
    install_extension(
        tmp_path,
        monkeypatch,
        "first_words",
        FIRST_WORD,
        "glymph.groupings",
        "first_word",
        "GROUPING",
    )
    point = ExtensionPoint(
        "glymph.groupings", Grouping, package=groupings.__name__, attribute="GROUPING"
    )
    monkeypatch.setattr(groupings, "GROUPINGS", point)
    found = glymph.consolidate(dry_run=True, grouping=["first_word"]).groups
    assert {one.group: one.episodes for one in found} == {"the": 4}
    clock.advance(days=60)
    (group,) = glymph.analyze(grouping="first_word").groups
    assert set(ids) < set(group.node_ids)
