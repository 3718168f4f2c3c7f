"""The command line as somebody meets it who has read the quickstart and nothing else."""

from __future__ import annotations

import io
import itertools
import json
import re
import sys
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from glymph import Glymph
from glymph.cli import output
from glymph.cli.dedup import _render as render_pairs
from glymph.cli.fading import _render as render_fading
from glymph.cli.garden import _render as render_garden
from glymph.cli.lifecycle import _render as render_lifecycle
from glymph.cli.where import name_where
from glymph.hooks import command as hook
from glymph.model import DuplicatePair, DuplicateReport
from glymph.plain import plain
from glymph.prune.results import Gardened
from glymph.tools import all_tools, tree
from glymph.tools.blocks import Line
from tests.grounds.commands import run_main

COLUMNS = 80


@pytest.fixture
def cli(url, monkeypatch, capsys):
    """Runs a command on a store; gives back its status, output and complaints."""
    monkeypatch.setenv("GLYMPH_URL", url)
    monkeypatch.setenv("COLUMNS", str(COLUMNS))

    return partial(run_main, monkeypatch, capsys)


@pytest.fixture
def faded(url):
    """Fills the store with two groups that went stale a year ago; returns their sizes."""
    born = datetime.now(UTC) - timedelta(days=365)
    with Glymph.open(url, clock=lambda: born, embedder="none", reader="none") as glymph:
        for what, size in (("ETH", 60), ("BTC", 3)):
            kind, ids = "trade_entry", []
            for n in range(size):
                attributes = {"symbol": what}
                text = f"Opened {what} short {n} at {n}k"
                ids.append(glymph.add(text, kind=kind, attributes=attributes).id)
            for a, b in itertools.pairwise(ids):
                glymph.link(a, b)
    return {60, 3}


def lines_of(blocks):
    return [block.text for block in blocks if isinstance(block, Line)]


# Wrong usage


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("fly",), "No such command 'fly'"),
        (("search",), "Missing argument"),
        (("search", "x", "--colour", "red"), "--colour"),
        (("store", "token", "revoke"), "Missing argument"),
    ],
)
def test_with_json_wrong_usage_is_one_document_too(cli, args, words):
    status, out, err = cli(*args, "--json")
    assert (status, err) == (2, "")
    error = json.loads(out)["error"]
    assert error["code"] == "WrongUsage"
    assert words in error["message"]


def test_with_json_a_command_still_ends_with_its_own_status(cli):
    assert cli("memory", "delete", "01900000-0000-7000-8000-000000000000", "--json")[0] == 3
    assert cli("status", "--json")[0] == 0


@pytest.mark.parametrize("word", ["remember", "find", "remove", "dashboard", "show", "help"])
def test_a_word_of_other_programs_is_answered_with_ours(cli, word):
    status, _, err = cli(word)
    assert status == 2
    assert f"`{tree.OTHER_WORDS[word]}`" in err


def test_other_words_name_commands_that_are_there(cli):
    for word, meant in tree.OTHER_WORDS.items():
        assert word not in tree.PLACES, word
        assert cli(*meant.split()[1:], *([] if "--" in meant else ["-h"]))[0] == 0, meant


@pytest.mark.parametrize("plan", ["e74", "thekitchen"])
def test_what_is_no_plan_is_answered_with_where_plans_are(cli, plan):
    status, _, err = cli("prune", plan, "--groups", "1")
    assert status == 2
    assert "`glymph prune plan list`" in err


# What fits the screen


class Screen(io.StringIO):
    """A terminal that keeps what it shows."""

    def isatty(self):
        return True


def test_an_error_fits_the_terminal_and_is_one_line_in_a_pipe(cli, monkeypatch):
    piped = cli("memory", "get", "nobody")[2]
    assert piped.count("\n") == 1
    assert len(piped) > COLUMNS
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", screen := Screen())
        output.print_error("No memory 'nobody' in space 'default'. " * 4)
    shown = screen.getvalue().splitlines()
    assert len(shown) > 1
    assert max(map(len, shown)) <= COLUMNS


def test_plans_spaces_and_trash_fit_the_terminal(cli, faded):
    ids = [one["id"] for one in json.loads(cli("memory", "list", "--json")[1])["memories"]]
    assert cli("memory", "delete", ids[0], "--apply")[0] == 0
    assert cli("analyze")[0] == 0
    for command in ("prune plan list", "memory trash list", "store space list"):
        status, out, _ = cli(*command.split())
        assert status == 0
        assert out.count("\n") > 1, command
        assert max(map(len, out.splitlines())) <= COLUMNS, command
    plan = cli("prune", "plan", "list")[1].splitlines()
    assert len(plan) == 2  # each plan in one line, with how many memories it holds


def test_pairs_fit_the_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    a, b = (f"01900000-0000-7000-8000-00000000000{n}" for n in range(2))
    titles = ("Opened ETH short 1 at 1k", "Opened ETH short 2 at 2k, later than the first one")
    pair = DuplicatePair(a, b, titles, 0.97, "connect", "near, 0.97, but they differ in numbers")
    output.print_blocks(render_pairs(DuplicateReport((pair,), 2), 50, "", apply=False))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "connect 0.970: near, 0.97, but they differ in numbers"
    assert [line.split()[0] for line in lines if line.startswith("  019")] == [a, b]
    assert max(map(len, lines)) <= COLUMNS


# What is said


def test_analyze_names_every_group_and_shows_a_few_members_of_each(cli, faded):
    _, out, _ = cli("analyze", "--budget-tokens", "2000")
    assert "Group 1: " in out
    assert "Group 2: " in out
    assert out.count("  - ") <= 10
    assert "more\n" in out
    assert "members of group" not in out
    assert "glymph prune plan show " in out


