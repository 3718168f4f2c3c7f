"""Glymph: long-term memory for AI agents that cleans itself while the agent sleeps."""

from __future__ import annotations

from glymph import errors
from glymph.errors import GlymphError

TYPE_CHECKING = False  # `typing` itself would cost a hook some milliseconds
if TYPE_CHECKING:
    from glymph.async_client import AsyncGlymph as AsyncGlymph
    from glymph.client import Glymph as Glymph
    from glymph.config import Settings as Settings
    from glymph.decay.fit import Fit as Fit
    from glymph.decay.fit import SectionFit as SectionFit
    from glymph.decay.lifecycle import Curve as Curve
    from glymph.decay.sections import Section as Section
    from glymph.forget.plan import ForgetPlan as ForgetPlan
    from glymph.forget.plan import Forgotten as Forgotten
    from glymph.history.erase import Erasure as Erasure
    from glymph.history.history import History as History
    from glymph.history.places import Kept as Kept
    from glymph.history.policy import HistorySettings as HistorySettings
    from glymph.learn.consolidate_result import Consolidated as Consolidated
    from glymph.learn.extract_result import Extraction as Extraction
    from glymph.learn.memetic_figures import MemeticStatus as MemeticStatus
    from glymph.learn.playbooks import PlaybookMatch as PlaybookMatch
    from glymph.llm.cost_report import Costs as Costs
    from glymph.model import Added as Added
    from glymph.model import Audit as Audit
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
    from glymph.model import Question as Question
    from glymph.model import Recall as Recall
    from glymph.model import Receipt as Receipt
    from glymph.model import Space as Space
    from glymph.model import State as State
    from glymph.model import Tombstone as Tombstone
    from glymph.model import Trashed as Trashed
    from glymph.model import Verdict as Verdict
    from glymph.prune.plan import Candidates as Candidates
    from glymph.prune.plan import Plan as Plan
    from glymph.prune.plan import Pruned as Pruned
    from glymph.prune.results import AiPruned as AiPruned
    from glymph.prune.results import Fading as Fading
    from glymph.prune.results import Gardened as Gardened
    from glymph.prune.results import LifecycleRun as LifecycleRun
    from glymph.store.certificate import Certificate as Certificate
    from glymph.transfer.export import Imported as Imported
    from glymph.upkeep.fold import Compacted as Compacted
    from glymph.upkeep.status_result import AutonomousStatus as AutonomousStatus
    from glymph.write.reconcile import Effects as Effects

__version__ = "0.2.0"

# Loaded when first asked for, so that `glymph --help` does not pay for numpy.
_HOMES = {
    "AsyncGlymph": "glymph.async_client",
    "Glymph": "glymph.client",
    "History": "glymph.history.history",
    "HistorySettings": "glymph.history.policy",
    "Settings": "glymph.config",
    "Section": "glymph.decay.sections",
    "Curve": "glymph.decay.lifecycle",
    "Fit": "glymph.decay.fit",
    "SectionFit": "glymph.decay.fit",
    "AiPruned": "glymph.prune.results",
    "AutonomousStatus": "glymph.upkeep.status_result",
    "Candidates": "glymph.prune.plan",
    "Certificate": "glymph.store.certificate",
    "Compacted": "glymph.upkeep.fold",
    "Consolidated": "glymph.learn.consolidate_result",
    "Costs": "glymph.llm.cost_report",
    "Effects": "glymph.write.reconcile",
    "Erasure": "glymph.history.erase",
    "Extraction": "glymph.learn.extract_result",
    "Fading": "glymph.prune.results",
    "ForgetPlan": "glymph.forget.plan",
    "Forgotten": "glymph.forget.plan",
    "Gardened": "glymph.prune.results",
    "Imported": "glymph.transfer.export",
    "Kept": "glymph.history.places",
    "LifecycleRun": "glymph.prune.results",
    "MemeticStatus": "glymph.learn.memetic_figures",
    "Plan": "glymph.prune.plan",
    "PlaybookMatch": "glymph.learn.playbooks",
    "Pruned": "glymph.prune.plan",
    **dict.fromkeys(
        (
            "Added", "Audit", "Change", "Cluster", "DuplicatePair", "DuplicateReport", "Edge",
            "Graph", "Health", "Hit", "Lifecycle", "MeaningStatus", "Memory", "Operation",
            "Outcome", "Page", "Question", "Recall", "Receipt", "Space", "State", "Tombstone",
            "Trashed", "Verdict",
        ),
        "glymph.model",
    ),
}  # fmt: skip

__all__ = ["GlymphError", "__version__", "errors", *sorted(_HOMES)]

if not TYPE_CHECKING:  # a checker that knew it would take any name for one of ours

    def __getattr__(name):  # noqa: ANN001, ANN202
        if name not in _HOMES:
            raise AttributeError(f"module 'glymph' has no attribute {name!r}")
        import importlib

        return getattr(importlib.import_module(_HOMES[name]), name)
