"""The mutation planner: what a request to forget or to replace means, before anything happens."""

from __future__ import annotations

from glymph.core.mutation.matching import Statement
from glymph.core.mutation.planner import Action, Decide, Planned, plan, still_held
from glymph.core.mutation.replacing import Belief, belief
from glymph.core.mutation.request import Request, understood
from glymph.core.mutation.spelling import forms

__all__ = [
    "Action",
    "Belief",
    "Decide",
    "Planned",
    "Request",
    "Statement",
    "belief",
    "forms",
    "plan",
    "still_held",
    "understood",
]
