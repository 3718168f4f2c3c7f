"""embed: vectors for what was added without one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.jobs.steps import Session, Step
from glymph.services.backfill import backfill
from glymph.services.workplace import Workplace


def run(place: Workplace, session: Session) -> Mapping[str, Any]:
    if place.meaning.embedder is None:
        return {"skipped": "no embedder"}
    return {"embedded": max(backfill(place), default=0)}


STEP = Step("embed", 20, run)
