"""Analysing: which groups have gone stale, why, and what would be lost with them.

And the plan that is kept of it.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from glymph import Glymph, errors
from glymph.testing import logical_image
from glymph.testing.embedders import WordEmbedder
from glymph.tools import all_tools
from tests.grounds.pruning import remembered, used
from tests.pace import must_end


def chained(glymph, ids, **link):
    for a, b in itertools.pairwise(ids):
        glymph.link(a, b, **link)
    return ids


def only(plan):
    (group,) = plan.groups
    return group


# scores


def test_a_group_all_active_and_recent_scores_low_and_an_old_dormant_one_high(glymph, clock):
    chained(glymph, remembered(glymph, 4))
    fresh = only(glymph.analyze(min_staleness=0))
    clock.advance(days=400)
    old = only(glymph.analyze())
    assert fresh.staleness < 0.3
    assert old.staleness > 0.7
    assert old.lifecycle_breakdown == {"ACTIVE": 0, "WEAK": 0, "DORMANT": 4}
    for group in (fresh, old):
        assert sum(group.parts.values()) == pytest.approx(group.staleness, abs=0.003)
        assert all(0 <= node.staleness <= 1 for node in group.nodes)


def test_a_group_half_of_which_was_used_lately_scores_in_between(glymph, clock):
    ids = chained(glymph, remembered(glymph, 4))
    clock.advance(days=400)
    used(glymph, ids[0])
    used(glymph, ids[1])
    group = only(glymph.analyze())
    assert 0.3 < group.staleness < 0.7
    assert (group.lifecycle_breakdown["ACTIVE"], group.lifecycle_breakdown["DORMANT"]) == (2, 2)
    assert group.days_since_active == 0


def test_many_uses_make_a_group_less_stale(glymph, clock):
    often, never = (
        chained(glymph, remembered(glymph, 2)),
        chained(glymph, remembered(glymph, 2, "Box")),
    )
    used(glymph, often[0], 12)
    clock.advance(days=300)
    first, second = glymph.analyze().groups
    assert (set(first.node_ids), set(second.node_ids)) == (set(never), set(often))
    assert second.avg_access_count == 6
    assert second.parts["seldom"] < first.parts["seldom"] == 0.15


def test_one_memory_is_as_stale_as_the_group_it_makes_alone(glymph, clock):
    remembered(glymph, 1)
    clock.advance(days=200)
    group = only(glymph.analyze(include_isolated=True))
    assert group.node_count == 1
    assert group.staleness == group.nodes[0].staleness


# which groups


def test_groups_are_what_hangs_together_by_links_that_hold(glymph, clock):
    ids = remembered(glymph, 5)
    chained(glymph, ids[:2])
    chained(glymph, ids[2:4])
    glymph.link(ids[1], ids[2], weight=0.1)  # too weak to join two groups
    clock.advance(days=200)
    plan = glymph.analyze()
    assert {frozenset(group.node_ids) for group in plan.groups} == {
        frozenset(ids[:2]),
        frozenset(ids[2:4]),
    }
    assert (plan.totals.memories, plan.totals.edges, plan.totals.connected_groups) == (5, 3, 2)
    assert plan.totals.isolated == 1


def test_clusters_do_not_change_what_hangs_together(glymph, clock):
    ids = remembered(glymph, 4)
    chained(glymph, ids[:2])
    chained(glymph, ids[2:])
    glymph.clusters.create("all of them")
    glymph.clusters.add("all of them", ids)
    clock.advance(days=200)
    assert sorted(group.node_count for group in glymph.analyze().groups) == [2, 2]


def test_isolated_memories_are_listed_only_when_asked_for(glymph, clock):
    linked, alone = chained(glymph, remembered(glymph, 2)), remembered(glymph, 30, "Box")
    clock.advance(days=400)
    without = glymph.analyze(max_groups=100)
    assert set(without.node_ids) == set(linked)
    assert without.totals.isolated == 30
    assert "30 isolated" in without.text
    within = glymph.analyze(max_groups=100, include_isolated=True)
    assert set(within.node_ids) == {*linked, *alone}
    assert sum(group.label.startswith("Isolated: ") for group in within.groups) == 30


def test_the_threshold_and_the_number_of_groups_are_the_callers(glymph, clock):
    chained(glymph, remembered(glymph, 2))
    clock.advance(days=150)
    chained(glymph, remembered(glymph, 2, "Box"))
    clock.advance(days=60)
    both = glymph.analyze(min_staleness=0.1).groups
    assert len(both) == 2
    assert both[0].staleness > both[1].staleness
    between = (both[0].staleness + both[1].staleness) / 2
    assert [g.node_ids for g in glymph.analyze(min_staleness=between).groups] == [both[0].node_ids]
    assert [g.node_ids for g in glymph.analyze(min_staleness=0.1, max_groups=1).groups] == [
        both[0].node_ids
    ]


@pytest.mark.parametrize(
    "asked",
    [
        {"min_staleness": -0.1}, {"min_staleness": 1.1}, {"min_staleness": "high"}, {"min_staleness": True},
        {"max_groups": 0}, {"max_groups": 1001}, {"max_groups": 2.5}, {"max_groups": True}, {"grouping": "mood"},
        {"min_staleness": float("nan")}, {"grouping": 5},
    ],
)  # fmt: skip
def test_values_out_of_range_are_refused_by_name(glymph, asked):
    with pytest.raises(errors.InvalidInput, match=next(iter(asked))):
        glymph.analyze(**asked)


GROUPINGS = ["tag", "entity", "session", "cluster", "attribute:project", "similarity"]


@pytest.mark.parametrize("grouping", GROUPINGS)
def test_memories_can_be_grouped_by_what_they_share(url, clock, grouping):
    with Glymph.open(
        url, clock=clock, embedder=WordEmbedder(ms=0.0), settings={"compare": "off"}
    ) as glymph:
        shared = {
            "tags": ["roof"],
            "entities": ["Roof"],
            "session": "s1",
            "attributes": {"project": "roof"},
        }
        a = glymph.add(
            "The roof of our barn was tiled by hand with red slate brought over from Wales",
            **shared,
        ).id
        b = glymph.add(
            "The roof of our barn was tiled by hand with grey slate brought over from Wales",
            **shared,
        ).id
        glymph.add("Penguins cannot taste sweet things at all")
        glymph.clusters.create("roof")
        glymph.clusters.add("roof", [a, b])
        clock.advance(days=300)
        plan = glymph.analyze(grouping=grouping)
        assert {a, b} in [set(group.node_ids) for group in plan.groups]
        assert glymph.prune(plan, ids=[a, b]).succeeded == (a, b)


def test_likeness_is_that_of_the_present_wording(url, clock):
    with Glymph.open(
        url, clock=clock, embedder=WordEmbedder(ms=0.0), settings={"compare": "off"}
    ) as glymph:
        a = glymph.add(
            "The roof of our barn was tiled by hand with red slate brought over from Wales"
        ).id
        b = glymph.add(
            "The roof of our barn was tiled by hand with grey slate brought over from Wales"
        ).id
        clock.advance(days=300)
        assert {a, b} in [
            set(group.node_ids) for group in glymph.analyze(grouping="similarity").groups
        ]
        glymph.update(b, text="Penguins cannot taste sweet things whatsoever")
        glymph.embed()
        assert glymph.analyze(grouping="similarity").groups == ()


# what is said


def test_an_empty_store_says_so(glymph):
    plan = glymph.analyze()
    assert plan.groups == ()
    assert "No memories found" in plan.text
    assert glymph.prune(plan).succeeded == ()


def test_a_store_in_which_nothing_is_stale_is_healthy(glymph):
    chained(glymph, remembered(glymph, 3))
    assert "the graph is healthy" in glymph.analyze().text


def test_the_text_gives_totals_figures_and_every_member_with_its_id_in_brackets(glymph, clock):
    ids = chained(glymph, remembered(glymph, 12))
    gone = remembered(glymph, 1, "Box")
    glymph.archive(gone)
    clock.advance(days=400)
    plan = glymph.analyze()
    text = plan.text
    assert "Analysed 12 memories and 11 links" in text
    assert "1 group of linked ones, 0 isolated, 1 archived" in text
    for word in (
        "staleness 0.85",
        "retrievability 0.71",
        "12 dormant",
        "last active 400 days ago",
        plan.id,
    ):
        assert word in text
    for memory_id in ids:
        assert sum(line.endswith(f"[{memory_id}]") for line in text.splitlines()) == 1
    assert gone[0] not in text


def test_a_group_tells_all_there_is_to_know_about_it(glymph, clock):
    chained(glymph, remembered(glymph, 3, kind="thesis"))
    clock.advance(days=400)
    answer = all_tools()["analyze_memory"].run(glymph, all_tools()["analyze_memory"].arguments())
    (group,) = answer["groups"]
    assert group.keys() == {
        "group", "label", "staleness", "parts", "node_ids", "nodes", "node_count", "edge_count",
        "avg_retrievability", "lifecycle_breakdown", "days_since_active", "avg_access_count", "reasons", "impact",
    }  # fmt: skip
    assert (group["group"], group["node_count"], group["edge_count"]) == (1, 3, 2)
    assert group["label"].startswith("thesis group: Item ")
    assert group["reasons"] == ["3 dead group", "3 faded"]
    assert answer["plan_id"] == glymph.plans()[0].id
    assert answer["text"] == glymph.plans()[0].text


def test_members_far_from_every_goal_say_so(url, clock):
    embedder = WordEmbedder(256, ms=0.0)
    with Glymph.open(url, clock=clock, embedder=embedder, settings={"compare": "off"}) as glymph:
        near = glymph.add("Billing must ship in spring to all customers").id
        far = glymph.add("Penguins cannot taste sweet things whatsoever").id
        glymph.link(near, far)
        clock.advance(days=300)
        (group,) = glymph.analyze().groups
        assert not any("unaligned" in node.rules for node in group.nodes)
        glymph.add("Billing must ship in spring", kind="goal")
        plan = glymph.analyze()
        (group,) = plan.groups
        assert {node.id: "unaligned" in node.rules for node in group.nodes} == {
            near: False,
            far: True,
        }
        assert "1 unaligned" in group.reasons
        assert "it is far from every goal" in plan.text


def test_trades_that_dominate_name_their_group_after_what_was_traded(glymph, clock):
    entry = glymph.add("Opened SOL long at 142", kind="trade_entry").id
    close = glymph.add(
        "Closed SOL long with a gain of nine percent", kind="trade_close", links=[entry]
    ).id
    glymph.add("Momentum carried further than expected", kind="thesis", links=[close])
    clock.advance(days=400)
    assert only(glymph.analyze()).label == "SOL trade lifecycle"


def test_a_memory_alone_is_named_after_its_kind_and_its_title_cut_at_forty(glymph, clock):
    glymph.add("The quick brown fox jumps over the lazy dog again and again", kind="curiosity")
    clock.advance(days=400)
    label = only(glymph.analyze(include_isolated=True)).label
    assert label.startswith("Isolated: curiosity: The quick brown fox")
    assert len(label.removeprefix("Isolated: curiosity: ")) <= 40


def test_the_impact_says_which_recalls_showed_members_first_and_what_rests_on_them(glymph, clock):
    event = glymph.add("The Friday deployment broke the billing page", kind="event").id
    other = glymph.add("Rollbacks took ninety minutes that evening", kind="event", links=[event]).id
    lesson = glymph.add(
        "Never deploy before a weekend", kind="lesson", links=[(event, "derived_from")]
    ).id
    glymph.unlink(lesson, event, "derived_from")
    glymph.link(lesson, event, "derived_from", 0.1)
    glymph.recall("billing page", limit=1)
    glymph.recall("gardening in winter")
    clock.advance(days=400)
    group = next(group for group in glymph.analyze().groups if event in group.node_ids)
    assert set(group.node_ids) == {event, other}
    assert (group.impact.recalls, group.impact.examined) == (1, 2)
    assert {node.id: node.recalls for node in group.nodes} == {event: 1, other: 0}
    assert group.impact.lessons == group.impact.cascade == (lesson,)


def test_members_say_why_a_prune_would_leave_them(glymph, clock):
    ids = chained(glymph, remembered(glymph, 2))
    glymph.pin(ids[0])
    clock.advance(days=400)
    plan = glymph.analyze()
    assert {node.id: node.blocked for node in only(plan).nodes} == {
        ids[0]: "it is pinned; unpin it first",
        ids[1]: None,
    }
    assert "stays: it is pinned" in plan.text
    assert glymph.prune(plan).succeeded == (ids[1],)


# cost and side effects


def test_hundreds_of_linked_memories_are_analysed(glymph, clock):
    ids = remembered(glymph, 400)
    glymph.add_many(
        [{"text": f"Hub {n} stands in hall {n}", "links": ids[n::8][:49]} for n in range(8)]
    )
    clock.advance(days=400)
    with must_end():
        plan = glymph.analyze(include_isolated=True, max_groups=1000)
    assert len(plan.node_ids) == 408


def test_looking_changes_no_memory(glymph, clock):
    chained(glymph, remembered(glymph, 5))
    clock.advance(days=400)
    before = logical_image(glymph._ctx.store, glymph.space)
    operations = len(glymph.operations())
    glymph.analyze()
    glymph.candidates()
    assert logical_image(glymph._ctx.store, glymph.space) == before
    assert len(glymph.operations()) == operations


def test_a_handle_that_cannot_write_analyses_all_the_same(url, glymph, clock):
    ids = chained(glymph, remembered(glymph, 3))
    clock.advance(days=400)
    with Glymph.open(f"{url}?mode=ro", clock=clock) as reading:
        plan = reading.analyze()
        assert set(plan.node_ids) == set(ids)
        with pytest.raises(errors.PlanNotFound):
            reading.plan(plan.id)


def test_a_damaged_store_is_a_typed_error_and_no_crash(url, clock, tmp_path):
    with Glymph.open(url, clock=clock) as glymph:
        chained(glymph, remembered(glymph, 40))
    file = Path(f"{tmp_path}/memory.db")
    file.write_bytes(file.read_bytes()[:4096] + b"\x07" * (file.stat().st_size - 4096))
    with pytest.raises(errors.GlymphError), Glymph.open(url, clock=clock) as glymph:
        glymph.analyze()
