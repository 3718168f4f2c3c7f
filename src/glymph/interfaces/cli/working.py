"""`glymph worker`: runs the upkeep of one store or several from a queue, beside any number of other workers."""

from __future__ import annotations

import logging
import os
import threading
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from glymph.errors import GlymphError
from glymph.interfaces.cli.options import PANEL as WHERE
from glymph.interfaces.cli.options import Json

if TYPE_CHECKING:
    from glymph.facade import Glymph
    from glymph.jobs.queues.contract import Queue, TakeIn

PANEL = "While the agent sleeps"
ALL = "all"
LAST_WORDS = 5.0  # seconds, beyond those for the jobs, in which the queues of several stores come to their end

Queues = dict[str, "Queue"]  # by the URL of their store

Urls = Annotated[
    list[str] | None,
    typer.Option(
        "--url",
        help="The store; may be repeated.  [env var: GLYMPH_URL]",
        show_default=False,
        rich_help_panel=WHERE,
    ),
]
Retry = Annotated[
    str | None,
    typer.Option(
        "--retry", help="Put the dead letter of this id back; `all` means every one.", show_default=False
    ),
]


def register(app: typer.Typer) -> None:
    app.command("worker", rich_help_panel=PANEL)(worker)


def worker(
    url: Urls = None,
    concurrency: Annotated[int, typer.Option("--concurrency", min=1, max=64, help="Jobs at once.")] = 4,
    once: Annotated[bool, typer.Option("--once", help="End when nothing is due any more.")] = False,
    dead: Annotated[bool, typer.Option("--dead", help="List the jobs that were given up, and why.")] = False,
    retry: Retry = None,
    drain: Annotated[
        float, typer.Option("--drain", min=0, help="Seconds that jobs have to end when it is told to stop.")
    ] = 30.0,
    log_json: Annotated[bool, typer.Option("--log-json", help="Write the log as JSON Lines.")] = False,
    as_json: Json = False,
) -> None:
    """Run upkeep from the queue of a store, with any number of workers: each space is served by one at a time.

    On PostgreSQL, workers on any number of machines share the work; with SQLite, those on one machine.
    """
    from glymph.interfaces import environment

    urls = dict.fromkeys(url or [environment.variable("GLYMPH_URL")])  # typer would split it at spaces
    with ExitStack() as stack:
        queues: Queues = {}
        for one in urls:
            queues |= _opened(stack, one, concurrency)
        if retry is not None:
            _put_back(queues, retry, as_json=as_json)
        elif dead:
            _list_dead(queues, as_json=as_json)
        elif not _work(queues, once=once, drain=drain, log_json=log_json):
            logging.getLogger("glymph.worker").warning("jobs that did not end are left to other workers")
            logging.shutdown()
            os._exit(0)  # the threads of those jobs would keep the process; what they write is refused soon
        elif once and as_json:
            from glymph.interfaces.cli import show

            show.document({"stores": [{"url": name, **asdict(queue.counts())} for name, queue in _named(queues)]})


def _opened(stack: ExitStack, url: str, concurrency: int) -> Queues:
    """The queue of a store, or those of its parts, by their URLs."""
    from glymph.interfaces import environment
    from glymph.jobs.queues import open_queue

    found: Queues = {}
    whole = stack.enter_context(environment.open_whole(url or None, actor="daemon"))
    for part in whole.workplace.store.parts():
        glymph = whole if part == whole.url else stack.enter_context(environment.open_whole(part, actor="daemon"))
        found[part] = open_queue(glymph, limit=concurrency)
        stack.callback(found[part].close)
    return found


def _work(queues: Queues, *, once: bool, drain: float, log_json: bool) -> bool:
    """Serves all queues until it is told to stop, or until nothing is due; whether all jobs came to an end."""
    from glymph.interfaces.cli.resident import log_to_stderr, stop_on_signals

    log_to_stderr(as_json=log_json)
    for name in ("procrastinate", "asyncio"):
        other = logging.getLogger(name)
        other.handlers[:], other.propagate = logging.getLogger("glymph").handlers, False
        other.setLevel(logging.ERROR)
    log, stop = logging.getLogger("glymph.worker"), threading.Event()
    ended: dict[str, bool] = {}
    wrong: list[GlymphError] = []
    stop_on_signals(stop)

    def serve(name: str, queue: Queue, take_in: TakeIn | None) -> None:
        run = queue.run_dry if once else queue.run
        try:
            ended[name] = run(stop, take_in=take_in, drain=drain)
        except GlymphError as error:  # one that cannot go on must not leave half a worker behind
            wrong.append(error)
            stop.set()

    (first, queue), *rest = queues.items()
    threads = [threading.Thread(target=serve, args=(name, one, None), daemon=True) for name, one in rest]
    log.info("working on %s", ", ".join(name for name, _ in _named(queues)))
    for thread in threads:
        thread.start()
    serve(first, queue, _take_in)
    for thread in threads:
        while thread.is_alive() and not stop.wait(LAST_WORDS):
            continue
        thread.join(drain + LAST_WORDS)
    if wrong:
        raise wrong[0]
    log.info("stopped" if stop.is_set() else "nothing is due")
    return all(ended.get(name, False) for name in queues)


def _take_in() -> list[Any]:
    """Brings into the stores what hooks have left on this machine."""
    from glymph.interfaces import environment
    from glymph.jobs import worker as spooled

    def opened(url: str | None, space: str, create: bool) -> Glymph:
        return environment.open_glymph(url, space, "daemon", create=create)

    return spooled.take_in(environment.home() / environment.SPOOL, opened, spooled.Worked())


def _named(queues: Queues) -> list[tuple[str, Queue]]:
    """The queues by names that may be shown: a URL without its password."""
    from glymph.facade import DEFAULT_URL

    return [(_without_password(url) or DEFAULT_URL, queue) for url, queue in queues.items()]


def _without_password(url: str) -> str:
    from urllib.parse import urlsplit

    secret = urlsplit(url).password
    return url.replace(f":{secret}@", "@", 1) if secret else url


def _list_dead(queues: Queues, *, as_json: bool) -> None:
    from glymph.interfaces.cli import show

    found = [{"url": name, **letter.as_dict()} for name, queue in _named(queues) for letter in queue.dead()]
    if as_json:
        show.document({"dead": found})
        return
    rows = [[one["id"], one["attempts"], show.when(one["at"]), one["why"]] for one in found]
    show.table(["id", "failed>", "at (UTC)", "why"], rows)
    show.line("`glymph worker --retry ID` puts one back." if found else "No dead letters: no job was given up.")


def _put_back(queues: Queues, wanted: str, *, as_json: bool) -> None:
    from glymph.errors import InvalidInput
    from glymph.interfaces.cli import show

    known = [(queue, letter.ticket.id) for queue in queues.values() for letter in queue.dead()]
    back = [queue.retry(one).as_dict() for queue, one in known if wanted in (one, ALL)]
    if not back and wanted != ALL:
        raise InvalidInput("--retry", f"no dead letter {wanted!r}. `glymph worker --dead` lists them.")
    if as_json:
        show.document({"put_back": back})
        return
    for one in back:
        show.line(f"{one['id']} is put back: a worker tries it again.")
    if not back:
        show.line("No dead letters: nothing to put back.")
