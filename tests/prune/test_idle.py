"""Idle clearance: nothing while somebody recalls, small batches else.

And an end within one batch.
"""

from __future__ import annotations

import threading

import pytest

from glymph import Glymph
from glymph.jobs.job import Trigger
from glymph.jobs.registry import JOBS
from glymph.prune import idle
from glymph.prune.idle import clear_idle
from glymph.store import columns
from glymph.testing.embedders import WordEmbedder
from tests.grounds.pruning import image, remembered


@pytest.fixture
def words(url, clock):
    with Glymph.open(
        url, clock=clock, embedder=WordEmbedder(512, ms=0.0), settings={"compare": "off"}
    ) as handle:
        yield handle


def cleared(glymph, back=lambda: False):
    return clear_idle(glymph.context, now=glymph.context.now(), agent_is_back=back)


def after(batches):
    """An agent that comes back after so many batches."""
    asked = iter(range(batches))
    return lambda: next(asked, None) is None


def faded(glymph, clock, count=12):
    ids = remembered(glymph, count)
    for at in range(count - 1):
        glymph.link(ids[at], ids[at + 1], "related_to")
    clock.advance(days=400)
    return ids


def twins(glymph, count):
    things = [f"thing{n} of place{n} belongs to person{n} since spring{n}" for n in range(count)]
    glymph.add_many(
        [{"text": text, "kind": "fact"} for text in [*things, *(f"{one}." for one in things)]]
    )


def links(glymph):
    return len(glymph.graph().edges)


@pytest.mark.parametrize(("minutes", "runs"), [(9.9, False), (10, True)])
def test_it_waits_until_nobody_has_recalled_for_ten_minutes(glymph, clock, minutes, runs):
    faded(glymph, clock)
    glymph.recall("shelf")
    clock.advance(minutes=minutes)
    done = cleared(glymph)
    assert done.ran is runs
    assert links(glymph) == (0 if runs else 11)


def test_where_nobody_ever_recalled_it_runs(glymph, clock):
    faded(glymph, clock)
    assert cleared(glymph).links_dropped == 11


def test_it_stops_within_one_batch_and_goes_on_where_it_stopped(glymph, clock, monkeypatch):
    monkeypatch.setattr(idle, "LINKS_AT_ONCE", 3)
    faded(glymph, clock)
    first = cleared(glymph, after(3))
    assert (first.yielded, first.batches, first.links_dropped, links(glymph)) == (True, 3, 6, 5)
    second = cleared(glymph)
    assert (second.yielded, second.links_dropped, links(glymph)) == (False, 5, 0)


def test_an_agent_that_is_back_at_once_finds_nothing_done(glymph, clock):
    faded(glymph, clock)
    before = image(glymph)
    done = cleared(glymph, lambda: True)
    assert (done.yielded, done.batches, done.operation_id) == (True, 0, None)
    assert image(glymph) == before


def test_each_batch_of_links_is_one_short_transaction_and_all_are_undone_as_one(
    glymph, clock, monkeypatch
):
    monkeypatch.setattr(idle, "LINKS_AT_ONCE", 4)
    faded(glymph, clock)
    before = image(glymph)
    done = cleared(glymph)
    with glymph.context.reading() as reader:
        parent = reader.operation(done.operation_id)
        assert len(reader.operations(limit=10, children_of=parent["key"])) == 3
    glymph.undo(done.operation_id)
    assert image(glymph) == before


def test_duplicates_are_merged_a_few_at_a_time_and_the_next_run_goes_on(words, clock, monkeypatch):
    monkeypatch.setattr(idle, "COMPARED_AT_ONCE", 2)
    twins(words, 6)
    clock.advance(days=10)
    first = cleared(words, after(4))
    assert first.yielded
    some = len(first.merged)
    assert 0 < some < 6
    second = cleared(words)
    assert len(second.merged) == 6 - some
    assert words.verify().ok


def test_what_was_compared_is_not_compared_again(words, clock, monkeypatch):
    twins(words, 3)
    clock.advance(days=10)
    assert len(cleared(words).merged) == 3
    looked = []
    real = idle.find_twins
    monkeypatch.setattr(
        idle,
        "find_twins",
        lambda place, reader, keys, *a, **k: (
            looked.append(keys) or real(place, reader, keys, *a, **k)
        ),
    )
    (new,) = [
        one.id for one in words.add_many([{"text": "The cellar is damp in spring", "kind": "fact"}])
    ]
    clock.advance(days=10)
    cleared(words)
    assert sum(map(len, looked)) <= 4  # the three that the pairs became, and the new one
    clock.advance(days=2)
    looked.clear()
    cleared(words)
    assert looked == []
    assert words.get(new).state == "LIVE"


def test_what_the_gardener_compared_waits_for_nobody(words, clock, monkeypatch):
    twins(words, 3)
    clock.advance(days=10)
    words.garden()
    monkeypatch.setattr(idle, "find_twins", None)
    assert cleared(words).merged == ()


def test_the_cap_of_unattended_runs_holds_it_back_and_it_goes_on_the_next_day(words, clock):
    twins(words, 15)
    clock.advance(days=10)
    assert len(cleared(words).merged) == 10
    clock.advance(days=1, seconds=1)
    assert len(cleared(words).merged) == 5


def test_nothing_is_looked_at_while_nothing_has_changed(glymph, clock, monkeypatch):
    faded(glymph, clock)
    assert cleared(glymph).ran
    assert cleared(glymph).ran is False
    clock.advance(hours=25)  # links fade although nothing is written
    assert cleared(glymph).ran


def test_columns_are_kept_in_order(glymph, monkeypatch):
    monkeypatch.setattr(columns, "LEAST", 1)
    remembered(glymph, 20)
    assert cleared(glymph).chunks_written > 0


def job(name):
    return JOBS.members[name]


def test_the_job_yields_to_a_recall_made_meanwhile(glymph, clock, monkeypatch):
    monkeypatch.setattr(idle, "LINKS_AT_ONCE", 1)
    faded(glymph, clock)
    real = idle.GardenRun.drop

    def drop(bed, some):
        real(bed, some)
        glymph.recall("shelf")

    monkeypatch.setattr(idle.GardenRun, "drop", drop)
    told = job("idle").run(glymph.context, Trigger())
    assert told == {"yielded": True, "links_dropped": 1, "merged": 0}
    assert "skipped" in job("idle").run(glymph.context, Trigger())


def test_the_job_ends_early_when_it_is_asked_to(glymph, clock):
    faded(glymph, clock)
    stop = threading.Event()
    stop.set()
    assert job("idle").run(glymph.context, Trigger(stop=stop))["stopped"] is True


def test_the_gardeners_job_tells_what_it_did(words, clock):
    twins(words, 15)
    clock.advance(days=40)
    told = job("garden").run(words.context, Trigger())
    assert told == {"held_back": 5, "links_dropped": 0, "merged": 10, "orphans": 10}
