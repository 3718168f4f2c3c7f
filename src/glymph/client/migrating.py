"""Moving spaces between stores: what needs no handle on a space."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator
from contextlib import closing
from typing import TypeVar

from glymph import transfer
from glymph.config import Settings
from glymph.errors import StoreMissing
from glymph.store import open_store
from glymph.store.contract import Store
from glymph.transfer.migrate import Moved as Moved
from glymph.transfer.migrate import Planned as Planned
from glymph.transfer.migrate import Progress as Progress
from glymph.transfer.migrate import Report as Report
from glymph.transfer.migrate import shown as shown

T = TypeVar("T")
Tell = Callable[[Progress], None]


def migrate(
    source: str, target: str, *, spaces: Collection[str] | None = None, settings: Settings | None = None,
    progress: Tell | None = None,
) -> Report:  # fmt: skip
    """Moves spaces from the store at one URL to that at another, which is made if it is missing.

    Each appears there whole and checked. Repeated after a kill, it goes on where it was.
    """
    settings = settings or Settings()
    with closing(open_store(source, settings, create=False)) as here:
        # Asked before the target is made: a name that is none leaves no empty store behind.
        transfer.migrate.chosen(here, spaces)
        with closing(open_store(target, settings)) as there:
            steps = transfer.migrate.migrate(here, there, spaces=spaces, chunk=settings.bulk_chunk)
            return _ended(steps, progress)


def survey_migration(
    source: str, target: str, *, spaces: Collection[str] | None = None, settings: Settings | None = None,
    progress: Tell | None = None,
) -> tuple[tuple[Planned, ...], str]:  # fmt: skip
    """What `migrate` would do with each space, and why the target cannot be looked at yet, if it is
    missing.
    """
    settings = settings or Settings()
    with closing(open_store(source, settings, create=False)) as here:
        there, missing = _there(target, settings)
        try:
            return _ended(transfer.migrate.survey(here, there, spaces=spaces), progress), missing
        finally:
            if there is not None:
                there.close()


def _there(target: str, settings: Settings) -> tuple[Store | None, str]:
    try:
        return open_store(target, settings, create=False), ""
    except StoreMissing as error:
        return None, str(error)


def _ended(steps: Generator[Progress, None, T], progress: Tell | None) -> T:
    """What the steps give back in the end, each of them told meanwhile."""
    while True:
        try:
            step = next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
        if progress is not None:
            progress(step)
