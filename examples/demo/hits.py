"""Hits as plain data, for the chapters."""

from __future__ import annotations

from typing import Any

from glymph.model import Hit


def describe_hit(hit: Hit) -> dict[str, Any]:
    """Returns a hit with its score and the reasons for it."""
    return {
        "id": hit.memory.id,
        "kind": hit.memory.kind,
        "text": hit.memory.text,
        "score": round(hit.score, 4),
        "parts": {name: round(value, 4) for name, value in hit.parts.items()},
        "why": hit.why,
    }