def test_the_data_of_an_analysis_that_was_cut_names_the_groups_behind(cli, faded):
    cut = json.loads(cli("analyze", "--budget-tokens", "500", "--json")[1])
    rest = {one["group"]: one["node_count"] for one in cut["rest"]}
    shown = {one["group"]: one["node_count"] for one in cut["groups"]}
    assert set((rest | shown).values()) == faded
    assert min(rest) == cut["next_group"]
    told = all_tools()["analyze_memory"].brief(cut)
    assert "not shown here" in told


def test_commands_within_a_sentence_stay_whole_when_a_store_was_named():
    done = plain(Gardened(dry_run=True, other_vectors=3, orphan_count=40))
    blocks = list(render_garden({**done, "told": ""}, ""))
    fading = {"kind": "lesson", "retrievability": 1, "days_until_dormant": 1, "id": "", "title": ""}
    blocks += render_fading([fading])
    said = [name_where(text, ["--url", "sqlite:///a.db"]) for text in lines_of(blocks)]
    assert "40 more: `glymph prune candidates --url sqlite:///a.db` lists what may go." in said
    tidy = "`glymph sleep embed --tidy --url sqlite:///a.db`"
    assert f"3 vectors of other models: {tidy} removes them." in said
    assert "Keep one: glymph memory reinforce ID --url sqlite:///a.db" in said


def test_one_that_is_kept_is_one():
    facts = {
        "told": "", "archived": [], "trashed": [], "operation_ids": [], "dry_run": False,
        "kept_central": 1, "kept_as_vital": 2,
    }  # fmt: skip
    said = lines_of(render_lifecycle(facts))
    assert "1 is kept because many others lead to it." in said
    assert "2 are kept because somebody may need them." in said


def test_what_an_undo_brought_back_besides_memories_is_named(cli):
    home = json.loads(cli("add", "Ada lives in Berlin", "--kind", "fact", "--json")[1])["id"]
    cli("memory", "supersede", home, "Ada lives in Lisbon")
    _, out, _ = cli("undo")
    assert "undo: 3 done" in out
    assert "  … and 1 link\n" in out


def test_what_to_put_in_order_names_commands(cli, faded):
    _, out, _ = cli("status", "order")
    assert "glymph analyze" in out
    assert "analyze_memory" not in out


def test_what_was_kept_of_a_transcript_shows_the_way_back(cli, tmp_path):
    said = tmp_path / "talk.jsonl"
    said.write_text('{"role": "user", "content": "We decided to deploy on Mondays only."}\n')
    status, out, _ = cli("sleep", "extract", str(said))
    assert status == 0
    assert "take it back with: glymph undo " in out


def test_attributes_that_are_no_json_are_answered_with_an_example(cli):
    _, _, err = cli("add", "The lamp is green.", "--attributes", "colour=green")
    assert """'{"success": true}'""" in err


def test_a_source_of_no_known_kind_is_answered_with_what_reads_any_text(cli, tmp_path):
    (tmp_path / "notes.txt").write_text("The lamp is green.")
    _, _, err = cli("store", "import", str(tmp_path / "notes.txt"))
    assert "--from KIND" in err
    assert "markdown" in err.rpartition("A text of any program")[2]


def test_a_conversation_that_was_not_named_is_asked_for_by_its_option(cli):
    cli("store", "init")
    _, _, err = cli("memory", "search-history", "the key")
    assert "--session …" in err


def test_a_memory_is_audited_without_naming_the_store(cli):
    cli("add", "The shop opens at nine.")
    status, out, _ = cli("audit", "--json")
    assert status == 0
    assert json.loads(out)["memories"] == 1


def test_a_token_is_revoked_by_its_name_if_only_one_has_it(cli):
    cli("store", "init")
    for name in ("scout", "twin", "twin"):
        cli("store", "token", "create", name)
    assert "Revoked scout" in cli("store", "token", "revoke", "scout", "--apply")[1]
    status, _, err = cli("store", "token", "revoke", "twin", "--apply")
    assert status == 1
    assert "may mean any of 2 tokens" in err


def test_the_status_counts_the_dormant_among_the_memories(cli, faded):
    _, out, _ = cli("status")
    assert f"memories    {sum(faded)}: 0 active, 0 weak, {sum(faded)} dormant" in out


def test_the_settings_say_where_all_of_them_are(cli):
    assert "glymph config show --effective" in cli("config", "show")[1]


def test_the_help_of_the_hook_is_a_help(capsys):
    for word in ("-h", "--help"):
        assert hook.main([word]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].startswith("Usage: glymph hook EVENT")
        assert max(map(len, lines)) <= 100


# What programs read

# What cannot be asked without a model, a queue or a host, or says what another one says.
NOT_TOLD = (
    "demo", "prune dedup", "sleep ai-prune", "sleep embed", "sleep worker",
    *(f"install {remove}{host}" for remove in ("", "remove ")
      for host in ("cursor", "windsurf", "codex", "gemini", "opencode")),
)  # fmt: skip


def test_the_names_of_every_answer_are_written_down():
    reference = Path(__file__).parents[2] / "docs" / "reference"
    told = set(re.findall(r"^## glymph (.*)$", (reference / "json.md").read_text(), re.MULTILINE))
    helps = re.split(r"^## glymph ", (reference / "cli.md").read_text(), flags=re.MULTILINE)[1:]
    with_json = {one.partition("\n")[0] for one in helps if re.search(r"\n  --json ", one)}
    assert with_json - told == set(NOT_TOLD)
    assert told <= with_json
