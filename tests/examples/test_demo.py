"""The demo is a life that is the same for the same seed.

It holds what was planted, and loads into a sound store.
"""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from examples.demo import report, run
from examples.demo.chapters import finding
from examples.demo.events import Ask, Event, Learn
from examples.demo.halfyear import END, START, WEEKENDS_FREE_FROM, day_of, is_weekend, moment
from examples.demo.life import life
from examples.demo.play import Clock, Played, play
from examples.demo.questions import OTHER_WORDS
from examples.demo.story import read_stories
from glymph import Glymph
from glymph.errors import InvalidInput
from glymph.testing.embedders import WordEmbedder
from glymph.text.normal import content_hash, normalise
from glymph.text.query import telling_words

pytestmark = pytest.mark.nightly  # the long demo takes most of a minute
SEEDS = (7, 1, 42)
SILENT_FROM = 59  # the day after the last trade on the abandoned symbol is closed


@dataclass(frozen=True)
class Lived:
    glymph: Glymph
    played: Played
    facts: dict[str, Any]


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lived]:
    url = f"sqlite:///{tmp_path_factory.mktemp('demo')}/demo.db"
    clock = Clock(START)
    with Glymph.open(
        url, space="demo", actor="demo", clock=clock, embedder="none", reader="none"
    ) as glymph:
        played = play(glymph, clock, life())
        yield Lived(glymph, played, report.facts(glymph, played))


@cache
def events(seed: int = 7) -> tuple[Event, ...]:
    return tuple(event for day in life(seed) for event in day.events)


def learned(seed: int = 7, kind: str | None = None) -> list[Learn]:
    found = [event for event in events(seed) if isinstance(event, Learn)]
    return [event for event in found if kind is None or event.fields["kind"] == kind]


def closes(seed: int = 7, **attributes: str) -> list[dict[str, Any]]:
    found = [event.fields["attributes"] for event in learned(seed, "trade_close")]
    return [a for a in found if attributes.items() <= a.items()]


def win_rate(trades: list[dict[str, Any]]) -> float:
    return sum(trade["outcome"] == "win" for trade in trades) / len(trades)


# the life


def test_the_same_seed_gives_the_same_life():
    assert list(life(7)) == list(life(7))


def test_another_seed_gives_another_life():
    assert list(life(7)) != list(life(8))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_life_has_about_fifteen_hundred_memories(seed):
    memories = [event for event in learned(seed) if event.repeats is None]
    assert 1300 <= len(memories) <= 1700


@pytest.mark.parametrize("seed", SEEDS)
def test_events_stand_in_order_on_their_own_day(seed):
    for day in life(seed):
        times = [event.at for event in day.events]
        assert times == sorted(times)
        assert {at.date() for at in times} <= {day.date}


@pytest.mark.parametrize("seed", SEEDS)
def test_every_ref_is_unique_and_learned_before_it_is_named(seed):
    known: set[str] = set()
    for event in events(seed):
        match event:
            case Learn():
                assert {ref for ref, _ in event.links} <= known
                assert event.ref not in known
                known.add(event.ref)
            case Ask():
                assert {*event.used, *event.confirmed, *event.contradicted} <= known


def test_no_phrase_is_left_unfilled():
    assert not [
        event.fields["text"] for event in learned() if re.search(r"[{}]", event.fields["text"])
    ]


def test_texts_of_a_kind_are_rarely_the_same():
    counts = Counter(
        normalise(event.fields["text"]) for event in learned() if event.repeats is None
    )
    assert sum(n - 1 for n in counts.values()) < 20


# what was planted


@pytest.mark.parametrize("seed", SEEDS)
def test_breakouts_win_on_high_volume_and_lose_on_low(seed):
    high = closes(seed, setup="breakout", volume="high")
    low = closes(seed, setup="breakout", volume="low")
    assert len(high) >= 12
    assert len(low) >= 12
    assert 0.74 <= win_rate(high) <= 0.81
    assert win_rate(low) <= 0.36
    assert sum(trade["pnl_pct"] for trade in high) > 0 > sum(trade["pnl_pct"] for trade in low)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_last_two_weeks_of_sol_hold_a_playbook_to_be_found(seed):
    recent = [
        event.fields["attributes"]
        for event in learned(seed, "trade_close")
        if event.at >= END - timedelta(days=14) and event.fields["attributes"]["symbol"] == "SOL"
    ]
    strong = [trade for trade in recent if trade["volume"] == "high"]
    assert len(strong) >= 8
    assert 0.7 <= win_rate(strong) <= 0.85
    assert {trade["direction"] for trade in strong} == {"long"}
    assert win_rate([trade for trade in recent if trade["volume"] == "low"]) < 0.5


