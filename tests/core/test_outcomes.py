"""Which episodes tell how something ended."""

from __future__ import annotations

import pytest

from glymph.core.outcomes import outcome_bearing


@pytest.mark.parametrize(
    "attributes",
    [
        {"outcome": "win"}, {"pnl": -3}, {"pnl_pct": 0.0}, {"pnlPct": 2.5}, {"realized_pnl_usd": 12},
        {"won": False}, {"success": False}, {"result": "rejected"}, {"Profit": 4}, {"loss": 1}, {"return": 0.02},
        {"ROE": 11},
        {"signals": {"pnl_pct": 5.0}},
    ],
)  # fmt: skip
def test_an_attribute_that_says_how_it_ended_is_an_outcome(attributes) -> None:
    assert outcome_bearing(attributes)


@pytest.mark.parametrize(
    "attributes",
    [
        {}, {"symbol": "SOL"}, {"stop_loss": 91.2}, {"take_profit": 120}, {"return_address": "Main St"},
        {"outcome": None}, {"outcome": ""}, {"outcome": "Pending"}, {"result": "open"}, {"pnl": []},
        {"a": {"b": {"outcome": "win"}}},
    ],
)  # fmt: skip
def test_a_plan_an_open_end_and_anything_else_is_none(attributes) -> None:
    assert not outcome_bearing(attributes)
