"""The cosines from which two texts count as the same or as near, which depend on the model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bands:
    """The least cosine of texts that are the same, and of texts that are related."""

    duplicate: float = 0.95
    connect: float = 0.90


BANDS = Bands()
