"""Worth: what goes first, and what another memory says as well."""

from __future__ import annotations

import numpy as np
import pytest

from glymph.decay.need import activation, chance
from glymph.moments import MICROS_PER_DAY
from glymph.prune.worth import redundancy, worth

CANOE = "We bought a red canoe in Bergen and paddled around Askoy with my cousin Sindre."
OTHERS = [f"Entry {n}: the kettle number {n} whistles in kitchen {n * 7}." for n in range(12)]


def again(*texts, owners=None):
    """How redundant each of these is, told among other texts."""
    known = None if owners is None else [*owners, *[None] * len(OTHERS)]
    return redundancy([*texts, *OTHERS], known)[: len(texts)].tolist()


def test_what_was_superseded_goes_first_and_what_is_pinned_never():
    found = worth([0.9, 0.1, 0.0, 0.5], superseded=[1, 0, 0, 0], pinned=[False, False, True, False])
    assert found.least().tolist() == [0, 1, 3, 2]
    assert np.isinf(found.total[2])


def test_the_parts_are_named_and_reach_as_far_as_the_memories():
    found = worth([0.2, 0.4], need=0.1, redundancy=[0, 1], successor=[1, 0])
    assert found.need.tolist() == [0.1, 0.1]
    assert found.redundancy.tolist() == [0, 1]
    assert found.superseded.tolist() == [0, 0]
    assert found.total.tolist() == pytest.approx([0.2 + 0.05 + 0.5, 0.4 + 0.05 - 1])


def test_of_two_that_tell_as_much_what_a_reader_takes_for_noise_goes_first():
    assert worth([0.4, 0.4, 0.1], noise=[0.2, 0.9, 0.0]).least().tolist() == [2, 1, 0]
    assert worth([0.4, 0.2], noise=[1.0, 0.0]).least().tolist() == [1, 0], "it decides no more"


def test_equals_stay_in_their_order():
    assert worth([0.3, 0.3, 0.3]).least().tolist() == [0, 1, 2]


def test_never_used_is_not_stale():
    """Between a new memory and one of three years that nobody used, information decides, not age."""
    now = 2_000 * MICROS_PER_DAY
    made = [now - 10 * MICROS_PER_DAY, now - 1_000 * MICROS_PER_DAY]
    found = worth([0.3, 0.4], need=chance(activation([0, 0], made, made, now=now)))
    assert found.least().tolist() == [0, 1]
    used = chance(activation([40], [made[1]], [now], now=now))
    assert worth([0.3], need=used).total > found.total.max()


def test_of_the_same_words_the_later_text_stays():
    assert again(CANOE, CANOE.upper()) == [1.0, 0.0]
    assert again(CANOE, CANOE, CANOE) == [1.0, 1.0, 0.0]


def test_what_a_longer_text_says_as_well_is_redundant():
    longer = f"{CANOE} It cost a month of rent and leaks at the bow."
    assert again(longer, CANOE) == [0.0, 1.0]
    assert again(CANOE, longer) == [1.0, 0.0]


def test_a_light_rewording_is_mostly_redundant():
    first, second = again(
        CANOE,
        "As I said, we bought a red canoe in Bergen, paddled around Askoy with cousin Sindre.",
    )
    assert first == 0.0 or second == 0.0
    assert max(first, second) > 0.5


def test_texts_that_share_few_words_are_not_redundant():
    assert again(CANOE, "The red lamp in Bergen flickers since Sindre touched the fuse box.") == [
        0.0,
        0.0,
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("My locker code at the gym is 4711.", "My locker code at the gym is 4712."),
        (
            "Sindre likes liquorice ice cream.",
            "Sindre doesn't like liquorice ice cream, he likes none.",
        ),
        ("Sindre likes liquorice ice cream.", "Sindre likes liquorice ice cream with sprinkles?"),
    ],
)
def test_a_number_a_denial_or_a_question_sets_texts_apart(first, second):
    assert again(first, second)[0] == 0.0


def test_two_people_who_say_the_same_have_each_said_it():
    assert again(CANOE, CANOE, owners=["Ines", "Milo"]) == [0.0, 0.0]
    assert again(CANOE, CANOE, owners=["Ines", "Ines"]) == [1.0, 0.0]


def test_at_least_one_of_many_copies_always_stays():
    random = np.random.default_rng(5)
    pieces = CANOE.split()
    texts = [
        " ".join(random.permutation(pieces)[: random.integers(8, len(pieces) + 1)])
        for _ in range(60)
    ]
    assert (redundancy([*texts, *OTHERS])[:60] == 0).any()


def test_texts_without_telling_words_are_left_alone():
    assert redundancy(["", "of the", "of the", "?"]).tolist() == [0.0] * 4
    assert redundancy([]).shape == (0,)
