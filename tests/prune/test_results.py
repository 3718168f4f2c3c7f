"""What the gardener decides by figures and names alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from glymph.prune.merge_duplicates import group_alike, join_texts
from glymph.prune.results import Gardened, Joined


def test_groups_are_those_in_which_each_is_a_pair_with_each():
    assert group_alike([("a", "b"), ("b", "c")]) == [("a", "b")]
    assert group_alike([("a", "b"), ("c", "d"), ("b", "c")]) == [("a", "b"), ("c", "d")]
    assert group_alike([("a", "a")]) == []


def test_a_third_joins_when_it_is_a_pair_with_both():
    assert group_alike([("a", "b"), ("b", "c"), ("c", "a")], most=3) == [("a", "b", "c")]
    assert group_alike([("a", "b"), ("b", "c"), ("c", "a")], most=2) == [("a", "b")]


names = st.sampled_from("abcdefg")


@given(st.lists(st.tuples(names, names)))
def test_no_two_groups_share_a_member_and_within_one_all_are_pairs(pairs):
    known = {frozenset(pair) for pair in pairs}
    groups = group_alike(pairs)
    members = [one for group in groups for one in group]
    assert len(members) == len(set(members))
    assert all(
        frozenset((a, b)) in known for group in groups for a in group for b in group if a != b
    )


@given(st.lists(st.tuples(names, names)))
def test_no_pair_is_left_of_which_neither_is_in_a_group(pairs):
    grouped = {one for group in group_alike(pairs) for one in group}
    assert all(a in grouped or b in grouped for a, b in pairs if a != b)


def test_all_text_is_kept_and_what_another_holds_is_not_repeated():
    assert join_texts(["Tea.", "Tea. Hot.", " Tea. "]) == "Tea. Hot."
    assert join_texts(["Tea.", "tea"]) == "Tea.\n\ntea"


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=1))
def test_every_text_is_in_all_text(texts):
    said = join_texts(texts)
    assert all(text.strip() in said for text in texts)


def test_a_run_is_told_in_a_few_words():
    done = Gardened(
        links_dropped={"related_to": 1},
        merged=(Joined("x", "Tea", ("a", "b"), "the same"),),
        held_back=2,
    )
    assert done.told == (
        "1 faded link dropped, 2 memories merged into others, 2 groups held back by the cap of unattended runs."
    )
    assert (
        Gardened(dry_run=True).told
        == "0 faded links would be dropped, 0 memories would be merged into others."
    )
