"""Results of reading a transcript."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from glymph.model import Added

By = Literal["model", "reader", "rules"]


@dataclass(frozen=True, slots=True)
class Found:
    """A statement that was taken from a transcript, secrets masked."""

    text: str
    kind: str
    at: datetime | None = None
    session: str | None = None


@dataclass(frozen=True, slots=True)
class Unkept:
    """A statement that was not remembered, or a stretch that was passed over, and why."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """The result of one run over a transcript: read, kept, refused, and its cost.

    `found` holds what was kept, `added` what became of each, in the same order; a dry run adds
    nothing. Offsets are bytes of a file, or lines of what was handed over. A run that failed stops
    before the window that failed: `problem` says why, and the next run begins there. `failed`
    counts also windows that the model could not answer for and that were read without it;
    `refused` names them. `more` says that this run read as much as one may and the rest waits.
    """

    by: By
    turns: int = 0
    windows: int = 0
    found: tuple[Found, ...] = ()
    added: tuple[Added, ...] = ()
    refused: tuple[Unkept, ...] = ()
    masked: int = 0  # secrets taken out
    unreadable: int = 0  # lines
    left_out: int = 0  # characters at the end of turns that are too long
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    offset_from: int = 0
    offset_to: int = 0
    more: bool = False
    failed: int = 0  # windows
    problem: str | None = None
    dry_run: bool = False
    operations: tuple[str, ...] = ()

    @property
    def created(self) -> int:
        """Returns how many memories are new."""
        return sum(each.created for each in self.added)

    @property
    def known(self) -> int:
        """Returns how many statements were known already."""
        return len(self.added) - self.created
