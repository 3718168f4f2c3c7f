"""The number of recalls of a space, which tells how much it has been used.

It is kept beside a log that holds only the latest.
"""

from __future__ import annotations

from glymph.decay.stages import MATURE, Stage, stage
from glymph.store.reader import Reader
from glymph.store.writer import Writer

RECALLS = "recalls_ever"


def recalls_ever(reader: Reader) -> int:
    """Returns how many recalls a space has had.

    Where none was counted yet, as many as its log knows, up to maturity.
    """
    counted = reader.counter(RECALLS)
    return len(reader.recalls(limit=MATURE)) if counted is None else counted


def count_recall(writer: Writer) -> None:
    """Counts a recall that was just logged, in the same transaction."""
    counted = writer.counter(RECALLS)
    writer.set_counter(
        RECALLS, len(writer.recalls(limit=MATURE)) if counted is None else counted + 1
    )


def stage_of(reader: Reader) -> Stage:
    return stage(recalls_ever(reader))
