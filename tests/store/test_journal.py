"""Playing the journal backwards, and planning an undo, on bare values."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from glymph.store.journal import Conflict, Entry, Restoration, plan_undo, rewind


def entry(number, action, image=None, key=1, operation=1):
    return Entry(number, operation, "memories", key, action, image or {})


@given(
    st.lists(
        st.dictionaries(st.sampled_from("abc"), st.integers(0, 3), min_size=1),
        min_size=1,
        max_size=6,
    )
)
def test_rewinding_updates_gives_back_the_first_row(changes):
    row = {"a": 0, "b": 0, "c": 0}
    first, entries = dict(row), []
    for number, change in enumerate(changes):
        entries.append(entry(number, "update", {name: row[name] for name in change}))
        row |= change
    assert rewind(row, entries) == first


def test_rewinding_a_birth_gives_nothing_and_a_removal_the_whole_row():
    assert rewind({"a": 1}, [entry(1, "insert")]) is None
    assert rewind(None, [entry(1, "delete", {"a": 1})]) == {"a": 1}
    assert rewind({"a": 3}, [entry(1, "delete", {"a": 1}), entry(2, "insert")]) == {"a": 1}
    assert (
        rewind(
            None, [entry(1, "insert"), entry(2, "update", {"a": 1}), entry(3, "delete", {"a": 2})]
        )
        is None
    )


def test_an_untouched_row_is_put_back():
    done = [entry(1, "update", {"state": "LIVE", "version": 1})]
    now = {"state": "ARCHIVED", "version": 2, "access_count": 4}
    plan = plan_undo(done, [], {("memories", 1): now})
    assert plan == ([Restoration("memories", 1, True, {"state": "LIVE", "version": 1})], [])


def test_a_use_since_is_no_conflict_but_an_edit_is():
    done = [entry(1, "update", {"state": "LIVE", "version": 1})]
    used = [entry(2, "update", {"access_count": 0}, operation=2)]
    edited = [entry(2, "update", {"title": "old", "version": 2}, operation=2)]
    now = {"state": "ARCHIVED", "version": 2, "access_count": 1, "title": "new"}
    restorations, conflicts = plan_undo(done, used, {("memories", 1): now})
    assert (restorations[0].values, conflicts) == ({"state": "LIVE", "version": 1}, [])
    restorations, conflicts = plan_undo(done, edited, {("memories", 1): now | {"version": 3}})
    assert (restorations, conflicts) == ([], [Conflict("memories", 1, "changed since: version")])


def test_changes_that_cancelled_out_since_are_no_conflict():
    done = [entry(1, "update", {"state": "LIVE", "version": 1})]
    there_and_back = [
        entry(2, "update", {"title": "a", "version": 2}, operation=2),
        entry(3, "update", {"title": "b", "version": 3}, operation=3),
    ]
    now = {"state": "ARCHIVED", "version": 2, "title": "a"}
    restorations, conflicts = plan_undo(done, there_and_back, {("memories", 1): now})
    assert (len(restorations), conflicts) == (1, [])


def test_what_was_removed_or_brought_back_since_is_a_conflict():
    _, gone = plan_undo([entry(1, "insert")], [entry(2, "delete", {"a": 1}, operation=2)], {})
    assert gone == [Conflict("memories", 1, "it was removed since")]
    _, back = plan_undo(
        [entry(1, "delete", {"a": 1})],
        [entry(2, "insert", operation=2)],
        {("memories", 1): {"a": 1}},
    )
    assert back == [Conflict("memories", 1, "it was brought back since")]


def test_a_rejected_wording_is_history_and_nothing_to_undo():
    assert plan_undo([entry(1, "rejected", {"text": "x"})], [], {}) == ([], [])
