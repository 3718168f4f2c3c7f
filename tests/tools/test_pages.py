"""Answers in pages: what fits is shown, the cursor leads to the rest, and nothing is lost."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from glymph import Glymph
from glymph.errors import InvalidInput
from glymph.tools import all_tools
from glymph.tools.arguments import Paged
from glymph.tools.contract import Arguments, Tool
from glymph.tools.cursors import write_cursor
from glymph.tools.pages import MOST_BYTES, cut_parts, run_tool

texts = st.text(max_size=40)
items = st.one_of(texts, st.integers(), st.fixed_dictionaries({"id": texts, "text": texts}))


def ask(glymph, name, /, most_bytes=MOST_BYTES, **arguments):
    tool = all_tools()[name]
    return run_tool(tool, glymph, tool.arguments(**arguments), most_bytes=most_bytes)


def looking(result):
    """A tool that answers with that."""
    return Tool(
        "look", "look", "Look.", Paged, lambda *_: result, "core", read_only=True, idempotent=True
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(st.sampled_from(["a", "b", "c:d"]), st.lists(items, max_size=8), max_size=3),
    st.integers(min_value=1, max_value=400),
)
def test_all_pages_together_are_the_whole_answer(glymph, result, most):
    found, cursor = {name: [] for name in result}, None
    for _ in range(30):
        page = run_tool(looking(result), glymph, Paged(cursor=cursor), most_bytes=most)
        for name in result:
            found[name] += page[name]
        if (cursor := page.get("next_cursor")) is None:
            break
    assert found == result


@given(
    st.dictionaries(texts, st.one_of(texts, st.lists(items, max_size=30)), max_size=5),
    st.integers(min_value=100, max_value=500),
)
def test_what_is_cut_off_is_counted(result, most):
    shown = cut_parts(result, most)
    missing = shown.get("left_out", {})
    for name, value in result.items():
        if name not in ("left_out", "notice"):
            assert len(shown[name]) + missing.get(name, 0) == len(value)
            assert list(value[: len(shown[name])]) == list(shown[name])


def test_an_answer_that_fits_stays_as_it_is(glymph):
    glymph.add("The heron nests by the mill.")
    whole = ask(glymph, "memory_search", most_bytes=None, query="heron")
    assert ask(glymph, "memory_search", query="heron") == whole
    assert "next_cursor" not in whole


def test_a_search_for_much_is_read_page_by_page(glymph):
    glymph.add_many([{"text": f"heron {n} " + f"reed{n} " * 2_000} for n in range(60)])
    whole = [
        hit["id"]
        for hit in ask(glymph, "memory_search", most_bytes=None, query="heron", limit=60)["hits"]
    ]
    assert len(whole) == 60
    seen, cursor, pages = [], None, 0
    while pages == 0 or cursor:
        page = ask(glymph, "memory_search", query="heron", limit=60, cursor=cursor)
        assert len(json.dumps(page, ensure_ascii=False)) <= MOST_BYTES + 100
        seen += [hit["id"] for hit in page["hits"]]
        cursor, pages = page.get("next_cursor"), pages + 1
    assert seen == whole
    assert pages == 4


def test_the_history_of_a_memory_is_read_page_by_page(glymph):
    memory = glymph.add("The heron was seen.").id
    for turn in range(8):
        glymph.update(memory, text=f"The heron was seen {turn} times. " + "reed " * 10_000)
    whole = ask(glymph, "memory_get", most_bytes=None, id=memory, history=True)
    seen, page = [], {"next_cursor": None}
    while "next_cursor" in page:
        page = ask(glymph, "memory_get", id=memory, history=True, cursor=page["next_cursor"])
        seen += page["history"]
    assert seen == whole["history"]


def test_operations_go_on_after_the_last_one_shown(glymph):
    for n in range(9):
        glymph.add(f"The heron was seen {n} times.")
    whole = [one["id"] for one in ask(glymph, "get_operations")["operations"]]
    first = ask(glymph, "get_operations", most_bytes=2000)
    shown = [one["id"] for one in first["operations"]]
    assert 0 < len(shown) < len(whole)
    assert shown[-1] not in first["next_cursor"]
    rest = ask(glymph, "get_operations", cursor=first["next_cursor"])
    assert shown + [one["id"] for one in rest["operations"]] == whole


def test_a_long_receipt_is_cut_and_says_where_the_rest_is(glymph):
    ids = [added.id for added in glymph.add_many([{"text": f"heron {n}"} for n in range(50)])]
    glymph.clusters.create("birds")
    done = ask(glymph, "manage_clusters", most_bytes=600, action="add", name="birds", ids=ids)
    assert len(done["succeeded"]) + done["left_out"]["succeeded"] == 50
    assert "get_operations" in done["notice"]
    assert len(glymph.clusters()[0].members) == 50  # it was done, whatever is shown of it
    listed = ask(glymph, "manage_clusters", most_bytes=600)["clusters"][0]
    assert len(listed["members"]) + listed["left_out"]["members"] == 50


@pytest.mark.parametrize(
    "cursor", ["", "hits:3", "x", "=", "²", "A" * 15, "A" * 16, "A" * 40, "A" * 5000]
)
def test_a_cursor_that_nobody_gave_is_refused(glymph, cursor):
    for name in ("memory_search", "get_operations", "analyze_memory"):
        told = {"query": "heron"} if name == "memory_search" else {}
        with pytest.raises(InvalidInput, match="next_cursor"):
            ask(glymph, name, cursor=cursor, **told)


def test_a_cursor_with_one_sign_changed_is_refused(glymph):
    cursor = write_cursor(glymph, "memory_search", "hits:1")
    assert ask(glymph, "memory_search", query="heron", cursor=cursor)["hits"] == []
    for at, sign in enumerate(cursor):
        changed = cursor[:at] + ("B" if sign == "A" else "A") + cursor[at + 1 :]
        with pytest.raises(InvalidInput, match="next_cursor"):
            ask(glymph, "memory_search", query="heron", cursor=changed)


def test_a_cursor_of_another_tool_or_space_is_refused(glymph, url):
    mine = write_cursor(glymph, "memory_recall", "hits:1")
    with Glymph.open(url, space="other") as other:
        theirs = write_cursor(other, "memory_search", "hits:1")
        assert ask(other, "memory_search", query="heron", cursor=theirs)["hits"] == []
    for cursor in (mine, theirs):
        with pytest.raises(InvalidInput, match="next_cursor"):
            ask(glymph, "memory_search", query="heron", cursor=cursor)


def test_a_cursor_behind_the_end_finds_nothing(glymph):
    glymph.add("The heron nests by the mill.")
    cursor = write_cursor(glymph, "memory_search", "hits:999999")
    assert ask(glymph, "memory_search", query="heron", cursor=cursor)["hits"] == []


def test_a_cursor_of_a_call_for_something_else_is_told_so(glymph):
    cursor = write_cursor(glymph, "memory_get", "history:1")
    memory = glymph.add("The heron nests by the mill.").id
    with pytest.raises(InvalidInput, match="same other arguments"):
        ask(glymph, "memory_get", id=memory, cursor=cursor)


def test_every_tool_with_a_cursor_only_looks():
    for tool in all_tools().values():
        if issubclass(tool.arguments, Paged):
            assert tool.read_only
            assert issubclass(tool.arguments, Arguments)
