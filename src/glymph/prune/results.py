"""Results of upkeep runs: what was done, what was left, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from glymph.model import Refusal

ORPHAN_DAYS = 30  # from which the gardener lists a memory that nobody used or linked


# lifecycle


@dataclass(frozen=True, slots=True)
class Moved:
    """A memory that a run archived or put in the trash, and why."""

    id: str
    title: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Fading:
    """A lesson, thesis or playbook that is WEAK, and what can be done about it."""

    id: str
    kind: str
    title: str
    retrievability: float
    days_until_dormant: float
    choices: Mapping[str, str] = field(default_factory=dict)  # reinforce and archive: what to call


@dataclass(frozen=True, slots=True)
class LifecycleRun:
    """The result of a run, or of a dry run what it would be.

    `waiting` are episodes with an outcome that were not learnt from yet; `held_back` and
    `trash_held_back` may go but for the cap; `unread` are memories whose text the next runs look
    at. Counts are of what was looked at.
    """

    ran: bool
    why: str  # it ran, or did not
    dry_run: bool = False
    archived: tuple[Moved, ...] = ()
    trashed: tuple[Moved, ...] = ()
    purged: int = 0
    waiting: int = 0
    held_back: int = 0
    trash_held_back: int = 0
    cap: int = 0  # how many could still be archived when it began
    kept_central: int = 0
    kept_as_evidence: int = 0
    kept_as_vital: int = 0
    unread: int = 0
    fading: tuple[Fading, ...] = ()
    operation_ids: tuple[str, ...] = ()  # each can be undone
    recoverable_until: datetime | None = (
        None  # of what was put in the trash; the archive has no end
    )

    @property
    def told(self) -> str:
        """The run in a few words."""
        if not self.ran:
            return f"Not needed: {self.why}."
        would = "would be " if self.dry_run else ""
        parts = [
            f"{len(self.archived)} {would}archived",
            f"{len(self.trashed)} {would}put in the trash",
        ]
        parts.append(f"{self.purged} {would}removed for good")
        if self.waiting:
            parts.append(f"{self.waiting} wait for consolidation")
        if self.held_back or self.trash_held_back:
            parts.append(
                f"{self.held_back + self.trash_held_back} held back by the cap of unattended runs"
            )
        return f"{', '.join(parts)}."


# AI prune


@dataclass(frozen=True, slots=True)
class FailedBatch:
    """A batch without a usable answer: nothing in it was archived."""

    batch: int  # counted from 1
    memories: int
    problem: str


@dataclass(frozen=True, slots=True)
class AiPruned:
    """The result of a look by a language model. Undoing `operation_id` brings everything back."""

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
        """Tells whether every batch was asked about and its answer used."""
        return self.ran and not self.failed_batches and not self.unasked


# the gardener


@dataclass(frozen=True, slots=True)
class Joined:
    """Memories that said the same and became one; of a dry run, those that would."""

    id: str | None  # what they became; None in a dry run
    title: str
    parts: tuple[str, ...]  # archived, and chained to it
    reason: str


@dataclass(frozen=True, slots=True)
class Orphan:
    """A memory without any link that nobody ever used."""

    id: str
    title: str
    kind: str
    age_days: float


@dataclass(frozen=True, slots=True)
class Gardened:
    """The result of a gardener's run, or of a dry run what it would be.

    Undoing `operation_id` takes all of it back.
    """

    dry_run: bool = False
    links_dropped: Mapping[str, int] = field(default_factory=dict)  # by type
    merged: tuple[Joined, ...] = ()
    kept: tuple[Refusal, ...] = ()  # near enough to be duplicates, and left alone all the same
    held_back: int = 0  # groups that wait because of the cap of unattended runs
    not_compared: str | None = None  # why duplicates were not looked for
    orphans: tuple[Orphan, ...] = ()  # the oldest of them; left as they are
    orphan_count: int = 0
    chunks_written: int = 0  # of the columns that analyses read
    other_vectors: int = (
        0  # of models that this handle does not use; left, for another handle may use them
    )
    operation_id: str | None = None

    @property
    def links(self) -> int:
        return sum(self.links_dropped.values())

    @property
    def archived(self) -> int:
        """The number of memories archived because another one covers them."""
        return sum(len(one.parts) for one in self.merged)

    @property
    def told(self) -> str:
        """The run in a few words."""
        would = "would be " if self.dry_run else ""
        parts = [
            f"{self.links} faded {'link' if self.links == 1 else 'links'} {would}dropped",
            f"{self.archived} {'memory' if self.archived == 1 else 'memories'} "
            f"{would}merged into others",
        ]
        if self.held_back:
            parts.append(f"{self.held_back} groups held back by the cap of unattended runs")
        if self.orphan_count:
            parts.append(
                f"{self.orphan_count} never used and without any link for {ORPHAN_DAYS} days"
            )
        told = f"{', '.join(parts)}."
        return (
            f"{told} Duplicates were not looked for: {self.not_compared}"
            if self.not_compared
            else told
        )


@dataclass(frozen=True, slots=True)
class Cleared:
    """The result of clearing away while the agent was idle."""

    ran: bool
    why: str  # it ran, or did not
    yielded: bool = False  # the agent came back, and the rest waits
    batches: int = 0
    links_dropped: int = 0
    merged: tuple[Joined, ...] = ()
    chunks_written: int = 0
    operation_id: str | None = None
