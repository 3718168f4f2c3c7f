"""Take the weights back out of a published file, so that training can go on from there.

    python -m training.recover PACKAGE_FOLDER TRAINED_FOLDER

The file holds eight-bit numbers: what comes back is as exact as what the reader runs on. Needs
`onnx` and `numpy`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

Arrays = dict[str, np.ndarray]
HEADS = ("heads.relation", "heads.target", "heads.relevance", "heads.worth", "spans")
APART = {"fi": "inner", "fo": "outer"}  # matrices of which some columns are kept in full
_LAYER = re.compile(r"/layers\.(\d+)/")


def list_matrices(model: onnx.ModelProto, arrays: Arrays) -> Iterator[tuple[str, np.ndarray]]:
    """List the matrices that are multiplied in eight bits: names of nodes, and plain numbers."""
    for node in model.graph.node:
        if node.op_type == "MatMulInteger":
            name = node.input[1].removesuffix("_quantized")
            numbers = arrays[f"{name}_quantized"].astype(np.float32)
            zero = arrays[f"{name}_zero_point"].astype(np.float32)
            yield node.name, ((numbers - zero) * arrays[f"{name}_scale"]).T


def recover(model: onnx.ModelProto) -> Arrays:
    """Put the weights together under the names that the network has for them."""
    arrays = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    state = {
        name.removeprefix("network.").replace(".layer.", "."): array
        for name, array in arrays.items()
        if name.startswith("network.") and name.endswith((".weight", ".bias"))
    }
    loud = find_loud(model)
    of_layers: dict[str, list[np.ndarray]] = {}
    for node, matrix in list_matrices(model, arrays):
        layer = _LAYER.match(node)
        if layer:
            of_layers.setdefault(f"layers.{layer[1]}", []).append(matrix)
        else:
            state |= {
                f"{name}.weight": matrix for name in HEADS if name.endswith(node.split("/")[1])
            }
    for place, matrices in of_layers.items():
        qkv, ao, fi, fo = matrices
        for kind, joined in (("weight", qkv), ("bias", state.pop(f"{place}.qkv.bias"))):
            parts = zip("qkv", np.split(joined, 3), strict=True)
            state |= {f"{place}.{part}.{kind}": array for part, array in parts}
        state[f"{place}.ao.weight"] = ao
        for name, matrix in (("fi", fi), ("fo", fo)):
            kept = f"network.{place}.{APART[name]}.of_loud"
            whole = matrix.copy()
            whole[:, arrays[loud[kept]]] = arrays[kept].T
            state[f"{place}.{name}.weight"] = whole
    return state


def find_loud(model: onnx.ModelProto) -> dict[str, str]:
    """Find which numbers each matrix that is kept in full is multiplied with, by its name.

    Layers that keep the same ones apart share one list of them.
    """
    picked = {
        node.output[0]: node.input[1] for node in model.graph.node if node.op_type == "Gather"
    }
    return {
        node.input[1]: picked[node.input[0]]
        for node in model.graph.node
        if node.op_type == "MatMul" and node.input[1].endswith(".of_loud")
    }


def main(package: Path, folder: Path) -> None:
    """Recover the weights of a package."""
    state = recover(onnx.load(package / "model.onnx"))
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        folder / "weights0.npz", **{k: v.astype(np.float16) for k, v in state.items()}
    )
    print(f"{len(state)} arrays, {sum(v.size for v in state.values()):,} numbers: {folder}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
