"""Memories that come from elsewhere keep their past."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from glymph.errors import InvalidInput

MADE = datetime(2024, 3, 1, tzinfo=UTC)
USED = datetime(2025, 6, 1, tzinfo=UTC)


def bring(glymph, **past):
    (added,) = glymph.add_many([{"text": "The boiler is a Vaillant.", **past}], imported=True)
    return glymph.get(added.id)


def test_a_memory_of_2024_arrives_with_its_age(glymph):
    memory = bring(glymph, created_at=MADE, last_used_at=USED, access_count=7, stability=90)
    assert (memory.created_at, memory.last_used_at) == (MADE, USED)
    assert (memory.access_count, memory.stability) == (7, 90.0)
    fresh = glymph.get(glymph.add("The roof is of slate.").id)
    assert memory.retrievability < fresh.retrievability


def test_without_a_past_it_is_as_new(glymph, clock):
    memory = bring(glymph)
    assert (memory.created_at, memory.last_used_at, memory.access_count) == (clock(), None, 0)


def test_one_that_was_only_used_is_as_old_as_its_use(glymph):
    assert bring(glymph, last_used_at=USED).created_at == USED


def test_stability_has_the_bound_of_its_section(glymph):
    assert bring(glymph, created_at=MADE, stability=10**9).stability < 10**6


def test_older_ones_come_first_and_answers_keep_the_order_given(glymph):
    items = [
        {"text": "The office is in Lisbon.", "created_at": USED},
        {"text": "The office is in Berlin.", "created_at": MADE},
    ]
    newer, older = glymph.add_many(items, imported=True)
    assert glymph.get(newer.id).text == items[0]["text"]
    with glymph.context.reading() as reader:
        rows = reader.memories([newer.id, older.id])
    assert rows[older.id]["key"] < rows[newer.id]["key"]


def test_undo_takes_it_back(glymph):
    bring(glymph, created_at=MADE)
    glymph.undo()
    assert not [one for one in glymph.list() if one.kind != "self"]


@pytest.mark.parametrize(
    ("field", "past"),
    [
        ("created_at", {"created_at": datetime(2999, 1, 1, tzinfo=UTC)}),
        ("last_used_at", {"created_at": USED, "last_used_at": MADE}),
        ("access_count", {"access_count": -1}),
        ("access_count", {"access_count": True}),
        ("stability", {"stability": 0}),
        ("stability", {"stability": float("nan")}),
    ],
)
def test_an_impossible_past_is_refused_by_name(glymph, field, past):
    with pytest.raises(InvalidInput) as refused:
        bring(glymph, **past)
    assert refused.value.field == f"items[0].{field}"


def test_a_past_is_not_taken_from_somebody_who_does_not_say_that_he_imports(glymph):
    with pytest.raises(InvalidInput, match="imported=True"):
        glymph.add_many([{"text": "The boiler is old.", "created_at": MADE}])


def test_what_was_told_later_and_happened_earlier_hides_nothing(glymph, clock):
    current = glymph.add("The office is in Lisbon.").id
    clock.advance(days=1)
    old = [{"text": "The office is in Lisbon!", "created_at": clock() - timedelta(days=400)}]
    glymph.add_many(old, imported=True, wait=True)
    assert glymph.get(current).superseded_by is None
