"""link: what is new is joined to what is near."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.jobs.steps import Session, Step
from glymph.services.linking import link_new
from glymph.services.workplace import Workplace


def run(place: Workplace, session: Session) -> Mapping[str, Any]:
    if place.meaning.embedder is None:
        return {"skipped": "no embedder"}
    found = link_new(place)
    return {"examined": found.examined, "linked": found.linked}


STEP = Step("link", 30, run)
