"""The answer of analyze_memory: short enough for an agent, with a way to the rest."""

from __future__ import annotations

import json
from itertools import pairwise

from glymph.text.tokens import tokens
from glymph.tools import all_tools

TOOL = all_tools()["analyze_memory"]


def ask(glymph, **given):
    return TOOL.run(glymph, TOOL.arguments(**given))


def fill(glymph, clock, groups, size):
    for number in range(groups):
        added = glymph.add_many(f"Crate {number * 1000 + n} goes to Bergen." for n in range(size))
        for a, b in pairwise(added):
            glymph.link(a.id, b.id, "related_to")
    clock.advance(days=300)


def test_an_answer_fits_4000_tokens_and_says_where_to_go_on(glymph, clock):
    fill(glymph, clock, groups=12, size=6)
    whole = glymph.analyze()
    seen, first = [], 1
    while first is not None:
        part = ask(glymph, first_group=first)
        assert tokens(json.dumps(part, ensure_ascii=False)) <= 4000
        assert part["plan_id"] == whole.id
        seen += [group["group"] for group in part["groups"]]
        first = part["next_group"]
    assert seen == [group.group for group in whole.groups]
    assert len(seen) == 12


def test_of_a_group_that_does_not_fit_the_first_members_are_listed(glymph, clock):
    fill(glymph, clock, groups=1, size=100)
    part = ask(glymph)
    assert tokens(json.dumps(part, ensure_ascii=False)) <= 4400
    (group,) = part["groups"]
    assert group["node_count"] == 100
    assert 0 < len(group["nodes"]) < 100
    assert "of the 100 members of group 1 are listed" in part["text"]
    receipt = glymph.prune(part["plan_id"], groups=[1], confirm_large=True)
    assert len(receipt.succeeded) == 100


def test_the_text_names_tools_that_exist(glymph, clock):
    fill(glymph, clock, groups=1, size=4)
    assert "batch_prune(plan=" in ask(glymph)["text"]
