"""What runs of upkeep give back: what was looked at, what was done, what was left and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from glymph.model import Refusal


@dataclass(frozen=True, slots=True)
class FailedBatch:
    """A batch whose answer could not be had or used: nothing in it was archived."""

    batch: int  # counted from 1
    memories: int
    problem: str


@dataclass(frozen=True, slots=True)
class AiPruned:
    """What a look by a language model led to. `operation_id` is the way back: its undo brings all
    of it back.
    """

    ran: bool  # whether a model was asked
    why: str  # it ran, or did not
    eligible: int = 0  # memories that a model might archive
    shown: int = 0  # of these, in the batches
    batches: tuple[
        tuple[str, ...], ...
    ] = ()  # ids of the memories in each; of a dry run, those that would be shown
    unasked: int = 0  # batches that were not asked about because the run stopped
    stopped: str | None = None  # why it did
    failed_batches: tuple[FailedBatch, ...] = ()
    nominated: int = 0
    archived: tuple[str, ...] = ()
    reasons: Mapping[str, str] = field(
        default_factory=dict
    )  # the model's, by id of what was archived
    refused: tuple[Refusal, ...] = ()  # nominated, and kept all the same
    capped: int = 0  # nominated, and held back by the cap alone
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0  # of a dry run, the most that it may cost
    operation_id: str | None = None

    @property
    def complete(self) -> bool:
        """Whether every batch was asked about and its answer used."""
        return self.ran and not self.failed_batches and not self.unasked
