"""The benchmark of faults sees what it is there to see."""

from __future__ import annotations

import os

import pytest

from benchmarks.harness import fault_scenes
from benchmarks.harness.fault_lines import LineGround
from benchmarks.harness.fault_scenes import SCENES
from benchmarks.harness.fault_trials import Ground, Limit, attempt
from glymph.testing.faulty_files import Fault, FaultyFiles
from glymph.testing.faulty_line import LineFault

pytestmark = pytest.mark.skipif(os.name != "posix", reason="forks, above SQLite's files for Unix")


def losses(ground, places):
    return [attempt(ground, Fault("power_loss", at, seed=at)) for at in places]


def test_a_store_that_does_not_wait_for_the_disk_loses_what_it_acknowledged(tmp_path, monkeypatch):
    monkeypatch.setattr(fault_scenes, "SETTINGS", {"compare": "on", "durability": "normal"})
    ground = Ground(SCENES["add"], tmp_path)
    last = FaultyFiles.count("power_loss", ground.expected.calls)
    assert any(one.lost for one in losses(ground, range(last - 5, last)))


def test_one_that_does_survives_a_kill_a_loss_of_power_and_a_full_disk(tmp_path):
    ground = Ground(SCENES["update"], tmp_path)
    last = FaultyFiles.count("power_loss", ground.expected.calls)
    found = losses(ground, (2, last // 2, last - 1))
    found += [attempt(ground, Fault("kill", last - 3)), attempt(ground, Fault("full", 9))]
    found.append(attempt(ground, Limit(ground.expected.longest // 3)))
    assert [one.wrong for one in found] == [[]] * len(found)
    assert all(one.hit for one in found)


def test_a_purge_that_is_cut_short_is_whole_or_not_at_all(tmp_path):
    ground = Ground(SCENES["purge"], tmp_path)
    last = FaultyFiles.count("kill", ground.expected.calls)
    found = [attempt(ground, Fault("kill", at)) for at in range(1, last, last // 4)]
    assert [one.wrong for one in found] == [[]] * len(found)


def test_a_line_that_is_cut_leaves_an_operation_whole_or_not_at_all(tmp_path, postgres):
    ground = LineGround(SCENES["add"], postgres, tmp_path)
    found = [
        ground.attempt(LineFault("truncate", ground.pieces // 3), tmp_path),
        ground.attempt(LineFault("cut_after", ground.pieces // 2), tmp_path),
    ]
    assert [one.wrong for one in found] == [[]] * len(found)
    assert any(one.hit for one in found)
    postgres.drop(ground.template)
