"""When a history is shortened, where it is cut, and what is said a turn before."""

from __future__ import annotations

import dataclasses
import inspect
import math

import pytest

from glymph.errors import InvalidInput
from glymph.history.history import History
from glymph.history.policy import (
    KEPT_CHARACTERS,
    Cursor,
    HistorySettings,
    Standing,
    build_tail,
    decide_due,
    find_cut,
    last_turn,
    split_parts,
    worth_keeping,
)


def talk(turns, words=1):
    return [
        {"role": role, "content": f"{at} " + "word " * words}
        for at in range(turns)
        for role in ("user", "assistant")
    ]


def tail(messages, unit="messages"):
    return build_tail(messages, unit)


def decided(messages, *, announces=True, noticed=None, **chosen):
    settings = HistorySettings(**{"unit": "messages", **chosen})
    return decide_due(
        tail(messages, settings.unit),
        settings,
        standing=Standing(noticed=noticed),
        announces=announces,
    )


# configuration


def test_the_defaults_are_tokens_and_a_fifth():
    assert (HistorySettings().threshold, HistorySettings().tail) == (24_000, 4_800)
    assert (HistorySettings(unit="messages").threshold, HistorySettings(unit="messages").tail) == (
        100,
        20,
    )


@pytest.mark.parametrize(
    "ratio", [0, 0.0, 1, 1.0, -0.2, 1.5, math.nan, math.inf, True, False, "0.2", None]
)
def test_a_ratio_that_is_not_strictly_between_0_and_1_is_refused(ratio):
    with pytest.raises(InvalidInput, match="strictly between 0 and 1"):
        HistorySettings(keep_recent_ratio=ratio)


@pytest.mark.parametrize("threshold", [0, -1, 1.5, math.nan, math.inf, True, False, "100"])
def test_a_threshold_that_is_no_whole_number_above_0_is_refused(threshold):
    with pytest.raises(InvalidInput, match="whole number of at least 1"):
        HistorySettings(consolidation_threshold=threshold)


def test_an_unknown_unit_is_refused():
    with pytest.raises(InvalidInput, match="'tokens' nor 'messages'"):
        HistorySettings(unit="words")


@pytest.mark.parametrize("gone", ["max_history_messages", "keep_recent", "warn_threshold"])
def test_parameters_of_a_second_mechanism_do_not_exist(gone):
    assert gone not in {field.name for field in dataclasses.fields(HistorySettings)}
    assert gone not in inspect.signature(History).parameters
    assert not hasattr(HistorySettings(), gone)
    with pytest.raises(InvalidInput, match="no such setting"):
        HistorySettings.parse({gone: 20})


def test_a_small_threshold_keeps_at_least_one():
    assert (
        HistorySettings(consolidation_threshold=3, keep_recent_ratio=0.01, unit="messages").tail
        == 1
    )


# notice and consolidation


def test_the_notice_comes_in_the_turn_before_the_threshold_is_passed_and_not_earlier():
    assert not decided(talk(4), consolidation_threshold=10).notice
    assert decided(talk(5), consolidation_threshold=10).notice
    assert decided(talk(5), consolidation_threshold=10).cut == 0


def test_what_was_announced_happens_in_the_next_turn():
    assert decided(talk(6), noticed=10, consolidation_threshold=10).cut == 10
    assert (
        decided(talk(5)[:9], noticed=8, consolidation_threshold=10).cut > 0
    )  # though the turn was small


def test_what_was_not_announced_is_announced_first_even_above_the_threshold():
    now = decided(talk(20), consolidation_threshold=10)
    assert (now.notice, now.cut) == (True, 0)


def test_nobody_is_told_who_can_do_nothing_about_it():
    assert not decided(talk(5), announces=False, consolidation_threshold=10).notice
    assert (
        decided(talk(5), announces=False, consolidation_threshold=10).cut == 0
    )  # it fires above, not at
    assert decided(talk(6), announces=False, consolidation_threshold=10).cut == 10


def test_nothing_is_announced_that_cannot_happen():
    call = {"id": "a", "function": {"name": "look"}}
    running = [
        {"role": "assistant", "tool_calls": [call]},
        *[{"role": "tool", "tool_call_id": "a"}] * 9,
    ]
    assert decided(running, consolidation_threshold=4) == decided([], consolidation_threshold=4)


def test_the_last_turn_is_measured_in_tokens_by_what_it_holds():
    messages = [*talk(2, words=100), *talk(1, words=10)]
    sizes = tail(messages, "tokens").sizes
    assert last_turn(tail(messages, "tokens"), "tokens") == sum(sizes[-2:])
    assert last_turn(tail(messages[:-1], "tokens"), "tokens") == sum(sizes[-3:-1])


def test_the_notice_in_tokens_leaves_room_for_a_turn_like_the_last():
    messages = talk(10, words=20)
    size = tail(messages, "tokens").size
    turn = last_turn(tail(messages, "tokens"), "tokens")
    fits = {"unit": "tokens", "consolidation_threshold": size + turn}
    assert not decided(messages, **fits).notice
    assert decided(messages, **{**fits, "consolidation_threshold": size + turn - 1}).notice


# where to cut


def test_the_tail_begins_where_somebody_speaks():
    assert find_cut(tail(talk(5)), 3) == 8
    assert find_cut(tail(talk(5)), 1) == 9  # no turn is that short


def test_at_least_one_message_stays_however_large_it_is():
    messages = [*talk(2), {"role": "user", "content": "x" * 9999}]
    assert find_cut(tail(messages, "tokens"), 1) == 4
    assert find_cut(tail(messages[-1:], "tokens"), 1) == 0


def test_a_part_ends_at_a_legal_place_and_makes_progress():
    messages = talk(10, words=100)
    view = tail(messages, "tokens")
    assert split_parts(view, 10, 10**9) == [10]
    assert split_parts(view, 10, 1) == list(range(1, 11))
    ends = split_parts(view, 10, sum(view.sizes[:5]))
    assert 1 < ends[0] <= 5
    assert ends == sorted(set(ends))
    assert ends[-1] == 10


def test_a_consolidation_moves_the_cursor_and_forgets_the_notice():
    after = Standing(noticed=8).advance(Cursor(100, 8), "- a", "- a")
    assert (after.cursor.count, after.noticed, after.consolidations) == (8, None, 1)


# old results


def test_old_results_shrink_and_the_newest_turn_is_never_cut():
    def turn(number):
        call = {
            "id": f"c{number}",
            "function": {"name": "mcp__glymph__analyze_memory", "arguments": "{}"},
        }
        return [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": "r" * 5000},
        ]

    sent = build_tail([*turn(1), *turn(2)], "tokens").messages
    assert sent[2]["content"].startswith("r" * 400 + " … [4,600 characters")
    assert sent[5]["content"] == "r" * 5000


@pytest.mark.parametrize(
    ("tool", "characters"),
    [("analyze_memory", 400), ("batch_prune", 300), ("manage_conflicts", 300), ("memory_recall", 600),
     ("memory_search", 600), ("memory_add", 150), ("memory_update", 150), ("memory_delete", 150),
     ("explore_memory", 150), ("manage_clusters", 150), ("somebody_elses", 800)],
)  # fmt: skip
def test_every_tool_says_how_much_of_an_old_result_is_worth_keeping(tool, characters):
    assert worth_keeping(tool) == characters
    assert worth_keeping(f"mcp__server__{tool}", KEPT_CHARACTERS) == characters
