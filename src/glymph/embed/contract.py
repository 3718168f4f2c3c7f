"""The contract of an embedder, which turns texts into vectors, and what it must guarantee.

* `name` says which model in which form made a vector; together with `dimension` it is the vector's
  version. Two versions are never compared, so whatever changes the vectors (weights, pooling,
  quantisation) changes the name.
* `embed` is a pure function of the text: the same text gives the same vector, alone or in any
  batch, up to the rounding of the arithmetic.
* Vectors have length one; a text that says nothing to the model may give zeros.
* An embedder may be called from several threads at once: a query does not wait for a batch.
* It may have `bands` (glymph.text.bands.Bands): from which cosine on two texts are the same, or
  near. They are kept with the model's first vectors; without them those of the local model hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    # Not at run time: a program that only asks which embedder there is needs no numpy.
    import numpy as np
    import numpy.typing as npt

Vectors: TypeAlias = "npt.NDArray[np.float32]"


class Embedder(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Returns one row per text; raises EmbedderFailed if the model cannot be used now."""
        ...


@dataclass(frozen=True, slots=True)
class EmbedderProvider:
    """Opens the embedders of one scheme; a member of `glymph.embed.providers`."""

    form: str  # how its specs are written, such as openai:MODEL
    # Takes what follows the colon, and `url` and `key` of the settings, by name.
    from_spec: Callable[..., Embedder]
