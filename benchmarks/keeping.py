"""What an unused year leaves of memories that people have graded.

Nobody searches, nothing is pinned: upkeep runs once a day at its defaults.
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
from glymph.model import State
from glymph.testing import FrozenClock

QUESTION = "Does an unused year leave what is vital and lasting, and let noise go?"

FOLDER = Path(__file__).parent / "cases" / "keeping"
DAYS = 365
GRADES = ("vital", "lasting", "passing", "noise")
SETTINGS = {"durability": "normal", "compare": "off", "junk_gate": "off"}


def run(options: Options) -> Figures:
    """Shares of each grade that are kept or gone, on the part for choosing and those run once."""
    figures: dict[str, Figure] = {}
    for part in ("dev", "once", "second", "third", "fourth", "fifth", "dated"):
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
        }
    return figures


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
