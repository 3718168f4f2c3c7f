"""Export the upper half that says what to keep, beside the published model.

    python -m training.export_keeping BASE_FOLDER TRAINED_FOLDER KEEPING_FOLDER PACKAGE_FOLDER

Writes keep.onnx, which goes on from what the sixth layer of model.onnx makes of a text, and lets
model.onnx give that away; all it says otherwise stays bit for bit. Needs `torch`, `onnx` and
`onnxruntime`; run `training.calibrate … keep` afterwards.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import onnx
from onnx import helper, numpy_helper
from torch import nn

from glymph.reader.wording import KEEPINGS
from training.export import write_model
from training.fit_keeping import LOWER, load_keeping
from training.network import WIDTH
from training.refit_worth import SEEN

NAME, MIDDLE = "keep", "middle"
LAYER = f"/layers.{LOWER - 1}/oln/LayerNormalization_output_0"


def open_middle(model: onnx.ModelProto) -> None:
    """Let a model give away what its lower half makes of a text; an earlier head goes."""
    graph = model.graph
    for kept in (graph.node, graph.initializer, graph.output):
        for one in [one for one in kept if one.name.startswith((NAME, MIDDLE))]:
            kept.remove(one)
    graph.node.append(helper.make_node("Identity", [LAYER], [MIDDLE], name=MIDDLE))
    shape = ["rows", "tokens", WIDTH]
    graph.output.append(helper.make_tensor_value_info(MIDDLE, onnx.TensorProto.FLOAT, shape))


def cut_upper(model: onnx.ModelProto) -> onnx.ModelProto:
    """Cut the half out that goes on from the middle, up to what the heads see."""
    graph = model.graph
    made_by = {name: node for node in graph.node for name in node.output}
    wanted: set[str] = set()
    pending = [SEEN]
    while pending:
        name = pending.pop()
        node = made_by.get(name)
        if name != LAYER and node is not None and node.output[0] not in wanted:
            wanted.add(node.output[0])
            pending += node.input
    nodes = [node for node in graph.node if node.output[0] in wanted]
    used = {name for node in nodes for name in node.input}
    for node in nodes:
        for at, name in enumerate(node.input):
            node.input[at] = MIDDLE if name == LAYER else name
    stored = [one for one in graph.initializer if one.name in used]
    given = [
        helper.make_tensor_value_info(MIDDLE, onnx.TensorProto.FLOAT, ["rows", "tokens", WIDTH]),
        helper.make_tensor_value_info("sides", onnx.TensorProto.INT64, ["rows", "tokens"]),
    ]
    return helper.make_model(
        helper.make_graph(nodes, NAME, given, [], stored),
        opset_imports=model.opset_import,
        ir_version=model.ir_version,
    )


def add_head(model: onnx.ModelProto, head: nn.Sequential) -> None:
    """Put the head behind what the heads see."""
    graph = model.graph
    first, second = (one for one in head if isinstance(one, nn.Linear))
    for name, part in (("first", first), ("second", second)):
        for kind, numbers in (("weights", part.weight.T.contiguous()), ("shifts", part.bias)):
            array = numbers.detach().numpy()
            graph.initializer.append(numpy_helper.from_array(array, f"{name}.{kind}"))
    for verb, given, made in (
        ("Gemm", [SEEN, "first.weights", "first.shifts"], "inner"),
        ("Relu", ["inner"], "bent"),
        ("Gemm", ["bent", "second.weights", "second.shifts"], NAME),
    ):
        graph.node.append(helper.make_node(verb, given, [made], name=made))
    shape = ["rows", len(KEEPINGS)]
    graph.output.append(helper.make_tensor_value_info(NAME, onnx.TensorProto.FLOAT, shape))


def export_keeping(base: Path, trained: Path, folder: Path, package: Path) -> None:
    """Write keep.onnx, and model.onnx with its middle."""
    keeping = load_keeping(base, trained, folder)
    with tempfile.TemporaryDirectory() as place:
        whole = Path(place) / "whole.onnx"
        write_model(keeping.network, base, whole)
        upper = cut_upper(onnx.load(whole))
    add_head(upper, keeping.head)
    onnx.checker.check_model(upper)
    onnx.save(upper, str(package / "keep.onnx"))
    model = onnx.load(package / "model.onnx")
    open_middle(model)
    onnx.checker.check_model(model)
    onnx.save(model, str(package / "model.onnx"))


if __name__ == "__main__":
    export_keeping(*map(Path, sys.argv[1:5]))
