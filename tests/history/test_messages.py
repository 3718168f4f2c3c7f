"""Messages of both shapes seen as one thing, and the places where a conversation may be cut."""

from __future__ import annotations

import pytest

from glymph.errors import InvalidInput
from glymph.history.messages import (
    IMAGE_TOKENS,
    Call,
    Result,
    check_message,
    find_boundaries,
    match_results,
    read_message,
    repair,
    shorten_results,
)


def user(text="Hello"):
    return {"role": "user", "content": text}


def openai_calls(*ids, name="look", text=None):
    calls = [
        {"id": one, "type": "function", "function": {"name": name, "arguments": '{"at": 1}'}}
        for one in ids
    ]
    return {"role": "assistant", "content": text, "tool_calls": calls}


def openai_result(one, text="found"):
    return {"role": "tool", "tool_call_id": one, "content": text}


def anthropic_calls(*ids, name="look"):
    uses = [{"type": "tool_use", "id": one, "name": name, "input": {"at": 1}} for one in ids]
    return {"role": "assistant", "content": [{"type": "text", "text": "Let me look."}, *uses]}


def anthropic_results(*ids, text="found"):
    return {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": one, "content": text} for one in ids],
    }


def places(*messages):
    return find_boundaries([read_message(message) for message in messages])


@pytest.mark.parametrize("calls", [openai_calls("a", "b"), anthropic_calls("a", "b")])
def test_calls_of_both_shapes_look_the_same(calls):
    assert read_message(calls).calls == (
        Call("a", "look", '{"at": 1}'),
        Call("b", "look", '{"at": 1}'),
    )
    assert read_message(calls).role == "assistant"


def test_results_of_both_shapes_look_the_same_and_open_no_turn():
    ours, theirs = read_message(openai_result("a")), read_message(anthropic_results("a"))
    assert ours.results == theirs.results == (Result("a", "found"),)
    assert ours.text == theirs.text == ""
    assert not ours.opens
    assert not theirs.opens
    assert read_message(user()).opens


@pytest.mark.parametrize(
    ("call", "result"),
    [
        (
            {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "a", "output": "found"},
        ),
        (
            {
                "role": "assistant",
                "content": None,
                "function_call": {"name": "look", "arguments": "{}"},
            },
            {"role": "function", "name": "look", "content": "found"},
        ),
    ],
    ids=["items", "functions"],
)
def test_newer_and_older_shapes_of_openai_are_understood(call, result):
    check_message(call)
    check_message(result)
    assert [one.name for one in read_message(call).calls] == ["look"]
    assert places(user(), call, result, user()) == [1, 3]


def test_parts_are_read_and_pictures_and_thoughts_are_counted():
    message = {
        "role": "user",
        "content": [
            {"type": "text", "text": "Look"},
            {"type": "image", "source": {"data": "x" * 9999}},
            {"type": "thinking", "thinking": "t" * 400},
        ],
    }
    view = read_message(message)
    assert (view.text, view.media, view.hidden) == ("Look", 1, "t" * 400)
    assert IMAGE_TOKENS < view.tokens < IMAGE_TOKENS + 120


def test_a_call_that_is_answered_within_its_own_message_needs_nothing_else():
    message = {
        "role": "assistant",
        "content": [
            {"type": "server_tool_use", "id": "a", "name": "web_search", "input": {}},
            {"type": "web_search_tool_result", "tool_use_id": "a", "content": []},
            {"type": "text", "text": "Found."},
        ],
    }
    assert match_results([read_message(message)]).orphans == (frozenset(),)


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ("hello", "message"),
        ({"content": "hello"}, "message.role"),
        ({"role": "wizard", "content": "hello"}, "message.role"),
        ({"role": "user", "content": 7}, "message.content"),
        ({"role": "user", "content": [7]}, "message.content"),
    ],
)
def test_what_is_no_message_is_refused_with_the_field_named(message, named):
    with pytest.raises(InvalidInput) as caught:
        check_message(message)
    assert caught.value.field == named


# where to cut


def test_parallel_calls_are_never_cut_from_any_of_their_results():
    assert places(
        user(), openai_calls("a", "b"), openai_result("a"), openai_result("b"), user()
    ) == [1, 4]
    assert places(user(), anthropic_calls("a", "b"), anthropic_results("a", "b"), user()) == [1, 3]
    assert places(
        user(), anthropic_calls("a", "b"), anthropic_results("b"), anthropic_results("a"), user()
    ) == [
        1,
        4,
    ]


def test_nothing_is_cut_between_a_call_and_a_late_answer():
    assert places(user(), openai_calls("a"), user("wait"), openai_result("a"), user()) == [1, 4]


def test_a_call_that_waits_for_its_answer_is_not_cut_off_but_one_that_was_given_up_is():
    assert places(user(), openai_calls("a", "b"), openai_result("a")) == [1]
    assert places(user(), openai_calls("a"), user("never mind"), user()) == [1, 2, 3]


def test_an_id_that_is_used_again_belongs_to_the_last_call():
    again = [openai_calls("a"), openai_result("a")]
    assert places(user(), *again, *again, user()) == [1, 3, 5]


def test_nothing_begins_with_a_result_whose_call_is_unknown():
    assert places(user(), openai_result("gone"), user()) == [2]


# changing


def test_a_result_that_lost_its_call_is_told_in_words():
    messages = [
        openai_result("gone", "42 lines"),
        anthropic_results("gone", text="7 lines"),
        openai_calls("a"),
    ]
    first, second, third = repair(messages, [read_message(one) for one in messages])
    assert (first["role"], "42 lines" in first["content"]) == ("user", True)
    assert second["content"][0]["type"] == "text"
    assert "7 lines" in second["content"][0]["text"]
    assert third is messages[2]
    assert not any(read_message(one).results for one in (first, second))


@pytest.mark.parametrize(
    "result", [openai_result("a", "x" * 900), anthropic_results("a", text="x" * 900)]
)
def test_an_old_result_is_cut_to_what_its_tool_says_and_tells_how_much_is_missing(result):
    cut = (
        read_message(shorten_results(result, {"a": "look"}, {"look": 100}.__getitem__))
        .results[0]
        .text
    )
    assert cut.startswith("x" * 100 + " … [800 characters")
    assert len(cut) < 200


def test_a_short_result_and_every_other_message_stay_the_very_same():
    for message in (
        openai_result("a"),
        anthropic_results("a"),
        user("x" * 9999),
        openai_calls("a"),
    ):
        assert shorten_results(message, {"a": "look"}, lambda name: 100) is message


def test_a_result_in_parts_is_cut_as_a_whole_and_its_pictures_become_words():
    parts = [
        {"type": "text", "text": "x" * 90},
        {"type": "text", "text": "y" * 90},
        {"type": "image"},
    ]
    message = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "a", "content": parts}],
    }
    view = read_message(shorten_results(message, {"a": "look"}, lambda name: 1000))
    assert view.media == 0
    assert view.results[0].text.endswith("[a picture or file]")
    assert (
        len(read_message(shorten_results(message, {"a": "look"}, lambda name: 20)).results[0].text)
        < 100
    )