@pytest.mark.parametrize("seed", SEEDS)
def test_the_abandoned_symbol_and_project_fall_silent(seed):
    about = {"DOT": 0, "heatmap": 0}
    for event in events(seed):
        text = event.fields["text"] if isinstance(event, Learn) else getattr(event, "query", "")
        for topic in about:
            if re.search(rf"\b{topic}\b", text, re.IGNORECASE if topic == "heatmap" else 0):
                about[topic] += 1
                assert event.at < moment(SILENT_FROM), text
    assert about["DOT"] > 60
    assert about["heatmap"] > 15


def test_some_topics_are_used_until_the_end():
    late = {
        ref
        for event in events()
        if isinstance(event, Ask) and event.at >= END - timedelta(days=10)
        for ref in (*event.used, *event.confirmed)
    }
    assert {"risk-half", "play-breakout", "report-short"} <= late


def test_changed_statements_speak_of_the_same_attribute_with_another_value():
    by_ref = {story.ref: story for story in read_stories()}
    changes = [(by_ref[story.changes], story) for story in by_ref.values() if story.changes]
    assert len(changes) >= 10
    for old, new in changes:
        assert new.day > old.day
        assert old.kind == new.kind
        assert set(old.fields["entities"]) == set(new.fields["entities"])
        before, after = old.fields.get("attributes", {}), new.fields.get("attributes", {})
        assert before.keys() == after.keys()
        assert not before or before != after


@pytest.mark.parametrize("seed", SEEDS)
def test_views_that_turn_contradict_the_one_before(seed):
    theses = {event.ref: event for event in learned(seed, "thesis")}
    turned = [
        (event, theses[ref])
        for event in theses.values()
        for ref, link in event.links
        if link == "contradicts"
    ]
    assert len(turned) >= 8
    for new, old in turned:
        assert new.fields["attributes"]["symbol"] == old.fields["attributes"]["symbol"]
        assert new.fields["attributes"]["direction"] != old.fields["attributes"]["direction"]


def test_repeats_differ_in_case_or_spacing_only():
    by_ref = {event.ref: event.fields for event in learned()}
    repeats = [(event.fields, by_ref[event.repeats]) for event in learned() if event.repeats]
    assert len(repeats) >= 40
    for again, first in repeats:
        assert content_hash(again["text"], again["kind"], None) == content_hash(
            first["text"], first["kind"], None
        )
    assert sum(again["text"] != first["text"] for again, first in repeats) >= 35


def test_rewordings_keep_every_number_but_not_the_words():
    by_ref = {event.ref: event.fields for event in learned()}
    pairs = [(event.fields, by_ref[event.rewords]) for event in learned() if event.rewords]
    assert len(pairs) >= 25
    for again, first in pairs:
        assert again["kind"] == first["kind"]
        assert normalise(again["text"]) != normalise(first["text"])
        assert set(re.findall(r"\d+", again["text"])) <= set(re.findall(r"\d+", first["text"]))


def test_trades_keep_the_rules_the_user_set():
    for entry in learned(kind="trade_entry"):
        day = day_of(entry.at)
        expected = 1.0 if day < 52 else 0.75 if day < 124 else 0.5
        assert entry.fields["attributes"]["risk_pct"] == expected
        assert day < WEEKENDS_FREE_FROM or not is_weekend(day)


def test_every_close_is_linked_to_its_entry():
    for close in learned(kind="trade_close"):
        entry = close.ref.replace("-close", "-entry")
        assert set(close.links) == {(entry, "part_of"), (entry, "caused_by")}


def test_questions_in_other_words_share_no_word_with_their_answer():
    texts = {
        event.ref: set(re.findall(r"\w+", event.fields["text"].casefold())) for event in learned()
    }
    for ref, question in OTHER_WORDS.items():
        words = {word.casefold() for word in telling_words(re.findall(r"\w+", question))}
        assert not words & texts[ref], question
        assert not words & texts.get(f"{ref}-again", set()), question


# playing and reporting


def test_playing_leaves_a_sound_store(lived):
    assert lived.glymph.verify().ok


def test_every_statement_became_a_memory_or_a_reinforcement(lived):
    repeats = sum(event.repeats is not None for event in learned())
    played = lived.played
    assert played.learned == len(learned())
    assert played.duplicates >= repeats
    assert lived.facts["loaded"]["memories"] == played.learned - played.duplicates - played.refused
    first = next(event for event in learned() if event.repeats)
    assert played.ids[first.ref] == played.ids[first.repeats]
    assert lived.glymph.get(played.ids[first.ref]).access_count >= 1


