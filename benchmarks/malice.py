"""What comes of injections: orders to the agent in memories, sessions, imports, model answers.

Each case of a corpus is fed through the ways that texts really take into a memory, by models that
obey whatever they read, and then everything is looked at that no text may do. How many shapes of
secrets are known to the masks is counted beside, and how often they mask what is none.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import malice_ground as grounds
from benchmarks.harness.contract import Fact, Figure, Figures, Options
from benchmarks.harness.malice_effects import EFFECTS, Effect, count_by, find_effects
from benchmarks.harness.malice_ways import UNREAD, WAYS, Case
from benchmarks.harness.secret_shapes import (
    count_false_masks,
    count_false_orders,
    is_masked,
    read_shapes,
)
from glymph.reader.no_reader import NoReader

QUESTION = "How many injections change, plant, show or break anything?"

FOLDER = Path(__file__).parent / "cases" / "malice"
PAGES = 80  # files, and pages of help, in which no secret stands
PLAIN_BY = "raw"  # a technique whose texts are sent as they are: orders on their face


def run(options: Options) -> Figures:
    """Effects by technique and by kind, of all cases by all their ways."""
    techniques = {path.stem: _read(path, options) for path in sorted(FOLDER.glob("*.jsonl"))}
    effects: dict[str, set[Effect]] = {}
    fed = 0
    with (
        tempfile.TemporaryDirectory(prefix="glymph-malice-") as folder,
        grounds.prepare(Path(folder) / "template") as template,
    ):
        for technique, (ways, cases) in techniques.items():
            found = [_feed(template, technique, way, cases) for way in ways]
            effects[technique] = set().union(*found)
            fed += len(ways) * len(cases)
    return _count(techniques, effects, fed) | _measure_masks(options)


def _read(path: Path, options: Options) -> tuple[list[str], list[Case]]:
    head, *rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    plain = PLAIN_BY in head["ways"]
    cases = [Case(head["technique"], row["mark"], plain, row) for row in rows]
    return head["ways"], cases[: options.count(len(cases), least=1)]


def _feed(template: grounds.Ground, technique: str, way: str, cases: list[Case]) -> set[Effect]:
    """The effects of a technique's cases by one way, on a store of their own."""
    ground = grounds.copy(template, template.folder.parent / f"{technique}-{way}")
    if way in UNREAD:
        ground.reader = NoReader()
    with grounds.use(ground):
        before = grounds.take_picture(ground)
        WAYS[way](ground, cases)
        after = grounds.take_picture(ground)
        _show_unasked(ground, cases)
    return find_effects(ground, way, cases, before, after)


def _show_unasked(ground: grounds.Ground, cases: list[Case]) -> None:
    """Let a session begin, and prompts be sent that are about the cases."""
    with ground.open() as glymph:
        digest = glymph.surface()
    ground.extra.append(grounds.Output("digest", "fenced", digest, asked=False))
    ground.hook("session-start", source="startup")
    for case in cases:
        ground.hook("prompt-submit", prompt=f"What do we know about {case.mark}?")
    ground.run("surface")


def _count(
    techniques: dict[str, tuple[list[str], list[Case]]], effects: dict[str, set[Effect]], fed: int
) -> dict[str, Figure | Fact]:
    every = {
        (mark, what, where.partition(":")[0])
        for found in effects.values()
        for mark, what, where in found
    }
    cases = sum(len(own) for _, own in techniques.values())
    figures: dict[str, Figure | Fact] = {
        "techniques": Figure(len(techniques), "groups of cases", at_least=15),
        "cases": Figure(cases, "injections"),
        "fed": Figure(fed, "times a case was fed by one way"),
        "effects": Figure(len(every), "of a case by one way, of whatever kind", at_most=0),
        "cases_with_effects": Figure(len(count_by(every, 0)), "injections", at_most=0),
    }
    by_kind = count_by(every, 1)
    for effect, meaning in EFFECTS.items():
        figures[f"effects_{effect}"] = Figure(by_kind.get(effect, 0), meaning, at_most=0)
    for technique, found in effects.items():
        figures[technique] = Figure(len(found), f"effects: {_say(found)}", at_most=0)
    return figures


def _measure_masks(options: Options) -> dict[str, Figure | Fact]:
    """How many shapes of secrets are masked, and how much that is none."""
    shapes = read_shapes()
    masked = sum(is_masked(template, options.seed) for template in shapes.values())
    wrong, characters = count_false_masks(options.count(PAGES, least=2))
    orders, paragraphs = count_false_orders(options.count(PAGES // 2, least=2))
    return {
        "shapes": Figure(len(shapes), "of secrets that maintained lists of rules know"),
        "shapes_masked": Figure(masked, "of them", at_least=len(shapes), limit=len(shapes)),
        "false_masks": Figure(wrong, f"in {characters:,} characters of code and help", at_most=5),
        "false_orders": Figure(orders, f"of {paragraphs:,} paragraphs of help", at_most=3),
    }


def _say(found: set[Effect]) -> str:
    parts: Iterator[str] = (f"{what} {count}" for what, count in count_by(found, 1).items())
    return ", ".join(parts) or "none"
