"""The worker's process, `python -m glymph.interfaces.hooks.background`: hooks start it, and it ends when done."""

from __future__ import annotations

import argparse
import logging
import signal
import sys
import threading
from logging.handlers import RotatingFileHandler
from types import TracebackType

from glymph.interfaces import environment

MOST_LOG_BYTES = 1_000_000
ACTOR = "glymph"

log = logging.getLogger("glymph.jobs")


def main() -> None:
    """Empties the spool and runs what waits in the spaces named; ends after SIGTERM when a step is done."""
    parser = argparse.ArgumentParser(prog="glymph worker")
    parser.add_argument("--url", help="the store of the spaces")
    parser.add_argument("--space", action="append", default=[], help="where jobs wait, besides those in the spool")
    given = parser.parse_args()
    _log_to_file()
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    from glymph.jobs.worker import work

    done = work(
        environment.home() / environment.SPOOL,
        lambda url, space, create: environment.open_glymph(url, space, ACTOR, create=create),
        also=[(given.url, space) for space in given.space],
        stopping=stopping.is_set,
        sleep=lambda seconds: _wait(stopping, seconds),
    )
    log.info("worker done: %s %s", done.ended, done.problems)


def _wait(stopping: threading.Event, seconds: float) -> None:
    stopping.wait(seconds)


def _log_to_file() -> None:
    """Sends what the worker says, and what ends it, to a file. Where none can be made it works all the same."""
    sys.excepthook = _logged
    folder = environment.home()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(
            folder / "worker.log", maxBytes=MOST_LOG_BYTES, backupCount=1, encoding="utf-8"
        )
    except OSError as error:
        log.warning("there is no log in %s: %s", folder, error)
        return
    handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(levelname)s %(name)s %(message)s"))
    logging.getLogger("glymph").addHandler(handler)
    logging.getLogger("glymph").setLevel(logging.INFO)


def _logged(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    log.critical("the worker ended by a bug", exc_info=(kind, error, trace))


if __name__ == "__main__":
    main()
