"""`glymph sleep fit`: a table that says what would be adopted, and the next step in words."""

from __future__ import annotations

import json
import random

import pytest
from typer.testing import CliRunner

from glymph import errors
from glymph.cli.main import app

TOPICS = ("harbour", "orchard", "kiln", "meadow")


@pytest.fixture
def fit(url):
    """Runs the command on the test's own store."""
    return lambda *args: CliRunner().invoke(
        app, ["fit", "--url", url, *args], env={"COLUMNS": "120"}
    )


@pytest.fixture
def lived(glymph, clock):
    """A handle on a store whose notes are used again within ten days, and hardly ever after."""
    chance = random.Random(5)
    glymph.add_many([f"{topic} note {number}" for topic in TOPICS for number in range(10)])
    for _ in range(40):
        clock.advance(days=2)
        found = glymph.recall(chance.choice(TOPICS))
        used = [
            h.memory.id
            for h in found
            if chance.random() < (0.9 if fresh(h.memory, clock) else 0.05)
        ]
        glymph.report(found.id, used=used)
    return glymph


def fresh(memory, clock):
    return (clock.now - (memory.last_used_at or memory.created_at)).days < 10


def test_a_dry_run_shows_what_would_get_better_and_how_to_adopt_it(fit, lived):
    before = lived.list()
    said = fit()
    assert said.exit_code == 0
    head, *rows, last = said.stdout.splitlines()
    assert head.split() == [
        "section",
        "shown",
        "used",
        "days",
        "decay",
        "scale",
        "log",
        "loss",
        "verdict",
    ]
    told = {row.split()[0]: row for row in rows}
    assert "0.200 → " in told["KNOWLEDGE"]
    assert "1.00 → " in told["KNOWLEDGE"]
    assert told["KNOWLEDGE"].endswith("better on the held-out days")
    assert told["SIGNALS"].endswith("not enough yet: 0 of 100 observations")
    assert last == "Better for KNOWLEDGE. Adopt it with: glymph sleep fit --apply"
    assert fit().stdout == said.stdout
    assert lived.list() == before


def test_apply_adopts_and_reset_takes_back(fit, lived):
    before = lived.list()
    assert (
        last_line(fit("--apply"))
        == "Adopted for KNOWLEDGE. Take it back with: glymph sleep fit --reset"
    )
    assert lived.list() != before
    again = "Nothing better to adopt. In force for KNOWLEDGE; take it back with: glymph sleep fit --reset"
    assert last_line(fit("--apply")) == again
    assert last_line(fit("--reset")) == "Every section fades by its own curve again."
    assert lived.list() == before


def last_line(said):
    return said.stdout.splitlines()[-1]


def test_machines_get_one_document(fit, lived):
    found = json.loads(fit("--apply", "--json").stdout)
    assert (found["applied"], found["reset"], found["adopted"]) == (True, False, ["KNOWLEDGE"])
    by_section = {one["section"]: one for one in found["sections"]}
    assert list(by_section) == ["SIGNALS", "EPISODIC", "KNOWLEDGE", "PROCEDURAL"]
    one = by_section["KNOWLEDGE"]
    assert one["before"] == {"decay": 0.2, "scale": 1.0}
    assert one["better"] is True
    assert one["log_loss_after"] < one["log_loss_before"]
    assert by_section["SIGNALS"]["after"] is None


def test_nothing_to_fit_says_what_is_missing_and_what_to_do(fit, glymph):
    said = fit("--apply")
    assert said.exit_code == 0
    assert said.stdout.count("0 of 100 observations") == 4
    assert "glymph memory report RECALL_ID --used MEMORY_ID" in said.stdout


def test_adopting_and_resetting_at_once_is_refused(fit, glymph):
    refused = fit("--apply", "--reset").exception
    assert isinstance(refused, errors.InvalidInput)
    assert "apply or reset" in str(refused)


def test_the_next_step_names_the_space(fit, lived):
    lived.rename_space("default", "other")
    assert last_line(fit("--space", "other")).endswith("glymph sleep fit --space other --apply")


def test_looking_makes_no_store(fit, tmp_path):
    assert isinstance(fit().exception, errors.GlymphError)
    assert list(tmp_path.iterdir()) == []
