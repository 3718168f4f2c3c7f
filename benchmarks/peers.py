"""Glymph beside other stores: the same texts and vectors, each in a process and environment of its own.

No model is timed: vectors are given, and no store asks a language model. Costs are CPU time of all
threads and of a server where there is one. `make bench-peers` installs the others first.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import keeping, peer_questions, peer_setup, peer_texts, prose
from benchmarks.harness.clocks import children_cpu
from benchmarks.harness.contract import Fact, Figure, Figures, Options
from benchmarks.harness.peer_setup import PEERS
from glymph.embed.contract import Vectors

QUESTION = "What do Glymph and other stores cost, lose and keep, given the same texts and vectors?"

MEMORIES = 2_000
SINGLE, QUERIES, CHANGED = 100, 65, 50
PROCESSES, WRITES = 4, 50
KILLS, BATCH, ENOUGH = (
    3,
    50,
    5_000,
)  # kills of each kind, memories of a batch, texts to write on with
COLD = 3
PATIENCE_S = 300.0  # of a bulk load: what a store has by then is what it is measured with
NEAREST = 10
NUMBERED = re.compile(r" \(\d+\)$")  # as `_killed` ends its texts
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class Bench:
    """The texts, their vectors, and the tasks of one peer after the other."""

    def __init__(self, folder: Path, options: Options) -> None:
        self._folder, self._options = folder, options
        self._random = random.Random(options.seed)
        count, single, queries, changed = (
            options.count(MEMORIES, least=20),
            *(
                min(full, options.count(full, least=least))  # a larger store needs no larger sample
                for full, least in ((SINGLE, 4), (QUERIES, 8), (CHANGED, 4))
            ),
        )
        draw = np.random.default_rng(options.seed)
        drawn = prose.sentences(count + single + queries + changed)
        draw.shuffle(drawn)
        self.bulk, self.single = drawn[:count], drawn[count : count + single]
        asked = drawn[count + single : count + single + queries]
        self.queries = [prose.words_of(text, draw) for text in asked]
        self.changed = drawn[count + single + queries :]
        # What is asked about is there, too, so that there is something to be found.
        self.bulk[: len(asked)] = asked
        self.talks = peer_questions.read_talks(options)
        self._model = keeping.local_model("sentences")
        self._vectors: dict[str, Vectors] = {}

    def measure(self, name: str) -> dict[str, Figure | Fact]:
        """Every figure of one peer."""
        place = self._folder / name
        place.mkdir()
        told = self._run(name, "speed", place, {
            "texts": self.bulk, "single": self.single, "queries": self.queries,
            "changed": self.changed, "patience_s": PATIENCE_S,
        })  # fmt: skip
        disk = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
        figures = _speed_figures(told, self._recall(told), disk)
        figures["cold_cpu_s"] = Figure(self._cold(name, place), "start, open, search once, end")
        shutil.rmtree(place)
        figures |= self._concurrent(name) | self._killed(name) | self._cleaned(name)
        figures |= self._answered(name)
        version = told.get("version") or (PEERS[name].npm or "").rpartition("@")[2]
        return figures | {"version": Fact(version, PEERS[name].title)}

    def _recall(self, told: Mapping[str, Any]) -> float:
        """Of the ten truly nearest, how many are among the first ten."""
        count = len(self.bulk)
        numbers = [*range(told["stored"]), *range(count, count + len(self.single))]
        known = self._embed([[*self.bulk, *self.single][number] for number in numbers])
        asked = self._embed(self.queries[-len(told["found"]) :])
        nearest = np.argsort(-(asked @ known.T), axis=1, kind="stable")[:, :NEAREST]
        shares = [
            len({numbers[place] for place in exact} & set(found)) / len(exact)
            for exact, found in zip(nearest.tolist(), told["found"], strict=True)
        ]
        return float(np.mean(shares))

    def _cold(self, name: str, place: Path) -> float:
        query = self.queries[0]
        data = {"queries": [query], "vectors": {query: self._embed([query])[0].tolist()}}
        spent: list[float] = []
        for _ in range(COLD):
            before = children_cpu()
            told = self._run(name, "cold", place, data, inline=True)
            # A server that its own parent did not wait for is counted by what it said.
            spent.append(max(children_cpu() - before, told["other_cpu_s"]))
        return min(spent)

    def _concurrent(self, name: str) -> dict[str, Figure | Fact]:
        """Four processes write one by one to the same store."""
        place = self._fresh(name, "concurrent")
        self._run(name, "list", place, {})  # made before, so that nobody races to make it
        writes = self._options.count(WRITES, least=4)
        each = [self.bulk[at * writes : (at + 1) * writes] for at in range(PROCESSES)]
        writers = [self._start(name, "write", place, {"single": texts}) for texts in each]
        opened = [writer for writer in writers if _line(writer) == "ready"]
        for writer in opened:
            assert writer.stdin is not None
            writer.stdin.write("go\n")
            writer.stdin.flush()
        said = [writer.communicate(timeout=300)[0].split("\n") for writer in writers]
        acknowledged = [
            line for lines in said for line in lines if line and not line.startswith("{")
        ]
        there = self._run(name, "list", place, {})["texts"]
        asked = sum(len(texts) for texts in each)
        shutil.rmtree(place)
        return {
            "writers_refused": Figure(
                PROCESSES - len(opened), f"of {PROCESSES} processes could not open the store"
            ),
            "writes_refused": Figure(
                asked - len(acknowledged), f"of {asked} writes by {PROCESSES} processes at once"
            ),
            "writes_lost": Figure(
                sum(one not in there for one in acknowledged),
                "acknowledged and not there afterwards",
            ),
        }

    def _killed(self, name: str) -> dict[str, Figure | Fact]:
        """kill -9 while it writes, one by one and in batches."""
        lost = half = acknowledged = 0
        for trial in range(2 * KILLS):
            batch = BATCH if trial % 2 else 1
            place = self._fresh(name, "killed")
            texts = [f"{text} ({number})" for number, text in enumerate(self._many())]
            writer = self._start(name, "write_on", place, {"single": texts, "batch": batch})
            _line(writer)
            stop, seen = (
                self._random.randint(3, 12) if batch > 1 else self._random.randint(5, 60),
                [],
            )
            for _ in range(stop):
                seen += _line(writer).split()
            writer.send_signal(signal.SIGKILL)
            rest = writer.communicate()[0]
            seen += rest[: rest.rfind("\n") + 1].split()
            there = self._run(name, "list", place, {})["texts"]
            acknowledged += len(seen)
            lost += sum(one not in there for one in seen)
            half += batch > 1 and len(there) % batch != 0 and len(there) > len(seen)
            shutil.rmtree(place)
        return {
            "killed_acknowledged": Figure(acknowledged, f"writes before {2 * KILLS} kills"),
            "killed_lost": Figure(lost, "of them gone afterwards"),
            "killed_half": Figure(half, f"of {KILLS} kills left a batch half written"),
        }

    def _many(self) -> list[str]:
        return (self.bulk * (ENOUGH // len(self.bulk) + 1))[
            : self._options.count(ENOUGH, least=600)
        ]

    def _cleaned(self, name: str) -> dict[str, Figure | Fact]:
        place = self._fresh(name, "clean")
        data = {"single": peer_texts.in_order(), "updates": peer_texts.UPDATED}
        told = self._run(name, "clean", place, data)
        left = told["left"]
        stale = sum(old is not None and (new is None or old < new) for old, new in told["orders"])
        shutil.rmtree(place)
        return {
            "distinct_lost": Figure(
                sum(text not in left for text in peer_texts.DISTINCT),
                f"of {len(peer_texts.DISTINCT)} different statements",
            ),
            "duplicates_kept": Figure(
                sum(one in left and two in left for one, two in peer_texts.REPEATED),
                f"of {len(peer_texts.REPEATED)} repetitions",
            ),
            "stale_above_newer": Figure(stale, f"of {len(peer_texts.UPDATED)} replaced statements"),
            "undo": Figure(int(told["undo"]), "1 if a call brings a deleted memory back"),
        }  # fmt: skip

    def _answered(self, name: str) -> dict[str, Figure]:
        """What of the evidence is found; nothing where the questions are not at hand."""
        if not self.talks:
            return {}
        figures = self._recall_of(name, [{"texts": talk.lines} for talk in self.talks])
        if name == "glymph":
            told = self._recall_of(name, [{"fields": talk.fields} for talk in self.talks])
            figures |= {f"told_{key}": figure for key, figure in told.items()}
        return figures

    def _recall_of(self, name: str, stored: Sequence[Mapping[str, Any]]) -> dict[str, Figure]:
        found: list[list[list[int]]] = []
        for talk, data in zip(self.talks, stored, strict=True):
            place = self._fresh(name, "answer")
            queries = [question.text for question in talk.asked]
            found.append(self._run(name, "answer", place, {**data, "queries": queries})["found"])
            shutil.rmtree(place)
        return peer_questions.count_recall(self.talks, found)

    # ── processes ─────────────────────────────────────────────────────────────────────────────

    def _fresh(self, name: str, task: str) -> Path:
        place = self._folder / f"{name}-{task}"
        place.mkdir()
        return place

    def _run(
        self, name: str, task: str, place: Path, data: Mapping[str, Any], *, inline: bool = False
    ) -> Any:
        child = self._start(name, task, place, data, inline=inline)
        told = child.communicate()[0]
        if child.returncode != 0:
            complaint = self._complaints(name, task).read_text(encoding="utf-8")[-2000:]
            raise RuntimeError(f"{PEERS[name].title} failed at {task}: {complaint}")
        return json.loads(told.splitlines()[-1])

    def _start(
        self, name: str, task: str, place: Path, data: Mapping[str, Any], *, inline: bool = False
    ) -> subprocess.Popen[str]:
        python = peer_setup.find_python(name)
        assert python is not None
        file = self._folder / f"data-{self._random.getrandbits(64):x}.json"
        if not inline:
            data = {**data, "rows": self._keep(file, data)}
        file.write_text(json.dumps(data), encoding="utf-8")
        own = {"GLYMPH_PEER_SERVER": str(peer_setup.find_server(name))} | ONE_THREAD
        paths = [
            str(keeping.REPOSITORY),
            *([str(keeping.REPOSITORY / "src")] if name == "glymph" else []),
        ]
        own["PYTHONPATH"] = os.pathsep.join(paths)
        with self._complaints(name, task).open("a", encoding="utf-8") as complaints:
            return subprocess.Popen(
                [python, "-m", "benchmarks.harness.peer_worker", name, task, str(place), str(file),
                 *filter(None, [PEERS[name].distribution])],
                cwd=self._folder, env=os.environ | own, text=True, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=complaints,
            )  # fmt: skip

    def _complaints(self, name: str, task: str) -> Path:
        return self._folder / f"{name}-{task}.err"

    def _keep(self, file: Path, data: Mapping[str, Any]) -> dict[str, int]:
        """Writes the vectors a task needs beside its data; the row of each text."""
        texts = [*data.get("texts", []), *data.get("single", []), *data.get("changed", []),
                 *data.get("queries", []), *(one[0] for one in data.get("updates", [])),
                 *(item["text"] for item in data.get("fields", []))]  # fmt: skip
        rows = {text: row for row, text in enumerate(dict.fromkeys(texts))}
        vectors = self._embed(list(rows)) if rows else np.zeros((1, 1), dtype=np.float32)
        np.save(file.with_suffix(".npy"), vectors)
        return rows

    def _embed(self, texts: Sequence[str]) -> Vectors:
        """One vector a text; one that only differs by a number at its end has that of the other."""
        bare = [NUMBERED.sub("", text) for text in texts]
        missing = [text for text in dict.fromkeys(bare) if text not in self._vectors]
        if missing:
            self._vectors |= dict(zip(missing, self._model.embed(missing), strict=True))
            self._model.keep()
        return np.stack([self._vectors[text] for text in bare])


def run(options: Options) -> Figures:
    """Figures by peer; what is not installed is named and left out."""
    figures: dict[str, Figure | Fact] = {
        "date": Fact(datetime.now(UTC).date().isoformat(), "when this was measured"),
        "cores": Figure(os.cpu_count() or 1, "cores of the machine"),
    }
    with tempfile.TemporaryDirectory(prefix="glymph-peers-") as folder:
        bench = Bench(Path(folder), options)
        figures |= peer_questions.count_questions(bench.talks)
        writes = options.count(WRITES, least=4)
        figures["writes_each"] = Figure(writes, "writes by each of the processes at once")
        figures["memories"] = Figure(len(bench.bulk), "texts of the bulk load")
        for name, peer in PEERS.items():
            if peer_setup.find_python(name) is None:
                figures[f"{name}_missing"] = Fact(peer.title, "not installed: make bench-peers")
                continue
            try:
                measured = bench.measure(name)
            except RuntimeError as error:  # the others are measured in any case
                print(error, file=sys.stderr, flush=True)
                figures[f"{name}_missing"] = Fact(peer.title, f"failed: {error}"[:200])
                continue
            figures |= {f"{name}_{key}": value for key, value in measured.items()}
    return figures


def _speed_figures(told: Mapping[str, Any], recall: float, disk: int) -> dict[str, Figure | Fact]:
    return {
        "stored": Figure(told["stored"], f"memories of the bulk load within {PATIENCE_S:.0f} s"),
        "bulk_acknowledged_per_cpu_s": Figure(
            told["stored"] / told["bulk_acknowledged_cpu_s"], "memories in bulk, acknowledged"
        ),
        "bulk_per_cpu_s": Figure(
            told["stored"] / told["bulk_cpu_s"], "memories in bulk, what follows included"
        ),
        "add_acknowledged_cpu_ms": Figure(
            1000 * told["add_acknowledged_cpu_s"], "one add, until it is acknowledged"
        ),
        "add_cpu_ms": Figure(1000 * told["add_cpu_s"], "one add, what follows it included"),
        "search_cpu_ms": Figure(1000 * told["search_cpu_s"], "one search for ten, the median"),
        "recall_at_10": Figure(recall, "of the ten truly nearest by vector, found"),
        "update_cpu_ms": Figure(1000 * told["update_cpu_s"], "one changed text"),
        "delete_cpu_ms": Figure(1000 * told["delete_cpu_s"], "one deletion"),
        "resident_mb": Figure(told["resident_mb"], "after the searches, a server included"),
        "disk_kb_each": Figure(disk / 1000 / told["stored"], "of files a memory"),
    }


def _line(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    return child.stdout.readline().strip()
