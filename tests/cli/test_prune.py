"""The commands around a plan: made, listed, shown, pruned from, undone; and the trash."""

from __future__ import annotations

import itertools
import json
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from glymph import Glymph
from glymph.cli.main import app


@pytest.fixture
def run(url, monkeypatch):
    """A command on a store whose memories are a year old; gives back its output and status."""
    born = datetime.now(UTC) - timedelta(days=365)
    with Glymph.open(url, clock=lambda: born) as glymph:
        ids = [
            glymph.add(
                f"Opened BTC long {n} at {60 + n}k",
                kind="trade_entry",
                attributes={"symbol": "BTC"},
            ).id
            for n in range(3)
        ]
        for a, b in itertools.pairwise(ids):
            glymph.link(a, b)
    monkeypatch.setenv("GLYMPH_URL", url)
    monkeypatch.setenv("COLUMNS", "120")

    def call(*args):
        result = CliRunner().invoke(app, [str(arg) for arg in args])
        return result.output, result.exit_code

    return call


def test_a_plan_is_made_shown_pruned_from_and_taken_back(run):
    said, code = run("analyze")
    assert code == 0
    assert "BTC trade lifecycle (3 memories, 2 links" in said
    assert "impact: nothing was recalled so far" in said
    plan = json.loads(run("analyze", "--json")[0])["plan_id"]
    assert f"would do: glymph prune {plan} --groups 1\n" in said  # without --apply
    assert plan in run("plan", "list")[0]
    assert "BTC trade lifecycle" in run("plan", "show", plan)[0]
    said, code = run("prune", plan)
    assert (code, "Would archive 3 memories. Nothing was changed" in said) == (0, True)
    assert json.loads(run("health", "--json")[0])["archived"] == 0
    said, code = run("prune", plan, "--groups", "1", "--apply")
    assert (code, "prune: 3 done, 0 skipped, 0 failed" in said) == (0, True)
    assert json.loads(run("health", "--json")[0])["archived"] == 3
    assert run("undo")[1] == 0
    assert json.loads(run("health", "--json")[0])["archived"] == 0


def test_the_trash_is_listed_restored_from_and_emptied_only_when_told_to(run):
    (first, second, third) = json.loads(run("analyze", "--json")[0])["groups"][0]["node_ids"]
    run("delete", first, second, third, "--apply")
    assert first in run("trash", "list")[0]
    assert "1 done" in run("trash", "restore", first)[0]
    assert "Would remove 0 memories for good" in run("trash", "empty")[0]
    assert "Would remove 2 memories for good" in run("trash", "empty", "--all")[0]
    assert len(json.loads(run("trash", "list", "--json")[0])["trash"]) == 2
    assert run("trash", "empty", "--all", "--apply")[1] == 0
    assert "The trash is empty." in run("trash", "list")[0]


def test_candidates_and_prunes_by_reason_read_well(run):
    said, _ = run("candidates")
    assert "3 of 3 memories may go: 3 staleness." in said
    first = json.loads(run("candidates", "--json")[0])["candidates"][0]["memory_id"]
    assert (
        "Would trash 1 memory. Nothing was changed"
        in run("execute-prune", first, "--reason", "staleness")[0]
    )
    said, _ = run("execute-prune", first, "--reason", "staleness", "--apply")
    assert "Trashed 1 memory. In the trash; can be restored for 30 days." in said


def test_what_does_not_exist_is_said_in_a_line(run):
    with pytest.raises(Exception, match="Make one with analyze"):
        CliRunner().invoke(app, ["plan", "show", "nothing"], catch_exceptions=False)
    assert "No question waits for an answer." in run("questions")[0]


def test_a_look_names_confirm_large_only_where_it_is_needed(run, url):
    born = datetime.now(UTC) - timedelta(days=365)
    plan = json.loads(run("analyze", "--json")[0])["plan_id"]
    said, code = run("prune", plan)  # all three of three memories: more than a fifth, but few
    few = json.loads(run("prune", plan, "--json")[0])
    assert ("--confirm-large" in said) == few["needs_confirm_large"]
    with Glymph.open(url, clock=lambda: born) as glymph:
        ids = [
            glymph.add(f"Opened ETH short {n} at {n}k", kind="trade_entry", tags=["eth"]).id
            for n in range(60)
        ]
        for a, b in itertools.pairwise(ids):
            glymph.link(a, b)
    plan = json.loads(run("analyze", "--json")[0])["plan_id"]
    said, code = run("prune", plan)
    assert (code, "add --apply --confirm-large to do it" in said) == (0, True)
    assert run("prune", plan, "--apply")[1] == 1
    said, code = run("prune", plan, "--ids", ids[0])
    assert (code, "--confirm-large" in said) == (0, False)


def test_a_group_that_was_cut_short_says_how_many_it_has(run, url):
    born = datetime.now(UTC) - timedelta(days=365)
    with Glymph.open(url, clock=lambda: born) as glymph:
        ids = [
            glymph.add(f"Opened ETH short {n} at {n}k", kind="trade_entry").id for n in range(60)
        ]
        for a, b in itertools.pairwise(ids):
            glymph.link(a, b)
    cut = json.loads(run("analyze", "--budget-tokens", "500", "--max-groups", "1", "--json")[0])
    (group,) = cut["groups"]
    assert len(group["node_ids"]) < group["node_count"]
    assert f"({group['node_count']} memories, " in cut["text"]
    assert f"{len(group['node_ids'])} of the {group['node_count']} members" in cut["text"]


def test_a_plan_on_the_command_line_ends_with_a_command_and_no_call_of_a_program(run):
    said, status = run("analyze")
    assert status == 0
    assert "batch_prune(" not in said
    assert "glymph prune " in " ".join(said.splitlines()[-2:])
    assert "dormant: dormant" not in said
    for one in ("(keyword", "relevance 0."):
        assert one not in run("search", "BTC")[0]
