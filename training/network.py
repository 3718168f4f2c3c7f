"""The network of the reader: one encoder of two texts, and a head for each judgement.

The same code makes the reader and its English teacher, which is wider and knows how far apart two
words stand by a bias of its own.
"""

from __future__ import annotations

from math import log
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

WIDTH, HEADS, LAYERS, INNER, LONGEST = 384, 12, 12, 1536, 512
BLOCK = 32
# The heads and how many numbers each gives.
JUDGEMENTS = {"relation": 4, "target": 3, "relevance": 1, "worth": 4}
MARKS = 3  # of every token: does it lie inside what is meant, begin it, end it


DISTANCES, FARTHEST = 32, 128  # how a bias tells distances apart


def unpack(arrays: np.lib.npyio.NpzFile, name: str) -> np.ndarray:
    """Unpack a matrix: of four-bit numbers, of eight-bit numbers, or of plain ones."""
    packed = arrays[name]
    if packed.dtype == np.uint8:
        return unpack_four_bits(packed, arrays[name + ".scales"])
    if packed.dtype == np.int8:
        return packed.astype(np.float32) * arrays[name + ".scales"].astype(np.float32)[:, None]
    return packed.astype(np.float32)


def unpack_four_bits(packed: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """Unpack rows of four-bit numbers with one scale per block."""
    numbers = np.empty((len(packed), packed.shape[1] * 2), np.float32)
    numbers[:, ::2] = (packed & 15).astype(np.float32) - 8
    numbers[:, 1::2] = (packed >> 4).astype(np.float32) - 8
    return numbers * np.repeat(scales.astype(np.float32), BLOCK, axis=1)


class Layer(nn.Module):
    """One layer of the encoder, as in BERT."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(width, width) for _ in range(3))
        self.ao, self.fi = nn.Linear(width, width), nn.Linear(width, inner)
        self.fo = nn.Linear(inner, width)
        self.aln, self.oln = nn.LayerNorm(width, 1e-12), nn.LayerNorm(width, 1e-12)
        self.drop = nn.Dropout(0.1)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Attend, then transform."""
        shape = (x.shape[0], x.shape[1], HEADS, x.shape[2] // HEADS)
        q, k, v = (part(x).view(shape).transpose(1, 2) for part in (self.q, self.k, self.v))
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        seen = seen.transpose(1, 2).reshape(x.shape)
        x = self.aln(x + self.drop(self.ao(seen)))
        return self.oln(x + self.drop(self.fo(F.gelu(self.fi(x)))))


class Network(nn.Module):
    """The encoder and its heads.

    `words` stays as the base has it: languages that the training data hardly shows keep the
    meaning they had, and it can be stored in four bits.
    """

    words: Tensor

    def __init__(self, base: Path | None, pieces: int = 0) -> None:
        super().__init__()
        arrays = np.load(base) if base else None
        width, inner = WIDTH, INNER
        if arrays:
            width, inner = len(arrays["emb.ln.w"]), len(arrays["l0.fi.b"])
        table = unpack(arrays, "emb.word") if arrays else np.zeros((pieces, width), np.float32)
        self.register_buffer("words", torch.from_numpy(table), persistent=False)
        self.places, self.sides = nn.Embedding(LONGEST, width), nn.Embedding(2, width)
        self.eln, self.drop = nn.LayerNorm(width, 1e-12), nn.Dropout(0.1)
        self.layers = nn.ModuleList(Layer(width, inner) for _ in range(LAYERS))
        self.heads = nn.ModuleDict({n: nn.Linear(3 * width, k) for n, k in JUDGEMENTS.items()})
        self.spans = nn.Linear(width, MARKS)
        biased = arrays is not None and "distances" in arrays
        self.distances = nn.Embedding(DISTANCES, HEADS) if biased else None
        if arrays:
            self._take(arrays)

    def _take(self, arrays: np.lib.npyio.NpzFile) -> None:
        width = self.words.shape[1]
        state = {
            "places.weight": arrays["emb.pos"].reshape(-1, width)[:LONGEST],
            "sides.weight": np.repeat(arrays["emb.type"].reshape(-1, width)[:1], 2, 0),
            "eln.weight": arrays["emb.ln.w"],
            "eln.bias": arrays["emb.ln.b"],
        }
        if self.distances is not None:
            state["distances.weight"] = arrays["distances"]
        for number in range(LAYERS):
            for part in ("q", "k", "v", "ao", "fi", "fo"):
                name = f"l{number}.{part}"
                state[f"layers.{number}.{part}.weight"] = unpack(arrays, name + ".w")
                state[f"layers.{number}.{part}.bias"] = arrays[name + ".b"]
            for part in ("aln", "oln"):
                state[f"layers.{number}.{part}.weight"] = arrays[f"l{number}.{part}.w"]
                state[f"layers.{number}.{part}.bias"] = arrays[f"l{number}.{part}.b"]
        tensors = {k: torch.from_numpy(np.array(v, np.float32)) for k, v in state.items()}
        _, unexpected = self.load_state_dict(tensors, strict=False)
        if unexpected:
            raise SystemExit(f"The base has weights of no layer: {unexpected[:5]}")

    def read(self, ids: Tensor, sides: Tensor, embedded: Tensor | None = None) -> Tensor:
        """Encode the texts; `sides` is 0 for the first, 1 for the second, -1 for filling."""
        words = F.embedding(ids, self.words) if embedded is None else embedded
        there = sides >= 0
        places = torch.arange(ids.shape[1], device=ids.device)
        x = words + self.places(places) + self.sides(sides.clamp(min=0))
        x = self.drop(self.eln(x))
        mask = torch.zeros(there.shape, dtype=x.dtype, device=x.device)
        mask = mask.masked_fill(~there, -1e4)[:, None, None, :]
        if self.distances is not None:
            bias = self.distances(number_distances(places))  # query, key, head
            mask = mask + bias.permute(2, 0, 1)[None]
        for layer in self.layers:
            x = layer(x, mask.to(x.dtype))
        return x

    def forward(self, ids: Tensor, sides: Tensor) -> tuple[Tensor, ...]:
        """Give relation, target, relevance, worth, and what is said of tokens, as logits."""
        return self.judge(self.read(ids, sides), sides)

    def pool(self, x: Tensor, sides: Tensor) -> Tensor:
        """Give what the heads see: the first token, and the mean of either text."""
        pooled = [x[:, 0]]
        for side in (0, 1):
            weight = (sides == side).to(x.dtype)[..., None]
            pooled.append((x * weight).sum(1) / weight.sum(1).clamp(min=1))
        return torch.cat(pooled, -1)

    def judge(self, x: Tensor, sides: Tensor) -> tuple[Tensor, ...]:
        """Give every head's logits for encoded texts.

        Of every token its marks are told, and what the target head would say of a text that is this
        token: over the tokens of one text among several, the mean of that is what it says of it.
        """
        seen = self.drop(self.pool(x, sides))
        kept = self.drop(x)
        target = self.heads["target"]
        width = self.words.shape[1]
        rest = F.linear(seen[:, : 2 * width], target.weight[:, : 2 * width], target.bias)
        alone = F.linear(kept, target.weight[:, 2 * width :]) + rest[:, None]
        tokens = torch.cat([self.spans(kept), alone], -1)
        return *(head(seen) for head in self.heads.values()), tokens


def number_distances(places: Tensor) -> Tensor:
    """Number how far each place stands from each other: near ones exactly, far ones roughly."""
    away = places[None, :] - places[:, None]
    half, exact = DISTANCES // 2, DISTANCES // 4
    far = away.abs().clamp(min=1).float()
    rough = exact + ((far / exact).log() / log(FARTHEST / exact) * (half - exact)).long()
    numbers = torch.where(away.abs() < exact, away.abs(), rough.clamp(max=half - 1))
    return numbers + half * (away > 0)


def load_trained(base: Path, trained: Path) -> Network:
    """Load the weights that training wrote."""
    network = Network(base / "base.npz")
    state = {}
    for part in sorted(trained.glob("weights*.npz")):
        arrays = np.load(part)
        state |= {name: torch.from_numpy(arrays[name].astype(np.float32)) for name in arrays.files}
    network.load_state_dict(state)
    return network.eval()
