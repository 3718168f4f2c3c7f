"""Doubts about what a digest would show: what may be out of date is left out.

A digest is read by somebody who asked for nothing and checks nothing, so less doubt than elsewhere
is enough: a line too few costs little.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from glymph.context import Context
from glymph.decay.sections import SECTIONS, Section
from glymph.prune.vectors import load_vectors
from glymph.reader.no_reader import NoReader
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader
from glymph.write.question_queue import FORGET
from glymph.write.reconcile import LONGEST_STATEMENT
from glymph.write.verdicts import PART, REPLACES

DOUBTED = 0.05  # the share of an update from which on the older one is left out
NEAREST = 8  # older ones that each statement is read beside
MOST_PAIRS = 240  # that one digest reads, the nearest first


def find_doubted(reader: Reader, rows: Mapping[int, Row], now: int) -> set[int]:
    """Returns the keys of those that a newer one may have put out of date, or a request may mean.

    A newer one counts only while it is current itself.
    """
    asked = {row["older"] for row in reader.questions() if row["kind"] == FORGET}
    doubted = {key for key, row in rows.items() if row["id"] in asked}
    links = [
        (source, target)
        for source, target, kind, *_ in reader.edges_touching(list(rows))
        if kind == "supersedes" and target in rows
    ]
    newer = reader.by_key({source for source, _ in links}, Filter(live_at=now))
    return doubted | {target for source, target in links if source in newer}


def read_for_updates(
    ctx: Context, reader: Reader, rows: Sequence[Row], unchecked: Collection[int]
) -> set[int]:
    """Returns the keys of those that another of the rows may update, as the reader sees it.

    Pairs of which neither is among the `unchecked` keys were read before. Nothing is found without
    a reader or without vectors.
    """
    some = [
        row
        for row in sorted(rows, key=lambda row: int(row["key"]))
        if len(row["text"]) <= LONGEST_STATEMENT
        and SECTIONS[Section(row["section"])].role != "source"
    ]
    vectors = None if type(ctx.reader) is NoReader else load_vectors(ctx, reader, some)
    if vectors is None or len(some) < 2:
        return set()
    outdated: set[int] = set()
    for newer, older in _choose_pairs(vectors, [row["key"] in unchecked for row in some]).items():
        texts = [some[at]["text"] for at in older]
        judged = ctx.reader.relate(some[newer]["text"], texts)
        outdated |= {
            some[at]["key"]
            for at, one in zip(older, judged, strict=True)
            if one.shares and one.shares[REPLACES] + one.shares[PART] >= DOUBTED
        }
    return outdated


def _choose_pairs(vectors: np.ndarray, fresh: Sequence[bool]) -> dict[int, list[int]]:
    """Returns for each place the earlier ones to read it beside, of all pairs the nearest."""
    cosines = np.tril(vectors @ vectors.T, k=-1)
    pairs = sorted(
        (
            (float(cosines[newer, older]), newer, int(older))
            for newer in range(1, len(vectors))
            for older in np.argsort(-cosines[newer, :newer], kind="stable")[:NEAREST]
            if fresh[newer] or fresh[older]
        ),
        reverse=True,
    )
    chosen: dict[int, list[int]] = defaultdict(list)
    for _, newer, older in pairs[:MOST_PAIRS]:
        chosen[newer].append(older)
    return chosen
