"""A clock that was wrong for a while: the order of operations is that of their numbers."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone

import pytest

from glymph import Glymph, errors
from glymph.config import Settings
from glymph.learn.surface import surface
from glymph.moments import micros, parse_iso
from glymph.prune.lifecycle import lifecycle
from glymph.upkeep.leases import hold_lease
from glymph.write import clocks
from tests.grounds.pruning import image, remembered

WRONG = datetime(2031, 6, 1, 12, 0, tzinfo=UTC)
PLAIN = Settings.parse({"compare": "off", "junk_gate": "off"})


def open_plain(url, clock, **options):
    return Glymph.open(url, clock=clock, settings=options.pop("settings", PLAIN), **options)


def right_again(glymph, clock, do, days=1):
    """Does something under a clock five years ahead, sets it right, and returns what came of it."""
    before = clock.now
    clock.set(WRONG)
    done = do(glymph)
    clock.set(before + timedelta(days=days))
    return done


@pytest.fixture
def plain(url, clock):
    with open_plain(url, clock) as handle:
        yield handle


def at_of(glymph, operation_id):
    with glymph._ctx.reading() as reader:
        return reader.operation(operation_id)["at"]


# operations


@pytest.mark.parametrize("born_wrong", [False, True])
def test_an_operation_after_the_clock_was_set_right_has_the_right_date(url, clock, born_wrong):
    if born_wrong:
        clock.set(WRONG)
    with open_plain(url, clock) as glymph:
        if not born_wrong:
            right_again(glymph, clock, lambda g: remembered(g, 5))
        else:
            remembered(glymph, 5)
            clock.set(WRONG - timedelta(days=1900))
        added = glymph.add("The clock is right again")
        assert at_of(glymph, added.operation_id) == micros(clock.now)


def test_a_clock_set_back_a_little_does_not_mix_up_the_moments_of_operations(plain, clock):
    first = plain.add("The first thing said")
    clock.advance(minutes=-30)
    second = plain.add("The second thing said")
    assert at_of(plain, second.operation_id) == at_of(plain, first.operation_id)


@pytest.mark.parametrize("year", [1970, 2000, 2020])
def test_a_clock_that_fell_back_to_its_first_day_does_not_date_operations(plain, clock, year):
    first = plain.add("The first thing said")
    noon = clock.advance(days=2)
    plain.update(first.id, text="The first thing said, corrected")
    clock.set(datetime(year, 1, 1, tzinfo=UTC))
    plain.update(first.id, text="Said while the battery was dead")
    clock.set(noon + timedelta(days=1))
    plain.update(first.id, text="The last thing said")
    assert plain.get(first.id, at=noon - timedelta(days=1)).text == "The first thing said"
    assert plain.get(first.id, at=noon + timedelta(hours=1)).text.startswith("Said while")


def test_the_past_is_told_by_number_when_some_stamps_lie_ahead(plain, clock):
    memory = plain.add("One")
    day = clock.advance(days=1)
    right_again(plain, clock, lambda g: g.update(memory.id, text="Two"))
    assert plain.get(memory.id, at=clock.now).text == "Two"
    assert [m.text for m in plain.list(at=clock.now)] == ["Two"]
    plain.update(memory.id, text="Three")
    clock.advance(days=1)
    assert plain.get(memory.id, at=day).text == "One"
    assert plain.get(memory.id, at=clock.now).text == "Three"
    assert plain.get(memory.id, at=clock.now - timedelta(hours=1)).text == "Three"


def test_undo_takes_back_what_was_done_last_whatever_its_date(plain, clock):
    memory = plain.add("One")
    right_again(plain, clock, lambda g: g.update(memory.id, text="Two"))
    plain.update(memory.id, text="Three")
    plain.undo()
    assert plain.get(memory.id).text == "Two"
    plain.undo()
    assert plain.get(memory.id).text == "One"


# caps and budgets


def test_the_cap_of_a_day_forgets_what_a_wrong_clock_dated_ahead(url, clock):
    settings = Settings.parse({"compare": "off", "junk_gate": "off", "agent_daily": 5})
    with open_plain(url, clock, actor="agent", settings=settings) as glymph:
        ids = remembered(glymph, 12)
        right_again(glymph, clock, lambda g: g.archive(ids[:5]), days=2)
        glymph.archive(ids[5:10])
        with pytest.raises(errors.TooManyToday):
            glymph.archive(ids[10:11])


def test_what_was_spent_under_a_wrong_clock_does_not_use_up_later_days(plain, clock):
    call = {"job": "j", "model": "m", "run": "r", "tokens_in": 10, "tokens_out": 10, "assumed": 0}
    with plain._ctx.store.writing(plain.space, None) as writer:
        writer.reserve({**call, "at": micros(WRONG), "cost_usd": 1.0})
        writer.reserve({**call, "at": micros(clock.now), "cost_usd": 0.25})
    found = plain.costs()
    assert (found.today_usd, found.left_usd) == (0.25, 0.75)
    assert plain.autonomous_status()
    assert found.total.cost_usd == 0.25


# lifecycle, digest, trash, questions


def test_what_was_made_under_a_wrong_clock_fades_and_goes_like_anything_else(plain, clock):
    (memory,) = right_again(plain, clock, lambda g: remembered(g, 1, kind="signal"))
    plain.add("A later thing", kind="fact")
    clock.advance(days=120)
    with plain._ctx.store.writing(plain.space, None) as writer:
        writer.set_counter("last_consolidation_at", micros(clock.now))
    lifecycle(plain._ctx)
    assert plain.get(memory).state == "ARCHIVED"
    clock.advance(days=40)
    lifecycle(plain._ctx)
    assert plain.get(memory).state == "TRASHED"
    clock.advance(days=40)
    lifecycle(plain._ctx)
    with pytest.raises(errors.NotFound):
        plain.get(memory)


def test_what_was_deleted_under_a_wrong_clock_leaves_the_trash_in_time(plain, clock):
    ids = remembered(plain, 3)
    right_again(plain, clock, lambda g: g.delete(ids[:1]))
    plain.add("A later thing", kind="fact")
    lifecycle(plain._ctx)
    assert plain.trash()[0].recoverable_until <= clock.now + timedelta(days=31)
    clock.advance(days=32)
    lifecycle(plain._ctx)
    assert plain.trash() == []


def test_a_digest_kept_under_a_wrong_clock_is_made_anew(plain, clock):
    note = plain.add(
        "Never deploy on Fridays", kind="lesson", expires_at=clock.now + timedelta(days=5)
    )
    assert note.id
    right_again(plain, clock, lambda g: surface(g._ctx))
    assert "Fridays" in surface(plain._ctx)


# dating anew


def test_rows_are_dated_anew_only_when_the_clock_is_plainly_right_and_undo_brings_them_back(
    plain, clock
):
    (memory,) = right_again(plain, clock, lambda g: remembered(g, 1))
    before = image(plain)
    lifecycle(plain._ctx)
    assert image(plain) == before  # nothing was done since: who knows which clock is right
    plain.add("A later thing")
    lifecycle(plain._ctx)
    assert plain.get(memory).created_at == clock.now
    done = plain.operations(verb="redate")[0]
    plain.undo(done.id)
    assert plain.get(memory).created_at == WRONG
    assert plain.verify().ok


def test_a_clock_that_fell_behind_dates_nothing_anew(plain, clock):
    ids = remembered(plain, 3)
    clock.advance(days=2)
    plain.add("A later thing")
    right = clock.now
    for wrong in (datetime(1970, 1, 1, tzinfo=UTC), right - timedelta(hours=60)):
        clock.set(wrong)
        with pytest.raises(errors.ClockDoubtful, match="Set it right"):
            clocks.date_anew(plain._ctx)
        lifecycle(plain._ctx)
        assert plain.get(ids[0]).created_at == right - timedelta(days=2)


def test_what_lies_ahead_is_named_and_dated_by_the_next_right_operation(plain, clock):
    early = clock.now
    ids = right_again(plain, clock, lambda g: remembered(g, 200))
    plain.add("Done when the clock was right again")
    right = clock.now
    right_again(plain, clock, lambda g: g.link(ids[0], ids[1]))
    plain.report(plain.recall("shelf").id, used=[ids[2]])
    found = clocks.find_ahead(plain._ctx)
    assert (found.rows["memories"], found.rows["edges"]) == (200, 1)
    assert (found.operations, found.first) == (2, WRONG)
    assert "200 memories" in found.describe()
    clocks.date_anew(plain._ctx)
    assert plain.get(ids[5]).created_at == right
    assert plain.edges(ids[0])[0].created_at == clock.now > right > early
    assert not clocks.find_ahead(plain._ctx)
    assert clocks.date_anew(plain._ctx) is None
    assert plain.verify().ok


def test_marks_of_upkeep_that_lie_ahead_are_set_back(plain, clock):
    with plain._ctx.store.writing(plain.space, None) as writer:
        writer.set_counter("consolidated:alice", micros(WRONG))
        writer.set_counter("sessions", 7)
        writer.enqueue({"id": "j", "job": "end", "payload": "{}", "at": micros(clock.now)})
        writer.rest("j", until=micros(WRONG))
    lifecycle(plain._ctx)
    with plain._ctx.reading() as reader:
        assert reader.counter("consolidated:alice") == micros(clock.now)
        assert reader.counter("sessions") == 7
        assert [row["id"] for row in reader.waiting_jobs(micros(clock.now))] == ["j"]


def test_uses_reported_under_a_wrong_clock_do_not_stop_later_ones_from_counting(plain, clock):
    (memory,) = remembered(plain, 1)
    clock.advance(days=2)
    right_again(plain, clock, lambda g: g.reinforce([memory]))
    plain.add("A later thing")
    clocks.date_anew(plain._ctx)
    clock.advance(days=40)
    plain.reinforce([memory])
    with plain._ctx.reading() as reader:
        assert json.loads(reader.memory(memory)["review"])[0] == micros(clock.now)


def test_an_export_with_moments_ahead_is_imported_again(plain, clock, tmp_path):
    right_again(plain, clock, lambda g: remembered(g, 3))
    plain.add("A later thing")
    plain.export(tmp_path / "all.jsonl")
    with open_plain(f"sqlite:///{tmp_path}/copy.db", clock, space="other") as copy:
        copy.import_(tmp_path / "all.jsonl", space="copied")
    with open_plain(f"sqlite:///{tmp_path}/copy.db", clock, space="copied") as copy:
        assert clocks.find_ahead(copy._ctx).operations == 1
        clocks.date_anew(copy._ctx)
        assert len(copy.list()) == 4
        assert copy.verify().ok


# the ends of time

FIRST, LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
BEYOND = (
    datetime.min.replace(tzinfo=timezone(timedelta(hours=14))),
    datetime.max.replace(tzinfo=timezone(timedelta(hours=-12))),
)
ENDLESS = dict.fromkeys(("journal_days", "trash_days", "plan_days", "question_days"), 10**12)


def work(glymph, memory, other):
    """Everything that looks at the clock or adds to it, one thing after the other."""
    yield from (glymph.list, glymph.operations, glymph.trash, glymph.health, glymph.lifecycle)
    yield from (glymph.analyze, glymph.costs, glymph.consolidate, glymph.surface, glymph.questions)
    yield from (glymph.candidates, glymph.autonomous_status, glymph.memetic_status, glymph.fading)
    yield lambda: glymph.costs(days=3660)
    yield lambda: glymph.reinforce([memory])
    yield lambda: glymph.delete([other])
    yield glymph.trash
    yield lambda: glymph.forget("rails")
    yield glymph.undo
    yield lambda: clocks.find_ahead(glymph.context)
    yield lambda: clocks.date_anew(glymph.context)
    yield lambda: take_and_give_back(glymph)


def take_and_give_back(glymph):
    with hold_lease(glymph.context) as held:
        assert held is not None


def try_all(actions):
    """Lets typed errors pass, and nothing else."""
    for action in actions:
        with suppress(errors.GlymphError):
            action()


@pytest.mark.parametrize("settings", [{}, ENDLESS])
@pytest.mark.parametrize("now", [FIRST, LAST, *BEYOND])
def test_a_clock_at_the_ends_of_time_gives_typed_errors_or_works(url, clock, now, settings):
    plain = Settings.parse({"compare": "off", "junk_gate": "off", **settings})
    with open_plain(url, clock, settings=plain) as glymph:
        memory = glymph.add("Trains run on rails").id
        other = glymph.add("Trams run on rails, too").id
        clock.set(now)
        try_all(work(glymph, memory, other))


@pytest.mark.parametrize("moment", [FIRST, LAST, *BEYOND])
def test_moments_at_the_ends_of_time_give_typed_errors_or_work(plain, moment):
    memory = plain.add("Trains run on rails").id
    try_all(
        [
            lambda: plain.get(memory, at=moment),
            lambda: plain.list(at=moment),
            lambda: plain.search("rails", at=moment),
            lambda: plain.search("rails", since=moment, until=moment),
            lambda: plain.add("An event on rails", event_at=moment),
            lambda: plain.add("A ticket for the rails", expires_at=moment),
            lambda: plain.add_many([{"text": "Old rails", "created_at": moment}]),
            lambda: plain.add_many([{"text": "Used rails", "last_used_at": moment}]),
            lambda: plain.update(memory, expires_at=moment, event_at=moment),
            plain.list,
            plain.lifecycle,
            plain.surface,
            lambda: plain.search("rails"),
        ]
    )
    for text in ("0000-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "9999-12-31T23:59:59-14:00"):
        with pytest.raises(errors.InvalidInput):
            parse_iso(text, "at")
