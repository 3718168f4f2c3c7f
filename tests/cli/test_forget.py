"""Forgetting on the command line: a plan first, then exactly that, then the certificate."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from glymph import Glymph, errors
from glymph.cli.main import app, main


@pytest.fixture
def run(url, monkeypatch):
    with Glymph.open(url) as glymph:
        glymph.add("Alice's mail is alice@acme.io and the rent is due on Friday", kind="fact")
        glymph.add("Write to alice@acme.com about it", kind="fact")
    monkeypatch.setenv("GLYMPH_URL", url)
    monkeypatch.setenv("COLUMNS", "120")

    def call(*args, **options):
        return CliRunner().invoke(app, [str(arg) for arg in args], **options).output

    return call


def texts(url):
    with Glymph.open(url) as glymph:
        return {memory.text for memory in glymph.list()}


def test_a_request_shows_its_plan_and_the_plan_does_exactly_that(run, url):
    said = run("forget", "alice@acme.io")
    assert "becomes: The rent is due on Friday" in said
    assert "Nothing was changed. Do it with: glymph forget --plan" in said
    plan = json.loads(run("forget", "alice@acme.io", "--json"))["plan_id"]
    assert "becomes" in run("forget", "--plan", plan)
    assert len(texts(url)) == 2
    assert "forget: 1 done" in run("forget", "--plan", plan, "--apply")
    assert texts(url) == {"The rent is due on Friday", "Write to alice@acme.com about it"}
    run("undo")
    assert "Alice's mail is alice@acme.io and the rent is due on Friday" in texts(url)


def test_a_memory_of_several_lines_is_one_line_of_a_plan(run, url):
    with Glymph.open(url) as glymph:
        glymph.add("Bob's mail is bob@acme.io:\n- write\n- wait\n" + "lamps " * 100, kind="fact")
    said = run("forget", "bob@acme.io", env={"COLUMNS": "2000"}).splitlines()
    (line,) = [one for one in said if "Bob's mail" in one]
    assert "~~Bob's mail is bob@acme.io: -~~ write - wait lamps" in line
    assert "…" in line
    assert not any(one.startswith("- ") for one in said)


def test_a_plan_says_what_stands_in_conversations_and_what_cuts_it_out(run, url, monkeypatch):
    assert "history erase" not in run("forget", "zeppelin in Utrecht")
    assert (
        json.loads(run("forget", "zeppelin in Utrecht", "--json"))["conversations"]["request"][
            "files"
        ]
        == 0
    )
    with Glymph.open(url) as glymph:
        glymph.conversations().append(
            "standup", {"role": "user", "content": "The zeppelin in Utrecht is red."}
        )
        glymph.conversations("store").append(
            "daily", {"role": "user", "content": "Write to alice@acme.io."}
        )
    monkeypatch.setenv("GLYMPH_TOOLS_MAY_PURGE", "on")
    monkeypatch.setenv("COLUMNS", "2000")
    for mode in ("purge", "release"):
        said = run("forget", "zeppelin in Utrecht", "--mode", mode)
        assert "Nothing would be done" in said
        assert "1 file of conversations" in said
        assert "glymph memory history erase 'zeppelin in Utrecht' --apply" in said
    found = json.loads(run("forget", "zeppelin in Utrecht", "--mode", "purge", "--json"))[
        "conversations"
    ]
    assert found["purge"] is None
    assert (found["request"]["files"], found["request"]["messages"]) == (1, 0)
    said = run("forget", "alice@acme.io", "--mode", "purge")
    assert "The purge would also write 1 message in the store anew" in said
    assert "history erase" not in said  # the purge does it
    found = json.loads(run("forget", "alice@acme.io", "--mode", "purge", "--json"))
    assert found["conversations"]["purge"]["messages"] == 1
    run("forget", "--plan", found["plan_id"], "--mode", "purge", "--apply")
    with Glymph.open(url) as glymph:
        (message,) = glymph.conversations("store").messages("daily")
    assert "alice" not in message["content"]


def test_apply_says_that_it_needs_a_plan(run, url):
    assert "needs --plan ID" in " ".join(run("forget", "--help").split())
    assert "needs --plan" not in run("delete", "--help") + run("batch-prune", "--help")
    for more in ((), ("--json",)):
        refused = CliRunner().invoke(app, ["forget", "alice@acme.io", "--apply", *more])
        assert refused.exit_code == 2
        said = " ".join(refused.output.split())
        assert "--apply needs the plan you have read: glymph forget --plan ID --apply" in said
    assert len(texts(url)) == 2


def test_a_plan_of_a_purge_is_not_carried_out_as_anything_else(run, url, monkeypatch, capsys):
    monkeypatch.setenv("GLYMPH_TOOLS_MAY_PURGE", "on")
    plan = json.loads(run("forget", "alice@acme.io", "--mode", "purge", "--json"))["plan_id"]
    words = ["glymph", "forget", "--plan", plan, "--mode", "release", "--apply"]
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(SystemExit, match="1"):
        main()
    said = capsys.readouterr().err
    assert f"glymph: mode: plan {plan} is a purge, for good" in said
    assert said.endswith("Do it with --mode purge, or make a new plan.\n")
    assert len(texts(url)) == 2
    shown = run("forget", "--plan", plan, env={"COLUMNS": "2000"})
    assert f"glymph forget --plan {plan} --mode purge --apply" in shown
    monkeypatch.setenv("GLYMPH_TOOLS_MAY_PURGE", "off")
    with pytest.raises(errors.Refused, match="make a new plan with mode 'release'"):
        run("forget", "--plan", plan, "--mode", "purge", "--apply", catch_exceptions=False)
    monkeypatch.setenv("GLYMPH_TOOLS_MAY_PURGE", "on")
    assert "purge: 1 done" in run("forget", "--plan", plan, "--mode", "purge", "--apply")


def test_a_plan_to_forget_that_is_not_there_names_what_makes_one(run, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["glymph", "forget", "--plan", "abc", "--apply"])
    with pytest.raises(SystemExit, match="1"):
        main()
    assert "Make one with `glymph forget …`." in capsys.readouterr().err


def test_what_nobody_knows_changes_nothing_and_says_so(run):
    assert "Nothing would be done" in run("forget", "zeppelin@utrecht.example")


def test_a_purge_needs_the_operators_leave_and_leaves_a_certificate(run, url):
    with pytest.raises(errors.Refused, match="tools_may_purge"):
        run("forget", "alice@acme.io", "--mode", "purge", catch_exceptions=False)
    assert run("store", "certificates").strip() == "Nothing was removed for good."
    with Glymph.open(url) as glymph:
        glymph.forget("alice@acme.io", mode="purge", apply=True)
    assert "write-ahead log" in run("store", "certificates")
    assert json.loads(run("store", "certificates", "--json"))["certificates"][0]["complete"] is True
    assert "The store is written anew:" in run("compact")
