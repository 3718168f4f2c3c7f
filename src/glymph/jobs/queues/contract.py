"""What a queue of maintenance work offers, and what it must guarantee.

Obligations that hold for every queue (`glymph.testing.queue_suite.QueueSuite` is their executable
form):

* What is to be done stands in the store: its queue says how far a session's job came, its schedules
say when a
  chore is due, how often it failed and how long it rests. A queue only brings it to workers. So
  nothing is lost when a queue is thrown away or another takes its place, and a job that is
  delivered twice is done once.
* Jobs of one space never run at the same time, whoever runs them; those of different spaces do, up
to `limit`.
* Each run is under the lease of its space: a worker that was suspended or cut off cannot write any
more.
* A job that fails is tried again after a rest that grows. After some attempts it is a dead letter:
it is listed
  with the reason, and can be put back.
* A worker that is told to stop takes no more jobs, and lets those under way end with their current
transaction.
  What was cut short stays due. What a killed worker had begun is taken up by another.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

LIMIT = 4  # jobs at once
DRAIN = 30.0  # seconds that jobs under way have to come to an end when the worker is told to stop

TakeIn = Callable[
    [], object
]  # brings what hooks have left elsewhere into the store; something, if there was any

# how a job ended
DONE, RESTING, GIVEN_UP, STOPPED = "done", "resting", "given up", "stopped"
HELD, LOST, NOTHING = "held", "lost", "nothing"  # by somebody else; to somebody else; no longer due


@dataclass(frozen=True, slots=True)
class Ticket:
    """A job to be done: a chore of a space, or a row of its queue."""

    space: str
    name: str  # of the chore, or of the kind of row
    row: str = ""  # the row's id

    @property
    def id(self) -> str:
        return "/".join(part for part in (self.space, self.name, self.row) if part)


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
    """How many jobs may run now, in how many spaces somebody is at work, how many jobs rest or were
    given up.
    """

    waiting: int
    running: int
    resting: int
    dead: int


class Queue(Protocol):
    """The jobs of all spaces of one store."""

    @property
    def limit(self) -> int:
        """How many jobs one worker runs at once."""
        ...

    def put(self, space: str, chore: str) -> bool:
        """Lets a chore be due now; False if it is already. One that is under way runs once more
        after that.
        """
        ...

    def put_session(self, space: str, row: str, payload: Mapping[str, Any]) -> bool:
        """Puts the job of an ended session last; False if one of this id was there before."""
        ...

    def counts(self) -> Counts: ...
    def dead(self) -> list[DeadLetter]: ...
    def retry(self, ticket_id: str) -> DeadLetter:
        """Puts a dead letter back, to be tried as if it were new; InvalidInput if there is none of
        this id.
        """
        ...

    def run(
        self, stop: threading.Event, *, take_in: TakeIn | None = None, drain: float = DRAIN
    ) -> bool:
        """Works until `stop` is set; False if a job did not end within `drain` seconds after that.

        Such a job is left to its thread: the process should end, and another worker takes the job
        up.
        """
        ...

    def run_dry(
        self, stop: threading.Event, *, take_in: TakeIn | None = None, drain: float = DRAIN
    ) -> bool:
        """The same until nothing is due; what never ran is due at once. Jobs that others run are
        waited for.
        """
        ...

    def close(self) -> None: ...
