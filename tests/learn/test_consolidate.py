"""Consolidation on a real store.

What is looked at, what is asked, what is kept, and how it is taken back.
"""

from __future__ import annotations

import re
import threading
from datetime import timedelta

import pytest

from glymph import Glymph, errors
from glymph.jobs.builtin.consolidate import JOB
from glymph.jobs.job import Session, Trigger
from glymph.learn import derive_lessons
from glymph.learn.consolidate import consolidate
from glymph.llm.dialogue import Prices, Reply, Usage
from glymph.moments import micros
from glymph.testing.embedders import WordEmbedder
from tests.grounds.learning import (
    QUIET,
    Analyst,
    closed,
    evidence_of,
    group_of,
    image,
    lessons,
    opened,
    pattern,
    shown,
)

__all__ = ["opened"]
NO = {"pattern": False}


def counter(glymph, name="last_consolidation_at"):
    with glymph._ctx.reading() as reader:
        return reader.counter(name)


# the story


@pytest.mark.parametrize("embedder", ["none", "words"])
def test_five_episodes_become_a_lesson_two_more_strengthen_it_and_no_news_costs_nothing(
    opened, clock, embedder
):
    glymph, model = opened(pattern, embedder="none" if embedder == "none" else WordEmbedder())
    first = closed(glymph, clock, 1, 2, 3, 4, 5)
    done = glymph.consolidate()
    assert dict(done.stats) == {
        "episodes_reviewed": 5, "groups_found": 1, "groups_analyzed": 1, "patterns_created": 1,
        "patterns_strengthened": 0, "errors": 0,
    }  # fmt: skip
    (lesson,) = lessons(glymph)
    assert (lesson.kind, lesson.source, lesson.entities) == ("lesson", "consolidation", ("BTC",))
    assert evidence_of(glymph, lesson.id) == dict.fromkeys(first, 0.7)
    clock.advance(days=1)
    more = closed(glymph, clock, 6, 7)
    again = glymph.consolidate()
    assert (again.patterns_created, again.patterns_strengthened) == (0, 1)
    assert [one.id for one in lessons(glymph)] == [lesson.id]
    links = evidence_of(glymph, lesson.id)
    assert links == pytest.approx({**dict.fromkeys(first, 0.75), **dict.fromkeys(more, 0.7)})
    assert glymph.get(lesson.id).attributes["evidence"]["episodes"] == 7
    clock.advance(days=1)
    third = glymph.consolidate()
    assert (third.calls, third.groups_analyzed, third.operation_id, len(model.asked)) == (
        0,
        0,
        None,
        2,
    )
    assert glymph.verify().ok


def test_lineage_is_seen_from_both_ends_and_recalling_a_lesson_brings_its_evidence(opened, clock):
    glymph, _ = opened(pattern)
    ids = closed(glymph, clock, 1, 2, 3)
    (one,) = glymph.consolidate().groups
    for episode in ids:
        assert [(edge.source, edge.type) for edge in glymph.edges(episode)] == [
            (one.lesson, "generalizes")
        ]
    found = glymph.recall("keep the position until it has turned, shorts pay", limit=10)
    assert set(ids) | {one.lesson} <= {hit.memory.id for hit in found}


def test_episodes_are_untouched_byte_for_byte(opened, clock):
    glymph, _ = opened(pattern)
    closed(glymph, clock, 1, 2, 3, 4)
    before = image(glymph)
    glymph.consolidate()
    after = image(glymph)
    for place, row in before.items():
        assert {
            **after[place],
            "version": row["version"],
        } == row  # a new link lets the version grow


# what is looked at


def test_episodes_are_taken_by_time_however_faded_they_are(opened, clock):
    glymph, model = opened(pattern)
    old = closed(glymph, clock, 1, title="An old one about BTC")
    clock.advance(days=5)
    ids = closed(glymph, clock, 2, 3, 4, kind="signal")
    clock.advance(days=10)
    assert {glymph.get(one).lifecycle for one in ids} != {"ACTIVE"}
    done = glymph.consolidate()
    assert done.episodes_reviewed == 3
    assert set(evidence_of(glymph, done.groups[0].lesson)) == set(ids)
    assert "An old one" not in model.asked[0][1].content
    assert glymph.edges(old[0]) == []


