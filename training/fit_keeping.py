"""Fit the head that says what of a conversation to keep, and put it into the published model.

    python -m training.fit_keeping PACKAGE_FOLDER

What the ninth layer makes of a sentence says more about it than the last one, which is shaped by
the other judgements. The head reads that layer, so encoder and other heads stay as they are, bit
for bit. Takes minutes on a CPU. Needs `onnx`, `onnxruntime` and `torch`; run
`training.calibrate … keep` afterwards.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper

from glymph.reader.wording import KEEPINGS
from training.cases import Case, read_part
from training.examples import Example, list_keepings
from training.refit_worth import SEEN as POOLED
from training.refit_worth import see

LAYER = "/layers.8/oln/LayerNormalization_output_0"
LAST = "/layers.11/oln/LayerNormalization_output_0"
SEEN, NAME = "keep_seen", "keep"
INNER, DROPPED = 128, 0.3  # numbers between the two layers, and how many are left out in training
PASSES, AT_ONCE, SEED = 12, 128, 1
ALONE = KEEPINGS.index("alone")
SOME = 0.25  # of the sentences that are not kept


def add_pooling(model: onnx.ModelProto) -> None:
    """Let the model pool the layer just as it pools its last one; what was there before goes."""
    graph = model.graph
    for kept in (graph.node, graph.initializer, graph.output):
        for one in [one for one in kept if one.name.startswith(NAME)]:
            kept.remove(one)
    renamed = {LAST: LAYER}
    wanted = find_pooling(graph)
    for node in wanted:
        copied = onnx.NodeProto()
        copied.CopyFrom(node)
        renamed |= {name: f"keep/{name}" for name in node.output}
        copied.name = f"keep/{node.name}"
        del copied.input[:], copied.output[:]
        copied.input.extend(renamed.get(name, name) for name in node.input)
        copied.output.extend(renamed[name] for name in node.output)
        graph.node.append(copied)
    graph.node.append(helper.make_node("Identity", [f"keep/{POOLED}"], [SEEN], name="keep/seen"))


def find_pooling(graph: onnx.GraphProto) -> list[onnx.NodeProto]:
    """Find the nodes between the last layer and what the heads see, in their order."""
    made_by = {name: node for node in graph.node for name in node.output}
    depends: dict[str, bool] = {LAST: True}

    def rests_on_last(name: str) -> bool:
        if name not in depends:
            node = made_by.get(name)
            depends[name] = node is not None and any(map(rests_on_last, list(node.input)))
        return depends[name]

    found: list[onnx.NodeProto] = []

    def walk(name: str) -> None:
        node = made_by.get(name)
        if node is None or name == LAST or node in found or not rests_on_last(name):
            return
        for one in node.input:
            walk(one)
        found.append(node)

    walk(POOLED)
    return found


def add_head(model: onnx.ModelProto, head: torch.nn.Sequential) -> None:
    """Put the head behind what is pooled."""
    graph = model.graph
    first, second = (one for one in head if isinstance(one, torch.nn.Linear))
    for name, part in (("keep.first", first), ("keep.second", second)):
        for kind, numbers in (("weights", part.weight.T.contiguous()), ("shifts", part.bias)):
            stored = numpy_helper.from_array(numbers.detach().numpy(), f"{name}.{kind}")
            graph.initializer.append(stored)
    graph.node.extend(
        [
            helper.make_node(
                "Gemm", [SEEN, "keep.first.weights", "keep.first.shifts"], ["keep/inner"],
                name="keep/first",
            ),
            helper.make_node("Relu", ["keep/inner"], ["keep/bent"], name="keep/bend"),
            helper.make_node(
                "Gemm", ["keep/bent", "keep.second.weights", "keep.second.shifts"], [NAME],
                name="keep/second",
            ),
        ]
    )  # fmt: skip
    shape = ["rows", len(KEEPINGS)]
    graph.output.append(helper.make_tensor_value_info(NAME, onnx.TensorProto.FLOAT, shape))


def fit(seen: np.ndarray, labels: np.ndarray) -> torch.nn.Sequential:
    """Fit a head of two layers on what is seen."""
    torch.manual_seed(SEED)
    x, y = torch.tensor(seen), torch.tensor(labels)
    mean, spread = x.mean(0), x.std(0) + 1e-6
    x = (x - mean) / spread
    head = torch.nn.Sequential(
        torch.nn.Dropout(DROPPED),
        torch.nn.Linear(x.shape[1], INNER),
        torch.nn.ReLU(),
        torch.nn.Dropout(DROPPED),
        torch.nn.Linear(INNER, len(KEEPINGS)),
    )
    optimiser = torch.optim.AdamW(head.parameters(), lr=1e-3, weight_decay=0.05)
    for number in range(PASSES):
        order = torch.randperm(len(x))
        for rows in order.split(AT_ONCE):
            loss = torch.nn.functional.cross_entropy(head(x[rows]), y[rows])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        print(f"pass {number + 1} of {PASSES}: {loss.item():.3f}", flush=True)
    first = head[1]
    assert isinstance(first, torch.nn.Linear)
    with torch.no_grad():  # what was seen is not evened out when the model runs
        first.weight /= spread
        first.bias -= first.weight @ mean
    return head.eval()


def draw_bare(talks: list[Case], rng: random.Random) -> list[Example]:
    """Give sentences once more without what stands before them: all kept ones, some others.

    A talk may begin with what matters, and a host may hand over one side alone.
    """
    bare = list_keepings([{**talk, "turns": list(cut_apart(talk))} for talk in talks])
    return [one for one in bare if one.label == ALONE or (not one.label and rng.random() < SOME)]


def cut_apart(talk: Case) -> Iterator[Case]:
    """Give every sentence as a turn of its own, nobody else having spoken."""
    for role in ("user", "assistant"):
        for turn in talk["turns"]:
            if turn["role"] == role:
                yield from ({"role": role, "s": [said]} for said in turn["s"])


def fit_keeping(folder: Path) -> None:
    """Fit the head on the train part and write it into the model."""
    model = onnx.load(folder / "model.onnx")
    add_pooling(model)
    talks = read_part("train")["talks"]
    examples = [*list_keepings(talks), *draw_bare(talks, random.Random(1))]
    seen = see(folder, model, examples, SEEN)
    add_head(model, fit(seen, np.array([example.label for example in examples])))
    onnx.checker.check_model(model)
    onnx.save(model, str(folder / "model.onnx"))


if __name__ == "__main__":
    fit_keeping(Path(sys.argv[1]))
