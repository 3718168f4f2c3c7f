"""Export trained weights as one int8 ONNX file that runs the same on every processor.

    python -m training.export BASE_FOLDER TRAINED_FOLDER PACKAGE_FOLDER

Needs `torch`, `onnx` and `onnxruntime`. Matrices become eight-bit numbers with a scale per column,
seven bits of them used: older x86 processors add pairs of products in sixteen bits and would
overflow with more. The table of words stays in four bits, as in the base.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training.network import BLOCK, HEADS, JUDGEMENTS, WIDTH, Layer, Network, load_trained

OUTPUTS = [*JUDGEMENTS, "spans"]


class Joined(nn.Module):
    """A layer whose query, key and value are one matrix: fewer and larger products."""

    def __init__(self, layer: Layer) -> None:
        super().__init__()
        self.layer = layer
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        parts = (layer.q, layer.k, layer.v)
        self.qkv.weight.data = torch.cat([part.weight.data for part in parts])
        self.qkv.bias.data = torch.cat([part.bias.data for part in parts])

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Attend, then transform, as the layer does."""
        rows, tokens, size = x.shape[0], x.shape[1], WIDTH // HEADS
        qkv = self.qkv(x).view(rows, tokens, 3, HEADS, size).permute(2, 0, 3, 1, 4)
        scores = qkv[0] @ qkv[1].transpose(-1, -2) * size**-0.5 + mask
        seen = (scores.softmax(-1) @ qkv[2]).transpose(1, 2).reshape(rows, tokens, WIDTH)
        x = self.layer.aln(x + self.layer.ao(seen))
        return self.layer.oln(x + self.layer.fo(F.gelu(self.layer.fi(x))))


class Packed(nn.Module):
    """The network with its table of words packed into four bits."""

    def __init__(self, network: Network, base: Path) -> None:
        super().__init__()
        arrays = np.load(base)
        network.layers = nn.ModuleList(Joined(layer) for layer in network.layers)
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
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.transformers import optimizer
    from onnxruntime.transformers.fusion_options import FusionOptions

    network = Packed(load_trained(base, trained), base / "base.npz").eval()
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
        optimised.save_model_to_file(str(fused))
        quantize_dynamic(
            fused,
            package / "model.onnx",
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
            op_types_to_quantize=["MatMul", "Attention"],
            extra_options={"DefaultTensorType": 1},  # float
        )
    shutil.copy(base / "tokenizer.json", package / "tokenizer.json")


if __name__ == "__main__":
    export(*map(Path, sys.argv[1:4]))
