"""The recalls and sessions of a space, which tell how much it has been used.

Recalls are counted beside a log that holds only the latest.
"""

from __future__ import annotations

from glymph.decay.stages import GROWING_MEMORIES, MATURE, Stage, stage
from glymph.store.reader import Reader
from glymph.store.writer import Writer

RECALLS, SESSIONS = "recalls_ever", "sessions_ever"


def recalls_ever(reader: Reader) -> int:
    """Returns how many recalls a space has had.

    Where none was counted yet, as many as its log knows, up to maturity.
    """
    counted = reader.counter(RECALLS)
    return len(reader.recalls(limit=MATURE)) if counted is None else counted


def count_recall(writer: Writer) -> None:
    """Counts a recall that is about to be logged, in the same transaction."""
    writer.set_counter(RECALLS, recalls_ever(writer) + 1)


def count_session(writer: Writer) -> None:
    """Counts a session that has ended."""
    writer.set_counter(SESSIONS, (writer.counter(SESSIONS) or 0) + 1)


def stage_of(reader: Reader) -> Stage:
    """Returns the stage of a space."""
    sessions = reader.counter(SESSIONS) or 0
    return stage(
        recalls_ever(reader), sessions=sessions, memories=reader.live_count(GROWING_MEMORIES)
    )