def test_fifteen_are_shown_those_with_an_outcome_first_and_of_these_the_newest(opened, clock):
    glymph, model = opened([NO])
    closed(glymph, clock, *range(1, 19))
    for n in range(5):
        clock.advance(hours=1)
        glymph.add(f"Opened a BTC short, number {n}", kind="trade_entry", title=f"BTC entry #{n}")
    glymph.consolidate()
    titles = [one["title"] for one in shown(model.asked[0])]
    assert titles == [f"BTC short close #{n}, funding squeeze" for n in range(18, 3, -1)]


def test_at_most_five_groups_are_asked_about_the_largest_first_and_the_others_come_next(
    opened, clock
):
    glymph, model = opened(lambda messages, schema: NO)
    for n, symbol in enumerate(("BTC", "ETH", "SOL", "XRP", "DOGE", "ADA", "AVAX")):
        closed(glymph, clock, *range(1, 11 - n), symbol=symbol)
    assert [one.group for one in glymph.consolidate().groups] == [
        "BTC",
        "ETH",
        "SOL",
        "XRP",
        "DOGE",
    ]
    assert [group_of(asked) for asked in model.asked] == ["BTC", "ETH", "SOL", "XRP", "DOGE"]
    assert [one.group for one in glymph.consolidate().groups] == ["ADA", "AVAX"]
    assert glymph.consolidate().groups == ()


def test_a_group_that_waits_has_its_turn_though_others_go_on_growing(opened, clock):
    glymph, model = opened(lambda messages, schema: NO)
    symbols = ("BTC", "ETH", "SOL", "XRP", "DOGE", "ADA", "AVAX")
    for n, symbol in enumerate(symbols):
        closed(glymph, clock, *range(1, 11 - n), symbol=symbol)
    glymph.consolidate()
    for n, symbol in enumerate(symbols[:5]):
        closed(glymph, clock, 20 + n, symbol=symbol)
    assert [one.group for one in glymph.consolidate().groups][:2] == ["ADA", "AVAX"]
    assert {group_of(asked) for asked in model.asked} == set(symbols)


def test_fewer_than_three_episodes_give_figures_and_no_call(opened, clock):
    glymph, model = opened([])
    assert glymph.consolidate().episodes_reviewed == 0
    closed(glymph, clock, 1, 2)
    done = glymph.consolidate()
    assert (done.episodes_reviewed, done.groups_found, done.groups_analyzed, done.calls) == (
        2,
        1,
        0,
        0,
    )
    assert model.asked == []


def test_what_names_nothing_goes_into_the_general_group(opened, clock):
    glymph, model = opened(lambda messages, schema: NO)
    for n in range(3):
        clock.advance(hours=1)
        glymph.add(f"Walked the dog around pond {n}", kind="event")
    assert [one.group for one in glymph.consolidate().groups] == ["_general"]
    assert group_of(model.asked[0]) == "_general"


def test_groups_follow_symbol_then_entity_then_tag_or_what_was_asked_for(opened, clock):
    glymph, _ = opened(lambda messages, schema: NO)
    closed(glymph, clock, 1, 2, 3, attributes={"desk": "two"})
    for n in range(3):
        clock.advance(hours=1)
        glymph.add(
            f"Met Anna in room {n}", kind="event", entities=["Anna"], attributes={"desk": "two"}
        )
        glymph.add(f"The nightly deployment took {n} minutes", kind="event", tags=["ops"])
    assert {one.group for one in glymph.consolidate(dry_run=True).groups} == {"BTC", "Anna", "ops"}
    by_desk = glymph.consolidate(dry_run=True, grouping=["attribute:desk"]).groups
    assert {one.group: one.episodes for one in by_desk} == {"two": 6, "_general": 3}
    with pytest.raises(errors.InvalidInput, match="grouping"):
        glymph.consolidate(grouping=["colour"])


