"""Results of a consolidation run: the groups of episodes looked at, and what each taught."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Ending = Literal[
    "created", "connected", "strengthened", "no pattern", "refused", "failed", "waiting"
]
By = Literal["model", "statistics"]


@dataclass(frozen=True, slots=True)
class Learnt:
    """The outcome for one group. A dry run leaves all of them `waiting`."""

    group: str
    episodes: int
    ending: Ending
    by: By = "model"
    lesson: str | None = None  # the id of the memory that says it now
    title: str = ""
    why: str = ""
    dropped: tuple[str, ...] = ()  # statements that the episodes did not bear out
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0


Written = Literal["created", "rewritten", "removed", "refused", "failed", "waiting"]


@dataclass(frozen=True, slots=True)
class Summarised:
    """A summary of everyday memory: its subject, how many memories it was made of, its ending.

    A dry run leaves all of them `waiting`.
    """

    group: str
    memories: int
    ending: Written
    by: Literal["model", "extracts"] = "extracts"
    summary: str | None = None  # the id of the memory that says it now
    lines: int = 0
    why: str = ""
    dropped: tuple[str, ...] = ()  # lines that its memories do not bear out


@dataclass(frozen=True, slots=True)
class Consolidated:
    """The figures of a run. Its undo brings back everything as it was."""

    ran: bool
    why: str
    dry_run: bool = False
    episodes_reviewed: int = 0
    groups_found: int = 0
    groups_analyzed: int = 0
    patterns_created: int = 0
    patterns_strengthened: int = 0
    errors: int = 0
    playbooks_updated: int = 0
    groups: tuple[Learnt, ...] = ()
    summaries: tuple[Summarised, ...] = ()
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    operation_id: str | None = None

    @property
    def stats(self) -> Mapping[str, Any]:
        """The counts by their names."""
        names = (
            "episodes_reviewed", "groups_found", "groups_analyzed", "patterns_created",
            "patterns_strengthened", "errors",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names}

    @property
    def summaries_written(self) -> int:
        """How many summaries are new or say something new."""
        return sum(one.ending in ("created", "rewritten") for one in self.summaries)
