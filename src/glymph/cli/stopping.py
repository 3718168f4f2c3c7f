"""Ctrl-C: a command ends at once, with one line that says what became of its work."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from typer import Context

STOPPED = 130  # the exit status: 128 and the number of the signal, as shells have it
PATIENCE = 0.6  # seconds in which files are closed and programs that were called are ended
NOTHING = "nothing was changed."
WHOLE = "what was finished is kept and nothing is half done; `glymph store operations` lists it."

# Of the Click that this Typer runs on: its own since 0.26, the package before.
_click = import_module(Context.__mro__[1].__module__.rpartition(".")[0] + ".globals")
_reached = ""  # how far the work that shows progress has come


def note_progress(count: str) -> None:
    """Keeps how far the work has come, for the line about it."""
    global _reached
    _reached = count


@contextmanager
def stop_at_once() -> Iterator[None]:
    """Lets SIGINT end the program within a second, whatever waits for whom.

    What is written is written in transactions, so a hard end loses nothing that was promised: the
    store is as it would be after a kill. Commands that stay (`serve`, `daemon`, `worker`) take the
    signal themselves, and end when their work does.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = signal.signal(signal.SIGINT, _stop)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is _stop:
            signal.signal(signal.SIGINT, usual)


def _stop(number: int, frame: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one changes nothing: it ends already
    sys.stderr.write(f"{_clear_line()}glymph: stopped{_reached and f' at {_reached}'}: {_tell()}\n")
    sys.stderr.flush()
    end = threading.Timer(PATIENCE, os._exit, (STOPPED,))
    end.daemon = True
    end.start()
    raise KeyboardInterrupt


def _clear_line() -> str:
    """Returns what takes a progress bar away and brings the cursor back, on a terminal."""
    return "\r\x1b[K\x1b[?25h" if sys.stderr.isatty() else ""


def _tell() -> str:
    ctx = _click.get_current_context(silent=True)
    if ctx is None:
        return NOTHING
    only_shows = getattr(ctx.command, "read_only", False)
    previews = ctx.params.get("apply") is False and not ctx.params.get("if_needed")
    return NOTHING if only_shows or previews else WHOLE