def test_tickers_that_are_words_count_in_upper_case_only(opened, clock):
    glymph, _ = opened(lambda messages, schema: NO)
    for n in range(3):
        clock.advance(hours=1)
        glymph.add(f"The link to the op notes number {n} is apt", kind="event")
        glymph.add(f"Sold OP at {n} dollars", kind="event")
        glymph.add(f"Bought LINK at {n} dollars", kind="event")
    assert {one.group for one in glymph.consolidate(dry_run=True).groups} == {
        "_general",
        "OP",
        "LINK",
    }


def test_what_is_archived_trashed_superseded_or_expired_never_reaches_a_prompt(opened, clock):
    glymph, model = opened([NO])
    closed(glymph, clock, 1, 2, 3)
    words = ("archived", "trashed", "superseded", "expired", "doubtful")
    more = {"expired": {"expires_at": clock.now + timedelta(days=1)}, "doubtful": {"trust": 0.2}}
    gone = {
        word: closed(glymph, clock, n, title=f"BTC {word} one", **more.get(word, {}))[0]
        for n, word in enumerate(words, start=20)
    }
    glymph.archive(gone["archived"])
    glymph.delete(gone["trashed"])
    glymph.supersede(gone["superseded"], "It was another trade, of nothing we know")
    clock.advance(days=2)
    assert glymph.consolidate().groups_analyzed == 1
    assert not re.search("|".join(words), model.asked[0][1].content)
    assert len(shown(model.asked[0])) == 3


def test_two_spaces_never_mix(url, clock):
    model = Analyst(pattern)
    both = [
        Glymph.open(url, clock=clock, model=model, embedder="none", space=name, settings=QUIET)
        for name in "ab"
    ]
    for glymph, numbers in zip(both, ((1, 2, 3), (4, 5, 6, 7)), strict=True):
        closed(glymph, clock, *numbers)
    before = image(both[1])
    assert both[0].consolidate().episodes_reviewed == 3
    assert image(both[1]) == before
    assert both[1].consolidate().episodes_reviewed == 4
    for glymph in both:
        assert len(lessons(glymph)) == 1
        glymph.close()


# what was looked at before


def test_a_group_is_asked_about_again_when_an_episode_of_it_is_new_edited_or_brought_back(
    opened, clock
):
    glymph, model = opened(lambda messages, schema: NO)
    ids = closed(glymph, clock, 1, 2, 3, 4)
    closed(glymph, clock, 1, 2, 3, symbol="ETH")
    assert glymph.consolidate().calls == 2
    clock.advance(hours=1)
    glymph.update(ids[0], title="BTC short close, corrected")
    assert [one.group for one in glymph.consolidate().groups] == ["BTC"]
    glymph.archive(ids[3])
    clock.advance(hours=1)
    assert glymph.consolidate().calls == 0
    glymph.restore(ids[3])
    assert [one.group for one in glymph.consolidate().groups] == ["BTC"]
    closed(glymph, clock, 4, symbol="ETH")
    assert [one.group for one in glymph.consolidate().groups] == ["ETH"]
    assert len(model.asked) == 5


def test_looking_at_episodes_is_no_news(opened, clock):
    glymph, _ = opened([NO])
    ids = closed(glymph, clock, 1, 2, 3)
    glymph.consolidate()
    clock.advance(hours=1)
    glymph.report(glymph.recall("short close").id, used=ids)
    glymph.link(ids[0], ids[1])
    assert glymph.consolidate().groups == ()


def test_what_statistics_looked_at_is_still_shown_to_a_model_that_comes_later(opened, clock):
    plain, _ = opened()
    closed(plain, clock, 1, 2, 3)
    assert [one.by for one in plain.consolidate().groups] == ["statistics"]
    assert plain.consolidate().groups == ()
    glymph, _ = opened(pattern)
    assert glymph.consolidate().patterns_created == 1


# when


