"""How well the reader judges: on cases held out before training, and on cases that are run once.

The cases lie in training/data: `held_out` is a third of what was written, kept apart before
anything was trained; `once` was written by people who knew neither rules nor model. HaluMem and the
near-duplicates are outside data, which nothing was trained on; without --data they are left out.
Nothing is fitted here: temperatures and thresholds came with the weights.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import changes
from benchmarks.harness.contract import Fact, Figure, Figures, Options, Unavailable
from glymph.reader.local_reader import LocalReader
from glymph.reader.weights import explain_absence, find_folder, load_record
from glymph.reader.wording import RELATIONS, TARGETS
from glymph.text.similarity import differ_in_values
from training import measure
from training.cases import DATA, Case, read_part
from training.examples import Example, list_relations, list_targets, list_worths
from training.per_core import OnePerCore

QUESTION = "Does the reader know what two texts have to do with each other, on cases it never saw?"

PARTS = {"held": "held_out", "once": "once"}
DUPLICATES = ("msrp", "sick", "stsb", "abt_buy")
CURVE = Path(__file__).parent.parent / "training" / "learning_curve.json"
TIMED = 30
NAME: str = load_record()["name"]


def run(options: Options) -> Figures:
    """Accuracy, calibration, flags in conversations, outside data, and what a judgement costs."""
    if lacking := explain_absence():
        raise Unavailable(lacking)
    readers = OnePerCore(LocalReader)
    try:
        return _run(readers, options)
    finally:
        readers.close()


def _run(reader: OnePerCore, options: Options) -> Figures:
    figures: dict[str, Figure | Fact] = {"reader": Fact(NAME, "the weights that judge")}
    figures |= _costs()
    thresholds = json.loads((find_folder(NAME) / "reader.json").read_text())
    for short, part in PARTS.items():
        cases = {
            kind: several[: options.count(len(several), least=min(4, len(several)))]
            for kind, several in read_part(part, DATA).items()
        }
        if not cases["frames"]:
            continue
        figures |= {
            f"{short}_{name}": one for name, one in _judge_part(reader, cases, thresholds).items()
        }
    figures |= _curve()
    if options.data is None:
        figures["outside"] = Fact("left out: no --data", "HaluMem and near-duplicates")
    else:
        figures |= _halumem(reader, options, thresholds["flag"])
        figures |= _duplicates(reader, options)
    return figures


def _costs() -> dict[str, Figure | Fact]:
    """What the weights take on disk and to load, and a pair to read."""
    reader = LocalReader()
    folder = find_folder(reader.name)
    size = sum(path.stat().st_size for path in folder.iterdir() if path.is_file()) / 1e6
    began = time.process_time()
    reader.grade(["warm"])
    loaded = time.process_time() - began
    figures: dict[str, Figure | Fact] = {
        "model_mb": Figure(round(size, 1), "MB of the package on disk", at_most=45),
        "load_cpu_s": Figure(round(loaded, 3), "CPU-seconds to check and load the weights"),
    }
    for tokens in (32, 128):
        half = " ".join(["boat"] * (tokens // 2 - 3))
        spent = []
        for number in range(TIMED):
            began = time.process_time()
            reader.relate(half, [f"{half} {number}"])
            spent.append(1000 * (time.process_time() - began))
        figures[f"pair_cpu_ms_{tokens}"] = Figure(
            round(float(np.median(spent)), 2),
            f"CPU-ms to judge a pair of about {tokens} tokens, p50",
        )
    return figures


def _judge_part(
    reader: OnePerCore, cases: dict[str, list[Case]], thresholds: dict[str, Any]
) -> dict[str, Figure | Fact]:
    relations = list_relations(cases["frames"])
    judged = reader.ask("relate", map(_texts, relations))
    shares = np.array([one.shares for (one,) in judged])
    found = measure.measure_classes(relations, shares, RELATIONS)
    certain = measure.measure_certain(relations, shares, thresholds["certain"])
    figures: dict[str, Figure | Fact] = {
        "relation_accuracy": Figure(found["accuracy"], f"of {found['count']} pairs", at_least=90),
        "relation_by_class": Fact(json.dumps(found["by_class"]), "per cent right of each relation"),
        "relation_by_language": Fact(json.dumps(found["by_language"]), "per cent right"),
        "calibration_error": Figure(
            found["calibration_error"], "points between confidence and accuracy", at_most=4
        ),
        "certain_precision": Figure(
            certain["certain_precision"], "of judgements called certain", at_least=99
        ),
        "certain_coverage": Figure(
            certain["certain_coverage"], "per cent of all that are called certain", at_least=50
        ),
        "certain_act_precision": Figure(
            certain["certain_act_precision"], "of those, other than none"
        ),
        "certain_act_coverage": Figure(
            certain["certain_act_coverage"], "per cent of the pairs other than none"
        ),
    }
    return figures | _judge_requests(reader, cases) | _judge_talk(reader, cases, thresholds["flag"])


def _texts(example: Example) -> tuple[str, list[str]]:
    """Give the texts of a relation back: the newer and the older one."""
    return example.pair.first.partition(": ")[2], [example.pair.second]


def _judge_requests(reader: OnePerCore, cases: dict[str, list[Case]]) -> dict[str, Figure | Fact]:
    examples = list_targets(cases["frames"], cases["requests"])
    asked = []
    for example in examples:
        verb, _, rest = example.pair.first.partition(": ")
        request, _, new = rest.partition(" => ")
        asked.append((verb, request, [example.pair.second], new or None))
    judged = [one for (one,) in reader.ask("find_targets", asked)]
    found = measure.measure_classes(examples, np.array([one.shares for one in judged]), TARGETS)
    parts = measure.measure_spans(examples, [one.spans for one in judged])
    return {
        "target_accuracy": Figure(found["accuracy"], f"of {found['count']} requests", at_least=90),
        "target_by_class": Fact(json.dumps(found["by_class"]), "per cent right of each target"),
        "target_by_language": Fact(json.dumps(found["by_language"]), "per cent right"),
        "target_calibration_error": Figure(
            found["calibration_error"], "points between confidence and accuracy"
        ),
        "span_exact": Figure(
            parts, "per cent of texts cut in part whose cut is exact", at_least=80
        ),
    }


def _judge_talk(
    reader: OnePerCore, cases: dict[str, list[Case]], flag: float
) -> dict[str, Figure | Fact]:
    figures: dict[str, Figure | Fact] = {}
    talks = cases["conversations"]
    if talks:
        texts = [[s["text"] for s in talk["statements"]] for talk in talks]
        said = reader.ask(
            "relate", ((talk[at], talk[:at]) for talk in texts for at in range(1, len(talk)))
        )
        coming = iter(said)
        judged = measure.measure_conversations(
            talks, lambda _new, _old: np.array([one.shares for one in next(coming)])
        )
        statements = sum(len(talk["statements"]) for talk in talks)
        at_flag = measure.count_flags(judged, statements, flag)
        figures |= {
            "updates_recall": Figure(
                at_flag["updates_recall"], f"of {at_flag['updates']} updates in talk", at_least=70
            ),
            "false_flags": Figure(
                at_flag["false_per_100"], "flags per 100 statements that are wrong", at_most=2
            ),
            "updates_by_language": Fact(
                json.dumps(_recall_by_language(judged, flag)), "per cent of the updates flagged"
            ),
        }
    graded = list_worths(cases)
    if graded:
        labels = np.array([example.label for example in graded])
        asked = (([example.pair.first.partition(": ")[2]],) for example in graded)
        shares = np.array([one.shares for (one,) in reader.ask("grade", asked)])
        right = shares.argmax(1) == labels
        vital = labels == 3
        figures["worth_accuracy"] = Figure(
            measure.percent(right.sum(), len(right)), f"of {len(right)} texts graded by worth"
        )
        figures["vital_recall"] = Figure(
            measure.percent((shares.argmax(1) >= 2)[vital].sum(), vital.sum()),
            "per cent of vital texts graded lasting or vital",
        )
    return figures | _judge_questions(reader, cases)


def _recall_by_language(judged: Sequence[tuple[float, bool, str]], flag: float) -> dict[str, float]:
    hits: dict[str, list[bool]] = defaultdict(list)
    for says, is_update, language in judged:
        if is_update:
            hits[language].append(says >= flag)
    return {name: measure.percent(sum(one), len(one)) for name, one in sorted(hits.items())}


def _judge_questions(reader: OnePerCore, cases: dict[str, list[Case]]) -> dict[str, Figure | Fact]:
    """How well relevance orders statements, and tells that nothing answers."""
    first, answerable, best_of_none, best_of_some = 0, 0, [], []
    said: list[float] = []
    true: list[bool] = []
    asked = [(q, talk) for talk in cases["conversations"] for q in talk.get("questions", ())]
    scored = reader.ask(
        "score",
        ((question["q"], [s["text"] for s in talk["statements"]]) for question, talk in asked),
    )
    for (question, talk), scores in zip(asked, scored, strict=True):
        right = {*question["answers"], *question.get("stale", ())}
        answers = [s["label"] in right for s in talk["statements"]]
        said += scores
        true += answers
        if question["answers"]:
            answerable += 1
            first += answers[int(np.argmax(scores))]
            best_of_some.append(max(scores))
        else:
            best_of_none.append(max(scores))
    if not said:
        return {}
    chosen = np.array(said)
    error = measure.measure_calibration(chosen, np.array(true))
    return {
        "relevance_first": Figure(
            measure.percent(first, answerable), f"of {answerable} questions, the first hit answers"
        ),
        "relevance_calibration_error": Figure(error, "points between score and share of answers"),
        "unanswered_score": Figure(
            round(float(np.median(best_of_none)), 3), "best score of questions nothing answers, p50"
        ),
        "answered_score": Figure(
            round(float(np.median(best_of_some)), 3),
            "best score of questions that have an answer, p50",
        ),
    }


def _curve() -> dict[str, Figure | Fact]:
    """The learning curve that was measured while training."""
    if not CURVE.exists():
        return {}
    return {
        "learning_curve": Fact(
            json.dumps(json.loads(CURVE.read_text())),
            "relation and target accuracy on the held-out part, by number of frames trained on",
        )
    }


def _halumem(reader: OnePerCore, options: Options, flag: float) -> dict[str, Figure | Fact]:
    """Which old point of a user does an event replace, among all of them."""
    right = acted = events = 0
    for told in changes.halumem(options).values():
        store = [event.old for event in told]
        asked = list(islice(enumerate(told), options.count(len(told))))
        said = reader.ask("relate", ((event.said, store) for _, event in asked))
        for (at, event), judged in zip(asked, said, strict=True):
            update = [one.shares[2] + one.shares[3] for one in judged]
            best = int(np.argmax(update))
            events += 1
            if update[best] >= flag:
                acted += 1
                right += best == at or store[best] == event.old
    return {
        "halumem_recall": Figure(
            measure.percent(right, events), f"of {events} changed points", at_least=90
        ),
        "halumem_precision": Figure(
            measure.percent(right, acted), "of the points said to be replaced", at_least=95
        ),
    }


def _duplicates(reader: OnePerCore, options: Options) -> dict[str, Figure | Fact]:
    """Which pairs may be merged without asking; the traps must not be."""
    threshold = json.loads((find_folder(NAME) / "reader.json").read_text())["merge"]
    figures: dict[str, Figure | Fact] = {}
    right = merged = same = 0
    for name in DUPLICATES:
        pairs = changes.pairs(options, name)
        pairs = pairs[: options.count(len(pairs))]
        says = _merge(reader, pairs, threshold)
        own = sum(said and pair.same for said, pair in zip(says, pairs, strict=True))
        figures[f"{name}_merged"] = Figure(
            sum(says), f"of {len(pairs)} pairs of {name}, {own} of them rightly"
        )
        right, merged = right + own, merged + sum(says)
        same += sum(pair.same for pair in pairs)
        if name == "sick":
            traps = [pair for pair in changes.pairs(options, name, scored=False) if pair.trap]
            traps = traps[: options.count(len(traps))]
            wrong = sum(_merge(reader, traps, threshold))
            figures["sick_false_merges"] = Figure(
                wrong, f"of {len(traps)} contradictions merged", exactly=0
            )
    figures["merge_precision"] = Figure(
        measure.percent(right, merged), "of all merged pairs", at_least=97
    )
    figures["merge_recall"] = Figure(
        measure.percent(right, same), "of all pairs that are the same", at_least=40
    )
    return figures


def _merge(reader: OnePerCore, pairs: Sequence[changes.Pair], threshold: float) -> list[bool]:
    """Which pairs would count as one: by the reader, and unless their values differ."""
    judged = reader.ask("relate", ((pair.a, [pair.b]) for pair in pairs))
    return [
        one.shares[1] >= threshold and not differ_in_values(pair.a, pair.b)
        for (one,), pair in zip(judged, pairs, strict=True)
    ]
