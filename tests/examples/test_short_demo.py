"""`glymph demo` tells half a year in one screen and a half, and all of it happened."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import glymph
from glymph import Glymph
from glymph.cli import demo, demo_page, demo_play, demo_story
from glymph.cli.main import app
from glymph.config import Settings
from glymph.errors import InvalidInput
from tests.grounds.reading import installed_models

CLONE = Path(__file__).parents[2]


def play(models: str) -> dict[str, Any]:
    return dict(demo_play.play(None, Settings(reader=models, embedder=models)))


@pytest.fixture(scope="module", params=["auto", "none"])
def facts(request):
    """What happened with the models that are installed, and without any."""
    with installed_models():
        return play(request.param)


def test_the_page_is_short_and_fits_eighty_columns(facts):
    lines = [str(line) for name in facts for line in demo_page.tell(name, facts[name])]
    assert 40 <= len(lines) < 60
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines if "…" in line]


def test_the_move_hides_and_undo_shows(facts):
    told = facts["move"]
    assert told["hidden"] == told["then"] == told["undone"][:1] == [demo_story.HOME]
    assert told["found"] == told["redone"] == [told["told"]]


def test_a_doubt_leaves_both_and_asks_where_somebody_reads(facts):
    told = facts["doubt"]
    assert told["found"] == [demo_story.CHANGED, demo_story.WORK]
    asked = facts["begin"]["reader"] != "none"
    assert len(told["questions"]) == asked
    assert (demo_story.WORK in told["afterwards"]) is not asked


def test_what_is_purged_is_gone_everywhere_and_stays_so(facts):
    told = facts["forget"]
    assert all(one["complete"] for one in told["requests"])
    assert all(one["why"] for one in told["refused"])
    assert told["messages_cut"] == 1
    assert [one["removed"] for one in told["requests"]] == [0, 2]


def test_the_kitchen_goes_as_a_group_and_comes_back(facts):
    told = facts["prune"]
    assert told["members"] == told["archived"] == told["restored"] == len(demo_story.KITCHEN)
    assert told["before"] == told["again"] != told["after"] == []


def test_the_nights_make_one_lesson(facts):
    (lesson,) = facts["learn"]["lessons"]
    nights = [attributes for _, _, attributes in demo_story.tell_nights()]
    well = sum(one["success"] for one in nights if one["evening drink"] == "tea")
    assert lesson.startswith(f"When evening drink is not coffee, {well} of 30 episodes succeeded")


def test_the_lesson_is_counted_again_from_the_nights_it_is_linked_to(facts):
    (lesson,), (evidence,) = facts["learn"]["lessons"], facts["learn"]["evidence"]
    (well, of), (other, rest) = evidence["recounted"]
    assert f"{well} of {of} episodes" in lesson
    assert f"otherwise {other} of {rest}" in lesson
    assert facts["learn"]["reviewed"] >= of + rest == demo_story.NIGHTS
    assert evidence["linked"] == evidence["verdict"]["episodes"] == of
    assert "tea" in evidence["such_as"][0]


def test_small_talk_goes_and_the_allergy_stays(facts):
    told = facts["fade"]
    assert len(told["small_talk"]) == told["of"]
    assert not told["allergy"]["archived"]
    assert told["found"] == [demo_story.ALLERGY]


def test_the_chat_is_sent_short_and_stays_whole(facts):
    told = facts["shorten"]
    assert told["kept"] == told["messages"] > 300
    assert told["sent_tokens"] < told["tokens"] / 4
    assert told["found"] == ["The spare key hangs behind the meter cupboard."]


def test_it_costs_nothing_and_ends_with_a_sound_store(facts):
    assert facts["end"]["problems"] == []
    assert (facts["end"]["calls"], facts["end"]["cost_usd"]) == (0, 0)


def test_the_readmes_picture_shows_what_happens(facts):
    """If not: python docs/images/make_demo.py."""
    if facts["begin"]["reader"] == "none":
        return
    drawn = unescape((CLONE / "docs/images/demo.svg").read_text(encoding="utf-8"))
    drawn = re.sub(r"<[^>]+>|\s", "", drawn)
    for name in ("move", "doubt", "forget", "prune", "learn"):
        for line in demo_page.tell(name, facts[name]):
            for word in str(line).split():
                assert word in drawn, line


# the command


def test_the_command_prints_what_happened_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    done = CliRunner().invoke(app, ["demo"])
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 80
    assert "checks, no problem found" in lines[-2]
    assert list(tmp_path.iterdir()) == []


def test_it_is_kept_where_it_is_asked_for_and_never_mixed_in(tmp_path):
    url = f"sqlite:///{tmp_path}/kept.db"
    done = CliRunner().invoke(app, ["demo", "--url", url, "--json"])
    assert done.exit_code == 0
    assert json.loads(done.output)["end"]["problems"] == []
    with Glymph.open(url, space="demo", create=False) as memory:
        assert memory.search(demo_story.DOCTOR_PLAINLY)
    again = CliRunner().invoke(app, ["demo", "--url", url])
    assert isinstance(again.exception, InvalidInput)


def test_what_the_user_has_set_changes_nothing(tmp_path, monkeypatch):
    """In tests no model is loaded by default, so both runs are quick."""
    expected = CliRunner().invoke(app, ["demo", "--json"])
    config = tmp_path / "config.toml"
    config.write_text('compare = "off"\nplan_days = 1\nprune_most = 1\ntrash_days = "no number"\n')
    monkeypatch.setenv("GLYMPH_CONFIG", str(config))
    monkeypatch.setenv("GLYMPH_EMBEDDER", "onnx:/nowhere")
    monkeypatch.setenv("GLYMPH_MAX_TEXT_CHARS", "5")
    told = CliRunner().invoke(app, ["demo", "--json"])
    assert told.exit_code == expected.exit_code == 0, told.exception
    shown, usual = json.loads(told.output), json.loads(expected.output)
    for chapter in ("move", "forget", "prune", "learn", "fade"):
        assert shown[chapter].keys() == usual[chapter].keys()
    assert shown["begin"] == usual["begin"]
    assert shown["prune"]["archived"] == usual["prune"]["archived"]


def test_the_long_demo_is_in_a_clone():
    assert Path(str(demo.load_long_demo().__file__)) == CLONE / "examples/demo/run.py"


def test_an_installed_package_says_where_the_long_demo_is(tmp_path, monkeypatch):
    monkeypatch.setattr(glymph, "__file__", str(tmp_path / "site-packages/glymph/__init__.py"))
    done = CliRunner().invoke(app, ["demo", "--long"])
    assert "clone" in str(done.exception)


def test_a_seed_belongs_to_the_long_demo():
    done = CliRunner().invoke(app, ["demo", "--seed", "8"])
    assert "--long" in str(done.exception)
