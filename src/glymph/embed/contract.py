"""What turns texts into vectors, and what it must guarantee.

* `name` says which model in which form made a vector; together with `dimension` it is the vector's
version. Two
  versions are never compared, so whatever changes the vectors (weights, pooling, quantisation)
  changes the name.
* `embed` is a pure function of the text: the same text gives the same vector, alone or in any
batch, up to the
  rounding of the arithmetic.
* Vectors have length one; a text that says nothing to the model may give zeros.
* An embedder may be called from several threads at once: a query does not wait for a batch.
* It may have `bands` (glymph.text.bands.Bands): from which cosine on two texts are the same, or
near. They are
  kept with the model's first vectors; without them those of the local model hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if (
    TYPE_CHECKING
):  # not at run time: a program that only asks which embedder there is needs no numpy
    import numpy as np
    import numpy.typing as npt

Vectors: TypeAlias = "npt.NDArray[np.float32]"


class Embedder(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text. Raises EmbedderFailed with the next step if the model cannot be used
        now.
        """
        ...
