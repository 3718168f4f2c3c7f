"""Which episodes tell how something ended."""

from __future__ import annotations

import pytest

from glymph.prune.outcomes import Outcome, bears_outcome, outcome


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
    assert bears_outcome(attributes)


@pytest.mark.parametrize(
    "attributes",
    [
        {}, {"symbol": "SOL"}, {"stop_loss": 91.2}, {"take_profit": 120}, {"return_address": "Main St"},
        {"outcome": None}, {"outcome": ""}, {"outcome": "Pending"}, {"result": "open"}, {"pnl": []},
        {"a": {"b": {"outcome": "win"}}},
    ],
)  # fmt: skip
def test_a_plan_an_open_end_and_anything_else_is_none(attributes) -> None:
    assert not bears_outcome(attributes)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"outcome": "win"}, Outcome(True)),
        ({"outcome": "Loss"}, Outcome(False)),
        ({"result": "success"}, Outcome(True)),
        ({"result": "rejected"}, Outcome(False)),
        ({"result": "not profitable"}, Outcome(False)),
        ({"outcome": "breakeven"}, Outcome(None)),
        ({"success": False}, Outcome(False)),
        ({"success": 1}, Outcome(True)),
        ({"won": 0}, Outcome(False)),
        ({"failed": True}, Outcome(False)),
        ({"failed": False}, Outcome(True)),
        ({"pnl": -3}, Outcome(False, -3.0)),
        ({"pnl_pct": "+2.5%"}, Outcome(True, 2.5)),
        ({"pnl": 120, "pnl_pct": 2.5}, Outcome(True, 2.5)),
        ({"pnl": 0}, Outcome(None, 0.0)),
        ({"loss": 5}, Outcome(False, -5.0)),
        ({"return": 0.02}, Outcome(True, 0.02)),
        ({"outcome": "win", "pnl": -0.1}, Outcome(True, -0.1)),
        ({"score": 0.8}, Outcome(None, 0.8)),
        ({"signals": {"pnl_pct": 5.0}}, Outcome(True, 5.0)),
        ({"pnl": float("nan")}, Outcome(None)),
        ({"outcome": "open", "pnl": 4}, None),
        ({"status": "open", "pnl": 4}, None),
        ({"outcome": "pending"}, None),
        ({"stop_loss": 4}, None),
        ({}, None),
    ],
)
def test_an_outcome_is_a_success_a_failure_or_neither_with_its_magnitude(
    attributes, expected
) -> None:
    assert outcome(attributes) == expected