def test_most_recalls_show_the_memory_that_was_meant(lived):
    assert lived.played.uses / (lived.played.uses + lived.played.unseen) > 0.85


def test_what_is_asked_for_stays_present_and_what_fell_silent_fades(lived):
    def mean(memories):
        return sum(memory.retrievability for memory in memories) / len(memories)

    alive = [
        lived.glymph.get(lived.played.ids[ref])
        for ref in ("risk-half", "play-breakout", "thin-breaks")
    ]
    assert mean(alive) > 0.98
    assert mean(lived.glymph.list(limit=1000, tags=["dot"])) < 0.65
    assert mean(lived.glymph.list(limit=1000, tags=["heatmap"])) < 0.8


def test_the_report_is_json_with_a_key_for_each_chapter(lived):
    assert json.loads(json.dumps(lived.facts)) == lived.facts
    assert lived.facts.keys() == {"space", "now", *report.CHAPTERS}
    assert lived.facts["now"] == END.isoformat()


def test_the_reports_numbers_agree_with_health(lived):
    undone = lived.glymph.undo(lived.facts["pruning"]["operation"])
    health = lived.glymph.health()
    lived.glymph.undo(undone.operation_id)  # as the report left it
    loaded, lifecycle = lived.facts["loaded"], lived.facts["lifecycle"]
    assert loaded["by_section"] == health.by_section
    assert {
        kind: n for kinds in loaded["kinds"].values() for kind, n in kinds.items()
    } == health.by_kind
    assert (loaded["links"], loaded["pinned"]) == (health.edges, health.pinned)
    cleared_up = 4  # by the chapters on forgetting and on sleep
    assert (
        (loaded["archived"], loaded["trashed"])
        == (health.archived, health.trashed - cleared_up)
        == (5, 1)
    )
    assert lifecycle["all"] == {
        "ACTIVE": health.active,
        "WEAK": health.weak,
        "DORMANT": health.dormant,
    }
    assert {name: sum(n.values()) for name, n in lifecycle["sections"].items()} == health.by_section
    assert lived.facts["log"]["operations"] == health.operations - 1  # the undo just now


def test_without_a_reader_and_vectors_nothing_is_judged(lived):
    changed = lived.facts["changed"]
    assert (changed["updated"], changed["hidden"], changed["questions"]) == ([], 0, 0)
    assert len(changed["found"]) == 3
    assert all(one["refused"] for one in changed["noise"])


def test_the_last_session_is_read_by_rules_and_its_secret_masked(lived):
    asleep = lived.facts["asleep"]
    assert len(asleep["kept"]) == 2
    assert asleep["masked"] == 1
    assert asleep["cost_usd"] == 0
    assert 0 < asleep["archived"] <= asleep["cap"]
    assert asleep["waiting"] > 0
    assert asleep["digest_tokens"] <= 2000
    assert "## Goals" in asleep["digest"]
    assert "sk-" not in json.dumps(asleep)


def test_lessons_have_their_evidence_and_are_not_learnt_twice(lived):
    learnt = lived.facts["learnt"]
    assert {"playbook"} <= {one["kind"] for one in learnt["learnt"]} <= {"lesson", "playbook"}
    assert all(f" of {one['evidence']} trades won" in one["text"] for one in learnt["learnt"])
    assert learnt["second_run"] == {"groups": 0, "calls": 0}
    assert learnt["playbooks"][0]["rate"] >= 0.7
    assert "breakout" in learnt["learnt"][-1]["text"] or "breakout" in learnt["learnt"][0]["text"]


def test_a_number_is_forgotten_in_every_spelling_and_its_neighbour_stays(lived):
    told = lived.facts["on_request"]
    assert [one["kind"] for one in told["actions"]] == ["rewrite", "remove"]
    assert told["actions"][0]["new"] == "The rent is due on the third."
    assert (told["reachable"], told["complete"]) == (0, True)
    assert told["others_kept"] == "The agency's number is +49 30 5550 12345."
    assert "tombstoned" in told["again"]["refused"]


def test_pruning_keeps_recall_and_is_taken_back_whole_and_done_again(lived):
    pruning = lived.facts["pruning"]
    assert pruning["pruned"] == pruning["restored"] == pruning["pruned_again"] > 100
    assert pruning["planned"] == pruning["pruned"] + pruning["left"]
    assert pruning["identical"]
    assert pruning["changed"]
    assert pruning["answered"]["pruned"] >= pruning["answered"]["before"] - 1
    stale = [group["staleness"] for group in pruning["groups"]]
    assert stale == sorted(stale, reverse=True)
    assert min(stale) >= 0.7


