"""Names of groups."""

from __future__ import annotations

import pytest

from glymph.prune.labels import label, shorten_title


def member(kind, title, **attributes):
    return {"kind": kind, "title": title, "attributes": attributes}


def test_trades_that_dominate_are_named_after_what_was_traded():
    trades = [
        member("trade_entry", "Long at 68k", symbol="btc"),
        member("trade_close", "BTC closed"),
    ]
    assert label([*trades, member("lesson", "Patience")]) == "BTC trade lifecycle"
    assert label([member("trade_entry", "LONG ETH @ $3K")]) == "ETH trade lifecycle"


def test_a_word_of_prose_is_no_symbol():
    assert (
        label([member("trade_entry", "opened a long, op link apt")])
        == "trade_entry: opened a long, op link apt"
    )


def test_a_trade_among_many_others_does_not_name_the_group():
    others = [member("fact", f"Fact {n}") for n in range(5)]
    assert label([*others, member("trade_entry", "BTC long")]) == "fact group: Fact 0"


@pytest.mark.parametrize(("count", "said"), [(1, "lesson: Stops"), (2, "lesson group: Stops")])
def test_other_groups_are_named_after_their_commonest_kind_and_first_title(count, said):
    assert label([member("lesson", "Stops")] * count) == said


def test_a_long_title_is_cut_at_forty():
    assert len(shorten_title("word " * 30)) <= 40
    assert shorten_title("x" * 40) == "x" * 40
    assert shorten_title("x" * 41) == "x" * 39 + "…"


def test_nothing_has_a_name_too():
    assert label([]) == "empty group"
