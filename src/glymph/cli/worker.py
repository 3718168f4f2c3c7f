"""`glymph sleep worker`: runs the upkeep of stores from their queues, beside other workers."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.daemon import log_to_stderr
from glymph.cli.options import WHERE, Json
from glymph.errors import GlymphError, InvalidInput, StoreError
from glymph.jobs import worker as spooled
from glymph.jobs.queues import open_queue
from glymph.jobs.signals import stop_on_signals
from glymph.stores import DEFAULT_URL, parts_at, spaces_at
from glymph.telemetry import JsonLines
from glymph.text.controls import remove_controls
from glymph.text.secrets import mask_secrets, mask_url
from glymph.tools.blocks import Table, format_time
from glymph.tools.ids import choose_id

if TYPE_CHECKING:
    from glymph.client import Glymph
    from glymph.jobs.queues.contract import Queue, TakeIn

PANEL = "While the agent sleeps"
ALL = "all"
# seconds, beyond those for the jobs, in which the queues of several stores come to their end
LAST_WORDS = 5.0

# Seconds until a part of a map that cannot be served is tried again.
FIRST_PAUSE, LONGEST_PAUSE = 2.0, 60.0
# Loggers of others whose errors go into a worker's log.
NEIGHBOURS = ("procrastinate", "asyncio", "psycopg", "psycopg.pool")

Queues = dict[str, "Queue"]  # by the URL of their store
# Why a part of a map is not served, by its URL; empty if it has no space yet.
Absent = dict[str, str]
Reach = Callable[[str], "Queue | None"]

Urls = Annotated[
    list[str] | None,
    typer.Option(
        "--url",
        metavar="<str>",
        help="The store; may be repeated.  [env var: GLYMPH_URL]",
        show_default=False,
        rich_help_panel=WHERE,
    ),
]
Retry = Annotated[
    str | None,
    typer.Option(
        "--retry",
        help="Put the dead letter of this id, or of its beginning, back; `all`: every one.",
        show_default=False,
    ),
]


def register(app: typer.Typer) -> None:
    app.command("worker", rich_help_panel=PANEL)(worker)


def worker(
    url: Urls = None,
    concurrency: Annotated[
        int, typer.Option("--concurrency", min=1, max=64, help="Jobs at once.")
    ] = 4,
    once: Annotated[bool, typer.Option("--once", help="End when nothing is due any more.")] = False,
    dead: Annotated[
        bool, typer.Option("--dead", help="List the jobs that were given up, and why.")
    ] = False,
    retry: Retry = None,
    drain: Annotated[
        float,
        typer.Option(
            "--drain", min=0, help="Seconds that jobs have to end when it is told to stop."
        ),
    ] = 30.0,
    log_json: Annotated[
        bool, typer.Option("--log-json", help="Write the log as JSON Lines.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run upkeep from the queue of a store, with any number of workers: each space is served by one
    at a time.

    On PostgreSQL, workers on any number of machines share the work; with SQLite, those on one
    machine.
    """
    # Read here: typer would split the variable at spaces.
    urls = dict.fromkeys(url or [environment.variable("GLYMPH_URL")])
    with ExitStack() as stack:
        queues: Queues = {}
        absent: Absent = {}
        for one in urls:
            _open(stack, one, concurrency, queues, absent)
        away = {mask_url(name): why for name, why in absent.items() if why}
        if retry is not None or dead:
            for name, why in away.items():
                output.print_error(f"{name} is left out: {why}")
        reach = partial(_queue_of, stack, concurrency)
        if retry is not None:
            _put_back(queues, retry, as_json=as_json)
        elif dead:
            _list_dead(queues, as_json=as_json)
        elif not _work(queues, absent, reach, once=once, drain=drain, log_json=log_json):
            logging.getLogger("glymph.worker").warning(
                "jobs that did not end are left to other workers"
            )
            logging.shutdown()
            # The threads of those jobs would keep the process; what they write is refused soon.
            os._exit(0)
        elif once and as_json:
            shown = _with_shown_urls(queues)
            counts = [{"url": name, **asdict(queue.counts())} for name, queue in shown]
            output.print_json({"stores": counts})
        if away and (once or dead or retry is not None):
            raise typer.Exit(1)


def _open(stack: ExitStack, url: str, concurrency: int, queues: Queues, absent: Absent) -> None:
    """Adds the queue of a store, or those of the parts of a map, and why others have none."""
    parts = parts_at(url or DEFAULT_URL)
    if len(parts) == 1:
        queues[parts[0]] = _queue(
            stack, concurrency, environment.open_whole(url or None, actor="daemon")
        )
        return
    for part in parts:
        try:
            queue = _queue_of(stack, concurrency, part)
        except StoreError as error:
            absent[part] = str(error)
            continue
        if queue is None:
            absent[part] = ""
        else:
            queues[part] = queue


def _queue_of(stack: ExitStack, concurrency: int, part: str) -> Queue | None:
    """Opens the queue of a part of a map; None if it has no space, for only the map makes one."""
    spaces = spaces_at(part)
    if not spaces:
        return None
    return _queue(
        stack, concurrency, environment.open_glymph(part, spaces[0].name, "daemon", create=False)
    )


def _queue(stack: ExitStack, concurrency: int, glymph: Glymph) -> Queue:
    queue = open_queue(stack.enter_context(glymph), limit=concurrency)
    stack.callback(queue.close)
    return queue