def test_the_forgetting_is_taken_back_whole(lived):
    forgetting = lived.facts["forgetting"]
    assert forgetting["archived"] == forgetting["restored"] == 5
    assert forgetting["found_while_archived"] == 0
    assert forgetting["same_hits"]
    assert forgetting["identical"]
    prints = forgetting["fingerprints"]
    assert prints["before"] == prints["undone"] != prints["archived"]


def test_protected_and_pinned_memories_refuse_to_go(lived):
    tries = lived.facts["protection"]["tries"]
    assert [(t["verb"], t["kind"], t["done"], t["state"]) for t in tries] == [
        ("delete", "self", False, "LIVE"),
        ("archive", "playbook", False, "LIVE"),
    ]


def test_without_a_model_words_names_links_and_dates_still_find(lived):
    finding = lived.facts["finding"]
    assert (finding["embedder"], finding["meaning"]["found"]) == (None, [])
    assert all(hit["in_field"] for hit in finding["name"]["found"] if "affinity" in hit["parts"])
    link = finding["link"]
    assert link["reached"]["id"] == lived.played.ids["paper-list"]
    assert "caused_by" in link["reached"]["why"]
    assert link["place"] == link["place_with_link_again"]
    assert link["place_without_link"] is None
    city, drawdown = finding["dates"]
    assert city["then"][0]["id"] == lived.played.ids["home-lisbon"]
    assert drawdown["then"][0]["id"] == lived.played.ids["bad-number"]
    assert drawdown["then"][0]["since"] == "TRASHED since 23 June"
    assert [one["by_both"] for one in finding["compared"]] == [None, None]
    assert finding["compared"][0]["by_words"]["within_10"] > 40
    assert "There is no model here" in shown(lived.facts["finding"])


def test_with_a_model_both_ways_of_searching_are_compared(lived, tmp_path):
    copy = f"sqlite:///{lived.glymph.backup(tmp_path / 'copy.db')}"
    words = WordEmbedder(ms=0.0)
    with Glymph.open(copy, space="demo", clock=Clock(lived.played.ended), embedder=words) as glymph:
        glymph.embed()
        facts = finding.gather(glymph, lived.played)
    assert (facts["embedder"], facts["dimension"], facts["waiting"]) == ("words", 64, 0)
    own, other = facts["compared"]
    assert own["by_both"]["asked"] == own["by_words"]["asked"] > 40
    assert other["by_both"]["asked"] == other["by_words"]["asked"] == len(OTHER_WORDS)
    assert "Every memory has a vector of words: 64 numbers" in shown(facts)
    assert "and by meaning" in shown(facts)
    assert "12 still wait, the others have a vector" in shown({**facts, "waiting": 12})


def shown(facts: dict[str, Any]) -> str:
    """The chapter about finding as people see it, without its line breaks."""
    out = io.StringIO()
    finding.show(Console(file=out, width=80, highlight=False), facts)
    return " ".join(out.getvalue().split())


@pytest.mark.parametrize("width", [80, 100])
def test_the_report_fits_the_terminal(lived, width):
    page = io.StringIO()
    report.show(Console(file=page, width=width, highlight=False), lived.facts)
    lines = page.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    for words in ("dormant", "identical", "refused: it is protected", "undone", "no problem found"):
        assert words in page.getvalue()
    assert not [line for line in lines if re.match(r"\s+…", line)]


# the command


@pytest.fixture
def short_life(monkeypatch: pytest.MonkeyPatch) -> None:
    weeks = list(life())[:40]
    monkeypatch.setattr("examples.demo.life.life", lambda seed: iter(weeks))


def test_without_a_url_nothing_is_left_behind(short_life, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert run.run(None, False) == 0
    assert "What was loaded" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_with_a_url_the_space_demo_is_kept_and_not_loaded_twice(
    short_life, tmp_path: Path, capsys, monkeypatch
):
    monkeypatch.setenv("GLYMPH_CONFIG", str(tmp_path / "none.toml"))
    url = f"sqlite:///{tmp_path}/kept.db"
    assert run.run(url, True, 7) == 0
    assert json.loads(capsys.readouterr().out)["seed"] == 7
    with Glymph.open(url, space="demo", create=False) as glymph:
        before = glymph.health().operations
    with pytest.raises(InvalidInput, match="demo"):
        run.run(url, True, 7)
    with Glymph.open(url, space="demo", create=False) as glymph:
        assert glymph.health().operations == before
