"""What a run of lifecycle did, and the memories that are fading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


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
    """What a run did, or what a dry run would do.

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