def _work(
    queues: Queues, absent: Absent, reach: Reach, *, once: bool, drain: float, log_json: bool
) -> bool:
    """Serves all queues until told to stop or nothing is due; returns False if jobs are left.

    Parts that are absent are tried again and again and served once they are there, unless `once`.
    """
    log_to_stderr(as_json=log_json)
    log_neighbours(as_json=log_json)
    log, stop = logging.getLogger("glymph.worker"), threading.Event()
    ended: dict[str, bool] = {}
    wrong: list[GlymphError] = []
    stop_on_signals(stop)

    def serve(name: str, known: Queue | None, take_in: TakeIn | None) -> None:
        try:
            queue = known or _wait_for(name, absent[name], reach, stop)
            if queue is not None:
                ended[name] = False
                queues[name] = queue
                run = queue.run_dry if once else queue.run
                ended[name] = run(stop, take_in=take_in, drain=drain)
        except GlymphError as error:  # one that cannot go on must not leave half a worker behind
            wrong.append(error)
            stop.set()

    log.info(
        "working on %s", ", ".join(name for name, _ in _with_shown_urls(queues)) or "nothing yet"
    )
    served: list[tuple[str, Queue | None]] = [*queues.items()]
    if once:
        for name, why in absent.items():
            _tell_absent(name, why)
    else:
        served += [(name, None) for name in absent]
    threads = [
        threading.Thread(target=serve, args=(name, one, None), daemon=True)
        for name, one in served[1:]
    ]
    for thread in threads:
        thread.start()
    for name, queue in served[:1]:
        serve(name, queue, _take_in)
    for thread in threads:
        while thread.is_alive() and not stop.wait(LAST_WORDS):
            continue
        thread.join(drain + LAST_WORDS)
    if wrong:
        raise wrong[0]
    log.info("stopped" if stop.is_set() else "nothing is due")
    return all(ended.values())


def _wait_for(name: str, why: str, reach: Reach, stop: threading.Event) -> Queue | None:
    """Returns the queue of a part as soon as there is one; None if it is to stop before."""
    for pause in pauses():
        _tell_absent(name, why, f"; trying again in {pause:g} s")
        if stop.wait(pause):
            return None
        try:
            queue = reach(name)
        except StoreError as error:
            why = str(error)
            continue
        if queue is not None:
            logging.getLogger("glymph.worker").info("working on %s, too", mask_url(name))
            return queue
        why = ""
    return None


def pauses() -> Iterator[float]:
    """Yields seconds between two attempts: each time twice as long, up to a bound."""
    pause = FIRST_PAUSE
    while True:
        yield pause
        pause = min(2 * pause, LONGEST_PAUSE)


def _tell_absent(name: str, why: str, then: str = "") -> None:
    log = logging.getLogger("glymph.worker")
    if why:
        log.warning("part %s is not served%s: %s", mask_url(name), then, why)
    else:
        log.info("part %s has no space yet%s", mask_url(name), then)


def log_neighbours(*, as_json: bool) -> None:
    """Brings errors of the queue's libraries into the worker's log, each as one line."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if as_json else OneLine())
    for name in NEIGHBOURS:
        other = logging.getLogger(name)
        other.handlers[:], other.propagate = [handler], False
        other.setLevel(logging.ERROR)


class OneLine(logging.Formatter):
    """Formats a record as one line, and of an exception only its type: it may quote a memory."""

    def format(self, record: logging.LogRecord) -> str:
        kind = record.exc_info[0] if record.exc_info else None
        told = " ".join([*record.getMessage().split(), *([f"({kind.__name__})"] if kind else [])])
        told = mask_secrets(remove_controls(told))[0]
        return f"{self.formatTime(record)} {record.levelname} {record.name}: {told}"


def _take_in() -> list[Any]:
    """Brings into the stores what hooks have left on this machine."""

    def open_space(url: str | None, space: str, create: bool) -> Glymph:
        return environment.open_glymph(url, space, "daemon", create=create)

    return spooled.take_in(environment.home() / environment.SPOOL, open_space, spooled.WorkResult())


def _with_shown_urls(queues: Queues) -> list[tuple[str, Queue]]:
    """Returns the queues with URLs that may be shown: without a password."""
    return [(mask_url(url) or DEFAULT_URL, queue) for url, queue in queues.items()]


def _list_dead(queues: Queues, *, as_json: bool) -> None:
    found = [
        {"url": name, **letter.as_dict()}
        for name, queue in _with_shown_urls(queues)
        for letter in queue.dead()
    ]
    rows = [[one["id"], one["attempts"], format_time(one["at"]), one["why"]] for one in found]
    back = "`glymph sleep worker --retry ID` puts one back."
    last = back if found else "No dead letters: no job was given up."
    page = [Table(["id", "failed>", "at (UTC)", "why"], rows), last]
    output.answer({"dead": found}, page, as_json=as_json)


def _put_back(queues: Queues, wanted: str, *, as_json: bool) -> None:
    letters = [(queue, letter) for queue in queues.values() for letter in queue.dead()]
    known = [(queue, letter.ticket.id) for queue, letter in letters]
    if wanted != ALL:
        named = [(letter.ticket.id, letter.ticket.name) for _, letter in letters]
        wanted = choose_id(wanted, named, "dead letters")
    back = [queue.retry(one).as_dict() for queue, one in known if wanted in (one, ALL)]
    if not back and wanted != ALL:
        raise InvalidInput(
            "--retry", f"no dead letter {wanted!r}. `glymph sleep worker --dead` lists them."
        )
    page = [f"{one['id']} is put back: a worker tries it again." for one in back]
    none = "No dead letters: nothing to put back."
    output.answer({"put_back": back}, page or none, as_json=as_json)
