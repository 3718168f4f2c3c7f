"""surface: the digest for the next session, made last, when everything else is done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.core.project import digest_tokens
from glymph.core.tokens import tokens
from glymph.jobs.steps import Session, Step
from glymph.services.surface import surface
from glymph.services.workplace import Workplace


def run(place: Workplace, session: Session) -> Mapping[str, Any]:
    """Makes the digest of the size with which a session of this space begins, so that it is at hand."""
    return {"tokens": tokens(surface(place, digest_tokens(place.space)))}


STEP = Step("surface", 90, run)
