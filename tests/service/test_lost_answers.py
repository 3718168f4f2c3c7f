"""A call whose answer was lost is sent again and happens once, by whatever way the answer went."""

from __future__ import annotations

import pytest

from glymph import Glymph
from glymph.errors import AnswerLost, MemoryNotFound, ServerAway
from glymph.wire import line
from tests.grounds.cutting import losing_answers
from tests.grounds.serving import serving


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    url = f"sqlite:///{tmp_path_factory.mktemp('lost')}/memory.db"
    with Glymph.open(url) as handle:
        yield handle


@pytest.fixture(scope="module")
def proxy(here):
    with serving(here) as served, losing_answers(served.url) as made:
        yield made


@pytest.fixture
def remote(proxy, monkeypatch):
    monkeypatch.setattr(line, "PAUSES", (0.01, 0.02, 0.03))
    proxy.losses.clear()
    proxy.handled.clear()
    with Glymph.open(proxy.url) as glymph:
        yield glymph


def count_adds(here):
    return sum(one.verb == "add" for one in here.operations(limit=100))


def sent(proxy):
    """The keys that the calls since were sent with."""
    keys = []
    for request in proxy.handled:
        found = [one for one in request.split(b"\r\n") if one.startswith(b"Idempotency-Key")]
        keys.append(found[0] if found else None)
    return keys


@pytest.mark.parametrize("losses", [["reset"], ["reset", "away", "reset"], ["away"], ["never"]])
def test_an_add_whose_answer_is_lost_happens_once(here, proxy, remote, losses, monkeypatch):
    if "never" in losses:
        monkeypatch.setattr(line, "SECONDS", 1.5)
        remote.close()  # the next connection has the shorter limit
    before = count_adds(here)
    proxy.losses += losses
    made = remote.add(f"The ferry waits for {' and '.join(losses)}.", tags=["ferry"])
    assert here.get(made.id).access_count == 0  # not even reinforced
    assert (made.created, made.duplicate_of) == (True, None)
    assert count_adds(here) == before + 1
    assert here.audit(made.operation_id).memories[0].id == made.id
    assert len(proxy.handled) > len(losses)
    [key] = set(sent(proxy))
    assert key


def test_a_repeated_add_says_what_the_first_said(here, proxy, remote):
    known, other = here.add("Herons nest by the mill.").id, here.add("The mill is old.").id
    proxy.losses += ["reset"]
    again = remote.add("Herons nest by the mill.", links=[other])
    assert (again.duplicate_of, again.connected_to) == (known, (other,))
    assert again.why
    assert here.get(known).access_count == 1
    proxy.losses += ["reset"]
    many = remote.add_many(
        ["Owls hunt at dusk.", "asdf asdf asdf asdf", "Herons nest by the mill."]
    )
    assert [one.created for one in many] == [True, many[1].refused is None, False]
    assert many[2].duplicate_of == known
    assert here.get(known).access_count == 2


def test_forget_and_undo_whose_answers_are_lost_happen_once(here, proxy, remote):
    kept = here.add("Write to kestrel@tower.example about the old tower.").id
    plan = remote.forget("kestrel@tower.example")
    proxy.losses += ["reset", "away"]
    gone = remote.forget(plan, apply=True)
    assert gone.succeeded == (kept,)
    assert gone.receipt.hash == here.audit(gone.operation_id).operation.hash
    assert gone.plan.id == plan.id
    assert [one.id for one in here.trash()] == [kept]
    proxy.losses += ["reset", "reset"]
    undone = remote.undo()
    assert undone.verb == "undo"
    assert kept in undone.succeeded
    assert here.get(kept).state == "LIVE"
    verbs = [one.verb for one in here.operations(limit=100)]
    assert (verbs.count("undo"), verbs.count("forget")) == (1, 1)


def test_a_repeated_change_says_what_was_left_out(here, proxy, remote):
    first, pinned = (here.add(f"The {one} gate is green.").id for one in ("west", "east"))
    here.pin(pinned)
    proxy.losses += ["reset"]
    receipt = remote.delete([first, pinned])
    assert receipt.succeeded == (first,)
    assert [one.id for one in receipt.skipped] == [pinned]
    assert receipt.recoverable_until == here.trash()[-1].recoverable_until
    assert receipt.titles == {first: "The west gate is green."}


def test_a_purge_whose_answer_is_lost_is_said_to_be_done(here, proxy, remote):
    here.add("Pips lives at number nine.")
    plan = remote.forget("Pips", mode="purge")
    proxy.losses += ["reset"]
    with pytest.raises(AnswerLost) as told:
        remote.forget(plan, mode="purge", apply=True)
    assert told.value.operation_id == here.certificates()[0].operation_id
    assert here.verify().ok


def test_many_memories_in_parts_are_taken_up_where_they_ended(here, proxy, remote, monkeypatch):
    texts = [f"Boat {number} lies in the harbour." for number in range(5)]
    whole = here.context.settings.bulk_chunk
    object.__setattr__(here.context.settings, "bulk_chunk", 2)
    try:
        proxy.losses += ["reset"]
        added = remote.add_many(texts)
    finally:
        object.__setattr__(here.context.settings, "bulk_chunk", whole)
    assert [here.get(one.id).text for one in added] == texts
    assert all(one.created for one in added)
    assert all(here.get(one.id).access_count == 0 for one in added)


def test_looking_is_repeated_and_a_refusal_is_not(here, proxy, remote):
    proxy.losses += ["reset", "away"]
    assert remote.search("ferry")
    assert sent(proxy) == [None] * 3
    proxy.handled.clear()
    with pytest.raises(MemoryNotFound):
        remote.get("01900000-0000-7000-8000-000000000000")
    assert len(proxy.handled) == 1


def test_who_loses_every_answer_is_told_so(here, proxy, remote):
    proxy.losses += ["reset"] * 4
    with pytest.raises(ServerAway, match="operations"):
        remote.add("The tide turns at noon.")
    assert len(proxy.handled) == 4
    assert [one.memory.access_count for one in here.search("tide turns at noon")][:1] == [0]
