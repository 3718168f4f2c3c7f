"""The benchmarks run, keep their promises about output, and notice what they look for. No timing is asserted."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmarks import concurrency, crash
from benchmarks.__main__ import main
from benchmarks.harness import discovery, image
from benchmarks.harness.contract import Figure, Options, Unavailable
from benchmarks.harness.corpus import Corpus
from benchmarks.harness.image import LINKED, Image, Standing
from benchmarks.harness.scribe import Scribe
from glymph import Glymph
from glymph.core.model import Problem

ROOT = Path(__file__).parents[1]
CIRCUMSTANCES = {"commit", "python", "machine", "seed", "wall_s", "cpu_s"}


def tiny(name: str, scale: float) -> dict[str, object]:
    """The last line a benchmark prints, run small in a process of its own, as a user would."""
    command = [sys.executable, "-m", "benchmarks", name, "--json", "--scale", str(scale), "--seed", "7"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert run.returncode == 0, run.stderr
    figures = json.loads(run.stdout.splitlines()[-1])
    assert figures.keys() >= CIRCUMSTANCES
    assert figures["seed"] == 7
    assert all(isinstance(figures[key], int | float) for key in figures.keys() - {"commit", "python", "machine"})
    return figures


def test_killed_writers_lose_nothing_and_leave_nothing_half_done():
    figures = tiny("crash", 0.03)
    assert figures["kills"] == 6
    assert figures["acknowledged"] >= 6
    for key in ("lost_acknowledged", "half_operations", "verify_failures", "errors"):
        assert figures[key] == 0, key
    assert 0 <= figures["inflight_kept"] <= figures["inflight"] <= 6


def test_writers_at_once_lose_nothing_and_do_not_disturb_the_reader():
    figures = tiny("concurrency", 0.03)
    assert figures["processes"] == 8
    assert figures["writes"] == 8 * 12
    assert figures["verify_ok"] == 1
    for key in ("errors", "lost", "reader_errors"):
        assert figures[key] == 0, key
    assert {"reads", "commits_per_s"} <= figures.keys()


def test_costs_of_writing_come_with_the_limits_measured_beside_them():
    figures = tiny("write", 0.01)
    assert figures["memories"] == 100
    costs = {"bulk_per_cpu_s", "add_cpu_ms", "archive_10k_cpu_s", "undo_10k_cpu_s"}
    for key in costs | {"fts5_only_per_cpu_s", "commit_cpu_ms"}:
        assert figures[key] > 0, key


def test_a_cold_start_is_measured_against_what_it_cannot_avoid():
    pytest.importorskip("mcp")
    figures = tiny("start", 0.1)
    for key in ("cli_help_cpu_s", "python_cpu_s", "mcp_import_cpu_s", "mcp_first_answer_cpu_s"):
        assert figures[key] > 0, key
    assert "mcp_over_import_cpu_s" in figures


def test_every_benchmark_asks_one_question():
    assert {"concurrency", "crash", "start", "write"} <= set(discovery.names())
    for name in discovery.names():
        question = discovery.load(name).question
        assert question.endswith("?"), name
        assert "\n" not in question, name


def test_without_a_name_the_benchmarks_are_listed(capsys):
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == discovery.names()


def test_the_table_shows_targets(capsys):
    assert main(["write", "--scale", "0.002"]) == 0
    shown = capsys.readouterr().out
    assert "bulk_per_cpu_s" in shown
    assert "≥ 8,000" in shown


def test_missing_data_is_said_clearly(tmp_path):
    with pytest.raises(Unavailable, match="--data DIR or set GLYMPH_BENCH_DATA"):
        Options().dataset("dialogues")
    with pytest.raises(Unavailable, match="is not there"):
        Options(data=tmp_path).dataset("dialogues")
    (tmp_path / "dialogues").mkdir()
    assert Options(data=tmp_path).dataset("dialogues") == tmp_path / "dialogues"


def test_a_target_is_met_or_not_or_absent():
    assert Figure(0, "", exactly=0).met
    assert not Figure(7999, "", at_least=8000).met
    assert Figure(0.5, "", at_most=0.5).met
    assert Figure(1, "").met is None


def test_texts_are_repeatable_distinct_and_skewed_like_language():
    texts = Corpus(3).texts(500)
    assert texts == Corpus(3).texts(500)
    assert len(set(texts)) == 500
    assert {len(text.split()) for text in texts} == {30}
    counts = [count for _, count in Counter(word for text in texts for word in text.split()).most_common()]
    assert len(counts) > 2500
    assert counts[0] > 20 * counts[len(counts) // 10]


def test_a_scribe_foretells_what_its_writes_leave_behind(tmp_path):
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    expected: dict = {}
    done: Counter[str] = Counter()
    with Glymph.open(url) as glymph:
        scribe = Scribe(glymph, label="s", seed=11, verbs=crash.VERBS, known=Image())
        for _ in range(250):
            step = scribe.next()
            scribe.carry_out(step)
            expected = image.changed(expected, step.changes)
            done[step.verb] += 1
    assert image.read(url).values == expected
    assert done.keys() == set(crash.VERBS)


# what the judge of a crash must notice

A, B = ("memory", "a"), ("memory", "b")
LIVE, ARCHIVED = Standing("LIVE", "text", False, 0), Standing("ARCHIVED", "text", False, 0)
BEFORE = Image({A: LIVE}, operations=frozenset({"op1"}))


def image_of(values: dict, *operations: str) -> Image:
    return Image(values, operations=frozenset(operations))


def test_an_acknowledged_change_that_is_gone_counts_as_lost():
    heard = crash.Heard(done=[({A: ARCHIVED}, "op2")])
    assert crash.judge(BEFORE, heard, image_of({A: ARCHIVED}, "op1", "op2"), ()) == crash.Finding(0, half=False)
    assert crash.judge(BEFORE, heard, BEFORE, ()).lost == 1
    assert crash.judge(BEFORE, heard, image_of({A: ARCHIVED}, "op1"), ()).lost == 1


def test_what_an_earlier_writer_had_acknowledged_counts_too():
    assert crash.judge(BEFORE, crash.Heard(), image_of({}, "op1"), ()).lost == 1
    assert crash.judge(BEFORE, crash.Heard(), image_of({A: LIVE}), ()).lost == 1


def test_a_call_under_way_may_be_done_or_not_but_not_half():
    heard = crash.Heard(begun=("add_many", {B: LIVE, ("link", "b", "a"): LINKED}))
    assert crash.judge(BEFORE, heard, BEFORE, ()) == crash.Finding(0, half=False, kept=False)
    whole = {A: LIVE, B: LIVE, ("link", "b", "a"): LINKED}
    assert crash.judge(BEFORE, heard, image_of(whole, "op1", "op2"), ()) == crash.Finding(0, half=False, kept=True)
    assert crash.judge(BEFORE, heard, image_of({A: LIVE, B: LIVE}, "op1", "op2"), ()).half
    assert crash.judge(BEFORE, heard, image_of(whole, "op1"), ()).half, "done without an operation"
    assert crash.judge(BEFORE, heard, image_of({A: LIVE}, "op1", "op2"), ()).half, "an operation without its work"


def test_an_unsealed_operation_is_half_done():
    assert crash.judge(BEFORE, crash.Heard(), BEFORE, [Problem("operations", "was cut short")]).half


def test_a_write_that_is_gone_after_the_rush_counts_as_lost():
    wrote = concurrency.Wrote(values={A: LIVE, B: LIVE}, operations={"op1", "op2"})
    assert concurrency.lost([wrote], image_of({A: LIVE, B: LIVE}, "op1", "op2")) == 0
    assert concurrency.lost([wrote], image_of({A: ARCHIVED, B: LIVE}, "op1")) == 2
