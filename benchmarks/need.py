"""Does need predict the next use?

Asked on access traces under a capacity, and on the file histories of repositories.

Need is given what a memory's row holds: the number of uses, the making and the last use. Plain
ACT-R, which knows the moment of every use, and LRU are computed in the same run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from benchmarks.harness.clocks import timed
from benchmarks.harness.contract import Figure, Figures, Options
from glymph.decay import need
from glymph.moments import MICROS_PER_DAY

QUESTION = "Does need tell what will be used next, on access traces and file histories?"

CAPACITIES = (10, 30)  # per cent of the distinct items
WINDOW = 30.0  # days
FROM = 0.3  # of a history's span
SECONDS_PER_DAY = 86_400
MINUTE = 60_000_000
MANY = 1_000_000
MARGIN = 0.005  # of AUC below ACT-R, which knows the moments of all uses
BELOW_LRU = -1.0

Floats = NDArray[np.float64]


def run(options: Options) -> Figures:
    """Hit ratios beside LRU's, AUC and log loss beside ACT-R's, and what an estimate costs."""
    figures: dict[str, Figure] = {}
    differences = []
    for trace in _lines(options.dataset("decay_cache.jsonl")):
        items = trace["items"][: options.count(len(trace["items"]))]
        found = _trace_figures(trace["trace"].split("/")[-1], items)
        differences += [figure.value for name, figure in found.items() if name.startswith("vs_lru")]
        figures |= found
    meaning = "points of hit ratio; the worst of all traces and capacities"
    figures["worst_vs_lru"] = Figure(min(differences), meaning, at_least=BELOW_LRU)
    hurried = [figure.value for name, figure in figures.items() if name.startswith("minute_")]
    figures["worst_vs_lru_minute"] = Figure(
        min(hurried), "the same if an access takes a minute instead of a day"
    )
    for history in _lines(options.dataset("decay_git.jsonl")):
        figures |= _history_figures(history["repo"].split("/")[-1], history)
    figures["cpu_s_1m"] = Figure(_cost(options), "CPU-seconds for the need of a million memories")
    return figures


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _cost(options: Options) -> float:
    random = np.random.default_rng(options.seed)
    made = random.integers(0, 10**15, MANY)
    last, uses = made + random.integers(0, 10**14, MANY), random.integers(0, 50, MANY)
    spent, _ = timed(lambda: need.chance(need.activation(uses, made, last, now=2 * 10**15)))
    return spent


# traces


@dataclass(slots=True)
class Rows:
    """What the store would hold of each item; an access is a use."""

    uses: NDArray[np.int64]
    made: NDArray[np.int64]
    last: NDArray[np.int64]

    @classmethod
    def none(cls, count: int) -> Rows:
        return cls(*(np.full(count, empty, dtype=np.int64) for empty in (-1, 0, 0)))

    def use(self, item: int, now: int) -> None:
        if self.uses[item] < 0:
            self.made[item] = now
        self.uses[item] += 1
        self.last[item] = now


Scores = Callable[[Rows, NDArray[np.int64], int], NDArray[Any]]


def least_needed(rows: Rows, among: NDArray[np.int64], now: int) -> Floats:
    return need.activation(rows.uses[among], rows.made[among], rows.last[among], now=now)


def least_recent(rows: Rows, among: NDArray[np.int64], now: int) -> NDArray[np.int64]:
    return rows.last[among]


def hit_ratio(
    items: Sequence[int],
    capacity: int,
    scores: Scores,
    *,
    forgets: bool = False,
    pace: int = MICROS_PER_DAY,
) -> float:
    """The share of accesses, in per cent, that found their item.

    The item with the lowest score makes room.

    A row outlives its item's stay, as it does when a memory is archived, unless `forgets`. The
    traces tell no times: `pace` is what passes between two accesses.
    """
    rows = Rows.none(max(items) + 1)
    slots = np.zeros(capacity, dtype=np.int64)
    slot_of: dict[int, int] = {}
    hits = 0
    for number, item in enumerate(items):
        now = number * pace
        if item in slot_of:
            hits += 1
        else:
            slot = len(slot_of)
            if slot == capacity:
                slot = int(np.argmin(scores(rows, slots, now)))
                gone = int(slots[slot])
                del slot_of[gone]
                if forgets:
                    rows.uses[gone] = -1
            slots[slot], slot_of[item] = item, slot
        rows.use(item, now)
    return 100 * hits / len(items)


def _trace_figures(name: str, items: Sequence[int]) -> dict[str, Figure]:
    figures = {}
    for share in CAPACITIES:
        capacity = max(2, share * len(set(items)) // 100)
        lru = hit_ratio(items, capacity, least_recent)
        kept = hit_ratio(items, capacity, least_needed)
        forgot = hit_ratio(items, capacity, least_needed, forgets=True)
        place = f"{name}_{share}"
        figures[f"hit_{place}"] = Figure(
            kept, f"hit ratio of need on {name} at {share} % of the items, in per cent"
        )
        figures[f"hit_{place}_forgotten"] = Figure(
            forgot, "the same when a row is lost with its item"
        )
        figures[f"lru_{place}"] = Figure(lru, "the same for LRU")
        quick = [
            hit_ratio(items, capacity, least_needed, forgets=forgets, pace=MINUTE) - lru
            for forgets in (False, True)
        ]
        figures[f"minute_{place}"] = Figure(
            quick[0], "above LRU if an access takes a minute instead of a day"
        )
        figures[f"minute_{place}_forgotten"] = Figure(
            quick[1], "the same when a row is lost with its item"
        )
        figures[f"vs_lru_{place}"] = Figure(
            min(kept, forgot) - lru, "the worse of the two above LRU", at_least=BELOW_LRU
        )
    return figures


# histories


@dataclass(frozen=True, slots=True)
class Standing:
    """Every item at every window's start.

    The ages of its touches in days, and whether it is touched next.
    """

    window: NDArray[np.int64]
    ages: Sequence[Floats]  # oldest first
    used: NDArray[np.bool_]

    def exact(self) -> Floats:
        """ACT-R from every touch."""
        return np.array([np.log(((ages + need.SOON) ** -0.5).sum()) for ages in self.ages])

    def estimated(self) -> Floats:
        """Need from what a row holds."""
        first, last = (
            np.array([ages[end] for ages in self.ages]) * -MICROS_PER_DAY for end in (0, -1)
        )
        return need.activation([len(ages) - 1 for ages in self.ages], first, last, now=0)


def standing(touches: Sequence[Sequence[int]], removed: Sequence[Sequence[int]]) -> Standing:
    """What each whole window from `FROM` of the span on begins with."""
    start, end = touches[0][0], touches[-1][0]
    width = WINDOW * SECONDS_PER_DAY
    now = start + FROM * (end - start)
    windows, ages, used = [], [], []
    number = 0
    while now + width <= end:
        before: dict[int, list[int]] = {}
        for moment, item in touches:
            if moment < now:
                before.setdefault(item, []).append(moment)
        gone = {item: moment for moment, item in removed if moment < now}
        after = {item for moment, item in touches if now <= moment < now + width}
        for item, moments in before.items():
            if gone.get(item, 0) <= moments[-1]:
                windows.append(number)
                ages.append((now - np.array(moments)) / SECONDS_PER_DAY)
                used.append(item in after)
        now, number = now + width, number + 1
    return Standing(np.array(windows), ages, np.array(used))


def auc(used: NDArray[np.bool_], scores: Floats) -> float:
    """The chance that something used has a higher score than something that is not."""
    ranks = rankdata(scores)
    hits, others = int(used.sum()), int((~used).sum())
    return float((ranks[used].sum() - hits * (hits + 1) / 2) / (hits * others))


def log_loss(used: NDArray[np.bool_], chances: Floats) -> float:
    return float(-np.log(np.where(used, chances, 1 - chances)).mean())


def lost(at: Standing, scores: Floats) -> float:
    """The share of what is used next, in per cent, that the lower half of each window holds."""
    missed = sum(
        int(at.used[among][np.argsort(scores[among], kind="stable")[: among.sum() // 2]].sum())
        for among in (at.window == window for window in np.unique(at.window))
    )
    return 100 * missed / int(at.used.sum())


def _history_figures(name: str, history: Mapping[str, Any]) -> dict[str, Figure]:
    at = standing(history["touch"], history["removed"])
    early = at.window < (at.window.max() + 1) // 2
    figures = {
        f"pairs_{name}": Figure(
            len(at.used), f"items at the start of a window of {history['repo']}"
        )
    }
    target = auc(at.used, at.exact()) - MARGIN
    for suffix, scores in (("", at.estimated()), ("_act_r", at.exact())):
        note = "ACT-R from every use" if suffix else "need from number, first and last use"
        bound = None if suffix else target
        odds = need.fit_odds(scores[early], at.used[early])
        loss = log_loss(at.used[~early], need.chance(scores[~early], odds))
        as_shipped = log_loss(at.used[~early], need.chance(scores[~early]))
        figures[f"auc_{name}{suffix}"] = Figure(
            auc(at.used, scores), f"AUC; {note}", at_least=bound
        )
        figures[f"lost_{name}{suffix}"] = Figure(
            lost(at, scores), f"% of the next uses in the lower half; {note}"
        )
        figures[f"log_loss_{name}{suffix}"] = Figure(
            loss, f"of the later windows, fitted on the earlier; {note}"
        )
        if not suffix:
            figures[f"log_loss_{name}_shipped"] = Figure(
                as_shipped, "the same with the odds as shipped, which know these windows"
            )
    rate = np.full(int((~early).sum()), at.used[early].mean())
    figures[f"log_loss_{name}_base"] = Figure(
        log_loss(at.used[~early], rate), "the same for the base rate alone"
    )
    return figures
