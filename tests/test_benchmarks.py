"""The benchmarks run, keep their promises about output, and notice what they look for.

No timing is asserted.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from benchmarks import concurrency, crash, need, prune_quality, recall_quality
from benchmarks.__main__ import main
from benchmarks.harness import analyst, dialogues, discovery, forgetting, image, prose, shelf
from benchmarks.harness.contract import Figure, Options, Unavailable
from benchmarks.harness.corpus import Corpus
from benchmarks.harness.image import LINKED, Image, Standing
from benchmarks.harness.scribe import Scribe
from glymph import Glymph
from glymph.model import Problem
from glymph.testing.embedders import WordEmbedder

ROOT = Path(__file__).parents[1]
CIRCUMSTANCES = {"commit", "python", "machine", "seed", "wall_s", "cpu_s"}


def tiny(name: str, scale: float) -> dict[str, object]:
    """The last line a benchmark prints, run small in a process of its own, as a user would."""
    command = [
        sys.executable,
        "-m",
        "benchmarks",
        name,
        "--json",
        "--scale",
        str(scale),
        "--seed",
        "7",
    ]
    run = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False
    )
    assert run.returncode == 0, run.stderr
    figures = json.loads(run.stdout.splitlines()[-1])
    assert figures.keys() >= CIRCUMSTANCES
    assert figures["seed"] == 7
    assert all(
        isinstance(figures[key], int | float)
        for key in figures.keys() - {"commit", "python", "machine"}
    )
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


@pytest.mark.nightly
def test_costs_of_writing_come_with_the_limits_measured_beside_them():
    figures = tiny("write", 0.01)
    assert figures["memories"] == 100
    costs = {"bulk_per_cpu_s", "add_cpu_ms", "archive_10k_cpu_s", "undo_10k_cpu_s"}
    for key in costs | {"fts5_only_per_cpu_s", "commit_cpu_ms"}:
        assert figures[key] > 0, key


@pytest.mark.nightly
def test_a_cold_start_is_measured_against_what_it_cannot_avoid():
    pytest.importorskip("mcp")
    figures = tiny("start", 0.1)
    for key in ("cli_help_cpu_s", "python_cpu_s", "mcp_import_cpu_s", "mcp_first_answer_cpu_s"):
        assert figures[key] > 0, key
    assert "mcp_over_import_cpu_s" in figures


@pytest.mark.nightly
def test_searching_is_measured_against_what_the_machine_allows(tmp_path, monkeypatch):
    monkeypatch.setenv("GLYMPH_BENCH_CACHE", str(tmp_path))
    figures = tiny("search", 0.001)
    assert [figures[f"memories_{size}"] for size in ("10k", "100k", "1m")] == [50, 100, 1000]
    for size in ("10k", "100k", "1m"):
        for key in ("vector_p50", "hybrid_p50", "fts5_p50", "scan_limit"):
            assert figures[f"{key}_{size}"] > 0, key
        for suffix in ("", "_filtered"):
            assert figures[f"vector_recall_{size}{suffix}"] >= 0.99
    assert figures["cold_first_answer_cpu_s"] > figures["cold_imports_cpu_s"] > 0


@pytest.mark.nightly
def test_near_pairs_are_found_and_their_cost_stands_beside_comparing_all(tmp_path, monkeypatch):
    monkeypatch.setenv("GLYMPH_BENCH_CACHE", str(tmp_path))
    figures = tiny("dedup", 0.003)
    assert [figures[f"vectors_{size}"] for size in ("10k", "100k", "1m")] == [200, 300, 3000]
    for size in ("10k", "100k", "1m"):
        assert figures[f"recall_{size}"] >= 0.97
        assert figures[f"cpu_s_{size}"] > 0
        assert figures[f"brute_cpu_s_{size}"] > 0
    assert figures["sweep_recall_10k"] >= 0.97
    assert figures["sweep_links_10k"] > 0


@pytest.mark.nightly
def test_an_analysis_is_measured_from_a_cold_start_to_the_stored_plan(tmp_path, monkeypatch):
    monkeypatch.setenv("GLYMPH_BENCH_CACHE", str(tmp_path))
    figures = tiny("analysis", 0.001)
    for size in ("10k", "100k", "1m"):
        parts = [figures[f"{part}_cpu_s_{size}"] for part in ("import", "open", "analyze")]
        assert min(parts) > 0
        assert figures[f"cpu_s_{size}"] == pytest.approx(sum(parts), rel=1e-3)
        assert figures[f"groups_{size}"] > 0
        assert figures[f"peak_mb_{size}"] > 0
    assert 0 < figures["floor_cpu_s"] < figures["cpu_s_10k"]
    (store,) = tmp_path.glob("grown-1000-*/memory.db")
    with Glymph.open(f"sqlite:///{store}", embedder="none", clock=lambda: analyst.NOW) as glymph:
        assert len(glymph.plans()) == 1, "every run stored the same plan"


def test_planning_to_forget_finds_one_memory_by_each_identifier(tmp_path, monkeypatch):
    monkeypatch.setenv("GLYMPH_BENCH_CACHE", str(tmp_path))
    figures = tiny("forget_scale", 0.001)
    assert figures["memories"] == 1000
    assert min(figures[f"plan_{name}_cpu_ms"] for name in ("code", "mail", "phone")) > 0


def test_every_benchmark_asks_one_question():
    assert set(discovery.names()) >= {
        "analysis", "concurrency", "crash", "dedup", "duplicates", "forget", "forget_scale", "need",
        "prune_quality", "recall_quality", "search", "start", "updates", "write",
    }  # fmt: skip
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
    counts = [
        count for _, count in Counter(word for text in texts for word in text.split()).most_common()
    ]
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


# what recall is measured on

TURNS = {
    "D1:1": ("Ines", "The ferry to Porto leaves from the old harbour at dawn."),
    "D1:2": ("Milo", "Then I will bring the blue thermos and two cheese sandwiches."),
    "D2:1": ("Milo", "My sister opened a bakery behind the railway museum."),
    "D2:2": ("Ines", "Lovely! Does she sell that walnut bread of hers?"),
}
MESSAGES = [
    ("user", "March-03-2025", "I keep my seedlings on the balcony facing south."),
    ("assistant", None, "South is a good choice for tomatoes."),
    ("user", None, "The compost delivery was moved to Friday afternoon."),
]


def data_folder(folder: Path) -> Path:
    """Two conversations and two chats, in the files and fields of the data sets."""
    turns, questions, messages, asked = [], [], [], []
    for conv in ("c1", "c2"):
        for number, (speaker, text) in TURNS.items():
            said = {"date": "1:56 pm on 8 May, 2023", "speaker": speaker, "text": text}
            turns.append({"conv": conv, "id": number, "session": int(number[1]), **said})
        turns[-1]["photo"] = "a loaf of bread"
        questions += [
            {
                "conv": conv,
                "category": 4,
                "question": "Where does the ferry leave from?",
                "evidence": ["D1:1"],
            },
            {
                "conv": conv,
                "category": 1,
                "question": "What bakery and which bread?",
                "evidence": ["D2:1", "D2:2"],
            },
            {"conv": conv, "category": 5, "question": "Who sells cheese?", "evidence": ["D1:2"]},
            {"conv": conv, "category": 3, "question": "Nothing answers this.", "evidence": []},
        ]
        for number, (role, time, text) in enumerate(MESSAGES):
            messages.append(
                {"chat": conv, "id": number, "role": role, "batch": 1, "time": time, "text": text}
            )
        update = {"ability": "knowledge_update", "question": "When is the compost delivery?"}
        asked += [
            {"chat": conv, **update, "source_ids": [1, 2]},
            {
                "chat": conv,
                "ability": "abstention",
                "question": "What is my shoe size?",
                "source_ids": [0],
            },
        ]
    for name, rows in (
        ("locomo_turns.jsonl", turns), ("locomo_questions.jsonl", questions), ("beam_questions.jsonl", asked),
    ):  # fmt: skip
        (folder / name).write_text(lines(rows), encoding="utf-8")
    (folder / "beam_messages.jsonl.gz").write_bytes(gzip.compress(lines(messages).encode()))
    return folder


def lines(rows: list) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def test_recall_is_told_by_corpus_by_group_and_by_how_the_weights_were_chosen(tmp_path):
    figures = recall_quality.run(Options(data=data_folder(tmp_path)), embedder=WordEmbedder(ms=0))
    assert figures["model"].value == "words"
    assert {name: figures[name].value for name in ("locomo_n", "locomo_n_cat5", "beam_n")} == {
        "locomo_n": 4, "locomo_n_cat5": 2, "beam_n": 2,
    }  # fmt: skip
    for name in ("locomo_r10", "locomo_r10_cat1", "locomo_r10_cat5", "beam_r10_knowledge_update"):
        for version in ("", "_shipped", "_text"):
            assert figures[f"{name}{version}"].value == 100, "there are fewer than ten to find"
    assert figures["locomo_mrr_shipped"].value == 100
    assert figures["locomo_r10"].at_least == 61.2


def test_dialogues_hold_what_was_said_when_and_by_whom(tmp_path):
    options = Options(data=data_folder(tmp_path))
    talk, chat = dialogues.locomo(options)[0], dialogues.beam(options)[0]
    assert talk.items[3]["text"].endswith("[shares a photo: a loaf of bread]")
    assert (talk.items[2]["entities"], talk.items[2]["session"]) == (["Milo"], "c1:2")
    assert talk.items[0]["event_at"].isoformat() == "2023-05-08T13:56:00+00:00"
    assert [question.group for question in talk.questions] == ["cat4", "cat1", "cat5"]
    assert [item["text"] for item in chat.items] == [MESSAGES[0][2], MESSAGES[2][2]]
    assert chat.items[1]["event_at"] == chat.items[0]["event_at"], (
        "the last time given is carried forward"
    )
    assert [(question.evidence, question.whole) for question in chat.questions] == [({1}, 1)]


def test_recall_counts_each_piece_of_evidence_once():
    question = dialogues.Asked("?", frozenset({0, 2}), 2, "cat1")
    at_5, at_10, at_20, any_of, all_of, reciprocal, at_1 = recall_quality._score(
        question, ["a", "b", "c"], ["b", "c", *"defgh", "a"]
    )
    assert (at_5, at_10, at_20, any_of, all_of, reciprocal) == (50, 100, 100, 100, 100, 50)
    assert at_1 == 0
    assert recall_quality._score(question, ["a", "b", "c"], ["c"])[6] == 50
    assert recall_quality._score(question, ["a", "b", "a"], ["a"])[0] == 100, (
        "said twice, stored once"
    )
    assert recall_quality._score(question, ["a", "b", "c"], [])[5] == 0


@pytest.mark.parametrize(
    "name", ["duplicates", "need", "prune_quality", "recall_quality", "updates"]
)
def test_without_data_a_benchmark_says_what_it_needs(monkeypatch, capsys, name):
    monkeypatch.delenv("GLYMPH_BENCH_DATA", raising=False)
    assert main([name, "--json"]) == 2
    captured = capsys.readouterr()
    assert "--data DIR" in captured.err
    assert captured.out == ""


# what pruning is measured on


def long_talks(folder: Path) -> Options:
    """The data folder with more said in it, so that there is something to prune.

    And an update in each chat.
    """
    data_folder(folder)
    turns = [
        json.loads(line) for line in (folder / "locomo_turns.jsonl").read_text("utf-8").splitlines()
    ]
    for conv in ("c1", "c2"):
        said = {"date": "1:56 pm on 9 May, 2023", "speaker": "Ines", "session": 3}
        turns += [
            {"conv": conv, "id": f"D3:{number}", **said, "text": f"Ok {number}!"}
            for number in range(8)
        ]
    (folder / "locomo_turns.jsonl").write_text(lines(turns), encoding="utf-8")
    update = {
        "ability": "knowledge_update",
        "question": "When is the compost delivery?",
        "answer": "",
    }
    asked = [
        {
            "chat": conv,
            "qid": 1,
            **update,
            "source_ids": [0, 2],
            "old_ids": [0],
            "new_ids": [2],
            "rubric": [],
        }
        for conv in ("c1", "c2")
    ]
    (folder / "beam_questions.jsonl").write_text(lines(asked), encoding="utf-8")
    return Options(data=folder)


def test_pruning_keeps_what_is_asked_for_and_archives_what_it_says(tmp_path):
    figures = prune_quality.run(long_talks(tmp_path), embedder=WordEmbedder(ms=0))
    found = {name: figure.value for name, figure in figures.items()}
    assert (
        found["locomo_kept_30"] == found["locomo_intact_30"] == 100 > found["locomo_kept_70_random"]
    )
    assert found["locomo_archived_30"] == 25, "of twelve turns three"
    assert found["locomo_r10_after_30"] >= found["locomo_r10_before"]
    assert found["stale_pairs"] == 2
    assert found["copies_planted"] == 2 * 3 * 3
    assert found["copies_lost"] == 0


def test_what_cannot_be_archived_stops_the_benchmark(tmp_path):
    talk = dialogues.locomo(long_talks(tmp_path))[0]
    with forgetting.shelved(tmp_path / "m.db", talk, WordEmbedder(ms=0)) as shelf:
        shelf.glymph.pin(shelf.ids[5])
        with pytest.raises(RuntimeError, match="1 of 7 memories were to be archived"):
            shelf.forget(range(4, 11))


def test_the_curves_are_one_picture_that_says_its_values(tmp_path):
    drawn = prune_quality.draw(long_talks(tmp_path))
    root = ET.fromstring(drawn)
    told = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert told.count("memories pruned, %") == told.count("evidence kept, %") == 2
    assert set(prune_quality.RANKINGS.values()) | set(prune_quality.TITLES.values()) <= set(told)


def test_need_is_compared_with_lru_and_with_act_r(tmp_path):
    items = [number % 7 if number % 3 else number % 40 for number in range(400)]
    (tmp_path / "decay_cache.jsonl").write_text(
        lines([{"trace": "made/up", "items": items}]), encoding="utf-8"
    )
    day = need.SECONDS_PER_DAY
    touched = [[day * number, number % 5 if number % 4 else 5 + number] for number in range(300)]
    history = {"repo": "made/files", "touch": touched, "removed": [[100 * day, 9]]}
    (tmp_path / "decay_git.jsonl").write_text(lines([history]), encoding="utf-8")
    found = {name: figure.value for name, figure in need.run(Options(data=tmp_path)).items()}
    assert (
        found["vs_lru_up_10"]
        == min(found["hit_up_10"], found["hit_up_10_forgotten"]) - found["lru_up_10"]
    )
    assert found["worst_vs_lru"] == min(found["vs_lru_up_10"], found["vs_lru_up_30"])
    assert found["auc_files"] > 0.9, "what is touched every week is told from what was touched once"
    assert found["auc_files_act_r"] > 0.9


def test_a_hit_ratio_is_counted_by_hand():
    assert need.hit_ratio([0, 1, 0, 2, 0, 1], 2, need.least_recent) == pytest.approx(100 * 2 / 6)


# what searching is measured on


def test_made_up_prose_is_repeatable_and_skewed_and_real_sentences_are_found():
    texts = prose.Prose(3).texts(2000)
    assert texts == prose.Prose(3).texts(2000)
    counts = Counter(word for text in texts for word in text.split()).most_common()
    assert counts[0][1] > 100 * counts[len(counts) // 10][1]
    found = prose.sentences(50)
    assert len(set(found)) == 50
    query = prose.words_of(found[0], np.random.default_rng(0))
    assert all(word in found[0] for word in query.split())
    assert 5 <= len(query.split()) <= 8


def test_the_exactly_nearest_are_those_of_a_plain_comparison():
    random = np.random.default_rng(5)
    cloud = shelf.Cloud(random)
    queries, points = cloud.points(3), cloud.points(900)
    seen = shelf.Nearest(queries)
    for at in range(0, 900, 300):
        seen.see(points[at : at + 300], at)
    plain = np.argsort(-(queries @ points.T), axis=1)[:, : shelf.DEPTH]
    assert (seen.found[:, :50] == plain[:, :50]).all()
    few = shelf.Nearest(queries)
    few.see(points, 0, passing=np.arange(900)[None].repeat(3, axis=0) < 4)
    assert (np.sort(few.found[:, :4], axis=1) == np.arange(4)).all()
    assert (few.found[:, 4:] == -1).all()


# what the judge of a crash must notice

A, B = ("memory", "a"), ("memory", "b")
LIVE, ARCHIVED = Standing("LIVE", "text", False, 0), Standing("ARCHIVED", "text", False, 0)
BEFORE = Image({A: LIVE}, operations=frozenset({"op1"}))


def image_of(values: dict, *operations: str) -> Image:
    return Image(values, operations=frozenset(operations))


def test_an_acknowledged_change_that_is_gone_counts_as_lost():
    heard = crash.Heard(done=[({A: ARCHIVED}, "op2")])
    assert crash.judge(BEFORE, heard, image_of({A: ARCHIVED}, "op1", "op2"), ()) == crash.Finding(
        0, half=False
    )
    assert crash.judge(BEFORE, heard, BEFORE, ()).lost == 1
    assert crash.judge(BEFORE, heard, image_of({A: ARCHIVED}, "op1"), ()).lost == 1


def test_what_an_earlier_writer_had_acknowledged_counts_too():
    assert crash.judge(BEFORE, crash.Heard(), image_of({}, "op1"), ()).lost == 1
    assert crash.judge(BEFORE, crash.Heard(), image_of({A: LIVE}), ()).lost == 1


def test_a_call_under_way_may_be_done_or_not_but_not_half():
    heard = crash.Heard(begun=("add_many", {B: LIVE, ("link", "b", "a"): LINKED}))
    assert crash.judge(BEFORE, heard, BEFORE, ()) == crash.Finding(0, half=False, kept=False)
    whole = {A: LIVE, B: LIVE, ("link", "b", "a"): LINKED}
    assert crash.judge(BEFORE, heard, image_of(whole, "op1", "op2"), ()) == crash.Finding(
        0, half=False, kept=True
    )
    assert crash.judge(BEFORE, heard, image_of({A: LIVE, B: LIVE}, "op1", "op2"), ()).half
    assert crash.judge(BEFORE, heard, image_of(whole, "op1"), ()).half, "done without an operation"
    assert crash.judge(BEFORE, heard, image_of({A: LIVE}, "op1", "op2"), ()).half, (
        "an operation without its work"
    )


def test_an_unsealed_operation_is_half_done():
    assert crash.judge(BEFORE, crash.Heard(), BEFORE, [Problem("operations", "was cut short")]).half


def test_a_write_that_is_gone_after_the_rush_counts_as_lost():
    wrote = concurrency.Wrote(values={A: LIVE, B: LIVE}, operations={"op1", "op2"})
    assert concurrency.lost([wrote], image_of({A: LIVE, B: LIVE}, "op1", "op2")) == 0
    assert concurrency.lost([wrote], image_of({A: ARCHIVED, B: LIVE}, "op1")) == 2
