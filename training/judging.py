"""Judge examples with a network while it is trained, and measure how well."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from glymph.reader.layout import fill_up
from glymph.reader.spans import find_spans
from glymph.reader.wording import word_relation
from training import measure
from training.cases import Case
from training.examples import Example, list_relations, list_targets, list_worths
from training.network import JUDGEMENTS, MARKS, Network
from training.packing import TASKS, Reading, number_texts
from training.scenes import SCENE, label_texts, list_marked, make_scene

FIRST = np.array([1.0, 0.0, 0.0], np.float32)  # what is said of a text that was cut off: not meant


class Judging:
    """Judges examples with a network."""

    def __init__(self, network: Network, reading: Reading, device: str) -> None:
        self.network, self.reading, self.device = network.eval(), reading, device

    @torch.no_grad()
    def __call__(self, examples: Sequence[Example]) -> tuple[np.ndarray, list[np.ndarray]]:
        """Give the logits of the examples' task, and what is said of their tokens."""
        name = "target" if examples[0].task == SCENE else examples[0].task
        task = TASKS.index(name)
        rows = [self.reading.lay(example) for example in examples]
        order = sorted(range(len(rows)), key=lambda at: len(rows[at].ids))
        logits = np.zeros((len(rows), JUDGEMENTS[name]), np.float32)
        spans: list[np.ndarray] = [np.zeros((0, 2 * MARKS), np.float32)] * len(rows)
        for start in range(0, len(order), 512):
            part = order[start : start + 512]
            ids, sides = fill_up([rows[at] for at in part])
            with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
                *heads, tokens = self.network(
                    torch.from_numpy(ids).to(self.device), torch.from_numpy(sides).to(self.device)
                )
            logits[part] = heads[task].float().cpu().numpy()
            if task == TASKS.index("target"):
                told = tokens.float().cpu().numpy()
                for place, at in enumerate(part):
                    begin = rows[at].second_at
                    spans[at] = told[place, begin : begin + len(rows[at].offsets)]
        return logits, spans


def softmax(logits: np.ndarray) -> np.ndarray:
    """Turn logits into shares."""
    size = np.exp(logits - logits.max(-1, keepdims=True))
    return size / size.sum(-1, keepdims=True)


def judge_scenes(
    judging: Judging, cases: Sequence[Case]
) -> tuple[list[list[int]], list[np.ndarray]]:
    """Give for each scene the labels of its texts, and the shares that the network gives them."""
    examples = [
        make_scene(case["verb"], case["request"], case.get("new"), list_marked(case))
        for case in cases
    ]
    _, tokens = judging(examples)
    shares = []
    for example, told in zip(examples, tokens, strict=True):
        text = number_texts(example, judging.reading.lay(example))
        count = len(example.starts or ())
        means = [
            told[text == at, MARKS:].mean(0) if (text == at).any() else FIRST for at in range(count)
        ]
        shares.append(softmax(np.stack(means)))
    return [label_texts(example) for example in examples], shares


def report_on(judging: Judging, cases: dict[str, list[Case]]) -> dict[str, Any]:
    """Measure a network on a part."""
    found: dict[str, Any] = {}
    lists = {
        "relation": list_relations(cases["frames"]),
        "target": list_targets(cases["frames"], cases["requests"]),
        "worth": list_worths(cases),
    }
    for task, examples in lists.items():
        if examples:
            logits, spans = judging(examples)
            found[task] = measure.measure_classes(examples, softmax(logits), measure.WORDS[task])
            if task == "target":
                places = [
                    find_spans(told[:, :MARKS], judging.reading.lay(example).offsets)
                    for told, example in zip(spans, examples, strict=True)
                ]
                found[task]["span_exact"] = measure.measure_spans(examples, places)
    for kind in ("scenes", "natural"):
        if cases[kind]:
            found[kind] = measure.measure_scenes(*judge_scenes(judging, cases[kind]))
    if cases["conversations"]:
        pairs = [
            Example("relation", word_relation(c["statements"][new]["text"], s["text"]), 0)
            for c in cases["conversations"]
            for new in range(1, len(c["statements"]))
            for s in c["statements"][:new]
        ]
        shares = iter(softmax(judging(pairs)[0]))
        judged = measure.measure_conversations(
            cases["conversations"], lambda _, older: np.array([next(shares) for _ in older])
        )
        statements = sum(len(c["statements"]) for c in cases["conversations"])
        found["conversations"] = measure.weigh_flags(judged, statements)
        english = [one for one in judged if one[2] == "en"]
        count = sum(len(c["statements"]) for c in cases["conversations"] if c["lang"] == "en")
        found["conversations_en"] = measure.weigh_flags(english, count)
    return found
