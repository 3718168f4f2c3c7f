"""The lease: one holder at a time, none for long after it is gone.

Nothing is written by one that is late.
"""

from __future__ import annotations

import threading

import pytest

from glymph import Glymph
from glymph.errors import LeaseLost, StoreBusy
from glymph.moments import micros
from glymph.testing import logical_image
from glymph.upkeep import leases
from glymph.upkeep.leases import hold_lease


@pytest.fixture
def ctx(glymph):
    return glymph.context


def held(ctx):
    with ctx.reading() as reader:
        return reader.lease()


def write(ctx, value=1):
    with ctx.store.writing(ctx.space, None) as writer:
        writer.set_counter("n", value)


def test_a_killed_holder_blocks_for_half_a_minute_at_most():
    assert leases.LASTS <= 30.0
    assert leases.RENEWED <= leases.LASTS / 3


def test_one_runs_and_the_other_waits_until_it_is_done(ctx):
    with hold_lease(ctx) as first:
        assert first is not None
        with hold_lease(ctx) as second:
            assert second is None
    with hold_lease(ctx) as third:
        assert third is not None


def test_spaces_do_not_wait_for_each_other(ctx, url, clock):
    with (
        Glymph.open(url, space="other", clock=clock) as other,
        hold_lease(ctx) as first,
        hold_lease(other.context) as second,
    ):
        assert first is not None
        assert second is not None


def test_who_is_gone_without_a_word_is_followed_after_the_time_and_not_before(ctx, clock):
    fence, _ = leases._take(ctx)
    clock.advance(seconds=leases.LASTS - 0.001)
    assert leases._take(ctx) is None
    clock.advance(seconds=0.001)
    later = leases._take(ctx)
    assert later is not None
    assert later[0] > fence


def test_who_comes_back_late_changes_nothing(glymph, ctx, clock):
    kept = glymph.add("The office is in Berlin.").id
    with hold_lease(ctx) as held_first:
        write(held_first)
        clock.advance(seconds=leases.LASTS)
        with hold_lease(ctx) as held_second:
            write(held_second, 2)
            before = logical_image(ctx.store, ctx.space)
            for attempt in (
                lambda: write(held_first, 3),
                lambda: held_first.store.open_parent(ctx.space, held_first.intent("lifecycle")),
                lambda: held_first.operation("archive").__enter__(),
            ):
                with pytest.raises(LeaseLost):
                    attempt()
            assert logical_image(ctx.store, ctx.space) == before
            write(held_second, 4)
    assert glymph.get(kept).state == "LIVE"
    with ctx.reading() as reader:
        assert reader.counter("n") == 4


def test_giving_back_late_does_not_take_the_lease_from_its_new_holder(ctx, clock):
    with hold_lease(ctx):
        clock.advance(seconds=leases.LASTS)
        fence, _ = leases._take(ctx)
    assert held(ctx)["fence"] == fence
    assert held(ctx)["until"] > micros(clock())


def test_a_clock_set_back_by_hours_does_not_block_for_hours(ctx, clock):
    leases._take(ctx)
    clock.advance(hours=-5)
    assert leases._take(ctx) is not None


def test_a_clock_that_differs_a_little_takes_nothing_from_the_holder(ctx, clock):
    leases._take(ctx)
    clock.advance(seconds=-10)
    assert leases._take(ctx) is None


def test_it_is_renewed_as_long_as_the_work_lasts(ctx, clock, monkeypatch):
    monkeypatch.setattr(leases, "RENEWED", 0.01)
    with hold_lease(ctx) as first:
        for _ in range(5):
            clock.advance(seconds=leases.LASTS - 1)
            for _ in range(500):
                if held(ctx)["until"] > micros(clock()) + (leases.LASTS - 1) * 1e6:
                    break
                threading.Event().wait(0.01)
            assert leases._take(ctx) is None
        write(first)


def test_a_renewal_that_fails_once_is_tried_again(ctx, monkeypatch):
    monkeypatch.setattr(leases, "RENEWED", 0.01)
    real, failures = ctx.store.writing, []

    def busy(space, intent, *, fence=None, ahead=()):
        if threading.current_thread().name == "glymph-lease" and len(failures) < 2:
            failures.append(1)
            raise StoreBusy("memory.db", 1.0)
        return real(space, intent, fence=fence, ahead=ahead)

    monkeypatch.setattr(ctx.store, "writing", busy)
    with hold_lease(ctx):
        before = held(ctx)["fence"]
        for _ in range(500):
            if len(failures) == 2:
                break
            threading.Event().wait(0.01)
        assert leases._take(ctx) is None
    assert held(ctx)["fence"] == before
    assert failures == [1, 1]


def test_a_lease_that_cannot_be_given_back_does_not_hide_what_went_wrong(ctx, monkeypatch):
    def busy(space, intent, *, fence=None, ahead=()):
        raise StoreBusy("memory.db", 1.0)

    with pytest.raises(KeyError, match="the work itself"), hold_lease(ctx):  # noqa: PT012
        monkeypatch.setattr(ctx.store, "writing", busy)
        raise KeyError("the work itself")


def test_nothing_is_handed_to_the_background_which_knows_no_lease(ctx):
    with hold_lease(ctx) as first:
        first.settle_soon(["x"])
        assert first.settle_soon is not ctx.settle_soon


def test_what_a_killed_holder_left_open_is_closed_and_undoes_as_one(url, clock):
    with (
        Glymph.open(url, clock=clock, actor="glymph") as worker,
        Glymph.open(url, clock=clock) as person,
    ):
        ids = [worker.add(f"Fact number {n} about harbours", kind="fact").id for n in range(3)]
        for handle in (worker, person):
            ctx = handle.context
            parent = ctx.store.open_parent(ctx.space, ctx.intent("lifecycle"))
            with ctx.operation("lifecycle", parent=parent) as op:
                op.writer.set_state(
                    [op.row(ids.pop())["key"]], state="ARCHIVED", at=op.now, by="lifecycle"
                )
        with hold_lease(worker.context) as held:
            assert held is not None
        with worker.context.reading() as reader:
            assert (reader.cut_off("glymph", since=0), len(reader.cut_off("user", since=0))) == (
                [],
                1,
            )
        done = worker.operations(verb="lifecycle", actor="glymph")
        whole = next(one for one in done if one.parent is None)
        assert worker.undo(whole.id).succeeded
