"""Does a forgotten thing stay away? ForgetEval's templated suite, and a hostile set of our own.

Each case has a store of its own and is played through the public interface, with a reader where one
is installed. No language model is asked but for the sets that have recorded answers.
"""

from __future__ import annotations

import os
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks.harness.contract import Fact, Figure, Figures, Options
from benchmarks.harness.forgetting_cases import OWN, ground, lines, own, templated
from benchmarks.harness.forgetting_sets import FOLDER, SETS, Outcome, play, read_set
from benchmarks.harness.keeping import local_model
from glymph.reader import open_reader

QUESTION = "Does a forgotten thing stay away, and does everything else stay?"

TEMPLATED = 99.5
HOSTILE = 80.0
SUPERSEDED = 90.0
RIGHT, RIGHT_WITH_ANSWERS = 85.0, 95.0


def run(options: Options) -> Figures:
    """Shares of the cases that pass, by family and by category."""
    figures: dict[str, Figure | Fact] = {}
    figures |= _templated(options)
    figures |= _own(options)
    figures |= _sets(options)
    return figures


def _templated(options: Options) -> dict[str, Figure | Fact]:
    cases = lines(options.dataset("forgeteval_templated.jsonl"))
    step = max(1, round(1 / options.scale)) if options.scale < 1 else 1
    model = local_model("forget")
    plain: dict[str, list[bool]] = defaultdict(list)
    probed: dict[str, list[bool]] = defaultdict(list)
    with ground(model) as on:
        for case in cases[::step]:
            passed, strictly = templated(on, case)
            plain[case["family"]].append(passed)
            probed[case["family"]].append(strictly)
            if not strictly and os.environ.get("GLYMPH_BENCH_FAILURES"):
                print(case["id"], "plain" if passed else "FAILED")
    model.keep()
    figures: dict[str, Figure | Fact] = {
        "model": Fact(model.name, "that embeds for recall; no language model")
    }
    for name, found in (("templated", plain), ("templated_probed", probed)):
        every = [one for of_one in found.values() for one in of_one]
        rule = "plain rule" if name == "templated" else "probed rule"
        figures[name] = Figure(
            _share(every), f"% of ForgetEval's templated cases, {rule}", at_least=TEMPLATED
        )
        for family, of_family in found.items():
            figures[f"{name}_{family}"] = Figure(_share(of_family), f"% of {family}, {rule}")
    return figures


def _own(options: Options) -> dict[str, Figure | Fact]:
    found: dict[str, list[bool]] = defaultdict(list)
    cases = lines(OWN)
    with ground() as on:
        for case in cases:
            problem = own(on, case)
            found[case["category"]].append(not problem)
            if problem and os.environ.get("GLYMPH_BENCH_FAILURES"):
                print(case["id"], case["steps"], problem)
    every = [one for of_one in found.values() for one in of_one]
    languages = {case["language"] for case in cases}
    figures: dict[str, Figure | Fact] = {
        "own_cases": Figure(len(cases), "own cases", at_least=150),
        "own_languages": Figure(len(languages), "languages they are in", at_least=6),
        "own_adversarial": Figure(
            _share(every),
            "% of the own cases after which exactly what should live does",
            at_least=HOSTILE,
        ),
    }
    for category, passed in sorted(found.items()):
        figures[f"own_{category}"] = Figure(_share(passed), f"% of {len(passed)} cases: {category}")
    return figures


def _sets(options: Options) -> dict[str, Figure | Fact]:
    """Plays the sets that were written without sight of rules or model.

    Each alone, and with the recorded answers of a strong model.
    """
    model, reader = local_model("forget"), open_reader("auto")
    figures: dict[str, Figure | Fact] = {"reader": Fact(reader.name, "read the requests")}
    with tempfile.TemporaryDirectory(prefix="glymph-forget-") as folder:
        for name in SETS:
            cases = read_set(name)
            if not cases:
                continue  # not run yet
            cases = cases[: options.count(len(cases))]
            figures[f"{name}_cases"] = Figure(len(cases), "unseen cases when they were first run")
            alone = [play(Path(folder), case, model, reader) for case in cases]
            least = SUPERSEDED if cases[0]["steps"][0][0] == "supersede" else RIGHT
            figures |= _describe(name, "", cases, alone, right=least)
            answers = FOLDER / "answers" / name
            if answers.exists():
                asked = [play(Path(folder), case, model, reader, answers=answers) for case in cases]
                figures |= _describe(name, "_with_answers", cases, asked, right=RIGHT_WITH_ANSWERS)
    model.keep()
    return figures


def _describe(
    name: str, how: str, cases: list[dict[str, Any]], outcomes: list[Outcome], *, right: float
) -> dict[str, Figure | Fact]:
    if os.environ.get("GLYMPH_BENCH_FAILURES"):
        for case, one in zip(cases, outcomes, strict=True):
            print(case["id"], case.get("kind", ""), case["steps"], one.told or "right")
    return {
        f"{name}_right{how}": Figure(
            _share([one.right for one in outcomes]),
            "% of them after which exactly what should live does", at_least=right,
        ),
        f"{name}_harmful{how}": Figure(
            _share([one.harmful for one in outcomes]),
            "% in which something that had to stay is gone", at_most=1,
        ),
        f"{name}_silent{how}": Figure(
            _share([one.silent for one in outcomes]),
            "% in which something meant was kept and not mentioned", at_most=2,
        ),
        f"{name}_asked{how}": Figure(
            sum(one.asked for one in outcomes) / max(1, len(cases)), "memories asked about per case"
        ),
    }  # fmt: skip


def _share(passed: list[bool]) -> float:
    return 100 * sum(passed) / max(1, len(passed))
