"""Links `supersedes`: they hide what is out of date, and never everything."""

from __future__ import annotations

import pytest

from glymph import errors


def remember(glymph, *texts):
    return [glymph.add(text).id for text in texts]


def shown(glymph):
    return {memory.id for memory in glymph.list()}


def test_no_circle_of_links_hides_everything(glymph):
    a, b, c = remember(glymph, "Alpha office is red", "Beta office is blue", "Gamma is green")
    glymph.link(a, b, "supersedes")
    glymph.link(b, c, "supersedes")
    for newer, older in ((b, a), (c, a), (c, b)):
        with pytest.raises(errors.InvalidInput, match="has replaced a itself"):
            glymph.link(newer, older, "supersedes")
    assert shown(glymph) == {a}
    assert glymph.verify().ok


@pytest.mark.parametrize("put_away", ["delete", "archive"])
def test_nothing_is_hidden_behind_what_is_not_live(glymph, put_away):
    a, b = remember(glymph, "Ada is in Rome", "Ada is in Oslo")
    getattr(glymph, put_away)([b])
    with pytest.raises(errors.InvalidInput, match="Restore it first"):
        glymph.link(b, a, "supersedes")
    assert glymph.get(a).superseded_by is None


def test_what_two_have_replaced_stays_behind_the_other(glymph):
    a, b, c = remember(glymph, "Ada is in Rome", "Ada is in Oslo", "Ada is in Kiel")
    glymph.link(b, a, "supersedes")
    glymph.link(c, a, "supersedes")
    done = glymph.unlink(c, a, "supersedes")
    assert glymph.get(a).superseded_by == b
    glymph.undo(done.operation_id)
    assert glymph.get(a).superseded_by == c
    glymph.unlink(c, a, "supersedes")
    glymph.unlink(b, a, "supersedes")
    assert glymph.get(a).superseded_by is None
    assert glymph.verify().ok


def test_what_lies_in_the_trash_hides_nothing_any_more(glymph):
    a, b, c = remember(glymph, "Ada is in Rome", "Ada is in Oslo", "Ada is in Kiel")
    glymph.link(b, a, "supersedes")
    glymph.link(c, a, "supersedes")
    glymph.delete([b])
    glymph.unlink(c, a, "supersedes")
    assert glymph.get(a).superseded_by is None


def test_a_circle_that_is_there_is_named(glymph):
    a, b, c = remember(glymph, "Alpha office is red", "Beta office is blue", "Gamma is green")
    with glymph.context.operation("link") as op:
        rows = op.writer.memories([a, b, c])
        heirs = {rows[a]["key"]: b, rows[b]["key"]: a, rows[c]["key"]: a}
        for key, heir in heirs.items():
            op.writer.change("memories", {key: {"superseded_by": heir}})
    problems = glymph.verify().problems
    assert [problem.check for problem in problems] == ["links"]
    assert "by itself" in problems[0].detail
    glymph.unsupersede(a)
    assert glymph.verify().ok
