"""Glymph: long-term memory for AI agents that cleans itself while the agent sleeps."""

from __future__ import annotations

from glymph import errors
from glymph.errors import GlymphError

TYPE_CHECKING = False  # `typing` itself would cost a hook some milliseconds
if TYPE_CHECKING:
    from typing import Any

    from glymph.client import Glymph as Glymph
    from glymph.config import Settings as Settings
    from glymph.decay.fit import Fit as Fit
    from glymph.decay.fit import SectionFit as SectionFit
    from glymph.decay.lifecycle import Curve as Curve
    from glymph.decay.sections import Section as Section
    from glymph.history.history import History as History
    from glymph.history.policy import HistorySettings as HistorySettings
    from glymph.model import Added as Added
    from glymph.model import Change as Change
    from glymph.model import Cluster as Cluster
    from glymph.model import DuplicatePair as DuplicatePair
    from glymph.model import DuplicateReport as DuplicateReport
    from glymph.model import Edge as Edge
    from glymph.model import Graph as Graph
    from glymph.model import Health as Health
    from glymph.model import Hit as Hit
    from glymph.model import Lifecycle as Lifecycle
    from glymph.model import MeaningStatus as MeaningStatus
    from glymph.model import Memory as Memory
    from glymph.model import Operation as Operation
    from glymph.model import Outcome as Outcome
    from glymph.model import Page as Page
    from glymph.model import Recall as Recall
    from glymph.model import Receipt as Receipt
    from glymph.model import Space as Space
    from glymph.model import State as State
    from glymph.model import Tombstone as Tombstone
    from glymph.model import Verdict as Verdict

__version__ = "0.1.0"

# Loaded when first asked for, so that `glymph --help` does not pay for numpy.
_HOMES = {
    "Glymph": "glymph.client",
    "History": "glymph.history.history",
    "HistorySettings": "glymph.history.policy",
    "Settings": "glymph.config",
    "Section": "glymph.decay.sections",
    "Curve": "glymph.decay.lifecycle",
    "Fit": "glymph.decay.fit",
    "SectionFit": "glymph.decay.fit",
    **dict.fromkeys(
        (
            "Added", "Change", "Cluster", "DuplicatePair", "DuplicateReport", "Edge", "Graph",
            "Health", "Hit", "Lifecycle", "MeaningStatus", "Memory", "Operation", "Outcome",
            "Page", "Recall", "Receipt", "Space", "State", "Tombstone", "Verdict",
        ),
        "glymph.model",
    ),
}  # fmt: skip

__all__ = ["GlymphError", "__version__", "errors", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'glymph' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)
