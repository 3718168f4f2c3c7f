"""What an unused year leaves of memories that people have graded, and what pruning by worth does.

In the year nobody searches, nothing is pinned, and upkeep runs once a day at its defaults. Worth
ranks all of a part side by side, as a plan ranks the members of a group.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.harness.contract import Figure, Figures, Options
from benchmarks.harness.forgetting_cases import lines
from glymph import Glymph
from glymph.context import every_row
from glymph.model import State
from glymph.moments import micros
from glymph.prune.appraise import appraise
from glymph.store.contract import Filter
from glymph.testing import FrozenClock
from glymph.write.grading import Grader

QUESTION = "Do an unused year and a prune leave what is vital and lasting, and let noise go?"

FOLDER = Path(__file__).parent / "cases" / "keeping"
DAYS = 365
GRADES = ("vital", "lasting", "passing", "noise")
PRUNED = 30  # per cent
SETTINGS = {"durability": "normal", "compare": "off", "junk_gate": "off"}


def run(options: Options) -> Figures:
    """Shares of each grade that are kept or gone, on the part for choosing and those run once."""
    figures: dict[str, Figure] = {}
    for part in ("dev", "once", "second", "third", "fourth", "fifth", "dated", "sixth", "seventh"):
        suffix = "" if part == "dev" else f"_{part}"
        cases = lines(FOLDER / f"{part}.jsonl")
        cases = cases[: options.count(len(cases), least=20)]
        kept, total = _live(cases), Counter(map(_settle, cases))
        gone = {grade: total[grade] - kept[grade] for grade in GRADES}
        figures |= {
            f"vital_archived{suffix}": Figure(gone["vital"], "vital ones archived", at_most=0),
            f"lasting_kept{suffix}": Figure(
                100 * kept["lasting"] / max(1, total["lasting"]), "% of lasting kept", at_least=95
            ),
            f"passing_gone{suffix}": Figure(
                100 * gone["passing"] / max(1, total["passing"]), "% of passing gone"
            ),
            f"noise_gone{suffix}": Figure(
                100 * gone["noise"] / max(1, total["noise"]), "% of noise gone", at_least=80
            ),
            f"kept_at_{PRUNED}{suffix}": Figure(
                _prune(cases), f"% of vital and lasting kept with {PRUNED} % pruned by worth"
            ),
        }
    return figures


def _prune(cases: Sequence[Mapping[str, Any]]) -> float:
    """Returns how much of what is vital or lasting stays where those worth least go."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Glymph.open(f"sqlite:///{folder}/memory.db", settings=SETTINGS) as glymph,
    ):
        ctx = glymph._ctx
        added = glymph.add_many([{"text": case["text"]} for case in cases])
        grade = {one.id: _settle(case) for one, case in zip(added, cases, strict=True)}
        with ctx.reading() as reader:
            rows = list(every_row(reader, Filter(), len(cases)))
            grades = Grader(ctx).grade(reader, rows)
        worth = appraise(rows, now=micros(ctx.now()), grades=grades)
        order = sorted(rows, key=lambda row: worth[row["key"]].worth)
    good = [grade[row["id"]] in ("vital", "lasting") for row in order]
    return 100 * sum(good[len(good) * PRUNED // 100 :]) / max(1, sum(good))


def _settle(case: Mapping[str, Any]) -> str:
    """Returns the grade that most gave; of three different ones the gravest."""
    given: list[str] = case["grades"]
    (grade, votes), *_ = Counter(given).most_common()
    return grade if votes > 1 else min(given, key=GRADES.index)


def _find_day(case: Mapping[str, Any]) -> datetime:
    """Returns when a note was told: on a day of its own, or all of them at the beginning."""
    day = case.get("told")
    return FrozenClock()() if day is None else datetime.fromisoformat(f"{day}T08:00:00+00:00")


def _live(cases: Sequence[Mapping[str, Any]]) -> Counter[str]:
    """Lives until a year after the last was told, and counts what is still there by grade."""
    left = sorted(cases, key=_find_day)
    clock, end = FrozenClock(), _find_day(left[-1]) + timedelta(days=DAYS)
    clock.set(_find_day(left[0]))
    ids: list[tuple[Mapping[str, Any], str | None]] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        Glymph.open(f"sqlite:///{folder}/memory.db", settings=SETTINGS, clock=clock) as glymph,
    ):
        while clock() < end:
            told = [case for case in left if _find_day(case) <= clock()]
            left = left[len(told) :]
            added = glymph.add_many([{"text": case["text"]} for case in told])
            ids += [(case, one.id) for case, one in zip(told, added, strict=True)]
            clock.advance(days=1)
            glymph.lifecycle(if_needed=True)
        return Counter(
            _settle(case)
            for case, one in ids
            if one is not None and glymph.get(one).state == State.LIVE
        )
