"""Fit how the network's numbers are read, on the dev part, and write what the package needs.

    python -m training.calibrate PACKAGE_FOLDER VERSION
    python -m training.calibrate PACKAGE_FOLDER VERSION worth    # after training.refit_worth
    python -m training.calibrate PACKAGE_FOLDER VERSION keep     # after training.export_keeping
    python -m training.calibrate PACKAGE_FOLDER VERSION scenes   # after changing MOST_TOGETHER

Runs the exported model itself, so that what its eight bits change is fitted along. Writes
`reader.json` beside the model, and the sha256 of every file into `glymph/reader/data/weights.json`.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from glymph.reader.calibration import Calibration, compare_candidates, find_odds, softmax
from glymph.reader.local_reader import MOST_TOGETHER, LoadedModel
from glymph.reader.weights import RECORD
from glymph.reader.wording import RELATIONS, Pair, word_relation, word_relevance
from training.cases import NONE, PART, REPLACES, SAME, Case, link_statements, read_part
from training.examples import (
    LEFT,
    Example,
    list_keepings,
    list_relations,
    list_targets,
    list_worths,
)
from training.per_core import OnePerCore
from training.scenes import label_rows

FILES = ("model.onnx", "keep.onnx", "tokenizer.json", "reader.json")
NEUTRAL = {
    "temperatures": {"relation": 1.0, "target": 1.0, "worth": 1.0, "keep": 1.0},
    "together": [1.0, 0.0, 0.0, 0.0],
    "among": [1.0, 0.0, 0.0],
    "crowded": [1.0, 0.0, 0.0],
    "relevance": [1.0, 0.0],
    "certain": 0.99,
    "flag": 0.9,
    "doubt": 0.5,
    "hide": 0.99,
    "same": 0.99,
    "merge": 0.99,
}
CERTAIN = 0.992  # the share that must be right on dev of what is called certain
AT_ONCE = 64  # pairs that a process is sent together
MERGED = 0.995  # the same of what may be merged without asking
MOST_FALSE = 0.018  # flags per statement, on dev
MOST_DOUBTED = 0.1  # statements that may be out of date, and are not
MOST_HIDDEN = 0.001  # statements hidden wrongly, per statement on dev: at 0 a single pair decides
MOST_JOINED = 0.002  # statements taken for the same that are not
FULL, CROWD = 8, 20  # texts of a scene that is filled up, and how many it then has


def fit_temperature(logits: np.ndarray, labels: np.ndarray) -> float:
    """Find the temperature at which the right answers are likeliest."""
    grid = np.exp(np.linspace(np.log(0.2), np.log(4), 200))
    rows = np.arange(len(labels))
    losses = [-np.log(softmax(logits / t)[rows, labels] + 1e-9).mean() for t in grid]
    return round(float(grid[int(np.argmin(losses))]), 4)


def fit_logistic(features: np.ndarray, labels: np.ndarray, steps: int = 200) -> list[float]:
    """Fit a logistic regression by Newton's method; the last number is the shift."""
    x = np.concatenate([features, np.ones((len(features), 1))], axis=1)
    w = np.zeros(x.shape[1])
    for _ in range(steps):
        p = 1 / (1 + np.exp(-x @ w))
        slope = x.T @ (p - labels) + 1e-3 * w
        bend = (x * (p * (1 - p))[:, None]).T @ x + 1e-3 * np.eye(len(w))
        change = np.linalg.solve(bend, slope)
        w -= change
        if np.abs(change).max() < 1e-7:
            break
    return [round(float(one), 4) for one in w]


