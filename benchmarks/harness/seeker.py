"""Searches a shelf and prints what that cost, as JSON.

Run as `python -m benchmarks.harness.seeker FOLDER [--resident]`.

A process of its own: numpy reads how many threads it may use when it is imported, and a first
search is only the first in a fresh process.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.harness import shelf
from benchmarks.harness.clocks import peak_mb, timed
from benchmarks.harness.shelf import SPARE, Shelf
from glymph import Glymph
from glymph.moments import micros
from glymph.reader.weights import explain_absence
from glymph.recall import channels
from glymph.recall.channels import POOL, gather, worth_asking
from glymph.recall.filters import check_filters
from glymph.store import mirror, vector_column
from glymph.store.contract import Filter
from glymph.store.reader import Reader
from glymph.store.view import View

WHOLE_UP_TO = 200_000  # memories whose vectors fit into memory all at once
TOP = 10  # of the nearest, whose recall the targets speak of


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--resident", action="store_true", help="the memory that searching takes")
    asked = parser.parse_args()
    found = shelf.opened(asked.folder)
    imported = peak_mb()
    with _open(found) as glymph:
        if asked.resident:
            for text in found.texts[:TOP]:
                glymph.search(text)
            print(json.dumps({"imported": imported, "searched": peak_mb()}))
        else:
            print(json.dumps(measured(glymph, found) | exhaustive(found) | reread(found)))


def measured(glymph: Glymph, found: Shelf) -> dict[str, Any]:
    """CPU milliseconds of each query by what was done, shares found, and what the machine allows."""
    warming, _ = timed(lambda: glymph.search(found.texts[0]))
    numbers = range(SPARE, len(found.texts))
    # Every query for the first time: what is learnt about words is paid for here.
    costs: dict[str, Any] = {"warming_s": warming}
    costs["hybrid"] = [_ms(partial(glymph.search, found.texts[n])) for n in numbers]
    costs["hybrid_filtered"] = [
        _ms(partial(glymph.search, found.texts[n], kinds=[found.kinds[n]])) for n in numbers
    ]
    place = glymph._ctx
    now = micros(place.now())
    with place.reading() as reader:
        view = place.embedding.mirrors.view(reader, place.embedding.model)
        plain = replace(check_filters({}), live_at=now)
        costs |= _vector_part(view, reader, found, "", lambda n: plain, found.exact)
        by_kind = {
            kind: replace(check_filters({"kinds": [kind]}), live_at=now) for kind in found.kinds
        }
        costs |= _vector_part(
            view,
            reader,
            found,
            "_filtered",
            lambda n: by_kind[found.kinds[n]],
            found.exact_filtered,
        )
        costs["mask"] = [_ms(lambda: view.mask(plain)) for _ in numbers]
        costs["text"] = [_ms(_text_search(glymph, reader, found.texts[n], plain)) for n in numbers]
        costs |= _physical(view)
    return costs


def exhaustive(found: Shelf) -> dict[str, Any]:
    """The share of queries whose first ten are those of a search that compares everything."""
    with _open(found) as glymph:
        usual = [_ids(glymph, text) for text in found.texts[SPARE:]]
        with glymph._ctx.reading() as reader:
            view = glymph._ctx.embedding.mirrors.view(reader, glymph._ctx.embedding.model)
        if view.size > WHOLE_UP_TO:
            return {}
    with (
        patch.object(channels, "POOL", WHOLE_UP_TO),
        patch.object(vector_column, "EXACT_UP_TO", WHOLE_UP_TO),
        patch.object(mirror, "EXACT_UP_TO", WHOLE_UP_TO),
        _open(found) as glymph,
    ):
        whole = [_ids(glymph, text) for text in found.texts[SPARE:]]
    same = [one == other for one, other in zip(usual, whole, strict=True)]
    return {"same_ten": float(np.mean(same))}


def _open(found: Shelf) -> Glymph:
    return Glymph.open(found.url, embedder=found.embedder(), reader="none", create=False)


def _ids(glymph: Glymph, text: str) -> list[str]:
    return [hit.memory.id for hit in glymph.search(text, limit=TOP)]


def reread(found: Shelf) -> dict[str, Any]:
    """CPU milliseconds of a whole search that reads its best hits, where a reader is installed."""
    if explain_absence():
        return {}
    with Glymph.open(found.url, embedder=found.embedder(), reader="local", create=False) as glymph:
        glymph.search(found.texts[0])
        asked = [partial(glymph.search, found.texts[n]) for n in range(SPARE, len(found.texts))]
        return {"reread": [_ms(search) for search in asked]}


def _ms(call: Callable[[], object]) -> float:
    return 1000 * timed(call)[0]


def _vector_part(
    view: View,
    reader: Reader,
    found: Shelf,
    suffix: str,
    filter_of: Callable[[int], Filter],
    exact: Any,
) -> dict[str, Any]:
    """What finding the nearest costs, and the share of the truly nearest found.

    The cost includes the filter's mask.
    """
    added = np.flatnonzero(
        view["kind"] != view.codes["kind"].get("self", -1)
    )  # slots in the order of adding
    costs, shares, deep = [], [], []
    for n in range(SPARE, len(found.texts)):
        vector, matching = found.vectors[n], filter_of(n)
        before = time.process_time()
        slots, _ = view.nearest(vector, view.mask(matching), limit=POOL, reader=reader)
        costs.append(1000 * (time.process_time() - before))
        truth = added[exact[n][exact[n] >= 0]]
        shares.append(float(np.isin(truth[:TOP], slots[:TOP]).mean()))
        deep.append(float(np.isin(truth[:POOL], slots).mean()))
    return {
        f"vector{suffix}": costs,
        f"recall{suffix}": float(np.mean(shares)),
        f"recall_pool{suffix}": float(np.mean(deep)),
    }


def _text_search(
    glymph: Glymph, reader: Reader, text: str, matching: Filter
) -> Callable[[], object]:
    """The question put to FTS5 with its own ranking, without anything around."""
    pool = gather(glymph._ctx, reader, text, matching)
    words = worth_asking(reader, pool.view, pool.question.words)
    return lambda: reader.match(words, matching, limit=POOL)


def _physical(view: View) -> dict[str, Any]:
    """The bytes a scan cannot avoid to read, and how fast this machine reads as many."""
    planes = view.vectors
    assert planes is not None
    scanned = planes.matrix if planes.matrix is not None else planes.bits
    assert scanned is not None
    block = np.ascontiguousarray(scanned).view(np.uint64).ravel()
    fastest = min(_ms(lambda: np.bitwise_or.reduce(block)) for _ in range(7))
    return {"scanned_mb": block.nbytes / 1e6, "reading": fastest}


if __name__ == "__main__":
    main()
