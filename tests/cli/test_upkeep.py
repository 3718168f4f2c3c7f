"""The commands for what is done between sessions: they say what they would do, and do it when told."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from glymph import Glymph
from glymph.cli.main import app

TOLD = [
    {"role": "user", "content": "From now on always run the linter before a commit."},
    {"role": "user", "content": "Can you fix the failing test?"},
]
ANSWER = (
    "import json, sys\nasked = sys.stdin.read()\n"
    "print(json.dumps({'archive': [{'id': 'm1', 'criterion': 'one-time', 'reason': 'it was about one lunch'}]}))"
)


@pytest.fixture
def run(url, monkeypatch, tmp_path):
    """A command on a store of a year ago; gives back its output and status."""
    born = datetime.now(UTC) - timedelta(days=120)
    with Glymph.open(url, clock=lambda: born) as glymph:
        glymph.add_many(
            [{"text": f"Price of coin {n} touched {n * 7}", "kind": "signal"} for n in range(12)]
        )
        glymph.add("Never trade the first hour after a listing.", kind="lesson")
        glymph.add("Reach break-even by June.", kind="goal")
    monkeypatch.setenv("GLYMPH_URL", url)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("GLYMPH_SPEND_RUN_USD", "9")
    monkeypatch.setenv("GLYMPH_SPEND_DAILY_USD", "9")

    def call(*args):
        result = CliRunner().invoke(app, [str(arg) for arg in args])
        return result.output, result.exit_code

    return call


@pytest.fixture
def transcript(tmp_path):
    path = tmp_path / "session.jsonl"
    path.write_text("".join(json.dumps(turn) + "\n" for turn in TOLD), encoding="utf-8")
    return path


def test_lifecycle_only_says_what_it_would_do_until_it_is_applied(run):
    said, code = run("lifecycle")
    assert code == 0
    assert "would be archived" in said
    assert "add --apply" in said
    assert json.loads(run("health", "--json")[0])["archived"] == 0
    done = json.loads(run("lifecycle", "--apply", "--json")[0])
    assert len(done["archived"]) == 10  # a fifth of them, but at least ten
    assert done["held_back"] == 2
    assert all(one["reason"] for one in done["archived"])
    assert json.loads(run("health", "--json")[0])["archived"] == 10
    told = run("history", done["archived"][0]["id"])[0]
    assert "dormant (retrievability" in told
    assert run("undo", done["operation_ids"][0])[1] == 0
    assert json.loads(run("health", "--json")[0])["archived"] == 0


def test_if_needed_acts_when_it_is_due_and_not_again(run):
    assert json.loads(run("lifecycle", "--if-needed", "--json")[0])["ran"]
    again = json.loads(run("lifecycle", "--if-needed", "--json")[0])
    assert not again["ran"]
    assert "Not needed" in run("lifecycle", "--if-needed")[0]


def test_what_fades_is_listed_and_can_be_kept(run):
    said, code = run("fading")
    assert code == 0
    assert "first hour after a listing" in said
    (one,) = json.loads(run("fading", "--json")[0])["fading"]
    assert run("reinforce", one["id"])[1] == 0
    assert "Nothing is fading" in run("fading")[0]


def test_the_digest_is_printed_with_goals_first(run):
    said, code = run("surface")
    assert code == 0
    assert said.index("## Goals") < said.index("## Fading")
    assert json.loads(run("surface", "--tokens", "100", "--json")[0])["tokens"] <= 134
    assert run("surface", "--tokens", "3")[1] == 1


def test_a_transcript_is_read_once(run, transcript):
    said, code = run("extract", transcript, "--dry-run")
    assert (code, "Would keep 1 statement of 2 turns, found by rules." in said) == (0, True)
    said, code = run("extract", transcript)
    assert (code, "Kept 1 new statement of 2 turns, found by rules." in said) == (0, True)
    again = json.loads(run("extract", transcript, "--json")[0])
    assert (again["turns"], again["found"]) == (0, [])
    assert "linter" in run("search", "what to do before a commit")[0]


def test_a_transcript_is_read_again_when_told_and_says_what_was_known(run, transcript):
    run("extract", transcript)
    said, code = run("extract", transcript, "--again")
    assert (
        code,
        "Kept 0 new statements of 2 turns, found by rules. 1 was known already." in said,
    ) == (0, True)
    told = json.loads(run("extract", transcript, "--again", "--json")[0])
    assert (told["turns"], told["created"], told["known"]) == (2, 0, 1)


def test_a_transcript_is_read_from_standard_input_without_a_cursor(run, transcript):
    piped = transcript.read_bytes() + b"\xff\n"
    for new, known in ((1, 0), (0, 1)):
        done = CliRunner().invoke(app, ["extract", "-", "--json"], input=piped)
        told = json.loads(done.stdout)
        assert (done.exit_code, told["turns"], told["created"], told["known"]) == (0, 2, new, known)
        assert (told["offset_from"], told["offset_to"], told["unreadable"]) == (0, 3, 1)


def test_a_transcript_that_is_not_there_is_an_error_with_a_next_step(run, tmp_path):
    said, code = run("sleep", "extract", tmp_path / "missing.jsonl")
    assert code == 1
    assert said == "" or "missing" in said


def test_ai_prune_needs_a_model_and_says_how_to_get_one(run):
    result = CliRunner().invoke(app, ["ai-prune", "--apply"])
    assert result.exit_code == 1
    assert "config set model" in str(result.exception)


def test_ai_prune_says_what_it_may_cost_before_it_asks_and_what_it_did_cost(
    run, monkeypatch, tmp_path
):
    program = tmp_path / "answer.py"
    program.write_text(ANSWER, encoding="utf-8")
    monkeypatch.setenv("GLYMPH_MODEL", f"command:{sys.executable} {program}")
    said, code = run("ai-prune")
    assert code == 0
    assert "Would show 14 memories in 1 batch" in said
    assert "No language model was asked" in run("costs")[0]
    said, code = run("ai-prune", "--apply")
    assert (code, "Archived 1 memory of 14 shown in 1 batch" in said) == (0, True)
    assert "it was about one lunch" in said
    spent = json.loads(run("costs", "--json")[0])
    assert (spent["total"]["calls"], spent["total"]["assumed"]) == (1, True)
    said = run("costs")[0]
    assert "ai_prune" in said
    assert "set model_prices" in said
    assert run("undo")[1] == 0


def test_a_key_is_never_shown(run, monkeypatch):
    monkeypatch.setenv("GLYMPH_MODEL", "openai:small")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "secret" * 4)
    said = run("config", "show")[0] + run("config", "show", "--effective", "--json")[0]
    assert "secretsecret" not in said
    assert "(set, not shown)" in said
