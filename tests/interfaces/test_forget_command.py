"""Forgetting on the command line: a plan first, then exactly that, then the certificate."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from glymph import Glymph, errors
from glymph.interfaces.cli.main import app


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


def test_what_nobody_knows_changes_nothing_and_says_so(run):
    assert "Nothing would be done" in run("forget", "zeppelin@utrecht.example")


def test_a_purge_needs_the_operators_leave_and_leaves_a_certificate(run, url):
    with pytest.raises(errors.Refused, match="tools_may_purge"):
        run("forget", "alice@acme.io", "--mode", "purge", catch_exceptions=False)
    assert run("certificates").strip() == "Nothing was removed for good."
    with Glymph.open(url) as glymph:
        glymph.forget("alice@acme.io", mode="purge", apply=True)
    assert "write-ahead log" in run("certificates")
    assert json.loads(run("certificates", "--json"))["certificates"][0]["complete"] is True
    assert "The store is written anew." in run("compact")
