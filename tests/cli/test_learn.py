"""`glymph sleep consolidate` and `glymph memory playbooks` on a terminal."""

from __future__ import annotations

from glymph.cli import output
from glymph.learn.consolidate_result import Consolidated, Learnt
from glymph.plain import plain
from glymph.tools import all_tools


def told(capsys, tool, value):
    output.print_blocks(all_tools()[tool].render(value))
    return " ".join(capsys.readouterr().out.split())


def test_a_run_is_told_group_by_group_with_reasons_dropped_statements_and_cost(capsys):
    groups = (
        Learnt("BTC", 9, "created", lesson="id-1", title="Shorts pay", why="verified, 1 statements dropped",
               dropped=("On Sundays 9 of 9 won. (counted again it is 2 of 3)",), tokens_in=900, tokens_out=100,
               cost_usd=0.0123),
        Learnt("ETH", 4, "failed", why="The model scripted failed: no answer within 60 s."),
    )  # fmt: skip
    done = Consolidated(
        True, "it never ran", episodes_reviewed=13, groups_found=2, groups_analyzed=1, patterns_created=1,
        errors=1, playbooks_updated=1, groups=groups, calls=1, tokens_in=900, tokens_out=100, cost_usd=0.0123,
        operation_id="op-1",
    )  # fmt: skip
    said = told(capsys, "trigger_consolidation", plain(done))
    for part in (
        "13 episodes in 2 groups: 1 new lesson, 0 strengthened.", "Shorts pay", "1,000 tokens, 0.0123 USD",
        "dropped from BTC: On Sundays", "no answer within 60 s", "1 group failed and will be tried again",
        "1 playbook took later outcomes", "1 call: 900 tokens in, 100 out", "glymph undo op-1",
    ):  # fmt: skip
        assert part in said, part


def test_a_run_without_news_and_one_that_is_not_due_say_so(capsys):
    assert "Nothing new to learn from" in told(
        capsys, "trigger_consolidation", plain(Consolidated(True, "it was asked for"))
    )
    assert "Nothing done: it ran" in told(
        capsys, "trigger_consolidation", plain(Consolidated(False, "it ran"))
    )


def test_playbooks_are_told_with_what_to_do_and_how_often_it_went_well(capsys):
    one = {"id": "id-1", "title": "Shorts pay", "text": "Go short then.", "direction": "short",
           "success_rate": 0.9, "outcomes": 10, "fit": 1.0, "score": 0.9}  # fmt: skip
    said = told(capsys, "match_playbooks", {"playbooks": [one]})
    assert "90 % of 10" in said
    assert "Go short then." in said
    assert "No playbook fits" in told(capsys, "match_playbooks", {"playbooks": []})
