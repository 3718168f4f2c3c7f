"""The mutation planner: what a request to forget or to replace means, before anything happens."""

from __future__ import annotations

from glymph.forget.match import Statement
from glymph.forget.planner import Action, Decide, Planned, plan, still_held
from glymph.forget.replace_belief import Belief, belief
from glymph.forget.request import Request, read_request
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
    "read_request",
    "still_held",
]
