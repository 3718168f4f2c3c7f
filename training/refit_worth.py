"""Fit the head of worth anew, on what the published encoder makes of graded texts.

    python -m training.refit_worth PACKAGE_FOLDER

The other heads and the encoder stay as they are, bit for bit, so this takes minutes on a CPU. The
new head stays near the one before unless the texts say otherwise. Needs `onnx`, `onnxruntime` and
`torch`; run `training.calibrate` afterwards, or `--worth` of it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import helper, numpy_helper

from glymph.reader.local_reader import LoadedModel
from training.cases import read_part
from training.examples import Example, list_worths

SEEN = "/Concat_4_output_0"  # what the heads see of a text
HEAD = "network.heads.worth."
WRITTEN_FOR_IT = 12.0  # times a graded note counts over a statement out of a conversation
NEARNESS = 3e-3  # what leaving the head before costs
STEPS = 200
LARGEST = 127  # of eight bits


def read_head(model: onnx.ModelProto) -> tuple[np.ndarray, np.ndarray]:
    """Give the head's weights and shifts as plain numbers."""
    arrays = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    numbers = arrays[HEAD + "weight_quantized"].astype(np.float32)
    zero = arrays[HEAD + "weight_zero_point"].astype(np.float32)
    return (numbers - zero) * arrays[HEAD + "weight_scale"], arrays[HEAD + "bias"]


def write_head(model: onnx.ModelProto, weights: np.ndarray, shifts: np.ndarray) -> None:
    """Put another head into the model, in eight bits."""
    scales = np.abs(weights).max(axis=0) / LARGEST
    new = {
        HEAD + "weight_quantized": np.round(weights / scales).astype(np.int8),
        HEAD + "weight_zero_point": np.zeros(len(scales), np.int8),
        HEAD + "weight_scale": scales.astype(np.float32),
        HEAD + "bias": shifts.astype(np.float32),
    }
    for one in model.graph.initializer:
        if one.name in new:
            one.CopyFrom(numpy_helper.from_array(new[one.name], one.name))


def see(folder: Path, model: onnx.ModelProto, examples: list[Example]) -> np.ndarray:
    """Give what the heads see of each text."""
    files = {name: (folder / name).read_bytes() for name in ("tokenizer.json", "reader.json")}
    files["model.onnx"] = model.SerializeToString()
    loaded = LoadedModel("refitting", files.__getitem__, 1)
    opened = onnx.ModelProto()
    opened.CopyFrom(model)
    opened.graph.output.append(helper.make_tensor_value_info(SEEN, onnx.TensorProto.FLOAT, None))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(opened.SerializeToString(), options)
    seen = []
    for at, example in enumerate(examples):
        row, _ = loaded._lay(example.pair)
        feeds = {"ids": np.array([row.ids]), "sides": np.array([row.sides])}
        seen.append(session.run([SEEN], feeds)[0][0])
        if at % 1000 == 999:
            print(f"{at + 1} of {len(examples)}", flush=True)
    return np.stack(seen)


def fit(
    seen: np.ndarray, labels: np.ndarray, counts: np.ndarray, head: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Fit a head on what is seen, near the one that is given."""
    x, y, w = torch.tensor(seen), torch.tensor(labels), torch.tensor(counts, dtype=torch.float32)
    mean, spread = x.mean(0), x.std(0) + 1e-6
    x = (x - mean) / spread
    start = torch.tensor(head[0]) * spread[:, None]
    weights = start.clone().requires_grad_()
    shifts = (torch.tensor(head[1]) + mean @ torch.tensor(head[0])).requires_grad_()
    optimiser = torch.optim.LBFGS([weights, shifts], max_iter=STEPS, line_search_fn="strong_wolfe")

    def measure() -> torch.Tensor:
        optimiser.zero_grad()
        wrong = torch.nn.functional.cross_entropy(x @ weights + shifts, y, reduction="none")
        loss = (wrong * w).sum() / w.sum() + NEARNESS * ((weights - start) ** 2).sum()
        loss.backward()
        return loss

    optimiser.step(measure)
    found, shift = weights.detach(), shifts.detach()
    return (found / spread[:, None]).numpy(), (shift - (mean / spread) @ found).numpy()


def refit(folder: Path) -> None:
    """Fit the head on the train part and write it into the model."""
    model = onnx.load(folder / "model.onnx")
    cases = read_part("train")
    examples = list_worths(cases)  # the graded notes come first
    counts = np.where(np.arange(len(examples)) < len(cases["worth"]), WRITTEN_FOR_IT, 1.0)
    seen = see(folder, model, examples)
    labels = np.array([example.label for example in examples])
    write_head(model, *fit(seen, labels, counts, read_head(model)))
    onnx.save(model, str(folder / "model.onnx"))


if __name__ == "__main__":
    refit(Path(sys.argv[1]))
