"""Tells which of two memories may put the other out of date: by section, trust and time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.decay.sections import SECTIONS, Section

TRUSTED = 0.3  # what is trusted less does nothing to what is trusted


def is_out_of_the_question(new: Mapping[str, Any], old: Mapping[str, Any]) -> bool:
    """Tells whether nothing can come of two statements.

    One of them says what happened once, which nothing puts out of date, or the newer is little
    trusted and the older is not.
    """
    if new["trust"] < TRUSTED <= old["trust"]:
        return True
    return any(SECTIONS[Section(row["section"])].role == "source" for row in (new, old))


def find_moment(row: Mapping[str, Any]) -> int:
    """Returns when a memory holds: when it happened, or else when it was stored."""
    moment: int = row["created_at"] if row["event_at"] is None else row["event_at"]
    return moment