def test_it_runs_once_in_twenty_four_hours_if_needed_and_always_when_asked(opened, clock):
    glymph, _ = opened(lambda messages, schema: NO)
    assert glymph.consolidate(if_needed=True).ran
    clock.advance(hours=23)
    skipped = glymph.consolidate(if_needed=True)
    assert (skipped.ran, skipped.why) == (False, "less than 24 hours have passed")
    assert glymph.consolidate().ran
    clock.advance(hours=24)
    assert glymph.consolidate(if_needed=True).ran


def test_a_dry_run_writes_nothing_and_asks_nothing(opened, clock):
    glymph, model = opened([])
    closed(glymph, clock, 1, 2, 3)
    before = image(glymph)
    done = glymph.consolidate(dry_run=True)
    assert [(one.group, one.ending) for one in done.groups] == [("BTC", "waiting")]
    assert (image(glymph), counter(glymph), model.asked) == (before, None, [])


def test_the_job_does_it_when_it_is_due(opened, clock):
    glymph, _ = opened(lambda messages, schema: NO)
    closed(glymph, clock, 1, 2, 3)
    place = glymph._ctx
    assert JOB.run(place, Trigger(Session(id="s1", transcript=None)))["groups_analyzed"] == 1
    assert "skipped" in JOB.run(place, Trigger())
    clock.advance(days=1)
    assert JOB.run(place, Trigger())["groups_analyzed"] == 0


def test_who_is_told_to_stop_stops_and_stays_due(opened, clock):
    stop = threading.Event()

    def script(messages, schema):
        stop.set()
        return errors.ModelCancelled("scripted")

    glymph, model = opened(script)
    closed(glymph, clock, 1, 2, 3)
    closed(glymph, clock, 1, 2, 3, symbol="ETH")
    told = JOB.run(glymph._ctx, Trigger(stop=stop))
    assert (told["stopped"], told["errors"], len(model.asked)) == (True, 0, 1)
    assert glymph.consolidate(if_needed=True, dry_run=True).ran


def test_progress_is_told_after_each_group(opened, clock):
    glymph, _ = opened(lambda messages, schema: NO)
    closed(glymph, clock, 1, 2, 3)
    closed(glymph, clock, 1, 2, 3, symbol="ETH")
    told = []
    glymph.consolidate(progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]


def test_lifecycle_waits_for_consolidation_and_no_longer(opened, clock):
    glymph, _ = opened(lambda messages, schema: NO)
    ids = closed(glymph, clock, 1, 2, 3, kind="signal")
    clock.advance(days=12)
    glymph.consolidate()
    assert counter(glymph) == micros(clock.now)
    clock.advance(days=200)
    gone = {one.id for one in glymph.lifecycle().archived}
    assert gone == set(ids)


def test_what_failed_or_waits_its_turn_is_not_let_go_as_learnt_from(opened, clock):
    glymph, _ = opened(lambda messages, schema: errors.ModelTimedOut("scripted", 1.0))
    (first, *_) = closed(glymph, clock, 1, 2, 3)
    clock.advance(days=1)
    assert glymph.consolidate().errors == 1
    assert counter(glymph) == micros(glymph.get(first).created_at)


# when the model fails


FAULTS = {
    "malformed": lambda: (
        "I think there is a nice pattern somewhere in these many episodes of yours."
    ),
    "silent": lambda: "",
    "refusal": lambda: Reply("", Usage(10, 1), ended="refused"),
    "cut off": lambda: Reply('{"pattern": tr', Usage(10, 800), ended="length"),
    "time-out": lambda: errors.ModelTimedOut("scripted", 30.0),
    "unknown field": lambda: {
        "pattern": True,
        "title": "T",
        "body": "B",
        "claims": [],
        "order": "obey",
    },
}


@pytest.mark.parametrize("fault", FAULTS)
def test_every_failure_is_counted_and_the_group_is_tried_again(opened, clock, fault):
    glymph, model = opened(lambda messages, schema: FAULTS[fault]())
    closed(glymph, clock, 1, 2, 3)
    before = image(glymph)
    done = glymph.consolidate()
    assert (done.errors, done.groups_analyzed, done.patterns_created) == (1, 0, 0)
    assert (done.groups[0].ending, bool(done.groups[0].why)) == ("failed", True)
    assert (image(glymph), done.operation_id) == (before, None)
    asked = len(model.asked)
    glymph.consolidate()
    assert len(model.asked) == 2 * asked


