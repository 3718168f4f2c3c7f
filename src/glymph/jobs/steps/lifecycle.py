"""lifecycle: what has faded and is not needed steps back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.jobs.steps import Session, Step
from glymph.services.lifecycle import lifecycle
from glymph.services.workplace import Workplace


def run(place: Workplace, session: Session) -> Mapping[str, Any]:
    done = lifecycle(place, if_needed=True)
    if not done.ran:
        return {"skipped": done.why}
    return {"archived": len(done.archived), "trashed": len(done.trashed), "purged": done.purged}


STEP = Step("lifecycle", 40, run)
