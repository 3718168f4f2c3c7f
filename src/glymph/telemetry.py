"""Telemetry: what happens inside is told to OpenTelemetry and to logs.

Names, figures and durations are told, never a memory's text. Spans and metrics go where the program
around Glymph sends them: Glymph uses the providers that are set, and sets none. Until one is set an
observation costs next to nothing. Telemetry is the one thing that may fail silently.
"""

from __future__ import annotations

import functools
import json
import logging
import sys
import time
import traceback
from collections.abc import Callable
from contextvars import ContextVar, Token
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

log = logging.getLogger("glymph.telemetry")

OPERATION = "memory_op"
DURATION = "duration_ms"
AGAIN = 1.0  # seconds after which a program without providers is asked again

Figure = str | int | float | bool
P = ParamSpec("P")
T = TypeVar("T")


class Observation:
    """One thing that is being done. Outside of OpenTelemetry it is nothing."""

    __slots__ = ()

    def note(self, **fields: Figure) -> None:
        """Adds what is only known later."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None


class _Told(Observation):
    """An observation that becomes a span and, at its end, metrics.

    The metrics are its duration and every number noted.
    """

    __slots__ = ("_before", "_began", "_fields", "_name", "_scope", "_span")

    def __init__(self, name: str, fields: dict[str, Figure]) -> None:
        self._name, self._fields = name, fields
        self._scope: Any = None
        self._span: Any = None
        self._before: Token[Observation | None] | None = None
        self._began = 0.0

    def note(self, **fields: Figure) -> None:
        self._fields |= fields

    def __enter__(self) -> Self:
        self._began = time.perf_counter()
        self._before = _CURRENT.set(self)
        _quietly(self._begin)
        return self

    def _begin(self) -> None:
        from opentelemetry import trace

        scope = trace.get_tracer("glymph").start_as_current_span(
            self._name, record_exception=False, set_status_on_exception=False
        )
        self._span = scope.__enter__()
        self._scope = scope

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._before is not None:
            _CURRENT.reset(self._before)
        self._fields[DURATION] = round((time.perf_counter() - self._began) * 1000, 3)
        if kind is not None:
            self._fields["error.type"] = kind.__name__  # what an error says may quote a memory
        _quietly(self._end_span)
        _quietly(self._measure)

    def _end_span(self) -> None:
        if self._scope is None:
            return
        try:
            self._span.set_attributes(self._fields)
            if "error.type" in self._fields:
                from opentelemetry.trace import StatusCode

                self._span.set_status(StatusCode.ERROR)
        finally:
            self._scope.__exit__(None, None, None)

    def _measure(self) -> None:
        from opentelemetry import metrics

        meter = metrics.get_meter("glymph")
        names = {name: value for name, value in self._fields.items() if isinstance(value, str)}
        for name, value in self._fields.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                unit = "ms" if name == DURATION else "1"
                meter.create_histogram(f"{self._name}.{name}", unit=unit).record(value, names)


_NOTHING = Observation()
_CURRENT: ContextVar[Observation | None] = ContextVar("glymph_observation", default=None)


def observe(name: str, **fields: Figure) -> Observation:
    """Observes what is done in a context, and how long it takes, under this name and fields."""
    if "opentelemetry" not in sys.modules or not _PROVIDERS.set_up():
        return _NOTHING
    return _Told(name, fields)


def note(**fields: Figure) -> None:
    """Adds fields to the innermost observation that is under way; nothing without one."""
    current = _CURRENT.get()
    if current is not None:
        current.note(**fields)


def observe_calls(operation: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Makes each call of a function an observation of a memory operation of this name."""

    def around(function: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(function)
        def called(*args: P.args, **kwargs: P.kwargs) -> T:
            with observe(OPERATION, operation=operation):
                return function(*args, **kwargs)

        return called

    return around


class _Providers:
    """A check whether the program has set a provider of spans or of metrics.

    Until then the library has stand-ins. Asking the library takes microseconds, so a no holds for a
    second.
    """

    def __init__(self) -> None:
        self.ask_again = 0.0

    def set_up(self) -> bool:
        now = time.monotonic()
        if now < self.ask_again:
            return False
        found = False
        try:
            found = self._is_set_up()
        except Exception:
            log.debug("telemetry is off", exc_info=True)
        self.ask_again = 0.0 if found else now + AGAIN
        return found

    def _is_set_up(self) -> bool:
        trace, metrics = (
            sys.modules.get("opentelemetry.trace"),
            sys.modules.get("opentelemetry.metrics"),
        )
        return (
            trace is not None and type(trace.get_tracer_provider()) is not trace.ProxyTracerProvider
        ) or (metrics is not None and "Proxy" not in type(metrics.get_meter_provider()).__name__)


_PROVIDERS = _Providers()


def _quietly(step: Callable[[], None]) -> None:
    """Does a step of telemetry; no failure in it may touch the work that is observed."""
    try:
        step()
    except Exception:
        log.debug("telemetry failed", exc_info=True)


class PlainLines(logging.Formatter):
    """A log record as text for people: secrets are masked, and nothing steers their terminal."""

    def format(self, record: logging.LogRecord) -> str:
        from glymph.text.controls import remove_controls
        from glymph.text.secrets import mask_secrets  # many patterns: only who logs pays for them

        return mask_secrets(remove_controls(super().format(record)))[0]


_USUAL = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonLines(logging.Formatter):
    """A log record as one line of JSON.

    It says when, how grave, from where, what, and the fields given as `extra`. Secrets are masked.
    Of an exception it tells the type and where it came from, not what it says: that may quote a
    memory.
    """

    def format(self, record: logging.LogRecord) -> str:
        from glymph.text.secrets import (
            mask_secrets,
        )  # many patterns: only who writes such logs pays for them

        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": mask_secrets(record.getMessage())[0],
        }
        for name, value in vars(record).items():
            if name not in _USUAL and name not in line:
                line[name] = mask_secrets(value)[0] if isinstance(value, str) else value
        if record.exc_info and record.exc_info[0] is not None:
            frames = traceback.extract_tb(record.exc_info[2])
            line["error"] = record.exc_info[0].__name__
            line["at_lines"] = [
                f"{Path(one.filename).name}:{one.lineno} {one.name}" for one in frames[-8:]
            ]
        return json.dumps(line, default=str)
