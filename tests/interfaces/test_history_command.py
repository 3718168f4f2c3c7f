"""`glymph history`: of a memory by its id, and of conversations by their names."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from glymph import Glymph

SESSION = "stand/up ✓"


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/memory.db"


@pytest.fixture
def told(url):
    with Glymph.open(url) as glymph:
        history = glymph.conversations()
        said = (f"Crate {at} with {3 * at} lamps goes to Bergen." for at in range(2000))
        history.append(SESSION, *({"role": "user", "content": text} for text in said))
        return glymph.add("Lamps go to Bergen.", kind="fact").id


@pytest.fixture
def run(url):
    def run(*words, code=0):
        command = [sys.executable, "-m", "glymph.interfaces.start", "history", *words, "--url", url]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == code, done
        done.stdout, done.stderr = (" ".join(said.split()) for said in (done.stdout, done.stderr))
        return done

    return run


def test_an_id_still_shows_what_happened_to_a_memory(run, told):
    assert json.loads(run(told, "--json").stdout)["history"][0]["verb"] == "add"
    assert run("memory", told, "--json").stdout == run(told, "--json").stdout == run("--json", told).stdout
    assert "MemoryNotFound" in run("nobody", "--json", code=1).stdout


def test_a_conversation_is_shown_searched_and_shortened(run, told):
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
        "dry_run": True, "conversations": 1, "files": 1, "messages": 0, "left": []}  # fmt: skip
    assert "Nothing was changed" in run("erase", text).stdout
    assert "Wrote 1 file" in run("erase", text, "--apply").stdout
    assert "removed by a purge" in run("show", SESSION, "--limit", "2000").stdout
    assert json.loads(run("erase", text, "--json").stdout)["files"] == 0


def test_what_is_not_there_is_answered_with_the_next_step(run, told, tmp_path):
    for words in (("show", "nobody"), ("search", "nobody", "x"), ("consolidate", "nobody"), ("show", "../x")):
        assert "--folder" in run(*words, code=1).stderr
    assert "--folder" in run("show", SESSION, "--folder", str(tmp_path / "else"), code=1).stderr
    assert "opposites" in run("consolidate", SESSION, "--apply", "--dry-run", code=1).stderr
    assert "SpaceNotFound" in run("show", SESSION, "--space", "nobody", "--json", code=1).stdout
    assert list(tmp_path.glob("else*")) == []


def test_help_names_both(run):
    said = subprocess.run(
        [sys.executable, "-m", "glymph.interfaces.start", "history", "--help"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    for word in ("memory", "show", "search", "consolidate", "erase", "glymph history ID"):
        assert word in said


def test_conversations_are_listed_and_one_is_removed_for_good_only_if_it_is_said(run, told):
    (found,) = json.loads(run("list", "--json").stdout)["conversations"]
    assert (found["session"], found["messages"], found["summarised"]) == (SESSION, 2000, 0)
    assert found["newest_at"]
    assert f"{SESSION} 2000 0" in run("list").stdout
    assert "is a conversation" in run(SESSION, code=1).stderr
    assert "history list" in run("show", "nobody", code=1).stderr
    assert "Nothing was changed" in run("remove", SESSION).stdout
    assert json.loads(run("remove", SESSION, "--apply", "--json").stdout)["messages"] == 2000
    assert json.loads(run("list", "--json").stdout) == {"conversations": []}
    assert "No conversations in" in run("list").stdout


def test_conversations_in_the_store_are_listed_shown_and_removed_there(run, told, url):
    with Glymph.open(url) as glymph:
        glymph.conversations("store").append("daily", {"role": "user", "content": "Lamps go to Bergen."})
    (found,) = json.loads(run("list", "--folder", "store", "--json").stdout)["conversations"]
    assert (found["session"], found["messages"]) == ("daily", 1)
    assert "Lamps go to Bergen." in run("show", "daily", "--folder", "store").stdout
    assert "1 message in the store" in run("erase", "Lamps go to Bergen.").stdout
    run("remove", "daily", "--folder", "store", "--apply")
    assert "in the store" in run("list", "--folder", "store").stdout
    assert json.loads(run("show", SESSION, "--json").stdout)["messages"] == 2000
