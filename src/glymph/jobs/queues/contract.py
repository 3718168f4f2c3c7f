"""The contract of a queue of maintenance work: what it offers, and what it must guarantee.

Obligations that hold for every queue (`glymph.testing.queue_suite.QueueSuite` is their executable
form):

* What is to be done stands in the store: its queue says how far a session's jobs came, its
  schedules say when a job is due, how often it failed and how long it rests. A queue only brings it
  to workers. So nothing is lost when a queue is thrown away or another takes its place, and a job
  that is delivered twice is done once.
* Jobs of one space never run at the same time, whoever runs them; those of different spaces do, up
  to `limit`.
* Each run is under the lease of its space: a worker that was suspended or cut off cannot write any
  more.
* A job that fails is tried again after a rest that grows. After some attempts it is a dead letter:
  it is listed with the reason, and can be put back.
* A worker that is told to stop takes no more jobs, and lets those under way end with their current
  transaction. What was cut short stays due. What a killed worker had begun is taken up by another.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from glymph.jobs.job import STOPPED
from glymph.jobs.runner import DONE, HELD, LOST
from glymph.jobs.schedule import Ticket
from glymph.upkeep.queue import GIVEN_UP, RESTING

__all__ = [
    "DONE", "DRAIN", "GIVEN_UP", "HELD", "LIMIT", "LOST", "NOTHING", "RESTING", "STOPPED",
    "Counts", "DeadLetter", "Queue", "TakeIn", "Ticket",
]  # fmt: skip

LIMIT = 4  # jobs at once
DRAIN = 30.0  # seconds that jobs under way have to come to an end when the worker is told to stop

# Brings what hooks have left elsewhere into the store; returns something if there was any.
TakeIn = Callable[[], object]

NOTHING = "nothing"  # how a job ended that was no longer due


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A job that failed so often that nobody tries it again by itself."""

    ticket: Ticket
    why: str
    attempts: int  # that failed
    at: datetime

    def as_dict(self) -> dict[str, Any]:
        told = {"id": self.ticket.id, "space": self.ticket.space, "job": self.ticket.name}
        return told | {"why": self.why, "attempts": self.attempts, "at": self.at.isoformat()}


@dataclass(frozen=True, slots=True)
class Counts:
    """The numbers of jobs of a store by their state."""

    waiting: int  # may run now
    running: int  # spaces in which somebody is at work
    resting: int  # are tried again later
    dead: int  # were given up


class Queue(Protocol):
    """The jobs of all spaces of one store."""

    @property
    def limit(self) -> int:
        """Returns the number of jobs that one worker runs at once."""
        ...

    def put(self, space: str, job: str) -> bool:
        """Marks a scheduled job as due now; returns False if it already is.

        One that is under way runs once more after that.
        """
        ...

    def put_session(self, space: str, row: str, payload: Mapping[str, Any]) -> bool:
        """Puts an ended session last; returns False if one of this id was there before."""
        ...

    def counts(self) -> Counts: ...
    def dead(self) -> list[DeadLetter]: ...
    def retry(self, ticket_id: str) -> DeadLetter:
        """Puts a dead letter back, to be tried as if it were new, and returns it.

        Raises InvalidInput if there is none of this id.
        """
        ...

    def run(
        self, stop: threading.Event, *, take_in: TakeIn | None = None, drain: float = DRAIN
    ) -> bool:
        """Works until `stop` is set; returns False if a job did not end in `drain` seconds then.

        Such a job is left to its thread: the process should end, and another worker takes the job
        up.
        """
        ...

    def run_dry(
        self, stop: threading.Event, *, take_in: TakeIn | None = None, drain: float = DRAIN
    ) -> bool:
        """Works until nothing is due; jobs that never ran are due at once.

        Jobs that others run are waited for.
        """
        ...

    def close(self) -> None: ...
