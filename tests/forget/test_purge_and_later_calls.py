"""What was purged is told by no kind, a word of somebody's own, and by no record of a later call."""

from __future__ import annotations

import pytest

from glymph import errors
from glymph.forget.certificate import HOLDS_IT
from glymph.text.quotes import GONE
from tests.grounds.purging import ENGINES, find_bytes, find_traces, make_stores, open_at

CODE = "QXT-4471000"
SAME = [CODE, "qxt4471000", "qxt_4471000"]


@pytest.fixture(params=ENGINES)
def place(request):
    for make in make_stores(request):
        yield make()


def test_a_kind_that_tells_it_is_asked_about_and_then_purged_with_its_past(place, clock):
    folder, url = place
    with open_at(url, clock) as glymph:
        glymph.add(f"The badge is {CODE}.")
        kept = glymph.add("Tina called on Monday.", kind="qxt_4471000").id
        first = glymph.forget(CODE, mode="purge", apply=True)
        assert [one.id for one in first.candidates] == [kept]
        derived = {one.name: one for one in first.certificate.places}["derived memories"]
        assert (derived.status, kept in derived.detail) == ("pending", True), HOLDS_IT
        glymph.update(kept, kind="note")
        glymph.forget(CODE, mode="purge", apply=True)
        assert find_traces(glymph, SAME) == []
        assert glymph.get(kept).text == "Tina called on Monday."
        assert glymph.verify().ok
        glymph._ctx.store.settle(rewrite=True)
    assert find_bytes(folder, SAME) == {}


def test_a_kind_brings_it_in_by_no_way(place, clock):
    folder, url = place
    with open_at(url, clock) as glymph:
        glymph.add(f"The badge is {CODE}.")
        sorted_by_it = glymph.add("Tina called on Monday.", kind="qxt4471000", tags=["calls"]).id
        glymph.export(folder / "before.jsonl")
        glymph.update(sorted_by_it, kind="note")
        glymph.forget(CODE, mode="purge", apply=True)
        assert glymph.add("Ola called", kind="qxt_4471000").refused
        assert glymph.add_many([{"text": "Ola called", "kind": "qxt4471000"}])[0].refused
        with pytest.raises(errors.Refused, match="tombstoned"):
            glymph.update(sorted_by_it, kind="qxt4471000")
        glymph.import_(folder / "before.jsonl", space="copy")
        assert find_traces(glymph, SAME) == []
    with open_at(url, clock, space="copy") as copied:
        assert find_traces(copied, SAME) == []
        assert (copied.get(sorted_by_it).kind, copied.get(sorted_by_it).tags) == (
            "note",
            ("calls",),
        )
        assert copied.verify().ok


def test_a_later_call_that_names_it_leaves_it_in_no_record(place, clock):
    _, url = place
    with open_at(url, clock) as glymph:
        glymph.add(f"The badge is {CODE}.")
        beside = glymph.add("Nina skis.", attributes={"badge": CODE}).id
        glymph.forget(CODE, mode="purge", apply=True)
        glymph.answer([CODE], "keep_both")
        shown = glymph.forget(CODE)
        assert [one.id for one in shown.candidates] == [beside]
        assert (shown.request, glymph.forget_plan(shown.id).request) == (CODE, GONE)
        glymph.forget(CODE, apply=True)
        assert [one.reason for one in glymph.questions()] == [f"asked to forget: {GONE}"]
        glymph.answer([one.id for one in glymph.questions()], "keep_both")
        glymph.update(beside, attributes={})
        glymph.forget(CODE, mode="purge", apply=True)
        glymph.answer([CODE], "keep_both")
        assert find_traces(glymph, SAME) == []
        assert glymph.verify().ok
