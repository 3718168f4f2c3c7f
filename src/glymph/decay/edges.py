"""Link types with their default weights, and how links fade and strengthen."""

from __future__ import annotations

DEFAULT_WEIGHTS: dict[str, float] = {
    "same_entity": 0.95,
    "user_linked": 0.90,
    "part_of": 0.85,
    "caused_by": 0.80,
    "applied_to": 0.75,
    "generalizes": 0.70,
    "mentioned_together": 0.60,
    "related_to": 0.50,
    "supersedes": 0.50,
    "contradicts": 0.50,
    "derived_from": 0.50,
    "similar_to": 0.45,
    "temporal_adjacent": 0.40,
}
LASTING = frozenset({"user_linked", "supersedes", "derived_from", "generalizes"})
HALF_LIFE_DAYS = 90.0

USED_TOGETHER = 0.03
USED_EXPLICITLY = 0.05
OUTCOME_CONFIRMED = 0.10


def effective_weight(weight: float, edge_type: str, days: float) -> float:
    """Returns the weight of a link today.

    `days` are those since both ends were last used together, or since it was made.
    """
    if edge_type in LASTING:
        return weight
    return weight * float(0.5 ** (max(days, 0.0) / HALF_LIFE_DAYS))
