"""Export trained weights as one int8 ONNX file that runs the same on every processor.

    python -m training.export BASE_FOLDER TRAINED_FOLDER PACKAGE_FOLDER

Needs `torch`, `onnx` and `onnxruntime`. Matrices become eight-bit numbers with a scale per column,
seven bits of them used: older x86 processors add pairs of products in sixteen bits and would
overflow with more. The table of words stays in four bits, as in the base.

What flows through a layer is rounded to eight bits by one scale for all of it, and a few numbers
are ten times as loud as the others. Those are read apart, in full; so the others keep their bits.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training.cases import read_part
from training.examples import list_relations
from training.network import BLOCK, HEADS, INNER, JUDGEMENTS, WIDTH, Layer, Network, load_trained
from training.packing import Reading

OUTPUTS = [*JUDGEMENTS, "spans"]
LOUD_INPUTS, LOUD_INNER = 8, 16  # numbers of a layer that are read apart
LISTENED = 12  # every so many pairs of dev are listened to


class Apart(nn.Module):
    """A matrix of which a few rows, those of the loudest inputs, are multiplied apart."""

    def __init__(self, linear: nn.Linear, loudness: Tensor, count: int) -> None:
        super().__init__()
        loud = loudness.topk(count).indices.sort().values
        quiet = torch.ones(linear.in_features)
        quiet[loud] = 0
        self.quiet: Tensor
        self.loud: Tensor
        self.of_loud: Tensor
        self.register_buffer("quiet", quiet)
        self.register_buffer("loud", loud)
        self.register_buffer("of_loud", linear.weight.detach()[:, loud].T.contiguous())
        self.linear = linear

    def split(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return what the quiet inputs and what the loud ones give, without the bias."""
        heard = x.index_select(-1, self.loud) @ self.of_loud
        return F.linear(x * self.quiet, self.linear.weight), heard