class Asking:
    """Asks one model per core for logits."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.models = OnePerCore(partial(LoadedModel, "calibrating", files.__getitem__, 1))

    def ask(self, task: str, pairs: Sequence[Pair]) -> np.ndarray:
        """Give the logits of the pairs."""
        parts = [(task, pairs[at : at + AT_ONCE]) for at in range(0, len(pairs), AT_ONCE)]
        answers = self.models.ask("ask", parts, at_once=1)
        return np.concatenate([answer.logits for answer in answers])

    def ask_scenes(self, scenes: Sequence[Case]) -> np.ndarray:
        """Give the odds that each text of the scenes is meant, read beside others and alone."""
        parts = [
            (one["verb"], one["request"], one.get("new"), [row["text"] for row in one["rows"]])
            for one in scenes
        ]
        odds = [
            (find_odds(softmax(together.logits)), find_odds(softmax(alone.logits)))
            for together, alone in self.models.ask("ask_scene", parts, at_once=8)
        ]
        return np.concatenate([np.stack(both, axis=1) for both in odds])


def judge_statements(model: Asking, conversations: list[Case]) -> list[tuple[np.ndarray, ...]]:
    """Give for each statement the logits against all earlier ones, and the right relations.

    A relation of -1 is not settled by the labels.
    """
    pairs: list[Pair] = []
    relations: list[np.ndarray] = []
    for conversation in conversations:
        links = link_statements(conversation)
        texts = [statement["text"] for statement in conversation["statements"]]
        for place in range(1, len(texts)):
            pairs += [word_relation(texts[place], text) for text in texts[:place]]
            wanted = [
                -1 if (place, old) in links.open else links.known.get((place, old), NONE)
                for old in range(place)
            ]
            relations.append(np.array(wanted))
    ends = np.cumsum([len(wanted) for wanted in relations])
    logits = np.split(model.ask("relation", pairs), ends[:-1])
    return list(zip(logits, relations, strict=True))


def fit_together(judged: list[tuple[np.ndarray, ...]], temperature: float) -> list[float]:
    """Fit how the other candidates change the odds of one."""
    features, labels = [], []
    for logits, wanted in judged:
        compared = np.stack(compare_candidates(softmax(logits / temperature)), axis=1)
        features.append(compared[wanted >= 0])
        labels.append(wanted[wanted >= 0] != NONE)
    return fit_logistic(np.concatenate(features), np.concatenate(labels).astype(float))


def fit_among(model: Asking, scenes: Sequence[Case]) -> list[float]:
    """Fit how likely a request means a text, read beside the others and alone."""
    labels = [label for scene in scenes for label in label_rows(scene)]
    return fit_logistic(model.ask_scenes(scenes), (np.array(labels) != LEFT).astype(float))


def fit_scenes(model: Asking, scenes: Sequence[Case]) -> dict[str, list[float]]:
    """Fit how likely a request means a text, among few texts and in a crowd."""
    few = [scene for scene in scenes if len(scene["rows"]) <= MOST_TOGETHER]
    return {"among": fit_among(model, few), "crowded": fit_among(model, crowd(scenes))}


def crowd(scenes: Sequence[Case]) -> list[Case]:
    """Fill the fuller scenes up with texts of others in their language."""
    found = []
    for at, scene in enumerate(scenes):
        if len(scene["rows"]) <= FULL:
            continue
        order = [one for one in (*scenes[at + 1 :], *scenes[:at]) if one["lang"] == scene["lang"]]
        others = [row["text"] for one in order for row in one["rows"]]
        strangers = [{"text": text, "cut": []} for text in others[: CROWD - len(scene["rows"])]]
        found.append({**scene, "rows": [*strangers[::2], *scene["rows"], *strangers[1::2]]})
    return [scene for scene in found if len(scene["rows"]) > MOST_TOGETHER]


def find_merge(shares: np.ndarray, labels: np.ndarray) -> float:
    """Find the lowest share of "same" from which on nearly all are the same."""
    says, right = shares[:, SAME], labels == SAME
    order = np.argsort(-says)
    precision = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    good = np.flatnonzero(precision >= MERGED)
    return round(float(says[order[good[-1]]]), 4) if len(good) else 1.0


def find_certain(shares: np.ndarray, labels: np.ndarray) -> float:
    """Find the lowest confidence from which on nearly all judgements are right."""
    sure, right = shares.max(1), shares.argmax(1) == labels
    order = np.argsort(-sure)
    precision = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    good = np.flatnonzero(precision >= CERTAIN)
    return round(float(sure[order[good[-1]]]), 4) if len(good) else 1.0


def find_flag(judged: list[tuple[np.ndarray, ...]], calibration: Calibration) -> float:
    """Find the lowest share of an update at which few enough flags are false."""
    return _find_restrained(
        judged, calibration, (REPLACES, PART), meant=(REPLACES, PART), most=MOST_FALSE
    )


def find_doubt(judged: list[tuple[np.ndarray, ...]], calibration: Calibration) -> float:
    """Find the share of an update from which on it is fair to say that it may be one."""
    return _find_restrained(
        judged, calibration, (REPLACES, PART), meant=(REPLACES, PART), most=MOST_DOUBTED
    )


def find_hide(judged: list[tuple[np.ndarray, ...]], calibration: Calibration) -> float:
    """Find the lowest share of "replaces" at which hardly anything is hidden that is still true."""
    return _find_restrained(
        judged, calibration, (REPLACES,), meant=(REPLACES, SAME), most=MOST_HIDDEN
    )


def find_same(judged: list[tuple[np.ndarray, ...]], calibration: Calibration) -> float:
    """Find the lowest share of "same" at which hardly anything is taken for one that is not."""
    return _find_restrained(judged, calibration, (SAME,), meant=(SAME, REPLACES), most=MOST_JOINED)


def _find_restrained(
    judged: list[tuple[np.ndarray, ...]], calibration: Calibration, said: tuple[int, ...], *,
    meant: tuple[int, ...], most: float,
) -> float:  # fmt: skip
    """Find the lowest share of what is said at which few enough statements are wrongly met."""
    says, right, statements = [], [], 0
    for logits, wanted in judged:
        shares = calibration.weigh_together(calibration.share_out("relation", logits))
        says += list(shares[wanted >= 0][:, said].sum(axis=1))
        right += list(np.isin(wanted[wanted >= 0], meant))
        statements += 1
    order = np.argsort(says)[::-1]
    wrong = np.cumsum(~np.array(right)[order])
    good = np.flatnonzero(wrong <= most * statements)
    return round(float(np.array(says)[order[good[-1]]]), 4) if len(good) else 1.0


def fit_relevance(model: Asking, cases: dict[str, list[Case]]) -> list[float]:
    """Fit how likely a text answers, over all statements beside every question."""
    pairs, labels = [], []
    for conversation in cases["conversations"]:
        for question in conversation.get("questions", ()):
            right = {*question["answers"], *question.get("stale", ())}
            for statement in conversation["statements"]:
                pairs.append(word_relevance(question["q"], statement["text"]))
                labels.append(statement["label"] in right)
    for case in cases["questions"]:
        for key, label in (("positive", True), ("negative", False)):
            pairs += [word_relevance(case["question"], text) for text in case[key]]
            labels += [label] * len(case[key])
    logits = model.ask("relevance", pairs)
    return fit_logistic(logits, np.array(labels, float))


def calibrate(folder: Path, version: str) -> None:
    """Fit everything and write it."""
    files = {name: (folder / name).read_bytes() for name in FILES[:-1]}
    stored: dict[str, Any] = json.loads(json.dumps(NEUTRAL))
    model = Asking(files | {"reader.json": json.dumps(stored).encode()})
    cases = read_part("dev")
    lists: dict[str, list[Example]] = {
        "relation": list_relations(cases["frames"]),
        "target": list_targets(cases["frames"], cases["requests"]),
        "worth": list_worths(cases),
        "keep": list_keepings(cases["talks"]),
    }
    for task, examples in lists.items():
        logits = model.ask(task, [example.pair for example in examples])
        labels = np.array([example.label for example in examples])
        stored["temperatures"][task] = fit_temperature(logits, labels)
        if task == "relation":
            shares = softmax(logits / stored["temperatures"][task])
            stored["certain"] = find_certain(shares, labels)
            pairs = [word_relation(case["a"], case["b"]) for case in cases["duplicates"]]
            pairs += [word_relation(case["newer"], case["older"]) for case in cases["pairs"]]
            beside = model.ask(task, pairs) / stored["temperatures"][task]
            alike = np.array(
                [SAME if case["same"] else NONE for case in cases["duplicates"]]
                + [RELATIONS.index(case["relation"]) for case in cases["pairs"]]
            )
            stored["merge"] = find_merge(
                np.concatenate([shares, softmax(beside)]), np.concatenate([labels, alike])
            )
        print(task, stored["temperatures"][task], flush=True)
    stored |= fit_scenes(model, cases["natural"])
    judged = judge_statements(model, [*cases["conversations"], *cases["chats"]])
    stored["together"] = fit_together(judged, stored["temperatures"]["relation"])
    stored["relevance"] = fit_relevance(model, cases)
    stored["flag"] = find_flag(judged, Calibration.parse(stored))
    stored["doubt"] = find_doubt(judged, Calibration.parse(stored))
    stored["hide"] = find_hide(judged, Calibration.parse(stored))
    same = find_same(judged, Calibration.parse(stored))
    # What is merely likely to say the same is wrong too often in chats, of which dev holds few.
    stored["same"] = max(same, stored["certain"])
    write(folder, version, stored)


def calibrate_one(folder: Path, version: str, task: str) -> None:
    """Fit one task alone; the rest stays as it is."""
    files = {name: (folder / name).read_bytes() for name in FILES}
    stored = json.loads(files["reader.json"])
    cases = read_part("dev")
    if task == "scenes":
        write(folder, version, stored | fit_scenes(Asking(files), cases["natural"]))
        return
    examples = list_worths(cases) if task == "worth" else list_keepings(cases["talks"])
    logits = Asking(files).ask(task, [example.pair for example in examples])
    labels = np.array([example.label for example in examples])
    stored["temperatures"][task] = fit_temperature(logits, labels)
    write(folder, version, stored)


def write(folder: Path, version: str, stored: dict[str, Any]) -> None:
    """Write what was fitted, and the sha256 of every file."""
    (folder / "reader.json").write_text(json.dumps(stored, indent=1) + "\n")
    digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in FILES}
    record = {"name": f"glymph-reader@{version}", "files": digests}
    RECORD.write_text(json.dumps(record, indent=1) + "\n")
    print(json.dumps(stored))


if __name__ == "__main__":
    if sys.argv[3:]:
        calibrate_one(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
    else:
        calibrate(Path(sys.argv[1]), sys.argv[2])
