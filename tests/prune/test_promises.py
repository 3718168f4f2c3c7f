"""Ways in which forgetting could go wrong, each with a test that it does not."""

from __future__ import annotations

import pytest

from glymph import Glymph, errors
from glymph.prune.rules import REASONS
from glymph.store.reader import Reader
from tests.grounds.learning import closed, evidence_of, lessons, opened, pattern, shown
from tests.grounds.pruning import chained, image, remembered, used

__all__ = ["opened"]

# what is archived stays archived, for everybody


def test_what_was_archived_never_comes_back_by_being_looked_at_or_by_time(glymph, clock):
    ids = chained(glymph, remembered(glymph, 3))
    glymph.archive(ids)
    for days in (0, 0.25, 1, 30, 400):
        clock.advance(days=days)
        for one in ids:
            assert (glymph.get(one).state, glymph.get(one).lifecycle) == ("ARCHIVED", "DORMANT")
        glymph.health()
        glymph.analyze(include_isolated=True)
        glymph.search("shelf aisle", states=["ARCHIVED"])


def test_every_view_agrees_on_what_is_archived(glymph):
    gone, kept = remembered(glymph, 2)
    glymph.archive(gone)
    assert glymph.get(gone).state == "ARCHIVED"
    assert [one.id for one in glymph.list(kinds=["note"])] == [kept]
    assert gone not in {one["id"] for one in glymph.graph().nodes}
    plan = glymph.analyze(min_staleness=0, include_isolated=True)
    assert (plan.node_ids, plan.totals.archived) == ((kept,), 1)
    assert glymph.health().archived == 1
    assert glymph.candidates().summary["examined"] == 1


def test_what_is_archived_trashed_or_superseded_never_reaches_recall_unasked(glymph):
    archived, trashed, old, kept = remembered(glymph, 4)
    glymph.archive(archived)
    glymph.delete(trashed)
    glymph.supersede(old, "Nobody knows where it lies")
    for found in (
        glymph.search("item shelf aisle", limit=50),
        glymph.recall("item shelf aisle", limit=50),
    ):
        assert {hit.memory.id for hit in found} & {archived, trashed, old, kept} == {kept}


# what is said again, and what is chosen


def test_a_lesson_found_again_strengthens_the_one_that_is_there(opened, clock):
    glymph, _ = opened(pattern)
    closed(glymph, clock, 1, 2, 3)
    glymph.consolidate()
    for number in range(4, 7):
        clock.advance(days=1)
        closed(glymph, clock, number)
        assert glymph.consolidate().patterns_strengthened == 1
    (lesson,) = lessons(glymph)
    assert len(evidence_of(glymph, lesson.id)) == 6


def test_a_lesson_said_again_strengthens_the_one_that_is_there(glymph, clock):
    first = glymph.add("Never deploy before a weekend", kind="lesson")
    clock.advance(days=20)
    again = glymph.add("Never deploy before a weekend", kind="lesson")
    assert (again.duplicate_of, again.created) == (first.id, False)
    memory = glymph.get(first.id)
    assert (memory.access_count, memory.last_used_at) == (1, clock.now)
    assert len(glymph.list(kinds=["lesson"])) == 1


def test_what_was_consolidated_is_not_sent_again(opened, clock):
    glymph, model = opened(pattern)
    closed(glymph, clock, 1, 2, 3)
    for _ in range(5):
        glymph.consolidate()
        clock.advance(days=1)
    assert len(model.asked) == 1


def test_what_was_done_once_is_not_offered_again(glymph, clock):
    ids = chained(glymph, remembered(glymph, 4))
    clock.advance(days=400)
    plan = glymph.analyze()
    glymph.prune(plan)
    assert glymph.prune(plan).succeeded == ()
    assert not set(glymph.analyze(min_staleness=0, include_isolated=True).node_ids) & set(ids)
    assert glymph.candidates().summary["total"] == 0


def test_looking_back_goes_by_time_and_not_by_how_faded_something_is(opened, clock):
    glymph, model = opened([{"pattern": False}])
    ids = closed(glymph, clock, 1, 2, 3, kind="signal")
    clock.advance(days=13)
    assert "ACTIVE" not in {glymph.get(one).lifecycle for one in ids}
    assert glymph.consolidate().episodes_reviewed == len(shown(model.asked[0])) == 3


def test_how_things_ended_is_shown_before_how_they_began(opened, clock):
    glymph, model = opened([{"pattern": False}])
    ends = closed(glymph, clock, 1, 2, 3)
    for number in range(20):
        clock.advance(minutes=5)
        glymph.add(f"Opened BTC short number {number}", kind="trade_entry")
    glymph.consolidate()
    told = shown(model.asked[0])
    assert (len(told), sum("outcome" in one for one in told[: len(ends)])) == (15, 3)


