"""A new user in a real browser: finds what is stale, lets it go, takes it back, and more."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from glymph import Glymph
from tests.dashboard.ground import READER, WILD


def press(page, name):
    page.get_by_role("button", name=name, exact=True).first.click()


def search(page, words):
    page.goto(f"/memories?q={words}")
    return page.locator("#found .row-link").all_inner_texts()


def test_a_stale_group_is_archived_search_changes_and_undo_brings_it_back(visit):
    page = visit(to="/")
    expect(page.get_by_role("heading", level=1)).to_contain_text("question")
    assert any("tomato" in text for text in search(page, "tomato bed soil"))
    page.get_by_role("link", name="Review", exact=True).click()
    press(page, "Look for stale groups")
    card = page.locator("article.group", has_text="tomato").first
    card.get_by_text("Archive", exact=True).click()
    press(page, "Show what this does…")
    expect(page.get_by_role("heading", name="archived")).to_be_visible()
    assert any("tomato" in text for text in page.locator("main .row").all_inner_texts())
    press(page, "Apply")
    expect(page.locator(".told")).to_contain_text("Prune")
    assert not any("eighty litres" in text for text in search(page, "tomato bed soil"))
    page.go_back()
    press(page, "Undo")
    expect(page.locator(".told")).to_contain_text("Undo: ")
    assert any("eighty litres" in text for text in search(page, "tomato bed soil"))


def test_something_comes_back_from_the_trash_and_something_is_erased(visit, served):
    page = visit()
    page.get_by_role("link", name="Trash", exact=True).click()
    expect(page.locator("main")).to_contain_text("out of toner")
    expect(page.locator("main")).to_contain_text("goes in")
    press(page, "Restore")
    expect(page.locator(".told")).to_contain_text("Restore: 1 memory")
    assert any("toner" in text for text in search(page, "toner"))
    page.locator("#found .row-link").first.click()
    page.get_by_role("link", name="Delete…").click()
    expect(page.locator("main")).to_contain_text("can come back")
    press(page, "Delete")
    page.get_by_role("link", name="Trash", exact=True).click()
    press(page, "Erase…")
    expect(page.locator("main")).to_contain_text("There is no way back")
    page.get_by_label("I know that this is for good.").check()
    page.locator("button.danger").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Removed")
    assert served.glymph.trash() == []


def test_a_question_is_answered_with_one_click_and_the_answer_taken_back(visit, served):
    page = visit()
    page.get_by_role("link", name="Questions", exact=True).click()
    expect(page.locator(".side-a")).to_contain_text("nine o'clock")
    page.locator(".side-b").get_by_role("button", name="This one holds").click()
    expect(page.locator(".told")).to_contain_text("Answer")
    assert served.glymph.questions() == []
    hidden = next(
        one for one in served.glymph.list(limit=200, include_superseded=True)
        if one.text.endswith("nine o'clock.")
    )  # fmt: skip
    assert hidden.superseded_by
    press(page, "Undo")
    expect(page.locator(".side-b")).to_contain_text("half past nine")


def test_a_person_is_forgotten_with_every_word_shown_first(visit, served):
    page = visit()
    page.get_by_role("link", name="Forget", exact=True).click()
    page.get_by_label("Forget").fill("Peter Miller")
    press(page, "Show what would go")
    expect(page.locator("main")).to_contain_text("Peter Miller prefers to be called")
    assert page.locator("del").count() >= 1
    page.locator("button.danger").click()
    expect(page.locator(".told")).to_be_visible()
    assert not any("Peter Miller" in text for text in search(page, "Peter Miller"))
    assert [one.verb for one in served.glymph.operations(limit=1)] == ["forget"]


def test_a_job_runs_while_one_looks(visit):
    page = visit()
    page.get_by_role("link", name="Jobs", exact=True).click()
    row = page.locator(".row", has_text="counts what is fading")
    expect(row).to_contain_text("has not run yet")
    row.get_by_role("button", name="Run now").click()
    expect(page.locator(".row", has_text="counts what is fading")).to_contain_text("done")


def test_what_an_operation_changed_is_told_and_filtered(visit):
    page = visit()
    page.get_by_role("link", name="Operations", exact=True).click()
    page.get_by_label("What").fill("supersede")
    press(page, "Filter")
    expect(page.locator("#found .row")).to_have_count(1)
    page.locator("#found .row-link").click()
    expect(page.locator("main")).to_contain_text("The office closes at six")
    page.get_by_role("link", name="The office closes at six").click()
    expect(page.locator(".chain")).to_contain_text("closes at seven")
    expect(page.locator("figcaption")).to_contain_text("Today it is")


def test_search_answers_while_one_types(visit):
    page = visit()
    page.goto("/memories")
    page.keyboard.press("/")
    page.keyboard.type("coffee")
    expect(page.locator("#found .why").first).to_contain_text("found because")
    assert "q=coffee" in page.url


def test_a_timeline_leads_to_the_memories_of_a_week(visit):
    page = visit()
    page.goto("/memories")
    months = page.locator("#found h2.month").all_inner_texts()
    assert len(months) == len(set(months)) > 2
    page.locator(".timeline a").first.click(force=True)
    page.wait_for_url("**since=*until=*")
    expect(page.locator("#found .row-link").first).to_contain_text("Deploys after four")
    page.get_by_role("link", name="All times").click()
    expect(page.locator("#found h2.month")).to_have_count(len(months))
    assert page.goto("/memories?since=yesterday").status == 422
    expect(page.get_by_role("alert")).to_contain_text("is no day")


def test_what_was_said_is_found(visit):
    page = visit()
    page.goto("/conversations")
    page.get_by_label("Search what was said").fill("seven evening")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("At seven in the evening.")
    page.get_by_role("link", name="At seven in the evening.").click()
    page.wait_for_url("**/conversations/shop")
    page.goto("/conversations?q=zebra")
    expect(page.locator("main")).to_contain_text("Nobody said that.")


def test_a_long_text_leaves_its_buttons_in_sight(visit, served):
    text = "The warehouse in Hamburg has twelve doors. " * 60
    one = served.glymph.add(text).id
    page = visit()
    page.goto(f"/memories/{one}")
    assert page.get_by_label("The whole text").inner_text().strip() == text.strip()
    expect(page.get_by_role("button", name="Pin")).to_be_in_viewport()


def test_a_token_that_ends_leads_to_the_sign_in_and_back(visit, served):
    page = visit()
    page.goto("/trash")
    kept = served.gate.known.pop("glymph_operator-of-these-tests")
    page.get_by_role("button", name="Restore", exact=True).first.click()
    expect(page.locator("main")).to_contain_text("expired or was revoked")
    page.goto("/operations?verb=add")
    served.gate.known["glymph_another-token"] = kept
    page.get_by_label("Token").fill("wrong")
    press(page, "Sign in")
    expect(page.get_by_role("alert")).to_contain_text("Nobody is known")
    page.get_by_label("Token").fill("glymph_another-token")
    press(page, "Sign in")
    page.wait_for_url("**/operations?verb=add")
    press(page, "Sign out")
    page.goto("/")
    assert "/login" in page.url


def test_a_second_tab_and_a_restart_in_between_lose_nothing(visit, served):
    page, other = visit(), visit()
    for one in (page, other):
        one.goto("/review")
    press(page, "Look for stale groups")
    other.goto("/review")
    for one in (page, other):
        one.locator("article.group", has_text="tomato").first.get_by_text(
            "Archive", exact=True
        ).click()
    press(page, "Show what this does…")
    press(page, "Apply")
    expect(page.locator(".told")).to_be_visible()
    served.stop()
    served.start()
    press(other, "Show what this does…")
    expect(other.locator(".refusals")).to_contain_text("stays")
    other.goto("/review")
    expect(other.locator("main")).to_contain_text("put away meanwhile")
    press(page, "Undo")
    expect(page.locator(".told")).to_contain_text("Undo: ")


def follow(page, path):
    """Opens a page, and waits until the server tells it what happens."""
    page.goto(path)
    page.locator("body[data-followed]").wait_for()
    page.evaluate("window.loaded = 'once'")


def test_what_happens_elsewhere_shows_without_a_reload(visit, served):
    home, found, questions = visit(), visit(), visit()
    for page, path in ((home, "/"), (found, "/memories"), (questions, "/questions")):
        follow(page, path)
    with Glymph.open(served.url, actor="agent", embedder="none", reader="none") as agent:
        agent.add("A heron stood in the tomato bed.")
    expect(home.locator("#now")).to_contain_text("A heron stood")
    expect(found.locator("#found")).to_contain_text("A heron stood")
    expect(questions.get_by_text("Something has changed")).to_be_visible()
    for page in (home, found, questions):
        assert page.evaluate("window.loaded") == "once"
    questions.get_by_role("link", name="Show it").click()
    expect(questions.get_by_text("Something has changed")).to_be_hidden()


def test_a_page_asks_by_itself_where_the_server_cannot_tell(visit, served):
    visit.context.route("**/live*", lambda route: route.abort())
    page = visit()
    page.clock.install()
    page.goto("/operations")
    served.glymph.add("A heron stood in the tomato bed.")
    page.clock.run_for(25_000)
    expect(page.locator("#found")).to_contain_text("A heron stood")


def test_a_page_is_told_again_after_a_restart(visit, served):
    page = visit()
    follow(page, "/operations")
    served.stop()
    served.start()
    served.glymph.add("A heron stood in the tomato bed.")
    expect(page.locator("#found")).to_contain_text("A heron stood")
    assert page.evaluate("window.loaded") == "once"


def test_a_part_that_has_the_focus_is_left_alone(visit, served):
    page = visit()
    follow(page, "/operations")
    page.keyboard.press("j")
    served.glymph.add("A heron stood in the tomato bed.")
    expect(page.get_by_text("Something has changed")).to_be_visible()
    assert "row-link" in page.evaluate("document.activeElement.className")


def test_a_reader_sees_no_button_that_changes_anything(visit):
    page = visit(READER)
    for path in ("/", "/review", "/questions", "/trash", "/jobs", "/operations"):
        page.goto(path)
        buttons = page.locator("main form[method=post] button:visible").count()
        assert buttons == 0, path
    assert page.goto("/settings").status == 403
    assert "role" in page.locator("main").inner_text()


def test_whatever_a_memory_says_is_shown_and_never_run(visit, served):
    page, every = visit(), served.glymph.list(limit=100)
    for text in WILD:
        look_at(page, next(one for one in every if one.text == text))


def look_at(page, found):
    for path in (
        f"/memories/{found.id}",
        "/memories",
        f"/memories/{found.id}/archive",
        "/operations",
    ):
        page.goto(path)
        assert page.title() != "stolen"
        assert page.locator("main img, main script").count() == 0
    page.goto(f"/memories/{found.id}")
    shown = page.locator("h1").inner_text()
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert letters(shown) == letters(found.text)


def letters(text):
    return "".join(re.findall(r"[^\W\d_]", text))


def test_the_graph_shows_a_memory_and_what_is_around_it(visit, served):
    page = visit()
    one = next(one for one in served.glymph.list(limit=100) if "tomato bed of two" in one.text)
    page.goto(f"/graph?focus={one.id}")
    expect(page.locator("canvas[data-ready]")).to_be_visible()
    expect(page.locator("#card")).to_contain_text("tomato bed of two")
    page.get_by_label("Colour by").select_option("heat")
    expect(page.locator("#legend")).to_contain_text("stale")


def test_everything_can_be_reached_by_keys(visit):
    page = visit()
    page.keyboard.press("g")
    page.keyboard.press("o")
    page.wait_for_url("**/operations")
    page.keyboard.press("j")
    assert "row-link" in page.evaluate("document.activeElement.className")
    page.keyboard.press("Enter")
    page.wait_for_url("**/operations/*")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
