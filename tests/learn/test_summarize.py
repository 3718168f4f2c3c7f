"""Summaries of everyday memory on a real store: written, kept in step, taken back, erased."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from glymph import Glymph
from glymph.forget.purge import purge
from glymph.learn import summarize
from glymph.learn.summary import Statement, choose_lines, write_text
from glymph.moments import MICROS_PER_DAY
from glymph.testing.embedders import WordEmbedder
from tests.grounds.learning import image, opened

__all__ = ["opened"]

GARDEN = (
    "Mara waters the tomatoes every evening at seven because the sun burns them at noon.",
    "Mara bought a drip hose from Brandt for 42 euros, and it leaks at the third joint.",
    "The compost heap behind Mara's shed must never get citrus, since the worms die of it.",
    "Mara's greenhouse is heated by an oil radiator of 1,500 watts from November to March.",
    "Mara sowed Hokkaido pumpkins on 4 May and counts on about twenty of them in September.",
    "Hello there! It was nice. Mara keeps the seeds in the blue tin on the upper shelf.",
)


def told(glymph, texts=GARDEN, **fields):
    options = {"kind": "fact", "entities": ["Mara"], **fields}
    return [glymph.add(text, **options).id for text in texts]


def summaries(glymph, **filters):
    return list(glymph.list(kinds=["summary"], **filters))


def drawn_from(glymph, memory):
    return {edge.target for edge in glymph.edges(memory.id) if edge.source == memory.id}


# what it says


def test_a_summary_is_made_of_the_sentences_that_tell_most_with_their_days():
    said = [Statement(str(n), n * MICROS_PER_DAY, text) for n, text in enumerate(GARDEN)]
    lines = choose_lines(said, 0.5)
    assert 2 <= len(lines) < len(GARDEN)
    assert [line.at for line in lines] == sorted(line.at for line in lines)
    by_id = {one.id: one.text for one in said}
    assert all(line.text in by_id[line.sources[0]] for line in lines)
    assert "Hello there" not in write_text(lines)
    assert write_text(lines).startswith("1970-01-0")


def test_what_may_be_vital_is_always_in_it_and_nothing_is_said_twice():
    said = [Statement(str(n), n, text) for n, text in enumerate([*GARDEN, GARDEN[1]])]
    said.append(Statement("v", 99, "Mara is allergic to wasps.", vital=True))
    lines = choose_lines(said, 0.9)
    assert "Mara is allergic to wasps." in [line.text for line in lines]
    assert sum("drip hose" in line.text for line in lines) == 1


def test_questions_and_scraps_are_no_lines():
    said = [Statement("a", 0, "Really? Wow. Is the greenhouse heated with oil in the winter?")]
    assert choose_lines(said, 1.0) == []


# on a store


@pytest.mark.parametrize("way", ["entity", "tag", "community"])
def test_several_statements_about_one_subject_become_a_summary_that_links_to_them(opened, way):
    glymph, _ = opened()
    fields = {"entity": {}, "tag": {"entities": [], "tags": ["garden"]}}.get(way, {"entities": []})
    ids = told(glymph, **fields)
    if way == "community":
        for one in ids[1:]:
            glymph.link(one, ids[0], "related_to")
    done = glymph.consolidate()
    (summary,) = summaries(glymph)
    assert done.summaries_written == 1
    assert done.summaries[0].summary == summary.id
    assert drawn_from(glymph, summary) <= set(ids)
    assert len(drawn_from(glymph, summary)) >= 2
    assert summary.title == {"entity": "Mara", "tag": "garden"}.get(way, summary.title)
    assert len(summary.text) < sum(map(len, GARDEN)) / 2
    assert [glymph.get(one).text for one in ids] == list(GARDEN)


def test_nothing_new_writes_nothing_and_new_statements_rewrite_it(opened, clock):
    glymph, _ = opened()
    told(glymph)
    glymph.consolidate()
    (first,) = summaries(glymph)
    clock.advance(days=1)
    again = glymph.consolidate()
    assert (again.summaries, again.operation_id) == ((), None)
    clock.advance(days=1)
    new = "Mara sold the oil radiator on 3 October to Henrik Olsson in Uppsala for 75 euros."
    told(glymph, [new])
    third = glymph.consolidate()
    (now,) = summaries(glymph)
    assert [one.ending for one in third.summaries] == ["rewritten"]
    assert now.id == first.id
    assert new in now.text
    assert drawn_from(glymph, now) == set(now.attributes["drawn_from"])


def test_too_few_too_short_or_another_kind_makes_none(opened):
    glymph, _ = opened()
    told(glymph, GARDEN[:4])
    told(glymph, [f"Ole sees {n}." for n in range(9)], entities=["Ole"])
    told(glymph, GARDEN, kind="lesson", entities=["Lena"])
    told(glymph, GARDEN, kind="goal", entities=["Nils"])
    assert glymph.consolidate().summaries == ()
    assert summaries(glymph) == []


def test_it_can_be_switched_off_and_a_dry_run_writes_nothing(opened):
    off, _ = opened(settings={"compare": "off", "summaries": "off"})
    told(off)
    assert off.consolidate().summaries == ()
    on, _ = opened()
    before = image(on)
    assert [one.ending for one in on.consolidate(dry_run=True).summaries] == ["waiting"]
    assert image(on) == before


def test_a_large_subject_is_told_month_by_month(opened, clock):
    glymph, _ = opened()
    for month in range(3):
        told(glymph, [f"{text} It is {n} of {month}." for n in range(3) for text in GARDEN])
        clock.advance(days=31)
    assert 3 * 3 * len(GARDEN) > summarize.MOST
    glymph.consolidate()
    titles = [one.title for one in summaries(glymph)]
    assert len(titles) == 3
    assert all(title.startswith("Mara, 20") for title in titles)
    assert {one.entities for one in summaries(glymph)} == {("Mara",)}


# in step with what it is drawn from


def change(glymph, verb, memory_id):
    if verb == "supersede":
        glymph.supersede(memory_id, "Mara gave up on everything in the garden.")
    elif verb == "update":
        glymph.update(memory_id, text="Mara does something else with the tin now.")
    elif verb == "delete":
        glymph.delete(memory_id)
    elif verb == "purge":
        purge(glymph._ctx, memory_id)


@pytest.mark.parametrize("verb", ["supersede", "update", "delete", "purge"])
def test_a_summary_is_not_shown_once_what_it_says_is_no_longer_said(opened, clock, verb):
    glymph, _ = opened()
    ids = told(glymph)
    glymph.consolidate()
    (summary,) = summaries(glymph)
    line = summary.text.splitlines()[0].partition(": ")[2]
    assert summary.id in [hit.memory.id for hit in glymph.search(line)]
    source = next(one for one in drawn_from(glymph, summary) if line in glymph.get(one).text)
    clock.advance(hours=1)
    change(glymph, verb, source)
    assert summary.id not in [hit.memory.id for hit in glymph.search(line)]
    if verb == "purge":
        assert summaries(glymph) == []
        return
    clock.advance(hours=1)
    glymph.undo()
    assert summary.id in [hit.memory.id for hit in glymph.search(line)]
    clock.advance(hours=1)
    change(glymph, verb, source)
    clock.advance(days=1)
    glymph.consolidate()
    assert all(line not in one.text for one in summaries(glymph))
    assert verb == "update" or source not in {
        to for one in summaries(glymph) for to in drawn_from(glymph, one)
    }
    assert len(ids) == len(GARDEN)


def test_it_outlives_memories_that_faded_and_were_archived(opened, clock):
    glymph, _ = opened()
    ids = told(glymph)
    glymph.consolidate()
    (summary,) = summaries(glymph)
    clock.advance(days=4)
    glymph.archive(ids[:2])
    assert summary.id in [hit.memory.id for hit in glymph.search("Mara tomatoes compost hose")]


def test_what_was_archived_stays_in_it_when_it_is_written_anew(opened, clock):
    glymph, _ = opened(settings={"compare": "off", "summary_share": 0.9})
    ids = told(glymph)
    glymph.consolidate()
    (summary,) = summaries(glymph)
    assert "drip hose" in summary.text
    clock.advance(days=4)
    glymph.archive(ids[1])
    told(glymph, ["Mara sold the oil radiator on 3 October to Henrik Olsson for 75 euros."])
    glymph.consolidate()
    (now,) = summaries(glymph)
    assert "Henrik Olsson" in now.text
    assert "drip hose" in now.text


def test_what_happened_earlier_but_was_told_now_is_new(opened, clock):
    glymph, _ = opened()
    told(glymph)
    glymph.consolidate()
    clock.advance(days=2)
    told(glymph, ["Mara planted the quince at the east wall with Henrik Olsson on 12 April."],
         event_at=clock() - timedelta(days=200))  # fmt: skip
    assert glymph.consolidate().summaries_written == 1


def test_a_summary_without_memories_goes_into_the_trash(opened, clock):
    glymph, _ = opened()
    ids = told(glymph)
    glymph.consolidate()
    (summary,) = summaries(glymph)
    clock.advance(days=4)
    glymph.delete(ids[:4])
    done = glymph.consolidate()
    assert [(one.ending, one.summary) for one in done.summaries] == [("removed", summary.id)]
    assert summaries(glymph) == []
    glymph.undo(done.operation_id)
    assert [one.id for one in summaries(glymph)] == [summary.id]


def test_what_somebody_has_edited_is_theirs(opened, clock):
    glymph, _ = opened()
    told(glymph)
    glymph.consolidate()
    (summary,) = summaries(glymph)
    glymph.update(summary.id, text="Mara has a garden in Celle, and knows all about pumpkins.")
    clock.advance(days=1)
    told(glymph, ["Mara sold the oil radiator on 3 October to Henrik Olsson for 75 euros."])
    glymph.consolidate()
    assert "in Celle" in glymph.get(summary.id).text
    assert len(summaries(glymph)) == 2


def test_one_undo_takes_it_all_back(opened):
    glymph, _ = opened()
    told(glymph)
    before = image(glymph)
    done = glymph.consolidate()
    glymph.undo(done.operation_id)
    assert image(glymph) == before
    assert glymph.verify().ok


# beside everything else


def test_it_replaces_nothing_is_no_duplicate_and_stands_in_no_digest(url, clock):
    with Glymph.open(url, clock=clock, embedder=WordEmbedder()) as glymph:
        ids = told(glymph)
        glymph.consolidate()
        glymph.settle()
        (summary,) = summaries(glymph)
        assert all(glymph.get(one).superseded_by is None for one in ids)
        assert glymph.questions() == []
        assert summary.title not in [line.strip("- ") for line in glymph.surface().splitlines()]
        assert summary.text.splitlines()[0] not in glymph.surface()
        glymph.garden()
        assert len(summaries(glymph)) == 1
        told_of = {one.id for one in glymph.candidates(min_staleness_days=0).candidates}
        assert not told_of & set(ids)


@pytest.mark.parametrize("before", ["there", "undone", "rewritten"])
def test_a_purge_leaves_nothing_of_it_in_any_summary_or_its_past(opened, clock, before):
    glymph, _ = opened()
    ids = told(glymph)
    done = glymph.consolidate()
    (summary,) = summaries(glymph)
    source = next(iter(drawn_from(glymph, summary)))
    secret = next(
        line for line in summary.text.splitlines() if line[12:] in glymph.get(source).text
    )
    clock.advance(hours=1)
    if before == "undone":
        glymph.undo(done.operation_id)
    elif before == "rewritten":
        glymph.archive(source)
        told(
            glymph,
            [f"Mara paid {n}{n} euros to gardener Tom Weil on {n} June." for n in range(1, 9)],
        )
        glymph.consolidate()
    purge(glymph._ctx, source)
    with glymph._ctx.store.writing(glymph.space, None) as writer:
        keys = list(range(1, 200))
        past = [*writer.past_texts(keys), *writer.past_words(keys)]
    assert past
    assert not any(secret[12:] in one for one in past)
    assert secret[12:] not in str(image(glymph))
    assert glymph.verify().ok
    assert len(ids) == len(GARDEN)


def test_forgetting_by_a_request_leaves_no_summary_that_tells_it(opened, clock):
    glymph, _ = opened()
    told(glymph)
    glymph.consolidate()
    clock.advance(hours=1)
    plan = glymph.forget("Forget about the drip hose from Brandt")
    glymph.forget("Forget about the drip hose from Brandt", apply=True)
    assert plan
    assert not any("Brandt" in hit.memory.text for hit in glymph.search("Brandt drip hose"))


# with a language model


def by_model(messages, schema=None, **other):
    content = messages[1].content.splitlines()
    records = [json.loads(line) for line in content if line.startswith("{")]
    assert records[0] == {"subject": "Mara"}
    lines = [
        {"text": "Mara waters the tomatoes at seven and heats with 1,500 watts.", "of": [1, 4]},
        {"text": "Mara paid 99 euros for a drip hose.", "of": [2]},
    ]
    return json.dumps({"lines": lines})


def test_a_model_words_it_and_lines_that_nothing_bears_out_are_dropped(opened, clock):
    glymph, model = opened(by_model)
    ids = told(glymph)
    done = glymph.consolidate()
    (summary,) = summaries(glymph)
    assert "heats with 1,500 watts" in summary.text
    assert "99" not in summary.text
    assert [one.by for one in done.summaries] == ["model"]
    assert len(done.summaries[0].dropped) == 1
    assert drawn_from(glymph, summary) == {ids[0], ids[3]}
    clock.advance(days=1)
    asked = len(model.asked)
    assert glymph.consolidate().calls == 0
    assert len(model.asked) == asked


@pytest.mark.parametrize(
    "reply",
    ["no", "{}", '{"lines": [{"text": "", "of": [1]}]}', '{"lines": [{"text": "a", "of": [99]}]}'],
)
def test_a_malformed_answer_is_counted_and_tried_again(opened, clock, reply):
    glymph, _ = opened(lambda messages, schema=None, **other: reply)
    told(glymph)
    done = glymph.consolidate()
    assert (done.errors, [one.ending for one in done.summaries]) == (1, ["failed"])
    assert summaries(glymph) == []
    clock.advance(days=1)
    assert glymph.consolidate().errors == 1
