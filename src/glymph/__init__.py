"""Glymph: long-term memory for AI agents that cleans itself while the agent sleeps."""

from __future__ import annotations

from glymph import errors
from glymph.errors import GlymphError

TYPE_CHECKING = False  # `typing` itself would cost a hook some milliseconds
if TYPE_CHECKING:
    from typing import Any

    from glymph.config import Settings as Settings
    from glymph.core.fitting import Fit as Fit
    from glymph.core.fitting import SectionFit as SectionFit
    from glymph.core.history import HistorySettings as HistorySettings
    from glymph.core.model import Added as Added
    from glymph.core.model import Change as Change
    from glymph.core.model import Cluster as Cluster
    from glymph.core.model import DuplicatePair as DuplicatePair
    from glymph.core.model import DuplicateReport as DuplicateReport
    from glymph.core.model import Edge as Edge
    from glymph.core.model import Graph as Graph
    from glymph.core.model import Health as Health
    from glymph.core.model import Hit as Hit
    from glymph.core.model import Lifecycle as Lifecycle
    from glymph.core.model import MeaningStatus as MeaningStatus
    from glymph.core.model import Memory as Memory
    from glymph.core.model import Operation as Operation
    from glymph.core.model import Outcome as Outcome
    from glymph.core.model import Page as Page
    from glymph.core.model import Recall as Recall
    from glymph.core.model import Receipt as Receipt
    from glymph.core.model import Space as Space
    from glymph.core.model import State as State
    from glymph.core.model import Tombstone as Tombstone
    from glymph.core.model import Verdict as Verdict
    from glymph.core.presence import Curve as Curve
    from glymph.core.sections import Section as Section
    from glymph.facade import Glymph as Glymph
    from glymph.facade.history import History as History

__version__ = "0.1.0"

# Loaded when first asked for, so that `glymph --help` does not pay for numpy.
_HOMES = {
    "Glymph": "glymph.facade",
    "History": "glymph.facade.history",
    "HistorySettings": "glymph.core.history",
    "Settings": "glymph.config",
    "Section": "glymph.core.sections",
    "Curve": "glymph.core.presence",
    "Fit": "glymph.core.fitting",
    "SectionFit": "glymph.core.fitting",
    **dict.fromkeys(
        (
            "Added", "Change", "Cluster", "DuplicatePair", "DuplicateReport", "Edge", "Graph", "Health", "Hit",
            "Lifecycle", "MeaningStatus", "Memory",
            "Operation", "Outcome", "Page", "Recall", "Receipt", "Space", "State", "Tombstone", "Verdict",
        ),
        "glymph.core.model",
    ),
}  # fmt: skip

__all__ = ["GlymphError", "__version__", "errors", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'glymph' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)