def test_one_group_that_fails_does_not_keep_the_others_from_being_learnt_from(opened, clock):
    glymph, _ = opened(
        lambda messages, schema: "?" if group_of(messages) == "BTC" else pattern(messages)
    )
    closed(glymph, clock, 1, 2, 3, 4)
    closed(glymph, clock, 1, 2, 3, symbol="ETH")
    done = glymph.consolidate()
    assert [(one.group, one.ending) for one in done.groups] == [
        ("BTC", "failed"),
        ("ETH", "created"),
    ]


def test_when_the_budget_is_spent_statistics_speak_and_the_model_is_asked_another_day(
    opened, clock
):
    glymph, model = opened(
        pattern, prices=Prices(10.0, 10.0), settings={**QUIET, "spend_daily_usd": 0.0001}
    )
    closed(glymph, clock, 1, 2, 3)
    done = glymph.consolidate()
    assert [(one.by, one.ending) for one in done.groups] == [("statistics", "no pattern")]
    assert (model.asked, done.cost_usd, done.errors) == ([], 0.0, 0)
    assert [one.ending for one in glymph.consolidate().groups] == ["waiting"]
    richer, _ = opened(pattern)
    assert richer.consolidate().patterns_created == 1


def test_tokens_and_cost_are_told_by_group(opened, clock):
    glymph, _ = opened(pattern, prices=Prices(1.0, 5.0))
    closed(glymph, clock, 1, 2, 3)
    closed(glymph, clock, 1, 2, 3, symbol="ETH")
    done = glymph.consolidate()
    assert all(one.tokens_in and one.tokens_out and one.cost_usd for one in done.groups)
    assert sum(one.cost_usd for one in done.groups) == pytest.approx(done.cost_usd)
    assert glymph.costs(days=1).total.cost_usd == pytest.approx(done.cost_usd)


def test_a_lost_lease_goes_through(opened, clock, monkeypatch):
    glymph, _ = opened(pattern)
    closed(glymph, clock, 1, 2, 3)

    def lost(*args, **kwargs):
        raise errors.LeaseLost("another")

    monkeypatch.setattr(derive_lessons.keep_lessons, "create", lost)
    with pytest.raises(errors.LeaseLost):
        consolidate(glymph._ctx)
    assert lessons(glymph) == []


@pytest.mark.parametrize("answers", [None, pattern])
def test_a_number_too_large_stops_nothing(opened, clock, answers):
    glymph, _ = opened(answers)
    closed(glymph, clock, *range(1, 20))
    closed(
        glymph, clock, *range(20, 40), won=False, attributes={"size": 10**309, "pnl_usd": 10**309}
    )
    assert glymph.consolidate().errors == 0


# taking it back


def test_a_run_undoes_as_one_and_what_was_undone_is_not_learnt_again_until_there_is_news(
    opened, clock
):
    glymph, model = opened(pattern)
    closed(glymph, clock, 1, 2, 3, 4, 5)
    closed(glymph, clock, 1, 2, 3, symbol="ETH")
    before = image(glymph)
    done = glymph.consolidate()
    assert done.patterns_created == 2
    clock.advance(hours=1)
    glymph.undo(done.operation_id)
    assert image(glymph) == before
    assert (glymph.consolidate().calls, len(model.asked)) == (0, 2)
    closed(glymph, clock, 6)
    assert glymph.consolidate().patterns_created == 1
    assert glymph.verify().ok


def test_a_strengthening_undoes_as_well(opened, clock):
    glymph, _ = opened(pattern, embedder=WordEmbedder())
    closed(glymph, clock, 1, 2, 3, 4, 5)
    glymph.consolidate()
    closed(glymph, clock, 6, 7, 8, 9)
    before = image(glymph)
    done = glymph.consolidate()
    assert [one.kind for one in lessons(glymph)] == ["playbook"]
    glymph.undo(done.operation_id)
    assert image(glymph) == before