class Joined(nn.Module):
    """A layer whose query, key and value are one matrix: fewer and larger products."""

    def __init__(self, layer: Layer, loudness: Loudness) -> None:
        super().__init__()
        self.layer = layer
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        parts = (layer.q, layer.k, layer.v)
        self.qkv.weight.data = torch.cat([part.weight.data for part in parts])
        self.qkv.bias.data = torch.cat([part.bias.data for part in parts])
        self.inner = Apart(layer.fi, loudness.of_input, LOUD_INPUTS)
        self.outer = Apart(layer.fo, loudness.of_inner, LOUD_INNER)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Attend, then transform."""
        rows, tokens, size = x.shape[0], x.shape[1], WIDTH // HEADS
        qkv = self.qkv(x).view(rows, tokens, 3, HEADS, size).permute(2, 0, 3, 1, 4)
        scores = qkv[0] @ qkv[1].transpose(-1, -2) * size**-0.5 + mask
        seen = (scores.softmax(-1) @ qkv[2]).transpose(1, 2).reshape(rows, tokens, WIDTH)
        x = self.layer.aln(x + self.layer.ao(seen))
        quiet, loud = self.inner.split(x)
        inner = F.gelu(quiet + loud + self.layer.fi.bias)
        quiet, loud = self.outer.split(inner)
        return self.layer.oln((x + loud) + (quiet + self.layer.fo.bias))


class Loudness(NamedTuple):
    """The largest number seen at each input of the two matrices that transform."""

    of_input: Tensor
    of_inner: Tensor


@torch.no_grad()
def hear(network: Network, reading: Reading) -> list[Loudness]:
    """Find how loud each number gets in each layer, over pairs of the dev part."""
    heard = [Loudness(torch.zeros(WIDTH), torch.zeros(INNER)) for _ in network.layers]

    def listen(number: int, kind: int) -> Callable[[nn.Module, tuple[Tensor, ...]], None]:
        def note(_: nn.Module, given: tuple[Tensor, ...]) -> None:
            loudest = heard[number][kind]
            torch.maximum(loudest, given[0].abs().amax((0, 1)), out=loudest)

        return note

    hooks = []
    for number, layer in enumerate(network.layers):
        for kind, linear in enumerate((layer.fi, layer.fo)):
            hooks.append(linear.register_forward_pre_hook(listen(number, kind)))
    for example in list_relations(read_part("dev")["frames"])[::LISTENED]:
        row = reading.lay(example)
        network(torch.tensor([row.ids]), torch.tensor([row.sides]))
    for hook in hooks:
        hook.remove()
    return heard


class Packed(nn.Module):
    """The network with its table of words packed into four bits."""

    def __init__(self, network: Network, base: Path) -> None:
        super().__init__()
        arrays = np.load(base / "base.npz")
        heard = hear(network, Reading(base / "tokenizer.json"))
        network.layers = nn.ModuleList(map(Joined, network.layers, heard))
        self.network = network
        self.register_buffer("packed", torch.from_numpy(arrays["emb.word"]))
        self.register_buffer("scales", torch.from_numpy(arrays["emb.word.scales"]))

    def forward(self, ids: Tensor, sides: Tensor) -> tuple[Tensor, ...]:
        """Unpack the words of these ids, then read them."""
        both = self.packed[ids].float()
        high = torch.floor(both / 16)
        numbers = torch.stack([both - 16 * high, high], -1) - 8
        shape = (ids.shape[0], ids.shape[1], WIDTH // BLOCK, BLOCK)
        words = numbers.reshape(shape) * self.scales[ids].float()[..., None]
        words = words.reshape(ids.shape[0], ids.shape[1], WIDTH)
        return self.network.judge(self.network.read(ids, sides, words), sides)


def export(base: Path, trained: Path, package: Path) -> None:
    """Write model.onnx and tokenizer.json into the package."""
    write_model(load_trained(base, trained), base, package / "model.onnx")
    shutil.copy(base / "tokenizer.json", package / "tokenizer.json")


def write_model(trained: Network, base: Path, path: Path) -> None:
    """Write a network as one file, in eight bits."""
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.transformers import optimizer
    from onnxruntime.transformers.fusion_options import FusionOptions

    network = Packed(trained, base).eval()
    with tempfile.TemporaryDirectory() as folder:
        plain, fused = Path(folder) / "plain.onnx", Path(folder) / "fused.onnx"
        ids = torch.tensor([[0, 9, 9, 2, 9, 2], [0, 9, 2, 9, 2, 1]])
        sides = torch.tensor([[0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, -1]])
        axes = {name: {0: "rows", 1: "tokens"} for name in ("ids", "sides", "spans")}
        axes |= {name: {0: "rows"} for name in JUDGEMENTS}
        torch.onnx.export(
            network,
            (ids, sides),
            str(plain),
            input_names=["ids", "sides"],
            output_names=OUTPUTS,
            dynamic_axes=axes,
            opset_version=17,
            dynamo=False,
        )
        options = FusionOptions("bert")
        options.enable_embed_layer_norm = False
        optimised = optimizer.optimize_model(
            str(plain), "bert", num_heads=HEADS, hidden_size=WIDTH, optimization_options=options
        )
        print(optimised.get_fused_operator_statistics())
        of_loud = [node.name for node in optimised.model.graph.node if _is_of_loud(node, optimised)]
        optimised.save_model_to_file(str(fused))
        quantize_dynamic(
            fused,
            path,
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
            op_types_to_quantize=["MatMul", "Attention"],
            nodes_to_exclude=of_loud,
            extra_options={"DefaultTensorType": 1},  # float
        )


def _is_of_loud(node: Any, optimised: Any) -> bool:
    """Tell whether a node multiplies what is loud, which stays in full."""
    if node.op_type != "MatMul":
        return False
    matrix = optimised.get_initializer(node.input[1])
    return matrix is not None and matrix.dims[0] in (LOUD_INPUTS, LOUD_INNER)


if __name__ == "__main__":
    export(*map(Path, sys.argv[1:4]))
