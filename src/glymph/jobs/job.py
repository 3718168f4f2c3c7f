"""The definition of a job: a piece of upkeep in one space, and when it runs.

A job may be cut off at any instant and is then run again: what it did before must not be done
twice.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import timedelta
from typing import Any

from glymph.config import Settings
from glymph.context import Context
from glymph.errors import InvalidInput

SESSION_END = "session_end"  # also before a host compacts a session: what was said must be kept
EVENTS = (SESSION_END,)
SHORTEST = timedelta(seconds=1)  # between two runs

# Keys of a report.
FAILED = "failed"  # why the job failed; it is tried again after a rest
SKIPPED = "skipped"  # why there was nothing to do
STOPPED = "stopped"  # it was asked to end early, so it stays due and nothing is noted


@dataclass(frozen=True, slots=True)
class Session:
    """The session that has ended. Upkeep of a shared space has no transcript."""

    id: str | None = None
    transcript: str | None = None


@dataclass(frozen=True, slots=True)
class Trigger:
    """The reason a job runs: a session that has ended, or None because its time has come.

    A long job looks at `stop` from time to time; once it is set, it returns a report with STOPPED.
    """

    session: Session | None = None
    stop: threading.Event = field(default_factory=threading.Event)

    def tell_failure(self, why: str) -> dict[str, Any]:
        """Returns the part of a report that says why a job could do only a part of its work.

        At its interval the job is tried again after a rest. After a session it is not: it stays
        due, so the next session tries it, and at once it would only cost more.
        """
        return {FAILED: why} if self.session is None else {"problem": why}


def _settings() -> set[str]:
    return {setting.name for setting in fields(Settings)}


Run = Callable[[Context, Trigger], Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job runs `on` an event, at an interval (`every`), or both.

    `run` returns a report: plain data for `glymph status`, which quotes no memory. Of jobs that are
    due at once, the one with the lower `order` runs first. The built-in ones have 10 to 90.
    """

    name: str
    run: Run
    order: int
    on: str | None = None
    every: timedelta | str | None = None  # a text names a setting, in hours
    after_changes: bool = False  # run it also when other jobs have changed something
    scheduled_as: str = ""  # the name of its schedule in stores, where that is not its own

    def __post_init__(self) -> None:
        if self.on is None and self.every is None:
            raise InvalidInput(f"job {self.name}", "it never runs. Give it `on` or `every`.")
        if self.on not in (None, *EVENTS):
            raise InvalidInput(f"job {self.name}", f"no event {self.on!r}. Use {SESSION_END!r}.")
        if isinstance(self.every, str) and self.every not in _settings():
            raise InvalidInput(f"job {self.name}", f"no setting {self.every!r} for its interval.")
        if isinstance(self.every, timedelta) and self.every < SHORTEST:
            raise InvalidInput(f"job {self.name}", "its interval must be at least a second.")

    @property
    def schedule(self) -> str:
        """The name under which stores keep when it is due."""
        return self.scheduled_as or self.name

    def interval(self, settings: Settings) -> timedelta:
        """Returns the time between two runs."""
        if isinstance(self.every, str):
            return max(SHORTEST, timedelta(hours=getattr(settings, self.every)))
        if self.every is None:
            raise InvalidInput(f"job {self.name}", "it has no interval.")
        return self.every