def test_text_that_says_nothing_becomes_no_memory(glymph):
    before = image(glymph)
    assert glymph.add("!!!! ???? .... ---- ==== #### @@@@ %%%%").refused
    assert image(glymph) == before


def test_what_a_model_says_that_cannot_be_read_or_counted_becomes_no_lesson(opened, clock):
    prose = (
        "Short funding squeezes are reliable\nI have noticed that 8 of my 9 trades did well then."
    )
    lie = {
        "pattern": True,
        "title": "Shorts",
        "body": "In all, 8 of 9 of my BTC shorts won.",
        "claims": [],
    }
    glymph, _ = opened([prose, prose, lie, lie])
    closed(glymph, clock, 1, 2, 3)
    assert (glymph.consolidate().errors, lessons(glymph)) == (1, [])
    assert ([one.ending for one in glymph.consolidate().groups], lessons(glymph)) == (
        ["refused"],
        [],
    )


def test_words_of_prose_are_no_symbols_and_groups_can_follow_any_attribute(glymph, clock):
    a = glymph.add(
        "The link to the op notes is apt, sol rose", kind="trade_entry", attributes={"desk": "two"}
    ).id
    b = glymph.add(
        "Near the dot we atom by atom closed", kind="trade_close", attributes={"desk": "two"}
    ).id
    glymph.link(a, b)
    clock.advance(days=400)
    (group,) = glymph.analyze().groups
    assert not group.label.endswith("trade lifecycle")
    assert set(glymph.analyze(grouping="attribute:desk").groups[0].node_ids) == {a, b}


def test_words_of_prose_are_no_symbols_to_learn_about_either(opened, clock):
    glymph, _ = opened([])
    for number in range(3):
        clock.advance(hours=1)
        glymph.add(f"The link to the op notes of day {number} is apt", kind="event")
    assert [one.group for one in glymph.consolidate(dry_run=True).groups] == ["_general"]


# looking and using


def test_no_look_reinforces_anything(glymph, clock, tmp_path):
    ids = chained(glymph, remembered(glymph, 5))
    clock.advance(days=60)
    before = image(glymph)
    plan = glymph.analyze(min_staleness=0)
    for one in ids:
        glymph.get(one), glymph.edges(one), glymph.history(one)
    glymph.list(), glymph.search("shelf"), glymph.recall("shelf"), glymph.graph(), glymph.health()
    glymph.conflicts(), glymph.clusters(), glymph.candidates(), glymph.trash()
    glymph.export(tmp_path / "all.jsonl"), glymph.verify()
    glymph.prune(plan, dry_run=True), glymph.batch_prune(ids, "delete", dry_run=True)
    glymph.execute_prune(ids, "staleness", dry_run=True)
    assert image(glymph) == before


def test_a_use_has_one_meaning_it_counts_and_strengthens_together(glymph, clock):
    (one,) = remembered(glymph, 1)
    clock.advance(days=30)
    before = glymph.get(one)
    found = glymph.recall("shelf aisle")
    assert glymph.get(one) == before
    glymph.report(found.id, used=[one])
    after = glymph.get(one)
    assert (after.access_count, after.last_used_at) == (1, clock.now)
    assert after.stability > before.stability


def test_recency_is_the_last_use_and_not_the_making(glymph, clock):
    ids = chained(glymph, remembered(glymph, 2))
    clock.advance(days=400)
    used(glymph, ids[1])
    clock.advance(days=9)
    (group,) = glymph.analyze(min_staleness=0).groups
    assert group.days_since_active == 9
    assert group.parts["unused"] == pytest.approx(0.25 * 9 / 90, abs=0.001)


def test_the_most_faded_count_as_asleep_and_reach_the_top_of_the_scale(glymph, clock):
    chained(glymph, remembered(glymph, 3, kind="signal"))
    clock.advance(days=3000)
    (group,) = glymph.analyze().groups
    assert group.staleness > 0.99
    assert group.parts["asleep"] == 0.25
    assert (
        sum(group.lifecycle_breakdown.values())
        == group.node_count
        == group.lifecycle_breakdown["DORMANT"]
    )


def ring(glymph, ids):
    """Memories each linked to its two next ones."""
    for step in (1, 2):
        for at, one in enumerate(ids):
            glymph.link(one, ids[(at + step) % len(ids)])


def test_one_fresh_member_does_not_hide_a_large_stale_component(glymph, clock):
    old = remembered(glymph, 110)
    ring(glymph, old)
    clock.advance(days=400)
    fresh = remembered(glymph, 110, "Box")
    ring(glymph, fresh)
    glymph.link(old[0], fresh[0])  # one component of more than two hundred
    found = {
        frozenset(group.node_ids): group for group in glymph.analyze(0.7, max_groups=50).groups
    }
    stale = frozenset().union(*found)
    assert len(stale & set(old)) > 100
    assert not stale & set(fresh[10:])
    scores = {node.id: node.staleness for group in found.values() for node in group.nodes}
    assert scores[old[55]] > 0.7


