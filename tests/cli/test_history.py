"""`glymph memory history`: of a memory by its id, and of conversations by their names."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from glymph import Glymph
from glymph.cli.main import app
from glymph.history.history import History
from glymph.history.policy import Shortened
from tests.grounds.commands import run_main

SESSION = "stand/up ✓"


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/memory.db"


def tell(url, messages):
    with Glymph.open(url) as glymph:
        history = glymph.conversations()
        said = (f"Crate {at} with {3 * at} lamps goes to Bergen." for at in range(messages))
        history.append(SESSION, *({"role": "user", "content": text} for text in said))
        return glymph.add("Lamps go to Bergen.", kind="fact").id


@pytest.fixture
def told(url):
    return tell(url, 200)


class Done(NamedTuple):
    stdout: str
    stderr: str


@pytest.fixture
def run(url, monkeypatch, capsys):
    """Runs `glymph history` on the store, and returns what it said, with single spaces."""

    def run(*words, code=0):
        said = run_main(monkeypatch, capsys, "history", *words, "--url", url)
        assert said.code == code, said
        return Done(*(" ".join(text.split()) for text in (said.out, said.err)))

    return run


def test_an_id_still_shows_what_happened_to_a_memory(run, told):
    assert json.loads(run(told, "--json").stdout)["history"][0]["verb"] == "add"
    assert (
        run("memory", told, "--json").stdout
        == run(told, "--json").stdout
        == run("--json", told).stdout
    )
    assert "MemoryNotFound" in run("nobody", "--json", code=1).stdout


def test_a_conversation_is_shown_searched_and_shortened(run, url):
    tell(url, 2000)
    shown = json.loads(run("show", SESSION, "--limit", "2", "--json").stdout)
    assert (shown["messages"], shown["summary"], len(shown["newest"])) == (2000, "", 2)
    assert "Crate 1999" in run("show", SESSION).stdout
    found = json.loads(run("search", SESSION, "crate 1234", "--json").stdout)
    assert found["turns"][0]["text"] == "Crate 1234 with 3702 lamps goes to Bergen."
    assert "3702" in run("search", SESSION, "crate 1234").stdout
    assert "Other words" in run("search", SESSION, "zeppelin").stdout
    would = json.loads(run("consolidate", SESSION, "--json").stdout)
    assert would["dry_run"] is True
    assert would["messages"] + would["kept"] == 2000
    assert "add --apply" in run("consolidate", SESSION, "--dry-run").stdout
    done = json.loads(run("consolidate", SESSION, "--apply", "--json").stdout)
    assert (done["messages"], done["by"], done["problem"]) == (would["messages"], "rules", None)
    assert "nothing to shorten" in run("consolidate", SESSION, "--apply").stdout
    shown = json.loads(run("show", SESSION, "--json").stdout)
    assert shown["messages"] == 2000
    assert "Bergen" in shown["summary"]


def test_a_text_is_cut_out_of_conversations_by_hand_and_not_without_being_told_to(run, told):
    text = "Crate 7 with 21 lamps goes to Bergen."
    assert json.loads(run("erase", text, "--json").stdout) == {
        "dry_run": True, "conversations": 1, "files": 1, "messages": 0, "left": [], "memories": []}  # fmt: skip
    assert "Nothing was changed" in run("erase", text).stdout
    assert "Wrote 1 file" in run("erase", text, "--apply").stdout
    assert "removed by a purge" in run("show", SESSION, "--limit", "200").stdout
    assert json.loads(run("erase", text, "--json").stdout)["files"] == 0
    assert (
        run("erase", text).stdout
        == run("erase", text, "--apply").stdout
        == "No conversation says it."
    )


def test_memories_that_still_say_what_was_cut_out_are_told_with_the_way_to_remove_them(
    run, told, url
):
    text = "Lamps go to Bergen."
    said = run("erase", text, "--apply").stdout
    assert "1 memory says it." in said
    assert f"glymph forget '{text}' --mode purge" in said
    assert json.loads(run("erase", text, "--json").stdout)["memories"] == [told]
    with Glymph.open(url) as glymph:
        glymph.archive(told)
    assert "1 memory says it." in run("erase", text).stdout
    assert "says it. To see" not in run("erase", "Lamps go to Turku.").stdout
    assert "from before still have it" in run("erase", "--help").stdout


def test_conversations_of_all_places_are_listed_and_found_without_naming_the_place(
    run, told, url, tmp_path
):
    other = tmp_path / "else where"
    with Glymph.open(url) as glymph:
        glymph.conversations("store").append(
            "daily", {"role": "user", "content": "Lamps go to Oslo."}
        )
        glymph.conversations(other).append(
            "weekly", {"role": "user", "content": "Trucks go to Turku."}
        )
        glymph.conversations("store").append(
            SESSION, {"role": "user", "content": "Not the one that is meant."}
        )
    found = json.loads(run("list", "--json").stdout)["conversations"]
    usual = f"{tmp_path}/memory.db.history"
    places = {(SESSION, usual), (SESSION, "store"), ("daily", "store"), ("weekly", str(other))}
    assert {(one["session"], one["where"]) for one in found} == places
    moments = [one["newest_at"] for one in found]
    assert moments == sorted(moments, reverse=True)
    assert "where" in run("list").stdout
    (one,) = json.loads(run("list", "--folder", str(other), "--json").stdout)["conversations"]
    assert (one["session"], one["where"]) == ("weekly", str(other))
    assert "Lamps go to Oslo." in run("show", "daily").stdout
    assert "Trucks go to Turku." in run("search", "weekly", "trucks").stdout
    assert json.loads(run("show", SESSION, "--json").stdout)["messages"] == 200
    assert "nothing to shorten" in run("consolidate", "weekly").stdout
    assert "is a conversation" in run("weekly", code=1).stderr
    run("remove", "weekly", "--apply")
    assert "Known: 'stand/up ✓', 'daily'." in run("show", "weekly", code=1).stderr


def test_a_short_conversation_is_shortened_with_a_threshold_of_its_own(run, told, url):
    with Glymph.open(url) as glymph:
        said = ({"role": "user", "content": f"Crate {at} goes to Bergen."} for at in range(30))
        glymph.conversations().append("short", *said)
    assert "--threshold or --keep" in run("consolidate", "short").stdout
    given = ("--threshold", "20", "--unit", "messages", "--keep", "0.5")
    assert "notes of 20 messages and keep 10" in run("consolidate", "short", *given).stdout
    assert "Made notes of 20 messages" in run("consolidate", "short", *given, "--apply").stdout
    assert "keep_recent_ratio" in run("consolidate", "short", "--keep", "1", code=1).stderr
    assert (
        "neither 'tokens' nor 'messages'"
        in run("consolidate", "short", "--unit", "lines", code=1).stderr
    )


def test_notes_that_were_made_with_a_problem_are_told_with_it_and_end_with_status_1(
    url, monkeypatch
):
    tell(url, 2000)
    done = Shortened(
        "model", messages=7, notes=("- Crates go to Bergen.",), problem="The graph took none of it."
    )
    monkeypatch.setattr(History, "consolidate", lambda self, session: done)
    said = CliRunner().invoke(app, ["history", "consolidate", SESSION, "--apply", "--url", url])
    assert said.exit_code == 1
    for words in ("Made notes of 7 messages", "Crates go to Bergen", "The graph took none of it."):
        assert words in said.output
    machine = CliRunner().invoke(
        app, ["history", "consolidate", SESSION, "--apply", "--url", url, "--json"]
    )
    assert (machine.exit_code, json.loads(machine.stdout)["problem"]) == (1, done.problem)


def test_what_was_said_around_a_message_is_shown_with_numbers(run, told, url):
    call = {"id": "1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    with Glymph.open(url) as glymph:
        glymph.conversations().append(
            "gate talk", {"role": "user", "content": "What opens the gate?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": "4711"},
            {"role": "assistant", "content": "The usual number does."},
        )  # fmt: skip
    assert (
        "glymph memory history show 'gate talk' --around 1"
        in run("search", "gate talk", "opens the gate").stdout
    )
    said = run("show", "gate talk", "--around", "1").stdout
    assert (
        "1 user: What opens the gate? 2 assistant: (calls look_up) 3 tool: 4711 4 assistant: The usual"
        in said
    )
    said = json.loads(run("show", SESSION, "--around", "100", "--json").stdout)
    assert [one["number"] for one in said["turns"]] == list(range(95, 106))
    assert said["turns"][5]["message"]["content"].startswith("Crate 99 ")
    assert "190 user: Crate 189" in run("show", SESSION, "--around", "195").stdout
    assert "has the number 200" in run("show", SESSION, "--around", "201", code=1).stderr
    assert "200 user: Crate 199" in run("show", SESSION, "--limit", "1").stdout


def test_a_command_misspelt_is_no_memory(run, told):
    said = run("shwo", "chat", code=2).stderr
    assert "No such command 'shwo'" in said
    assert "history memory" not in said
    assert "No such command 'shwo'" in run("shwo", "--space", "default", "chat", code=2).stderr
    assert "No memory 'nobody'" in run("nobody", code=1).stderr
    assert "history memory" in run(told, "chat", code=2).stderr


def test_what_is_not_there_is_answered_with_the_next_step(run, told, tmp_path):
    for words in (
        ("show", "nobody"),
        ("search", "nobody", "x"),
        ("consolidate", "nobody"),
        ("show", "../x"),
    ):
        assert "--folder" in run(*words, code=1).stderr
    assert "--folder" in run("show", SESSION, "--folder", str(tmp_path / "else"), code=1).stderr
    assert "opposites" in run("consolidate", SESSION, "--apply", "--dry-run", code=1).stderr
    assert "SpaceNotFound" in run("show", SESSION, "--space", "nobody", "--json", code=1).stdout
    assert list(tmp_path.glob("else*")) == []


def test_help_names_both(run):
    said = subprocess.run(
        [sys.executable, "-m", "glymph.cli.start", "history", "--help"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    for word in ("memory", "show", "search", "consolidate", "erase", "glymph memory history ID"):
        assert word in said


def test_conversations_are_listed_and_one_is_removed_for_good_only_if_it_is_said(run, told):
    (found,) = json.loads(run("list", "--json").stdout)["conversations"]
    assert (found["session"], found["messages"], found["summarised"]) == (SESSION, 200, 0)
    assert found["newest_at"]
    assert f"{SESSION} 200 0" in run("list").stdout
    assert "is a conversation" in run(SESSION, code=1).stderr
    assert "history list" in run("show", "nobody", code=1).stderr
    assert "Nothing was changed" in run("remove", SESSION).stdout
    assert json.loads(run("remove", SESSION, "--apply", "--json").stdout)["messages"] == 200
    assert json.loads(run("list", "--json").stdout) == {"conversations": []}
    assert "No conversations in" in run("list").stdout


def test_conversations_in_the_store_are_listed_shown_and_removed_there(run, told, url):
    with Glymph.open(url) as glymph:
        glymph.conversations("store").append(
            "daily", {"role": "user", "content": "Lamps go to Bergen."}
        )
    (found,) = json.loads(run("list", "--folder", "store", "--json").stdout)["conversations"]
    assert (found["session"], found["messages"]) == ("daily", 1)
    assert "Lamps go to Bergen." in run("show", "daily", "--folder", "store").stdout
    assert "1 message in the store" in run("erase", "Lamps go to Bergen.").stdout
    run("remove", "daily", "--folder", "store", "--apply")
    assert "in the store" in run("list", "--folder", "store").stdout
    assert json.loads(run("show", SESSION, "--json").stdout)["messages"] == 200
