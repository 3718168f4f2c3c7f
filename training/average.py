"""Average the weights of two trainings, of which the second went on from the first.

    python -m training.average FIRST_FOLDER SECOND_FOLDER OUT_FOLDER

A short last step on one kind of cases makes a network better at these and a little worse at all
others; halfway it keeps nearly all of both.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np


def average(first: Path, second: Path, out: Path) -> None:
    """Write the mean of both, part by part."""
    out.mkdir(parents=True, exist_ok=True)
    for part in sorted(first.glob("weights*.npz")):
        one, other = np.load(part), np.load(second / part.name)
        mean = {
            name: ((one[name].astype(np.float32) + other[name]) / 2).astype(np.float16)
            for name in one.files
        }
        np.savez(out / part.name, **mean)


if __name__ == "__main__":
    average(*map(Path, sys.argv[1:4]))
