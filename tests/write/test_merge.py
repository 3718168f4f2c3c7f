"""Merging: several memories become one that stands where they stood, and an undo parts them again."""

from __future__ import annotations

import pytest

from glymph import Glymph, errors
from glymph.testing.embedders import WordEmbedder
from glymph.tools import all_tools
from tests.grounds.pruning import image, used
from tests.grounds.reading import flag


def pair(glymph, **fields):
    first = glymph.add("The cellar is damp in spring", kind="fact", **fields).id
    second = glymph.add("Bottles are stored behind the furnace", kind="fact", **fields).id
    return first, second


def merged(glymph, *ids, **asked):
    """What some memories became."""
    return glymph.get(glymph.merge(ids, **asked).succeeded[-1])


def test_the_texts_of_the_parts_are_kept_whole(glymph):
    first, second = pair(glymph)
    one = merged(glymph, second, first)
    assert one.text == "The cellar is damp in spring\n\nBottles are stored behind the furnace"
    assert (glymph.get(first).superseded_by, glymph.get(second).superseded_by) == (one.id, one.id)
    assert glymph.get(first).text == "The cellar is damp in spring"
    assert [hit.memory.id for hit in glymph.search("cellar bottles")] == [one.id]
    assert (one.kind, one.section) == ("fact", "KNOWLEDGE")


def test_a_text_and_a_title_may_be_given(glymph):
    one = merged(glymph, *pair(glymph), text="Bottles stay dry behind the furnace", title="Bottles")
    assert (one.text, one.title) == ("Bottles stay dry behind the furnace", "Bottles")


def test_tags_entities_trust_and_uses_are_inherited(glymph, clock):
    first = glymph.add(
        "The cellar is damp in spring", tags=["house", "wet"], entities=["Cellar"], trust=0.9
    ).id
    second = glymph.add(
        "Bottles are stored behind the furnace", tags=["wine", "house"], trust=0.4, salience=0.8
    ).id
    clock.advance(days=3)
    used(glymph, first, 3)
    clock.advance(days=3)
    used(glymph, second, 2)
    strongest = max(glymph.get(first).stability, glymph.get(second).stability)
    one = merged(glymph, first, second)
    assert (set(one.tags), one.entities) == ({"house", "wet", "wine"}, ("Cellar",))
    assert (one.trust, one.salience) == (0.4, 0.8)
    assert (one.access_count, one.last_used_at, one.stability) == (5, clock.now, strongest)


def test_links_to_others_are_inherited_and_those_among_the_parts_are_not(glymph):
    first, second = pair(glymph)
    other, lesson = (
        glymph.add("The furnace rattles when it rains").id,
        glymph.add("Wine likes the cold").id,
    )
    glymph.link(first, second)
    glymph.link(first, other, "related_to", 0.3)
    glymph.link(second, other, "related_to", 0.7)
    glymph.link(lesson, second, "derived_from")
    one = merged(glymph, first, second)
    kept = {
        (e.source, e.target, e.type, e.weight)
        for e in glymph.edges(one.id)
        if e.type != "supersedes"
    }
    assert kept == {(one.id, other, "related_to", 0.7), (lesson, one.id, "derived_from", 0.5)}
    assert {e.target for e in glymph.edges(one.id) if e.type == "supersedes"} == {first, second}


def test_places_in_clusters_are_taken_over(glymph):
    first, second = pair(glymph)
    for name, ids in {"house": [first, second], "wine": [second]}.items():
        glymph.clusters.create(name)
        glymph.clusters.add(name, ids)
    before = image(glymph)
    done = glymph.merge([first, second])
    one = done.succeeded[-1]
    assert {cluster.name: cluster.members for cluster in glymph.clusters()} == {
        "house": (one,),
        "wine": (one,),
    }
    assert glymph.verify().ok
    glymph.undo(done.operation_id)
    assert image(glymph) == before


def test_undo_parts_them_bit_for_bit(url, clock):
    with Glymph.open(url, clock=clock, embedder=WordEmbedder(ms=0.0)) as glymph:
        first, second = pair(glymph, tags=["house"])
        other = glymph.add("The furnace rattles when it rains", links=[first, second]).id
        glymph.clusters.create("house")
        glymph.clusters.add("house", [first, other])
        used(glymph, first, 2)
        clock.advance(days=5)
        before, found = (
            image(glymph),
            [hit.memory.id for hit in glymph.search("cellar bottles furnace")],
        )
        done = glymph.merge([first, second], reason="same thing")
        assert (glymph.operations(limit=1)[0].reason, len(done.hash)) == ("same thing", 64)
        glymph.undo(done.operation_id)
        assert image(glymph) == before
        assert [hit.memory.id for hit in glymph.search("cellar bottles furnace")] == found
        assert glymph.verify().ok


def test_undo_of_the_undo_joins_them_again(glymph):
    first, second = pair(glymph)
    done = glymph.merge([first, second])
    after = image(glymph)
    glymph.undo(glymph.undo(done.operation_id).operation_id)
    assert image(glymph) == after


def test_a_text_that_one_of_them_says_already_makes_that_one_stay(glymph):
    first, second = pair(glymph)
    done = glymph.merge([first, second], text="The cellar is damp in spring")
    assert done.succeeded == (second, first)
    assert glymph.get(second).superseded_by == first
    assert glymph.get(first).superseded_by is None


def test_what_updates_another_in_part_can_be_merged_with_it(glymph):
    first, second = pair(glymph)
    flag(glymph, second, first)
    before = image(glymph)
    done = glymph.merge([first, second], text="Bottles are stored behind the furnace")
    assert glymph.get(first).superseded_by == second
    glymph.undo(done.operation_id)
    assert image(glymph) == before


# refusals


def test_what_is_pinned_protected_away_superseded_or_unknown_refuses_the_whole(glymph):
    first, second = pair(glymph)
    pinned = glymph.add("The key hangs by the door", pinned=True).id
    archived = glymph.add("The old boiler was blue").id
    glymph.archive(archived)
    trashed = glymph.add("The lamp flickers at night").id
    glymph.delete(trashed)
    old = glymph.add("The office is in Bonn", kind="fact").id
    glymph.supersede(old, "The office is in Mainz")
    (me,) = (memory.id for memory in glymph.list(kinds=["self"]))
    before = image(glymph)
    for bad in (pinned, me, archived, trashed, old):
        with pytest.raises(errors.Refused, match=bad):
            glymph.merge([first, second, bad])
    with pytest.raises(errors.MemoryNotFound):
        glymph.merge([first, "01900000-0000-7000-8000-000000000000"])
    assert image(glymph) == before


@pytest.mark.parametrize("count", [0, 1, 101])
def test_two_to_a_hundred_become_one(glymph, count):
    ids = [
        one.id for one in glymph.add_many([f"Item {n} lies on shelf {n * 7}" for n in range(count)])
    ]
    with pytest.raises(errors.InvalidInput, match="ids"):
        glymph.merge(ids)


def test_an_id_given_twice_is_one(glymph):
    first, _ = pair(glymph)
    with pytest.raises(errors.InvalidInput):
        glymph.merge([first, first])


def test_the_tool_answers_with_a_receipt_and_its_hash(glymph):
    tool = all_tools()["merge_memories"]
    first, second = pair(glymph)
    answer = tool.run(glymph, tool.arguments(ids=[first, second]))
    assert answer["succeeded"][:2] == [first, second]
    assert glymph.get(answer["succeeded"][2]).text.count("\n\n") == 1
    assert len(answer["hash"]) == 64
