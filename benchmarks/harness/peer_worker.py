"""One task with one store, in a process of its own and in the environment of that store.

python -m benchmarks.harness.peer_worker PEER TASK FOLDER DATA [ARGUMENT …]

DATA is a file of JSON with texts and what the task needs besides; the vectors lie beside it. The
last line printed is one JSON object; writers print a line for each acknowledged write before it.
"""

from __future__ import annotations

import importlib.metadata
import json
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from benchmarks.harness.clocks import resident_mb
from benchmarks.harness.peer_contract import BATCH, Store
from benchmarks.harness.peer_stores import OPEN, GlymphStore


class GivenRows(Mapping[str, Sequence[float]]):
    """Vectors by text, read from a file beside the data without loading all of it."""

    def __init__(self, data_file: Path, rows: Mapping[str, int]) -> None:
        import numpy as np

        self._rows = dict(rows)
        for text, row in rows.items():  # some stores ask without the blanks at the ends
            self._rows.setdefault(text.strip(), row)
        self._vectors = np.load(data_file.with_suffix(".npy"), mmap_mode="r")

    def __getitem__(self, text: str) -> Sequence[float]:
        row: list[float] = self._vectors[self._rows[text]].tolist()
        return row

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


WARMING = 5  # searches before those that are measured


def _speed(store: Store, data: Mapping[str, Any]) -> dict[str, Any]:
    """CPU of each kind of work. What was found is given back as numbers of texts."""
    texts, single = data["texts"], data["single"]
    began = time.monotonic()
    ids: list[str] = []
    each: list[str] = []
    before, acknowledged = _cpu(store), store.acknowledged_cpu()
    for at in range(0, len(texts), BATCH):
        ids += store.add_many(texts[at : at + BATCH])
        if time.monotonic() - began > data["patience_s"]:
            break
    bulk_at_once, stored = store.acknowledged_cpu() - acknowledged, len(ids)
    store.finish()
    bulk, acknowledged = _cpu(store) - before, store.acknowledged_cpu()
    add = _total(store, single, lambda text: each.append(store.add(text)))
    add_at_once = (store.acknowledged_cpu() - acknowledged) / len(single)
    known = {key: number for number, key in enumerate(ids)}
    known |= {key: len(texts) + number for number, key in enumerate(each)}
    queries = data["queries"]
    for query in queries[:WARMING]:
        store.search(query)
    costs, found = [], []
    for query in queries[WARMING:]:
        before = _cpu(store)
        hits = store.search(query)
        costs.append(_cpu(store) - before)
        found.append([known[hit] for hit in hits if hit in known])
    memory = resident_mb() + store.other_mb()
    changed = list(zip(ids, data["changed"], strict=False))
    update = _total(store, changed, lambda pair: store.update(*pair))
    delete = _total(store, ids[-len(changed) :], store.delete)
    return {
        "stored": stored, "bulk_cpu_s": bulk, "bulk_acknowledged_cpu_s": bulk_at_once,
        "add_cpu_s": add, "add_acknowledged_cpu_s": add_at_once, "search_cpu_s": statistics.median(costs),
        "found": found, "resident_mb": memory, "update_cpu_s": update, "delete_cpu_s": delete,
    }  # fmt: skip


def _total(store: Store, items: Sequence[Any], act: Callable[[Any], object]) -> float:
    """CPU seconds of one of several acts, what follows in the background included."""
    before = _cpu(store)
    for item in items:
        act(item)
    store.finish()
    return (_cpu(store) - before) / len(items)


def _cpu(store: Store) -> float:
    return time.process_time() + store.other_cpu()


def _cold(store: Store, data: Mapping[str, Any]) -> dict[str, Any]:
    """One search; the caller measures the whole process."""
    return {"hits": len(store.search(data["queries"][0])), "other_cpu_s": store.other_cpu()}


def _write(store: Store, data: Mapping[str, Any]) -> dict[str, Any]:
    """Single writes, each acknowledged by a line when the store has said it is done."""
    refused = 0
    print("ready", flush=True)
    sys.stdin.readline()  # all begin together
    for text in data["single"]:
        try:
            print(store.add(text), flush=True)
        except Exception as error:  # noqa: BLE001 - whatever a store raises is a refused write
            refused += 1
            print(f"refused: {error!r}"[:200], file=sys.stderr)
    return {"refused": refused}


def _write_on(store: Store, data: Mapping[str, Any]) -> dict[str, Any]:
    """Writes until it is killed: one by one, or in batches, an acknowledgement each."""
    print("ready", flush=True)
    for texts in _endless(data["single"], data["batch"]):
        done = store.add_many(texts) if data["batch"] > 1 else [store.add(texts[0])]
        print(" ".join(done), flush=True)
    return {}


def _endless(texts: Sequence[str], batch: int) -> Iterable[Sequence[str]]:
    for at in range(0, len(texts) - batch + 1, batch):
        yield texts[at : at + batch]


def _answer(store: Store, data: Mapping[str, Any]) -> dict[str, Any]:
    """The places of the texts that are found first, for each question."""
    ids: list[str] = []
    if fields := data.get("fields"):
        ids = cast(GlymphStore, store).add_fields(fields)
    for at in range(0, len(data["texts"]) if not fields else 0, BATCH):
        ids += store.add_many(data["texts"][at : at + BATCH])
    store.finish()
    places = {key: place for place, key in reversed(list(enumerate(ids)))}
    return {
        "found": [
            [places[hit] for hit in store.search(query) if hit in places]
            for query in data["queries"]
        ]
    }


def _list(store: Store, data: Mapping[str, Any]) -> dict[str, Any]:
    return {"texts": store.texts()}


def _clean(store: Store, data: Mapping[str, Any]) -> dict[str, Any]:
    """Adds a small set one by one; tells what is left, what is found first, and whether undo is."""
    by_text = {text: store.add(text) for text in data["single"]}
    store.finish()
    left = store.texts()
    orders = []
    for query, old, new in data["updates"]:
        hits = [left.get(hit, "") for hit in store.search(query)]
        orders.append([hits.index(text) if text in hits else None for text in (old, new)])
    victim = by_text[data["single"][0]]
    store.delete(victim)
    back = store.bring_back(victim)
    return {"left": list(left.values()), "orders": orders, "undo": back and victim in store.texts()}


TASKS: Mapping[str, Callable[[Store, Mapping[str, Any]], dict[str, Any]]] = {
    "speed": _speed,
    "cold": _cold,
    "write": _write,
    "write_on": _write_on,
    "answer": _answer,
    "list": _list,
    "clean": _clean,
}


def _version(peer: str, distribution: str) -> str:
    """What was measured: a checkout of Glymph says itself which one it is."""
    if peer != "glymph":
        return importlib.metadata.version(distribution)
    import glymph

    return str(glymph.__version__)


def main() -> int:
    warnings.simplefilter("ignore")  # of the peers' own packages
    peer, task, folder, data_file, *distribution = sys.argv[1:]
    data = json.loads(Path(data_file).read_text(encoding="utf-8"))
    vectors = data["vectors"] if task == "cold" else GivenRows(Path(data_file), data["rows"])
    store = OPEN[peer](Path(folder), vectors, cleaning=task == "clean")
    result = TASKS[task](store, data)
    store.close()
    if distribution and task == "speed":
        result["version"] = _version(peer, distribution[0])
    print(json.dumps(result), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
