"""The worker's process, `python -m glymph.hooks.background`: hooks start it; it ends when done."""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import sys
import threading
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from glymph import environment
from glymph.jobs.signals import stop_on_signals
from glymph.telemetry import PlainLines

if TYPE_CHECKING:
    from glymph.client import Glymph

MOST_LOG_BYTES = 1_000_000
ACTOR = "glymph"

log = logging.getLogger("glymph.jobs")


def main() -> None:
    """Empties the spool and runs what waits in the spaces named.

    After SIGTERM it ends when the current job is done; a call of a language model is called off.
    """
    parser = argparse.ArgumentParser(prog="glymph sleep worker")
    parser.add_argument("--url", help="the store of the spaces")
    parser.add_argument(
        "--space", action="append", default=[], help="where jobs wait, besides those in the spool"
    )
    given = parser.parse_args()
    _log_to_file()
    stop = threading.Event()
    stop_on_signals(stop)
    from glymph.jobs.worker import work

    done = work(
        environment.home() / environment.SPOOL,
        lambda url, space, create: _open(url, space, create, stop),
        also=[(given.url, space) for space in given.space],
        stop=stop,
    )
    log.info("worker done: %s %s", done.ended, done.problems)


def _open(url: str | None, space: str, create: bool, stop: threading.Event) -> Glymph:
    """Opens a handle whose language model is called off once the worker is to stop."""
    from glymph.client import stoppable

    return stoppable(environment.open_glymph(url, space, ACTOR, create=create), stop)


def _log_to_file() -> None:
    """Sends the worker's log, and the error that ends it, to a file.

    Where none can be made it works all the same.
    """
    sys.excepthook = _log_crash
    folder = environment.home()
    try:
        handler = _OwnersFile(
            environment.make_home() / "worker.log",
            maxBytes=MOST_LOG_BYTES,
            backupCount=1,
            encoding="utf-8",
        )
    except OSError as error:
        log.warning("there is no log in %s: %s", folder, error)
        return
    handler.setFormatter(PlainLines("%(asctime)s %(process)d %(levelname)s %(name)s %(message)s"))
    logging.getLogger("glymph").addHandler(handler)
    logging.getLogger("glymph").setLevel(logging.INFO)


class _OwnersFile(RotatingFileHandler):
    """A log file for its owner alone, also where an older Glymph left one that others can read."""

    def _open(self) -> TextIOWrapper:
        os.close(os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT, environment.OWNER_ONLY))
        for path in (Path(self.baseFilename), Path(f"{self.baseFilename}.1")):
            with contextlib.suppress(FileNotFoundError):
                path.chmod(environment.OWNER_ONLY)
        return super()._open()


def _log_crash(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    log.critical("the worker ended by a bug", exc_info=(kind, error, trace))


if __name__ == "__main__":
    main()
