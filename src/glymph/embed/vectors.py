"""The steps that every embedder takes with its texts and rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from glymph.embed.contract import Vectors


def unit(rows: Vectors) -> Vectors:
    """Returns the rows at length one, as float32; a row of zeros stays one."""
    exact = np.asarray(rows, dtype=np.float64)
    lengths = np.linalg.norm(exact, axis=-1, keepdims=True)
    scaled: Vectors = (exact / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
    return scaled


def one_by_one(texts: Sequence[str], dimension: int, embed: Callable[[str], Vectors]) -> Vectors:
    """Returns a unit row for each text, each computed alone; a blank text is a row of zeros.

    On one thread a batch is no faster than its texts one after the other, and padding or a scale
    shared by a batch would let a text's vector depend on its neighbours. Alone, the same text
    always gives the same bits.
    """
    rows = np.zeros((len(texts), dimension), dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        if text.strip():
            row[:] = unit(embed(readable(text)))
    return rows


def readable(text: str) -> str:
    """Returns the text without lone surrogates, which no tokenizer and no wire accepts."""
    return text.encode("utf-8", "replace").decode("utf-8")
