"""The chores of the daemon, one periodic job a file: a new chore is a new file with a `CHORE`.

A chore may be cut off at any instant and is then run again: what it did before must not be done
twice.
"""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Any

from glymph.context import Context

FAILED = "failed"  # the key under which a report says why a chore failed
SKIPPED = "skipped"  # the key under which it says why there was nothing to do
STOPPED = "stopped"  # the key of a report that was cut short: the chore stays due


@dataclass(frozen=True, slots=True)
class Chore:
    """What is done in a space from time to time. Its report is plain data and quotes no memory."""

    name: str
    every: timedelta
    order: int  # among those that are due at once
    run: Callable[
        [Context, threading.Event], Mapping[str, Any]
    ]  # the event, once set, asks it to end early
    after_changes: bool = False  # whether it is also run when others have changed something

    @property
    def interval(self) -> int:
        """Microseconds between two runs."""
        return self.every // timedelta(microseconds=1)


@cache
def chores() -> tuple[Chore, ...]:
    """Every chore in the order in which they run."""
    modules = sorted(module.name for module in pkgutil.iter_modules(__path__))
    found = [importlib.import_module(f"{__name__}.{name}").CHORE for name in modules]
    return tuple(sorted(found, key=lambda chore: chore.order))
