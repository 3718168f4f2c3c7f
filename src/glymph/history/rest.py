"""A model that keeps failing is left alone for a while: each question would keep the agent waiting
for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from glymph.history.policy import Shortened

PATIENCE = 3  # failures in a row that cost nothing but time
FIRST, LONGEST = timedelta(seconds=30), timedelta(minutes=10)
RESTING = (
    "{problem} It has failed {failures} times and is asked again from {until:%H:%M:%S} UTC on."
)


@dataclass(slots=True)
class Rest:
    """How often the model of a conversation has failed in a row, and until when it is not asked."""

    failures: int = 0
    problem: str = ""
    until: datetime | None = None

    def told(self, now: datetime) -> str | None:
        """Why it is not asked now; None if it may be."""
        if self.until is None or now >= self.until:
            return None
        return RESTING.format(problem=self.problem, failures=self.failures, until=self.until)

    def after(self, shortened: Shortened, now: datetime) -> None:
        """Learns from what became of a question."""
        if shortened.by != "model" or shortened.calls == 0:
            return
        if shortened.messages or shortened.problem is None:
            self.failures, self.problem, self.until = 0, "", None
            return
        self.failures, self.problem = self.failures + 1, shortened.problem
        if self.failures >= PATIENCE:
            self.until = now + min(LONGEST, FIRST * 2 ** (self.failures - PATIENCE))
