"""Identifiers that a request spells as only a memory tells them."""

from __future__ import annotations

import pytest

from glymph import Glymph
from glymph.forget.match import Statement
from glymph.forget.planner import plan
from glymph.forget.recognise import list_joined, recognise
from glymph.forget.request import read_request
from glymph.text.identifiers import identifiers

SPELT = [
    ("Remove the ticket inc 0048213 please.", "INC0048213: the export times out."),
    ("Please purge passport number X 1048 8823.", "Ferdinand's passport number is X10488823."),
    ("Wis polisnummer ZK 33.108.774 volledig.", "De zorgpolis heeft nummer ZK33108774."),
    ("Forget the serial number fx 90-22-c-7185.", "It has the serial number FX9022C7185."),
    ("Booking ref. QX 7-PLT, you can let that go.", "Booking reference QX7PLT is for May."),
    ("Purge ticket inc 48213.", "Ticket INC-0048213 is about the VPN dropping."),
    ("Delete part no. 7-70-11 A, please.", "The pump needs part 77011A."),
]
NEAR = [
    ("Please purge passport number X 1048 8823.", "Ferdinand's passport number is X10488824."),
    ("Please purge passport number X 1048 8823 77.", "Ferdinand's passport number is X10488823."),
    ("Please purge passport number 5 X 1048 8823.", "His passport number is X10488823."),
    ("Forget AX 1048 8823.", "Ferdinand's passport number is X10488823."),
]


@pytest.mark.parametrize(("request_", "text"), SPELT)
@pytest.mark.parametrize("mode", ["release", "purge"])
def test_what_a_memory_has_as_an_identifier_is_one_in_the_request(request_, text, mode):
    among = [Statement("m0", text), Statement("m1", "The garden needs water.")]
    planned = plan(request_, among, mode=mode)
    assert [(one.kind, one.id) for one in planned.actions] == [("remove", "m0")]


@pytest.mark.parametrize(("request_", "text"), NEAR)
def test_a_longer_number_and_another_one_are_not_taken_for_it(request_, text):
    asked = read_request(request_)
    found = recognise(asked, identifiers(text))
    assert [one.key for one in found.strong] == [one.key for one in asked.strong]


POLICIES = [
    Statement("m0", "The home insurance has the policy number 770093-PT."),
    Statement("m1", "Dan's policy number is 770093-PZ."),
    Statement("m2", "The policy renews in May."),
]


@pytest.mark.parametrize("written", ["770093-PT", "77 0093 pt", "770093PT", "770093-pt"])
def test_the_letters_that_end_a_number_are_part_of_it(written):
    planned = plan(f"permanently remove policy number {written} please", POLICIES, mode="purge")
    assert [(one.kind, one.id) for one in planned.actions] == [("remove", "m0")]


def test_half_of_a_number_asks_about_all_that_go_on_from_it():
    planned = plan("permanently remove policy 770093 please", POLICIES, mode="purge")
    assert [(one.kind, one.id) for one in planned.actions] == [("ask", "m0"), ("ask", "m1")]


def test_an_index_is_asked_for_groups_written_together():
    assert "inc0048213" in list_joined("Remove the ticket inc 0048213 please.")
    assert list_joined("Lunch for 4 of us, and 3 more; it takes 20 minutes.") == ()


def test_it_is_found_in_a_store_that_is_not_read_whole(tmp_path):
    with Glymph.open(f"sqlite:///{tmp_path}/store.db", embedder="none", reader="none") as glymph:
        glymph.add_many(
            [f"Note {at} about the garden, bed {at} and its herbs." for at in range(260)]
        )
        held = glymph.add("INC0048213: the invoice export times out for customer Brightwell.")
        plan = glymph.forget("Remove the ticket inc 0048213 please.")
        assert [action.id for action in plan.actions] == [held.id]