def test_parallel_links_all_count_and_a_long_chain_costs_little(glymph, clock):
    a, b, *rest = remembered(glymph, 1500)
    for kind in ("user_linked", "related_to", "caused_by"):
        glymph.link(a, b, kind)
    added = glymph.add_many(
        [{"text": f"Knot {n} holds the rope at {n}", "links": [rest[n]]} for n in range(1000)]
    )
    clock.advance(days=400)
    plan = glymph.analyze(max_groups=1000)
    assert len(added) == 1000
    assert next(group for group in plan.groups if a in group.node_ids).edge_count == 3
    assert plan.totals.edges == 1003


@pytest.mark.parametrize("action", ["archive", "delete"])
def test_archive_and_delete_have_guards_a_dry_run_a_cap_an_undo_and_a_journal(
    glymph, clock, action
):
    often, *others = remembered(glymph, 30)
    clock.advance(days=10)
    used(glymph, often, 11)
    before = image(glymph)
    with pytest.raises(errors.TooMany):
        glymph.batch_prune([often, *others], action)
    would = glymph.batch_prune([often, *others], action, confirm_large=True, dry_run=True)
    assert image(glymph) == before
    done = glymph.batch_prune([often, *others, *others], action, confirm_large=True, reason="tidy")
    assert done.succeeded == would.succeeded == tuple(others)
    assert [one.id for one in done.skipped] == [often]
    assert (glymph.history(others[0])[-1].verb, glymph.history(others[0])[-1].reason) == (
        "prune",
        "tidy",
    )
    glymph.undo(done.operation_id)
    assert image(glymph) == before


def test_a_large_batch_takes_no_more_statements_than_a_small_one(glymph, clock, monkeypatch):
    ids = chained(glymph, remembered(glymph, 120))
    clock.advance(days=10)
    asked = []
    for name in ("_rows", "_tuples"):
        whole = getattr(Reader, name)
        monkeypatch.setattr(
            Reader,
            name,
            lambda self, *a, whole=whole, **k: (asked.append(a[0]), whole(self, *a, **k))[1],
        )
    counts = []
    for some in (ids[:5], ids[5:105]):
        asked.clear()
        glymph.batch_prune(some, "delete", confirm_large=True)
        counts.append(len(asked))
    assert counts[0] == counts[1] > 0


# the trash and the way back


def test_the_trash_outlives_a_restart_and_a_compaction(glymph, clock, url):
    gone, kept = remembered(glymph, 2)
    glymph.delete(gone)
    glymph._ctx.store.compact()
    with Glymph.open(url, clock=clock) as again:
        assert [one.id for one in again.trash()] == [gone]
        assert [hit.memory.id for hit in again.search("shelf aisle")] == [kept]
        assert again.restore(gone).succeeded == (gone,)
        assert again.get(gone).text.startswith("Item 0")


def test_every_way_out_has_a_way_back(glymph, clock):
    ids = remembered(glymph, 4)
    before = image(glymph)
    for put_away in (glymph.archive, glymph.delete):
        assert set(glymph.restore_from_hash(put_away(ids).hash).succeeded) == set(ids)
    assert {glymph.get(one).state for one in ids} == {"LIVE"}
    for operation in list(glymph.operations(limit=4)):
        glymph.undo(operation.id)
    merged = glymph.merge(ids)
    glymph.undo(merged.operation_id)
    assert image(glymph) == before


def test_what_is_promised_to_be_recoverable_is_for_exactly_so_long(glymph, clock):
    (one,) = remembered(glymph, 1)
    clock.advance(days=5)
    until = glymph.execute_prune([one], "orphan").recoverable_until
    clock.set(until)
    clock.advance(seconds=-1)
    glymph.trash.empty()
    glymph._ctx.store.compact()
    assert glymph.get(one).state == "TRASHED"
    clock.set(until)
    assert glymph.trash.empty().succeeded == (one,)


def test_what_is_linked_is_no_orphan_and_what_is_well_linked_is_no_candidate(glymph, clock):
    hub, *ends, alone = remembered(glymph, 5)
    for end in ends:
        glymph.link(hub, end)
    clock.advance(days=60)
    found = {one.memory_id: (one.reason, one.connections) for one in glymph.candidates().candidates}
    assert found == {**dict.fromkeys(ends, ("staleness", 1)), alone: ("orphan", 0)}


