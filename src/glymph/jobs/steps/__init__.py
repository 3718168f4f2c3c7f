"""The steps of the pipeline, one a file, in the order of their numbers: a new step is a new file
with a `STEP`.

A step may be cut off at any instant and is then run again: what it did before must not be done
twice.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from glymph import telemetry
from glymph.context import Context


@dataclass(frozen=True, slots=True)
class Session:
    """The ended session that a job is about. Upkeep of a shared space has no transcript."""

    id: str | None = None
    transcript: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    name: str
    order: int
    run: Callable[
        [Context, Session], Mapping[str, Any]
    ]  # what it did, as plain data for `glymph status`


@cache
def steps() -> tuple[Step, ...]:
    """Every step in the order in which they run."""
    modules = sorted(module.name for module in pkgutil.iter_modules(__path__))
    found = [importlib.import_module(f"{__name__}.{name}").STEP for name in modules]
    return tuple(sorted(map(_observed, found), key=lambda step: step.order))


def _observed(step: Step) -> Step:
    """The step, each run of it told to telemetry."""

    def run(ctx: Context, session: Session) -> Mapping[str, Any]:
        with telemetry.observe("step", step=step.name):
            return step.run(ctx, session)

    return replace(step, run=run)
