"""Episodes in groups: which belong together, which come first, what of them is shown."""

from __future__ import annotations

import json

import numpy as np
import pytest

from glymph.decay.sections import SECTIONS, kind_profile
from glymph.errors import InvalidInput
from glymph.learn.episodes import (
    GENERAL,
    LEAST,
    MOST_BODY,
    MOST_GROUPS,
    MOST_SHOWN,
    SOURCE_KINDS,
    Episode,
    Group,
    choose_shown,
    chosen,
    facts,
    group_episodes,
    make_episode,
    order_episodes,
    record,
)
from glymph.prune.groupings import Item, Links, Material
from glymph.prune.outcomes import Outcome

HOUR = 3_600_000_000


def episode(number, title="Something", body="", kind="trade_close", **more):
    return make_episode(f"id{number}", kind, number * HOUR, title, body, **more)


def names(groups):
    return {group.label: [one.id for one in group.episodes] for group in groups}


def test_episodes_are_grouped_by_symbol_and_the_rest_is_general():
    found = group_episodes(
        [
            episode(1, "BTC short"),
            episode(2, "BTC long"),
            episode(3, "ETH entry"),
            episode(4, "General thoughts"),
        ]
    )
    assert names(found) == {"BTC": ["id1", "id2"], "ETH": ["id3"], GENERAL: ["id4"]}
    assert found[0].key == "symbol:BTC"
    assert [group.key for group in found if group.label == GENERAL] == [GENERAL]


def test_the_first_way_that_has_a_name_for_an_episode_counts():
    episodes = [
        episode(1, attributes={"desk": "a"}),
        episode(2, "BTC up"),
        episode(3, tags=["x", "y"]),
        episode(4, tags=["y"]),
        episode(5, session="s"),
        episode(6, entities=["Ann"]),
        episode(7),
    ]
    found = group_episodes(episodes, ["attribute:desk", "symbol", "tag", "session", "entity"])
    assert names(found) == {
        "a": ["id1"],
        "BTC": ["id2"],
        "y": ["id3", "id4"],
        "s": ["id5"],
        "Ann": ["id6"],
        GENERAL: ["id7"],
    }


def test_ways_that_look_at_all_memories_get_what_they_need_from_outside():
    episodes = [episode(n, f"t{n}") for n in range(1, 6)]
    clusters = {"id1": ["c"]}
    items = [
        Item(id=one.id, title=one.title, clusters=clusters.get(one.id, ())) for one in episodes
    ]
    links = Links(np.arange(5), 6, np.array([1, 5]), np.array([5, 2]), np.array([0.9, 0.9]))
    vectors = np.array([[0, 0], [0, 0], [0, 0], [1, 0], [1, 0.01]], dtype=np.float32)
    found = group_episodes(
        episodes,
        ["cluster", "community", "similarity"],
        material=Material(items, links, vectors),
    )
    assert names(found) == {"c": ["id1"], "t2": ["id2", "id3"], "t4": ["id4", "id5"]}


@pytest.mark.parametrize("way", ["colour", "attribute", "attribute:", "tag:x", "symbol:BTC"])
def test_a_way_nobody_knows_is_refused(way):
    with pytest.raises(InvalidInput):
        group_episodes([episode(1)], [way])


def test_a_refusal_lists_the_ways_that_are_known():
    with pytest.raises(InvalidInput, match="attribute:NAME, cluster, community, entity, session"):
        group_episodes([episode(1)], ["colour"])


def test_groups_of_three_and_more_are_chosen_the_largest_first_and_five_at_most():
    groups = [Group(f"g{n}", f"g{n}", tuple(episode(i) for i in range(n))) for n in range(1, 10)]
    assert [group.key for group in chosen(groups)] == ["g9", "g8", "g7", "g6", "g5"]
    assert [group.key for group in chosen(groups[:3])] == ["g3"]
    assert (LEAST, MOST_GROUPS, MOST_SHOWN) == (3, 5, 15)


def test_those_with_an_outcome_come_first_then_the_newest_and_fifteen_are_shown():
    plain = [episode(n) for n in range(20)]
    ended = [episode(n, attributes={"pnl": 1}) for n in (30, 5)]
    group = Group("g", "g", tuple(plain[:5] + ended + plain[6:]))
    assert [one.id for one in order_episodes(group.episodes)][:4] == ["id30", "id5", "id19", "id18"]
    assert len(choose_shown(group)) == MOST_SHOWN


def test_the_outcome_may_stand_in_a_json_body():
    body = json.dumps({"text": "Closed", "signals": {"pnl_pct": 4.5, "symbol": "BTC"}})
    assert episode(1, body=body).outcome == Outcome(True, 4.5)
    assert episode(1, body=body, attributes={"outcome": "open", "pnl": 1}).outcome is None
    assert facts(episode(1, body=body, attributes={"a": {"b": 1}, "c": [1], "symbol": "ETH"})) == {
        "b": 1,
        "symbol": "ETH",
        "pnl_pct": 4.5,
    }


def test_an_episode_is_shown_by_kind_minute_title_text_outcome_and_values():
    body = json.dumps({"text": "Closed short at profit", "signals": {"pnl_pct": 5.0}})
    at = 1_771_149_600_000_000
    assert record("e1", make_episode("x", "custom:trade_close", at, "ETH  close", body)) == {
        "id": "e1",
        "kind": "trade_close",
        "at": "2026-02-15 10:00",
        "title": "ETH close",
        "body": "Closed short at profit",
        "outcome": "success",
        "values": {"pnl_pct": 5.0},
    }


def test_a_long_body_is_cut_to_five_hundred_characters():
    long = record("e1", episode(1, body="x" * 600))["body"]
    assert len(long) == MOST_BODY == 500
    assert long.endswith("...")
    assert "body" not in record("e1", episode(1, "Same", "Same"))


def test_sources_are_the_kinds_of_source_sections():
    assert {"trade_entry", "trade_close", "trade_modify", "turn_summary", "signal"} <= set(
        SOURCE_KINDS
    )
    assert all(SECTIONS[kind_profile(kind).section].role == "source" for kind in SOURCE_KINDS)
    assert "lesson" not in SOURCE_KINDS


def test_an_episode_needs_no_more_than_an_id_a_kind_a_moment_and_a_title():
    assert Episode("a", "event", 0, "t").outcome is None


def test_numbers_too_large_to_count_with_are_passed_over():
    huge = 10**309
    one = episode(
        1, attributes={"size": huge, "a": {"b": -huge}, "c": 2, "pnl": huge, "success": True}
    )
    assert facts(one) == {"c": 2, "success": True}
    assert one.outcome is not None
    assert one.outcome.success is True
    assert episode(1, attributes={"pnl": huge}).outcome is None
