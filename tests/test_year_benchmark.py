"""The watch over the simulated year sees what it says it sees, and a few days of it pass."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.harness.watch import DAY, Seen, Watch
from benchmarks.harness.year_picture import year
from benchmarks.harness.yearlong import lived

NOW = 1_000 * DAY
ROW = Seen("signal", "SIGNALS", "LIVE", NOW - 90 * DAY, "add", 0, 0, NOW - 90 * DAY, None, 2.0)


@pytest.fixture
def watch(monkeypatch):
    found = Watch(Path("nowhere.db"))
    monkeypatch.setattr(Watch, "_reasons", lambda self: {"a": "because"})
    return found


def moved(watch, before, **after):
    watch.compare({"a": before}, {"a": replace(before, **after)} if after else {}, NOW)
    return {name: count for name, count in watch.lost.items() if count}


ARCHIVED = {"state": "ARCHIVED", "state_by": "lifecycle", "state_at": NOW}
TRASHED = {"state": "TRASHED", "state_by": "lifecycle_trash", "state_at": NOW}


def test_what_may_go_is_no_breach(watch) -> None:
    assert moved(watch, ROW, **ARCHIVED) == {}
    assert moved(watch, replace(ROW, **{**ARCHIVED, "state_at": NOW - 30 * DAY}), **TRASHED) == {}
    assert moved(watch, replace(ROW, **{**TRASHED, "state_at": NOW - 30 * DAY})) == {}
    assert watch.moved == {"archived": 1, "trashed": 1, "purged": 1}


@pytest.mark.parametrize(
    ("breach", "before", "after"),
    [
        ("pinned_lost", replace(ROW, pinned=1), ARCHIVED),
        ("protected_lost", replace(ROW, protected=1), ARCHIVED),
        ("used_lost_lifecycle", replace(ROW, last_used_at=NOW - 5 * DAY), ARCHIVED),
        (
            "restored_lost_lifecycle",
            replace(ROW, state_by="restore", state_at=NOW - 13 * DAY),
            ARCHIVED,
        ),
        ("purged_by_surprise", replace(ROW, state="ARCHIVED", state_by="archive"), TRASHED),
        ("purged_by_surprise", replace(ROW, **{**ARCHIVED, "state_at": NOW - 29 * DAY}), TRASHED),
        ("purged_by_surprise", replace(ROW, **{**TRASHED, "state_at": NOW - 29 * DAY}), {}),
        ("purged_by_surprise", ROW, TRASHED),
        ("purged_by_surprise", ROW, {}),
    ],
)
def test_each_breach_is_seen(watch, breach, before, after) -> None:
    assert moved(watch, before, **after) == {breach: 1}


def test_a_move_without_a_reason_is_seen(watch, monkeypatch) -> None:
    monkeypatch.setattr(Watch, "_reasons", lambda self: {})
    assert moved(watch, ROW, **ARCHIVED) == {"purged_by_surprise": 1}


def test_a_broken_cap_is_seen_in_one_round_and_over_a_day(watch, monkeypatch) -> None:
    monkeypatch.setattr(Watch, "_reasons", lambda self: {str(n): "because" for n in range(40)})
    rows = {str(n): ROW for n in range(40)}
    gone = {one: replace(row, **ARCHIVED) if int(one) < 10 else row for one, row in rows.items()}
    watch.compare(rows, gone, NOW)
    assert watch.lost["caps_broken"] == 0
    watch.compare(gone, gone | {"10": replace(ROW, **ARCHIVED)}, NOW + DAY // 2)
    assert watch.lost["caps_broken"] == 1


def test_a_few_days_pass_and_can_be_drawn(tmp_path) -> None:
    life = lived(tmp_path, 3, 7)
    assert life.counts["added"] > 50
    assert life.counts["lifecycle_runs"] == 9
    assert not +life.watch.lost
    survival = life.watch.survival((0, 1), life.watch.live[-1][0])
    assert survival["signal"][1] > 80
    drawn = year({"all": {0.0: 1.0, 3.0: 2.0}}, {"signal": {0.0: 100.0, 1.0: 90.0}}, 2)
    assert drawn.startswith("<svg")
    assert drawn.rstrip().endswith("</svg>")
