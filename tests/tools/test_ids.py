"""Ids as a model handles them: short in answers, prefixes in calls."""

from __future__ import annotations

import re

import pytest

from glymph import Glymph, errors
from glymph.ids import is_uuid7
from glymph.mcp.server import answer_call
from glymph.tools import all_tools
from glymph.tools.ids import SHOWN_AT_FIRST, resolve_id, shorten_ids
from glymph.tools.pages import run_tool
from tests.grounds.reading import put_in_question

NOBODY = "01900000-0000-7000-8000-000000000000"


def call(glymph, name, **arguments):
    tool = all_tools()[name]
    return run_tool(tool, glymph, tool.arguments.model_validate(arguments))


def tell(glymph, name, **arguments):
    return answer_call(lambda _: glymph, all_tools(), name, arguments).content[0].text


@pytest.fixture
def kept(url, clock):
    """A handle with memories some time apart."""
    with Glymph.open(url, clock=clock, embedder="none", reader="none") as glymph:
        for text in ("The heron nests by the mill.", "The otter sleeps.", "The newt is shy."):
            clock.advance(hours=1)
            glymph.add(text)
        clock.advance(hours=1)
        yield glymph


def short(whole):
    return whole[:8]


def test_a_prefix_stands_for_a_memory_an_operation_a_recall_a_question_and_a_plan(kept, clock):
    newest, older, oldest = kept.list(limit=3)
    assert call(kept, "memory_get", id=short(older.id))["memory"]["id"] == older.id
    recalled = kept.recall("heron")
    done = call(kept, "memory_report", recall_id=short(recalled.id), used=short(oldest.id))
    assert done["succeeded"] == [oldest.id]
    gone = call(kept, "memory_delete", ids=[short(newest.id), short(older.id)])
    assert gone["succeeded"] == [newest.id, older.id]
    clock.advance(hours=1)
    back = call(kept, "undo_operation", operation_id=gone["operation_id"][:28])
    assert set(back["succeeded"]) == {newest.id, older.id}
    question = put_in_question(kept, older.id, newest.id)
    assert call(kept, "answer_question", id=short(question), choice="keep_both")["succeeded"]
    clock.advance(days=400)
    plan = call(kept, "analyze_memory", include_isolated=True)
    assert call(kept, "batch_prune", plan=short(plan["plan_id"]), groups=[1])["succeeded"]


def test_a_prefix_of_several_is_a_typed_error_that_lists_them(kept):
    first, second = (kept.add(text).id for text in ("A kettle.", "A teapot."))
    with pytest.raises(errors.Ambiguous) as caught:
        call(kept, "memory_get", id=first[:13])
    assert {first, second} <= {one for one, _ in caught.value.candidates}
    assert "A kettle." in str(caught.value)
    with pytest.raises(errors.Ambiguous, match="operations"):
        call(kept, "undo_operation", operation_id=first[:8])


@pytest.mark.parametrize("given", ["0190", NOBODY[:12], NOBODY, "the heron", "deadbeef", "", "%"])
def test_what_is_no_prefix_of_anything_is_left_to_the_tool(kept, given):
    assert resolve_id(kept, "memory", given) == given


def test_a_beginning_that_is_too_short_is_told_how_long_it_has_to_be(kept):
    newest = kept.list(limit=1).items[0].id
    with pytest.raises(errors.InvalidInput, match="at least 6 characters"):
        call(kept, "memory_get", id=newest[:5])
    described = call(kept, "memory_supersede", old="bee", new_text="The bee sleeps in the hive.")
    assert len(described["succeeded"]) == 1  # a word is no id


def test_a_prefix_does_not_reach_into_another_space(kept, url, clock):
    memory = kept.list(limit=1)[0].id
    with Glymph.open(url, space="other", clock=clock, embedder="none", reader="none") as other:
        other.add("Something else.")
        assert resolve_id(other, "memory", memory[:20]) == memory[:20]


def test_answers_show_ids_that_are_short_unique_and_accepted(kept):
    hits = shorten_ids(kept, call(kept, "memory_search", query="heron otter newt"))["hits"]
    for hit in hits:
        assert len(hit["id"]) == 8
        assert call(kept, "memory_get", id=hit["id"])["memory"]["text"] == hit["text"]


def test_what_was_just_added_is_shown_with_its_whole_moment(kept, clock):
    told = tell(kept, "memory_add", text="The kettle is blue.")
    shown = re.search(r"remembered (\S+),", told)[1]
    assert len(shown) >= SHOWN_AT_FIRST
    clock.advance(seconds=1)
    kept.add("The teapot is red.")  # within the same minute
    assert call(kept, "memory_get", id=shown)["memory"]["text"] == "The kettle is blue."


def test_what_a_memory_says_is_never_shortened(kept):
    other = kept.list(limit=1)[0].id
    memory = kept.add(other).id
    shown = shorten_ids(kept, call(kept, "memory_get", id=memory))["memory"]
    assert shown["text"] == other
    assert not is_uuid7(shown["id"])
