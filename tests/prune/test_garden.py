"""The gardener: what has faded goes, and what is said twice becomes one.

Orphans are only listed; one undo for all.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from glymph import Glymph
from glymph.errors import Refused
from glymph.moments import micros
from glymph.prune import garden as gardening
from glymph.prune.allowance import allowance
from glymph.prune.merge_duplicates import find_all_twins, join
from glymph.store import columns
from glymph.testing.embedders import WordEmbedder
from glymph.write.duplicates import connect
from glymph.write.grading import Grader, name_model
from tests.grounds.pruning import image, remembered, used

ONCE, AGAIN = "Ada prefers green tea in the morning.", "Ada prefers green tea, in the morning"
BELLS = ("The old bell of the church rang twice!", "The old bell of the church rang twice")


@pytest.fixture
def words(url, clock):
    """A handle whose embedder finds texts near that share words.

    Nothing is compared while it is added.
    """
    with Glymph.open(
        url, clock=clock, embedder=WordEmbedder(512, ms=0.0), settings={"compare": "off"}
    ) as handle:
        yield handle


def told(glymph, *texts, kind="preference", **fields):
    return [
        one.id
        for one in glymph.add_many([{"text": text, "kind": kind, **fields} for text in texts])
    ]


def linked(glymph, by, weight=None, **fields):
    a, b = remembered(glymph, 2, **fields)
    glymph.link(a, b, by, weight)
    return a, b


def links(glymph):
    return sorted(edge["type"] for edge in glymph.graph().edges)


# links


@pytest.mark.parametrize(("days", "left"), [(208, ["related_to"]), (210, [])])
def test_a_link_goes_when_its_weight_today_falls_below_a_tenth(glymph, clock, days, left):
    """0.5 * 0.5 ** (days / 90) is 0.1 after 208.97 days."""
    linked(glymph, "related_to")
    clock.advance(days=days)
    done = glymph.garden()
    assert links(glymph) == left
    assert done.links == 1 - len(left)
    assert done.links_dropped == ({} if left else {"related_to": 1})


@pytest.mark.parametrize("kind", ["user_linked", "supersedes", "derived_from", "generalizes"])
def test_links_that_last_never_go(glymph, clock, kind):
    linked(glymph, kind, 0.05)
    clock.advance(days=4000)
    assert glymph.garden().links == 0
    assert links(glymph) == [kind]


def test_a_link_that_was_used_lately_stays(glymph, clock):
    a, b = linked(glymph, "related_to")
    clock.advance(days=200)
    recalled = glymph.recall("lies on shelf aisle")
    glymph.report(recalled.id, used=[a, b])
    clock.advance(days=100)
    assert glymph.garden().links == 0


def test_a_link_of_what_is_archived_stays_for_its_return(glymph, clock):
    a, _ = linked(glymph, "related_to")
    glymph.archive(a)
    clock.advance(days=400)
    before = image(glymph)
    assert glymph.garden().links == 0
    assert image(glymph) == before


@pytest.mark.parametrize(("weight", "left"), [(0.3, []), (0.05, ["related_to"])])
def test_a_pinned_memory_loses_links_that_faded_and_keeps_those_that_were_made_faint(
    glymph, clock, weight, left
):
    a, _ = linked(glymph, "related_to", weight)
    glymph.pin(a)
    clock.advance(days=400)
    glymph.garden()
    assert links(glymph) == left


def test_what_was_made_faint_is_left_for_two_weeks_and_goes_then(glymph, clock):
    linked(glymph, "related_to", 0.05)
    assert glymph.garden().links == 0
    clock.advance(days=15)
    assert glymph.garden().links == 1


def test_the_versions_of_both_ends_grow(glymph, clock):
    a, b = linked(glymph, "related_to")
    versions = [glymph.get(one).version for one in (a, b)]
    clock.advance(days=400)
    glymph.garden()
    assert [glymph.get(one).version for one in (a, b)] == [version + 1 for version in versions]


def test_many_links_go_in_short_transactions_and_come_back_with_one_undo(
    glymph, clock, monkeypatch
):
    monkeypatch.setattr(gardening, "AT_ONCE", 3)
    ids = remembered(glymph, 12)
    for at in range(11):
        glymph.link(ids[at], ids[at + 1], "similar_to")
    clock.advance(days=400)
    before = image(glymph)
    done = glymph.garden()
    assert done.links == 11
    assert links(glymph) == []
    with glymph.context.reading() as reader:
        parent = reader.operation(done.operation_id)
        assert parent["verb"] == "garden"
        assert len(reader.operations(limit=100, children_of=parent["key"])) == 4
    assert not glymph.undo().skipped
    assert image(glymph) == before
    assert glymph.verify().ok


def test_links_that_an_undo_brought_back_are_left_alone(glymph, clock):
    linked(glymph, "related_to")
    clock.advance(days=400)
    glymph.undo(glymph.garden().operation_id)
    assert glymph.garden().links == 0


def test_fading_links_do_not_keep_a_memory_from_its_rest(glymph, clock):
    """What lifecycle may archive it archives on the day after the gardener was there, too."""
    a, b = linked(glymph, "temporal_adjacent", kind="event")
    clock.advance(days=400)
    assert glymph.garden().links == 1
    assert {one.id for one in glymph.lifecycle().archived} == {a, b}


# duplicates


def test_what_is_said_twice_becomes_one_that_keeps_all_text_uses_links_and_places(words, clock):
    first, second = told(words, ONCE, AGAIN, tags=["tea"])
    (other,) = told(words, "Kettles must be descaled every month", kind="fact")
    words.link(second, other, "user_linked")
    words.clusters.create("drinks")
    words.clusters.add("drinks", [first])
    used(words, first, 2)
    clock.advance(days=300)
    before = image(words)
    done = words.garden()
    (merged,) = done.merged
    one = words.get(merged.id)
    assert ONCE in one.text
    assert AGAIN in one.text
    assert (one.kind, one.tags, one.access_count) == ("preference", ("tea",), 2)
    assert {(e.target, e.type) for e in words.edges(one.id)} == {(other, "user_linked")}
    assert [cluster.members for cluster in words.clusters()] == [(one.id,)]
    assert set(merged.parts) == {first, second}
    for part in merged.parts:
        assert (words.get(part).state, words.get(part).superseded_by) == ("ARCHIVED", one.id)
    assert [hit.memory.id for hit in words.search("green tea")] == [one.id, other]
    assert words.verify().ok
    words.undo(done.operation_id)
    assert image(words) == before
    assert words.verify().ok


def test_merging_does_not_make_what_has_faded_fresh(words, clock):
    told(words, ONCE)
    clock.advance(days=100)
    second = told(words, AGAIN)[0]
    clock.advance(days=300)
    was = words.get(second)
    one = words.get(words.garden().merged[0].id)
    assert (one.created_at, one.lifecycle) == (was.created_at, was.lifecycle)
    assert one.retrievability == pytest.approx(was.retrievability)


def test_a_text_that_another_one_holds_is_not_repeated(words, clock):
    longer = f"{AGAIN}!"
    short, long = told(words, AGAIN, longer)
    clock.advance(days=10)
    (merged,) = words.garden().merged
    assert (merged.id, merged.parts) == (long, (short,))
    assert words.get(long).text == longer


def test_a_second_run_right_after_changes_nothing(words, clock):
    linked(words, "related_to")
    told(
        words,
        ONCE,
        AGAIN,
        "Ada prefers green tea in the morning!",
        "ada prefers green tea in the morning",
    )
    clock.advance(days=400)
    assert words.garden().archived >= 3
    before = image(words)
    again = words.garden()
    assert (again.links, again.merged, again.operation_id) == (0, (), None)
    assert image(words) == before


def test_what_an_undo_took_apart_is_not_merged_again(words, clock):
    told(words, ONCE, AGAIN)
    clock.advance(days=10)
    words.undo(words.garden().operation_id)
    clock.advance(days=40)
    again = words.garden()
    assert again.merged == ()
    assert "undo" in again.kept[0].reason


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The rent of the flat above the bakery in the old town of Ghent is 900 euros a month all in",
         "The rent of the flat above the bakery in the old town of Ghent is 950 euros a month all in"),
        ("The long meeting of the whole team about the new plan of the office is on 2024-05-01 in the hall",
         "The long meeting of the whole team about the new plan of the office is on 2024-06-01 in the hall"),
        ("The old gate of the garden behind the house by the river is open in the long cold winter",
         "The old gate of the garden behind the house by the river is not open in the long cold winter"),
        ("The new manager of the shop on the corner of the long street by the river said Anna is late",
         "The new manager of the shop on the corner of the long street by the river said Bernd is late"),
    ],
    ids=["number", "date", "negation", "name"],
)  # fmt: skip
def test_what_differs_in_a_number_a_date_a_negation_or_a_name_stays_two(words, clock, a, b):
    told(words, a, b, kind="fact")
    clock.advance(days=100)
    assert words.garden().merged == ()


def test_episodes_stay_as_many_as_they_were(words, clock):
    told(words, *BELLS, kind="event")
    clock.advance(days=100)
    assert words.garden().merged == ()


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"kind": "fact"}, "kind"),
        ({"attributes": {"cups": 2}}, "attributes"),
        ({"event_at": datetime(2026, 1, 1, tzinfo=UTC)}, "event_at"),
        ({"expires_at": datetime(2090, 1, 1, tzinfo=UTC)}, "expires_at"),
    ],
)
def test_what_differs_in_more_than_words_is_kept_and_told(words, clock, fields, why):
    told(words, ONCE)
    told(words, AGAIN, **fields)
    clock.advance(days=100)
    done = words.garden()
    assert done.merged == ()
    assert why in done.kept[0].reason


def test_goals_are_not_merged(words, clock):
    told(words, ONCE, AGAIN, kind="goal")
    clock.advance(days=100)
    assert words.garden().merged == ()


def test_what_is_young_pinned_or_used_lately_is_left(words, clock):
    first, second = told(words, ONCE, AGAIN)
    clock.advance(days=2)
    assert words.garden().merged == ()
    clock.advance(days=2)
    words.pin(first)
    assert words.garden().merged == ()
    words.unpin(first)
    used(words, second)
    clock.advance(days=100)
    assert words.garden().merged == ()
    clock.advance(days=3 * words.get(second).stability)
    assert len(words.garden().merged) == 1


def test_statements_that_are_in_question_or_contradict_each_other_stay_two(words, clock):
    first, second = told(words, ONCE, AGAIN)
    words.link(first, second, "contradicts")
    clock.advance(days=100)
    assert "contradict" in words.garden().kept[0].reason


def test_without_an_embedder_duplicates_are_left_and_it_says_so(glymph, clock):
    told(glymph, ONCE)
    linked(glymph, "related_to")
    clock.advance(days=400)
    done = glymph.garden()
    assert done.links == 1
    assert done.not_compared
    assert "not looked for" in done.told


def many_twins(words, count):
    """So many pairs that say the same, each about another thing."""
    things = [
        f"thing{number} of place{number} belongs to person{number} since spring{number}"
        for number in range(count)
    ]
    told(words, *things, kind="fact")
    told(words, *(f"{thing}." for thing in things), kind="fact")


def test_the_cap_of_unattended_runs_holds_the_rest_back_until_tomorrow(words, clock):
    many_twins(words, 15)
    clock.advance(days=10)
    foretold = words.garden(dry_run=True)
    assert (len(foretold.merged), foretold.held_back) == (10, 5)
    done = words.garden()
    assert (done.archived, done.held_back) == (10, 5)
    assert "held back" in done.told
    with words.context.reading() as reader:
        assert allowance(words.context, reader) == 0
    assert words.garden().merged == ()
    clock.advance(days=1, seconds=1)
    assert words.garden().archived == 5


def test_a_dry_run_tells_and_writes_nothing(words, clock):
    linked(words, "related_to")
    told(words, ONCE, AGAIN)
    clock.advance(days=400)
    before, rows = image(words), list(words.context.store.dump("default"))
    done = words.garden(dry_run=True)
    assert (done.links, done.merged[0].id, len(done.merged[0].parts)) == (1, None, 2)
    assert done.operation_id is None
    assert image(words) == before
    assert list(words.context.store.dump("default")) == rows


def test_a_group_that_was_changed_meanwhile_is_left_alone(words, clock):
    first, _ = told(words, ONCE, AGAIN)
    clock.advance(days=10)
    place = words.context
    with place.reading() as reader:
        found = find_all_twins(place, reader, columns.read(reader).columns, now=micros(clock()))
    words.update(first, title="Tea")
    with place.bulk("garden") as parent:
        done = join(place, found.groups, lambda: parent)
    assert (done.joined, "changed" in done.refused[0].reason) == ([], True)
    assert words.get(first).state == "LIVE"


def test_a_run_that_somebody_undoes_while_it_works_ends_quietly(glymph, clock, monkeypatch):
    monkeypatch.setattr(gardening, "AT_ONCE", 1)
    ids = remembered(glymph, 3)
    glymph.link(ids[0], ids[1], "related_to")
    glymph.link(ids[1], ids[2], "related_to")
    clock.advance(days=400)
    real = gardening.GardenRun.drop

    def drop(bed, some):
        real(bed, some)
        glymph.undo(bed.operation_id)

    monkeypatch.setattr(gardening.GardenRun, "drop", drop)
    before = image(glymph)
    glymph.garden()
    assert image(glymph) == before


def test_a_refusal_of_the_store_is_not_hidden(glymph, clock, monkeypatch):
    linked(glymph, "related_to")
    clock.advance(days=400)

    def refuse(bed, some):
        raise Refused("no")

    monkeypatch.setattr(gardening.GardenRun, "drop", refuse)
    with pytest.raises(Refused):
        glymph.garden()


# orphans


def test_orphans_are_listed_and_left(glymph, clock):
    lonely, pinned, recalled, a, b = remembered(glymph, 5)
    glymph.pin(pinned)
    used(glymph, recalled)
    glymph.link(a, b)
    clock.advance(days=30)
    assert glymph.garden().orphan_count == 0
    clock.advance(days=1)
    before = image(glymph)
    done = glymph.garden()
    assert [(one.id, one.age_days) for one in done.orphans] == [(lonely, 31.0)]
    assert image(glymph) == before


def test_what_loses_its_last_link_is_an_orphan(glymph, clock):
    a, b = linked(glymph, "related_to")
    clock.advance(days=400)
    assert {one.id for one in glymph.garden().orphans} == {a, b}


# index


def test_vectors_of_other_models_are_counted_and_left(url, clock):
    with Glymph.open(url, clock=clock, embedder=WordEmbedder(64, name="old", ms=0.0)) as handle:
        remembered(handle, 3)
    with Glymph.open(url, clock=clock, embedder=WordEmbedder(64, name="new", ms=0.0)) as handle:
        assert handle.garden().other_vectors == 3
        assert handle.garden().other_vectors == 3


def test_the_grades_of_a_reader_are_no_vectors_of_another_model(url, clock):
    with Glymph.open(url, clock=clock, embedder=WordEmbedder(64, name="new", ms=0.0)) as handle:
        ids = remembered(handle, 3)
        ctx = handle.context
        with ctx.reading() as reader:
            rows = [
                (name_model(ctx), row, (0.0, 0.0, 1.0, 0.0))
                for row in reader.memories(ids).values()
            ]
        Grader(ctx, fresh=rows).keep()
        with ctx.reading() as reader:
            assert len(reader.models()) == 2
        assert handle.garden().other_vectors == 0


def test_columns_are_written_for_the_next_reader(glymph, clock, monkeypatch):
    monkeypatch.setattr(columns, "LEAST", 1)
    remembered(glymph, 20)
    assert glymph.garden().chunks_written > 0
    assert glymph.garden().chunks_written == 0


def test_connected_pairs_of_the_sweep_are_untouched(words, clock):
    """The gardener merges; linking what is merely near stays the sweep's."""
    told(words, *BELLS, kind="event")
    connect(words.context, words.find_duplicates())
    clock.advance(days=10)
    before = image(words)
    words.garden()
    assert image(words) == before