def test_all_memories_are_examined_with_their_own_use_and_size(glymph, clock):
    ids = remembered(glymph, 100)
    clock.advance(days=60)
    glymph.update(ids[0], title="A title of its own")  # an edit is no use
    found = glymph.candidates(limit=1000)
    assert (found.summary["examined"], len(found.candidates)) == (100, 100)
    for one in found.candidates:
        assert one.days_since_use == 60
        assert one.byte_size == len(glymph.get(one.memory_id).text.encode())


def test_candidates_plans_and_prunes_share_one_list_of_reasons(glymph, clock):
    ids = chained(glymph, remembered(glymph, 3)) + remembered(glymph, 2, "Box")
    clock.advance(days=60)
    found = glymph.candidates()
    assert set(found.summary["by_reason"]) == set(REASONS)
    assert len({one.reason for one in found.candidates}) == 2  # each its own
    for one in found.candidates:
        assert glymph.execute_prune([one.memory_id], one.reason).pruned_count == 1
    assert len(glymph.trash()) == len(ids)


def test_of_two_that_say_the_same_one_is_redundant_however_they_compare(url, clock):
    with Glymph.open(url, clock=clock, settings={"compare": "off"}) as glymph:
        first = glymph.add("The cellar door sticks whenever it rains", kind="note").id
        second = glymph.add(
            "The cellar door sticks whenever it rains!", kind="fact", links=[first]
        ).id
        assert first != second
        clock.advance(days=400)
        (group,) = glymph.analyze().groups
        told = {node.id: "duplicate" in node.rules for node in group.nodes}
        assert sorted(told.values()) == [False, True]


# audit, identity, caps, numbers


def test_the_reason_stays_with_the_operation_and_with_each_memory(glymph, clock):
    (one,) = remembered(glymph, 1)
    clock.advance(days=60)
    done = glymph.execute_prune([one], "low_alignment")
    operation = next(o for o in glymph.operations() if o.id == done.operation_id)
    assert (operation.verb, operation.reason, operation.at) == (
        "execute_prune",
        "low_alignment",
        clock.now,
    )
    last = glymph.history(one)[-1]
    assert (last.operation, last.reason) == (done.operation_id, "low_alignment")


def test_identity_is_protected_by_what_it_is_and_not_by_how_its_id_looks(glymph, clock):
    (me,) = (memory.id for memory in glymph.list(kinds=["self"]))
    named = glymph.add("The self memory is described on page nine", title="self").id
    clock.advance(days=60)
    done = glymph.execute_prune([me, named], "staleness")
    assert done.pruned_count == 1
    assert done.errors == ({"node_id": me, "error": "it is protected"},)
    for act in (glymph.archive, glymph.delete):
        assert act(me).skipped[0].reason == "it is protected"
    assert glymph.get(me).state == "LIVE"


def test_a_cascade_takes_along_and_counts_what_it_took(glymph, clock):
    event = glymph.add("The Friday deployment broke the billing page", kind="event").id
    lesson = glymph.add(
        "Never deploy before a weekend", kind="lesson", links=[(event, "derived_from")]
    ).id
    clock.advance(days=60)
    done = glymph.execute_prune([event], "staleness", cascade=True)
    assert (done.pruned_count, done.cascade_pruned, glymph.get(lesson).state) == (1, 1, "TRASHED")


def test_the_daily_cap_holds_over_calls_and_handles(url, clock):
    gone = 0
    for n in range(4):
        with Glymph.open(url, clock=clock, settings={"prune_daily": 5}) as glymph:
            ids = remembered(glymph, 3, f"Word{'abcd'[n]}")
            clock.advance(hours=0 if n else 80)
            glymph.execute_prune(ids, "orphan")
            gone = len(glymph.trash())
            clock.advance(hours=1)
    assert gone <= 5


def test_a_merge_merges_and_says_what_it_did(glymph):
    ids = remembered(glymph, 3)
    done = glymph.merge(ids)
    assert done.succeeded[:3] == tuple(ids)
    assert [one.id for one in glymph.list(kinds=["note"])] == [done.succeeded[3]]
    assert all(glymph.get(one).text in glymph.get(done.succeeded[3]).text for one in ids)


def test_figures_follow_the_store(glymph, clock):
    ids = chained(glymph, remembered(glymph, 4))
    assert (glymph.health().active, glymph.health().edges) == (4, 3)
    clock.advance(days=400)
    assert (glymph.health().active, glymph.health().dormant) == (0, 4)
    glymph.archive(ids[0])
    assert glymph.health().archived == 1
    totals = glymph.analyze().totals
    assert (totals.memories, totals.edges, totals.archived) == (3, 2, 1)


def test_nothing_is_promised_where_nothing_was_pruned(glymph):
    for ids in ([], ["01900000-0000-7000-8000-000000000000"]):
        done = glymph.execute_prune(ids, "orphan")
        assert (done.pruned_count, done.recoverable_until, done.note) == (0, None, "")
