"""`glymph sleep daemon`: upkeep that stays, and does what is due in every space of a store."""

from __future__ import annotations

import logging
import sys
import threading
from typing import TYPE_CHECKING, Annotated

import typer

from glymph import environment
from glymph.cli.options import Url
from glymph.jobs import daemon as upkeep
from glymph.jobs import worker
from glymph.jobs.signals import stop_on_signals
from glymph.telemetry import JsonLines, PlainLines

if TYPE_CHECKING:
    from glymph.client import Glymph

PANEL = "While the agent sleeps"
ALL = "all"


def register(app: typer.Typer) -> None:
    app.command("daemon", rich_help_panel=PANEL)(daemon)


def daemon(
    url: Url = None,
    space: Annotated[
        list[str] | None,
        typer.Option(
            "--space",
            metavar="<str>",
            help="Only this space; may be repeated. Default: all there are.",
        ),
    ] = None,
    once: Annotated[
        bool, typer.Option("--once", help="Do what is due now, and end: for cron.")
    ] = False,
    log_json: Annotated[
        bool, typer.Option("--log-json", help="Write the log as JSON Lines.")
    ] = False,
) -> None:
    """Run upkeep when it is due, in all spaces of a store, until it is told to stop (Ctrl-C or
    SIGTERM).
    """

    def open_space(url: str | None, space: str, create: bool) -> Glymph:
        return environment.open_glymph(url, space, "daemon", create=create)

    def take_in() -> None:
        worker.take_in(environment.home() / environment.SPOOL, open_space, worker.WorkResult())

    log_to_stderr(as_json=log_json)
    stop = threading.Event()
    names = [] if space is None or ALL in space else [environment.space_named(one) for one in space]
    with environment.open_whole(url, actor="daemon") as glymph:
        stop_on_signals(stop)
        if once:
            take_in()
            upkeep.run_once(glymph, names, stop=stop, begin=True)
            return
        _say(glymph, names)
        upkeep.run(glymph, names, stop=stop, take_in=take_in)
        logging.getLogger("glymph.daemon").info("stopped")


def _say(glymph: Glymph, names: list[str]) -> None:
    where = ", ".join(names) if names else "every space"
    logging.getLogger("glymph.daemon").info("looking after %s of %s", where, glymph.shown_url)


def log_to_stderr(*, as_json: bool) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        JsonLines() if as_json else PlainLines("%(asctime)s %(levelname)s %(message)s")
    )
    root = logging.getLogger("glymph")
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    root.propagate = False
