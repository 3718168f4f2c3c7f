"""What callers say about an operation: no record holds, or brings back, what was purged."""

from __future__ import annotations

import pytest

from glymph import errors
from glymph.forget.purge import purge_certified
from glymph.text.quotes import GONE
from tests.grounds.purging import find_traces, open_at

ADDRESS = "moira.finch@nordlicht.example"
SPELLINGS = (
    ADDRESS,
    "Moira.Finch (at) nordlicht.example",
    "moira dot finch at nordlicht dot example",
)


@pytest.fixture
def glymph(place, clock):
    with open_at(place[1], clock) as handle:
        yield handle


@pytest.fixture
def purged(glymph):
    """A space with some memories, from which an address was purged."""
    glymph.add(f"Zoe writes from {ADDRESS}")
    glymph.forget(ADDRESS, mode="purge", apply=True)
    return glymph


def list_reasons(glymph):
    return [operation.reason for operation in glymph.operations(limit=100)]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_reasons_given_before_a_purge_are_cleaned(glymph, spelling):
    glymph.add(f"Zoe writes from {ADDRESS}")
    other = glymph.add("Ben waters the plants")
    glymph.pin(other.id, reason=f"{spelling} asked for it")
    glymph.unpin(other.id, reason=spelling)
    gone = glymph.delete(other.id, reason=f"for {spelling}")
    glymph.undo(gone.operation_id, reason=f"{spelling} was wrong")
    glymph.forget(ADDRESS, mode="purge", apply=True)
    assert find_traces(glymph, SPELLINGS) == []
    assert list_reasons(glymph).count(GONE) == 4
    assert glymph.verify().ok


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_reasons_given_after_a_purge_do_not_bring_it_back(purged, spelling):
    other = purged.add("Ben waters the plants")
    purged.pin(other.id, reason=f"{spelling} asked for it")
    purged.unpin(other.id, reason=spelling)
    gone = purged.delete(other.id, reason=f"for {spelling}")
    purged.undo(gone.operation_id, reason=f"{spelling} was wrong")
    purged.forget("Ben waters the plants", reason=f"{spelling} said so", apply=True)
    assert find_traces(purged, SPELLINGS) == []
    assert list_reasons(purged).count(GONE) == 5
    assert purged.verify().ok


def test_other_reasons_stay_as_they_were_given(purged):
    other = purged.add("Ben waters the plants")
    purged.pin(other.id, reason="zoe.finch@nordlicht.example asked for it")
    assert list_reasons(purged)[0] == "zoe.finch@nordlicht.example asked for it"


def test_a_parent_operation_has_no_purged_reason_either(purged):
    with purged._ctx.bulk("garden", reason=f"for {ADDRESS}"):
        pass
    assert find_traces(purged, SPELLINGS) == []
    assert list_reasons(purged)[0] == GONE


def test_what_stands_where_an_id_belongs_is_not_recorded(purged):
    other = purged.add("Ben waters the plants")
    receipt = purged.archive([other.id, ADDRESS])
    assert [refusal.id for refusal in receipt.failed] == [ADDRESS]  # who asked is told
    assert find_traces(purged, SPELLINGS) == []


def test_queries_and_plans_do_not_bring_it_back(purged):
    purged.recall(f"who has {SPELLINGS[1]}?")
    purged.forget(ADDRESS)
    purged.forget(ADDRESS, mode="purge")
    assert find_traces(purged, SPELLINGS) == []


def test_the_reason_of_a_purge_does_not_say_it_in_another_spelling(glymph):
    added = glymph.add(f"Zoe writes from {ADDRESS}")
    with pytest.raises(errors.InvalidInput, match="reason"):
        purge_certified(glymph._ctx, added.id, reason=f"of {SPELLINGS[1]}", also=[ADDRESS])
    assert glymph.get(added.id).text == f"Zoe writes from {ADDRESS}"


def test_reasons_lose_the_numbers_of_somebody_who_is_forgotten_by_name(glymph):
    glymph.add("Zoe Kessler is reached under +49 170 5551234")
    other = glymph.add("Ben waters the plants")
    glymph.pin(other.id, reason="call 0049-170-555-1234 first")
    done = glymph.forget("everything about Zoe Kessler", mode="purge", apply=True)
    assert len(done.succeeded) == 1
    assert find_traces(glymph, ["0049-170-555-1234", "5551234"]) == []
    assert done.certificate.complete
    assert glymph.verify().ok


def test_without_the_key_a_reason_is_not_recorded(purged, monkeypatch):
    other = purged.add("Ben waters the plants")
    keyring = purged._ctx.store.keyring
    monkeypatch.setattr(type(keyring), "get", lambda self, identity: None)
    purged.pin(other.id, reason=f"{ADDRESS} asked for it")
    assert list_reasons(purged)[0] == GONE
