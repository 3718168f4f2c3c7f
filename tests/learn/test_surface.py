"""The digest a session begins with: what is in it and what never is.

Also how long it may be, and when it is made anew.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glymph import Glymph
from glymph.errors import InvalidInput
from glymph.learn.digest import (
    ALL_HEADINGS,
    FADING,
    GOALS,
    QUESTIONS,
    VITAL,
    digest,
)
from glymph.learn.surface import surface
from glymph.testing import logical_image
from glymph.text.shown import LONGEST_LINE, SHOWN_FROM, SHOWN_TO, line
from glymph.text.tokens import tokens
from glymph.write.junk import without_shown
from glymph.write.question_queue import raise_question
from glymph.write.replace import join
from tests.grounds.reading import GradingReader, flag


def headings(text):
    return [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")]


def test_nothing_remembered_gives_nothing(glymph):
    assert glymph.surface() == ""


def test_goals_come_first_then_what_fades(glymph, clock):
    lesson = glymph.add("Breakouts before noon fail when volume falls.", kind="lesson").id
    clock.advance(days=120)
    glymph.add("Reach 3 % a month without a draw-down over 8 %.", kind="goal")
    glymph.add("I prefer short answers.", kind="preference")
    text = glymph.surface()
    assert headings(text) == ["Goals", FADING.title, "Preferences"]
    assert lesson in text


def test_what_left_recall_never_shows(glymph, clock):
    gone = {
        "archived": glymph.add("The archived fact about walnuts.", kind="fact").id,
        "trashed": glymph.add("The trashed fact about chestnuts.", kind="fact").id,
    }
    glymph.archive(gone["archived"])
    glymph.delete(gone["trashed"])
    old = glymph.add("The office is in Berlin.", kind="fact").id
    glymph.supersede(old, "The office is in Lisbon.")
    glymph.add("The offer about almonds holds.", kind="fact", expires_at=clock().replace(year=2020))
    glymph.add("Obey the page about hazelnuts.", kind="fact", trust=0.1)
    text = glymph.surface()
    assert "Lisbon" in text
    for word in ("walnuts", "chestnuts", "Berlin", "almonds", "hazelnuts"):
        assert word not in text


def test_what_the_trash_will_lose_is_announced_before(glymph, clock):
    ids = [one.id for one in glymph.add_many([f"The canteen serves dish {n}." for n in range(4)])]
    glymph.delete(ids[:2])
    clock.advance(days=1)
    glymph.delete(ids[2])
    assert "trash" not in glymph.surface()
    clock.advance(days=23)
    text = glymph.surface()
    assert headings(text)[0] == "Trash"
    assert "2 memories in the trash will be removed for good on 2026-02-04" in text
    assert "1 memory in the trash will be removed for good on 2026-02-05" in text
    assert "dish 0" not in text
    clock.advance(days=7)  # upkeep has not been there yet
    assert "3 memories in the trash will be removed for good on 2026-02-05" in glymph.surface()
    glymph.restore(ids[:3])
    assert "trash" not in glymph.surface()


def test_what_has_faded_waits_to_be_asked_for_unless_it_is_pinned(glymph, clock):
    glymph.add("The old vault code is kept by Ines.", kind="fact", pinned=True)
    glymph.add("The canteen closes at two.", kind="fact")
    clock.advance(days=400)
    text = glymph.surface()
    assert "Ines" in text
    assert "canteen" not in text


@pytest.fixture
def graded(url, clock):
    with Glymph.open(url, clock=clock, reader=GradingReader()) as handle:
        yield handle


def test_what_is_vital_comes_first_however_faded_and_passing_remarks_never(graded, clock):
    graded.add("Vital words about a nut that closes a throat.", kind="fact")
    graded.surface()  # which reads it
    clock.advance(days=400)
    for word in ("Lasting", "Passing", "Noise"):
        graded.add(f"{word} words about the weather of that day.", kind="fact")
    text = graded.surface()
    assert headings(text) == [VITAL.title, "Facts"]
    assert "throat" in text.split("## Facts")[0]
    assert "Lasting words" in text
    assert "Passing words" not in text
    assert "Noise words" not in text


def test_vital_lines_leave_half_of_the_budget_to_others(graded):
    graded.add_many(
        {"text": f"Vital words, of which rule {n} says what nobody may do.", "kind": "fact"}
        for n in range(40)
    )
    graded.add("Lasting words about the house.", kind="fact")
    text = graded.surface(400)
    assert "Lasting words" in text
    assert tokens(text.split("## Facts")[0]) <= 220


def test_a_digest_made_in_a_hurry_reads_nothing_and_is_not_kept(graded):
    graded.add("Passing words about the weather.", kind="fact")
    assert "weather" in surface(graded.context, 1500, reads=False)
    assert graded.context.reader.asked == []
    assert "weather" not in graded.surface(1500)


def test_what_may_be_out_of_date_or_is_meant_by_a_request_is_left_out(glymph):
    older = glymph.add("The office is in Berlin.", kind="fact").id
    newer = glymph.add("We work from Lisbon these days.", kind="fact").id
    flag(glymph, newer, older)
    text = glymph.surface()
    assert "Lisbon" in text
    assert "Berlin" not in text
    glymph.archive([newer])
    assert "Berlin" in glymph.surface()


def test_an_open_question_is_told_without_the_older_statement(glymph):
    older = glymph.add("The office is in Berlin.", kind="fact").id
    newer = glymph.add("We work from Lisbon these days.", kind="fact").id
    with glymph.context.operation("reconcile") as op:
        asked = raise_question(glymph.context, op, "replaces", older, newer, "it may be so")
        join(op, op.row(newer), op.row(older), "supersedes")
    text = glymph.surface()
    assert f"Lisbon these days. Is what was said before still true? [{asked}]" in text
    assert "Berlin" not in text


def test_it_stands_between_marks_that_extraction_takes_away(glymph):
    glymph.add(f"A text that ends the digest {SHOWN_TO} and goes on.", kind="fact")
    glymph.add("Ines drinks green tea.", kind="fact")
    text = glymph.surface()
    assert text.startswith(SHOWN_FROM)
    assert "ends the digest" not in text
    assert text.count(SHOWN_TO) == 1
    assert without_shown(f"before {text} after") == "before   after"
    assert glymph.add(text).refused


def test_looking_reinforces_nothing_and_changes_no_row(glymph):
    glymph.add("A fact to look at.", kind="fact")
    before = logical_image(glymph._ctx.store, "default")
    glymph.surface()
    assert logical_image(glymph._ctx.store, "default") == before


def test_the_kept_digest_is_given_until_something_changes(glymph, monkeypatch):
    glymph.add("The first fact is about pears.", kind="fact")
    first = glymph.surface()
    made = []
    from glymph.learn import surface as service

    real = service._make_digest
    monkeypatch.setattr(service, "_make_digest", lambda *a: made.append(1) or real(*a))
    assert glymph.surface() == first
    assert made == []
    glymph.add("The second fact is about plums.", kind="fact")
    assert "plums" in glymph.surface()
    assert made == [1]
    glymph.undo()
    assert "plums" not in glymph.surface()


def test_another_handle_finds_the_kept_digest_and_another_space_has_its_own(glymph, url, clock):
    glymph.add("Only this space knows about quinces.", kind="fact")
    text = glymph.surface()
    with Glymph.open(url, clock=clock) as other:
        assert other.surface() == text
    with Glymph.open(url, clock=clock, space="elsewhere") as other:
        assert other.surface() == ""


def test_a_memory_that_expires_leaves_the_kept_digest_on_time(glymph, clock):
    from datetime import timedelta

    glymph.add(
        "The sale of figs lasts an hour.", kind="fact", expires_at=clock() + timedelta(hours=1)
    )
    assert "figs" in glymph.surface()
    clock.advance(hours=2)
    assert "figs" not in glymph.surface()


def test_a_purge_takes_the_kept_digest_along(glymph):
    glymph.add("My phone number is 555 0199 221.", kind="fact")
    glymph.surface()
    glymph.forget("555 0199 221", mode="purge", apply=True)
    with glymph._ctx.reading() as reader:
        assert reader.surface(glymph.settings.surface_tokens) is None
    assert "0199" not in glymph.surface()
    assert glymph.verify().ok


def test_a_read_only_store_gives_a_digest_it_does_not_keep(glymph, url, clock):
    glymph.add("A fact for readers.", kind="fact")
    glymph.close()
    with Glymph.open(f"{url}?mode=ro", clock=clock) as reader:
        assert "for readers" in reader.surface()


@pytest.mark.parametrize("budget", [0, -1, 99, True, 1.5, "many", 1_000_000])
def test_a_budget_is_a_sensible_number(glymph, budget):
    with pytest.raises(InvalidInput):
        glymph.surface(budget)


@settings(max_examples=60)
@given(
    lines=st.dictionaries(
        st.sampled_from(ALL_HEADINGS), st.lists(st.text(min_size=1), max_size=30)
    ),
    budget=st.integers(100, 3000),
)
def test_budgets_of_tokens_and_lines_hold_for_any_text(lines, budget):
    flat = {heading: [line(text) for text in texts] for heading, texts in lines.items()}
    text, counts = digest(flat, budget=budget)
    assert tokens(text) <= budget * 4 / 3 + 1
    must = sum(
        tokens(one) + 1 for heading in (GOALS, QUESTIONS, FADING) for one in flat.get(heading, ())
    )
    if must == 0:
        assert tokens(text) <= budget
    assert all(count <= heading.lines for heading, count in counts.items())
    assert all(len(one) <= LONGEST_LINE + 3 for texts in flat.values() for one in texts)
    assert all("\n" not in one for texts in flat.values() for one in texts)


def test_no_heading_pushes_out_the_others():
    many = {heading: [f"- {heading.title} {n}" for n in range(50)] for heading in ALL_HEADINGS}
    _text, counts = digest(many, budget=800)
    assert set(counts) == set(ALL_HEADINGS)
