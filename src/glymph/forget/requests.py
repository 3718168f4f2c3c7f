"""The mutation planner: what a request to forget or to replace means, before anything happens."""

from __future__ import annotations

from glymph.forget.matching import Statement
from glymph.forget.planner import Action, Decide, Planned, plan, still_held
from glymph.forget.replace_belief import Belief, belief
from glymph.forget.request import Request, understood
from glymph.forget.spelling import forms

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
