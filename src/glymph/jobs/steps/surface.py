"""surface: the digest for the next session, made last, when everything else is done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.context import Context
from glymph.jobs.project import digest_tokens
from glymph.jobs.steps import Session, Step
from glymph.learn.surface import surface
from glymph.text.tokens import tokens


def run(ctx: Context, session: Session) -> Mapping[str, Any]:
    """Makes the digest of the size with which a session of this space begins, so that it is at
    hand.
    """
    return {"tokens": tokens(surface(ctx, digest_tokens(ctx.space)))}


STEP = Step("surface", 90, run)
