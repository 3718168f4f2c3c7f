"""What a page tells before anything is done: both sides of a doubt, and what a job would do."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from glymph.dashboard.pages.settings import TOPICS, _group, _look
from glymph.dashboard.render import tell_cause, tell_columns
from tests.dashboard.test_doors import ask
from tests.dashboard.test_story import press


@pytest.fixture
def doubted(served):
    """Two statements of which the newer may put the older out of date, and nobody has decided."""
    older = served.glymph.add("The bakery closes at five.").id
    newer = served.glymph.add("The bakery closes at six on Saturdays.").id
    served.glymph.settle()
    with served.glymph.context.operation("reconcile") as op:
        keys = {one: op.row(one)["key"] for one in (older, newer)}
        op.writer.insert("edges", [{
            "source": keys[newer], "target": keys[older], "type": "supersedes", "weight": 0.3,
            "created_at": op.now,
        }])  # fmt: skip
    return older, newer


def test_a_doubt_shows_both_sides_and_what_each_answer_does(visit, served, doubted):
    older, newer = doubted
    page = visit()
    page.goto(f"/memories/{older}")
    doubt = page.locator(".doubt")
    expect(doubt.locator(".side-a")).to_contain_text("closes at five")
    expect(doubt.locator(".side-b")).to_contain_text("at six on Saturdays")
    expect(doubt).to_contain_text("hidden behind it, and kept")
    press(page, "Both hold")
    expect(page.locator(".doubt")).to_have_count(0)
    assert served.glymph.get(older).superseded_by is None
    press(page, "Undo")
    expect(page.locator(".doubt")).to_be_visible()
    press(page, "The newer one holds")
    expect(page.locator(".chain")).to_contain_text("current")
    assert served.glymph.get(older).superseded_by == newer


def test_a_doubt_takes_no_other_answer(served, doubted):
    older, newer = doubted
    from glymph.dashboard.sign_in import form_proof
    from tests.dashboard.ground import TOKEN

    form = {"form": form_proof(TOKEN), "newer": newer, "choice": "perhaps"}
    answer, body = ask(served, "POST", f"/memories/{older}/doubt", form)
    assert answer.status == 422
    assert "which of the two holds" in body


def test_a_job_that_puts_something_away_shows_it_before_it_runs(visit, served):
    page = visit()
    page.goto("/jobs")
    row = page.locator(".row", has_text="archives what faded")
    row.get_by_role("link", name="Run now…").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Run lifecycle now?")
    would = [one.title for one in served.glymph.lifecycle(dry_run=True).archived]
    assert would
    for title in would:
        expect(page.locator("main .rows")).to_contain_text(title)
    assert served.glymph.list(states=["ARCHIVED"]).items == ()
    press(page, "Run it now")
    expect(page.locator(".row", has_text="archives what faded")).to_contain_text("done")
    assert {one.title for one in served.glymph.list(states=["ARCHIVED"], limit=100)} == set(would)


@pytest.mark.parametrize("name", ["ai_prune", "garden", "trash"])
def test_every_such_job_says_what_it_would_do(served, name):
    answer, body = ask(served, "GET", f"/jobs/{name}")
    assert answer.status == 200
    assert re.search(r"would|Nothing", body)
    assert "Run it now" in body


def test_a_job_that_puts_nothing_away_needs_no_such_page(served):
    assert ask(served, "GET", "/jobs/decay")[0].status == 303
    assert ask(served, "GET", "/jobs/nothing")[0].status == 422


def test_settings_stand_under_their_topics(served):
    settings = _look(served.glymph)
    grouped = _group(settings)
    assert list(grouped) == list(TOPICS)
    assert [one.name for several in grouped.values() for one in several] == [
        one.name for one in settings
    ]


def test_reasons_and_changes_are_told_without_the_names_of_the_program():
    long = "01a1f153-f932-75b0-970d-12dd3837d259"
    assert tell_cause(f"new_is_current: {long}") == "new is current: …37d259"
    assert tell_cause(f"recall {long}") == "recall …37d259"
    assert tell_cause("the toner was changed") == "the toner was changed"
    assert tell_columns(("stability", "access_count", "trust")) == "counted as used, trust"
