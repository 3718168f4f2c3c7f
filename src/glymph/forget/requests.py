"""The mutation planner: what a request to forget or to replace means, before anything happens."""

from __future__ import annotations

from glymph.forget.by_rules import still_held
from glymph.forget.match import Statement
from glymph.forget.planner import Action, Decide, Judges, Planned, plan
from glymph.forget.replace_belief import Belief, belief, find_beliefs
from glymph.forget.request import Request, read_request
from glymph.forget.spelling import forms

__all__ = [
    "Action",
    "Belief",
    "Decide",
    "Judges",
    "Planned",
    "Request",
    "Statement",
    "belief",
    "find_beliefs",
    "forms",
    "plan",
    "read_request",
    "still_held",
]
