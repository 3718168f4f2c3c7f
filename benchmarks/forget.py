"""Does a forgotten thing stay away? ForgetEval's templated suite, and a hostile set of our own.

Each case has a store of its own and is played through the public interface. No language model is
asked; the embedding model only serves recall, the planner does without.
"""

from __future__ import annotations

import os
from collections import defaultdict

from benchmarks.harness.contract import Fact, Figure, Figures, Options
from benchmarks.harness.forgetting_cases import OWN, ground, lines, own, templated
from benchmarks.harness.keeping import local_model

QUESTION = "Does a forgotten thing stay away, and does everything else stay?"

TEMPLATED = 99.5
HOSTILE = 80.0


def run(options: Options) -> Figures:
    """Shares of the cases that pass, by family and by category."""
    figures: dict[str, Figure | Fact] = {}
    figures |= _templated(options)
    figures |= _own(options)
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


def _share(passed: list[bool]) -> float:
    return 100 * sum(passed) / max(1, len(passed))
