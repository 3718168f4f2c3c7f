"""`glymph serve`: the store over HTTP, for programs and agents, with its upkeep in one process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from glymph import environment
from glymph.cli.daemon import log_to_stderr
from glymph.cli.options import LOOK, SpaceName, Url
from glymph.errors import GlymphError, InvalidInput
from glymph.jobs import daemon, worker

if TYPE_CHECKING:
    from glymph.client import Glymph
    from glymph.mcp.http import Door
    from glymph.service.serving import Gate

LAST_SECONDS = 30.0  # for a job under way when the server is told to stop


def register(app: typer.Typer) -> None:
    app.command("serve", rich_help_panel=LOOK)(serve)


def serve(
    at: Annotated[
        str, typer.Option("--at", metavar="HOST:PORT", help="Where to listen.")
    ] = "127.0.0.1:8765",
    url: Url = None,
    space: SpaceName = "default",
    any_space: Annotated[
        bool,
        typer.Option(
            "--any-space",
            help="The operator's secret opens every space, not --space alone. Tokens say "
            "themselves which spaces they open.",
        ),
    ] = False,
    no_token: Annotated[
        bool, typer.Option("--no-token", help="On loopback: let in whoever is on this machine.")
    ] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            metavar="<str>",
            help="A name by which clients may call; may be repeated.",
        ),
    ] = None,
    profile: Annotated[
        str, typer.Option(help="Which tools agents see over MCP: core, curator or full.")
    ] = "core",
    jobs: Annotated[
        bool, typer.Option("--jobs/--no-jobs", help="Run upkeep when it is due.")
    ] = True,
    rate: Annotated[
        float, typer.Option(min=0, help="Requests a second of one token; 0 for any number.")
    ] = 200.0,
    log_json: Annotated[
        bool, typer.Option("--log-json", help="Write the log as JSON Lines.")
    ] = False,
) -> None:
    """Serve the store over HTTP: /v1 for programs, MCP for agents, and upkeep, in one process.

    Who comes shows a token (`glymph store token create`), or the operator's own secret: that in
    GLYMPH_TOKEN, or on this machine that in the file token of Glymph's home folder.
    """
    if profile not in ("core", "curator", "full"):
        raise InvalidInput("profile", f"{profile!r} is not one of core, curator, full.")
    chosen: Any = profile
    try:
        from glymph.cli.mcp import listen
        from glymph.dashboard.mount import add_pages
        from glymph.mcp.http import run
        from glymph.mcp.spaces import Handles
        from glymph.service.app import serve_all
        from glymph.service.heap import bound_heaps, giving_back
        from glymph.service.limits import Limits
        from glymph.service.serving import Service
    except ImportError as error:
        raise GlymphError("Serving needs extra packages: pip install 'glymph[serve]'.") from error
    log_to_stderr(as_json=log_json)
    bound_heaps()
    door, listening = listen(at, allow_host or (), no_token=no_token, option="at")
    with listening, environment.open_glymph(url, space, "user", create=True) as glymph:
        gate = make_gate(glymph, door, any_space=any_space)
        service = Service(Handles(glymph, url=url), gate, Limits(per_second=rate))
        with giving_back(), run_upkeep(glymph, service.stopping) if jobs else _nothing():
            served = serve_all(service, door, chosen, add_pages)
            run(served, door, stopping=service.stopping.set, listening=listening)
            service.stopping.set()


def make_gate(glymph: Glymph, door: Door, *, any_space: bool) -> Gate:
    """Returns what knows the tokens of the store and the secret of the door."""
    from glymph.service.access import ALL_SPACES, Access, Role
    from glymph.service.serving import OpenGate
    from glymph.service.tokens import TokenGate

    spaces = (ALL_SPACES,) if any_space else (glymph.space,)
    operator = Access("operator", "user", spaces, Role.ADMIN)
    if not door.token:
        return OpenGate(operator)
    ctx = glymph.context
    return TokenGate(ctx.store, ctx.now, operator=operator, secret=door.token)


@contextmanager
def _nothing() -> Iterator[None]:
    yield


@contextmanager
def run_upkeep(glymph: Glymph, stop: threading.Event) -> Iterator[None]:
    """Runs what is due in every space meanwhile; several processes take turns by the space."""

    def open_space(url: str | None, space: str, create: bool) -> Glymph:
        return environment.open_glymph(url, space, "daemon", create=create)

    def take_in() -> None:
        worker.take_in(environment.home() / environment.SPOOL, open_space, worker.WorkResult())

    with environment.open_whole(glymph.url, actor="daemon") as own:
        thread = threading.Thread(
            target=daemon.run, args=(own,), kwargs={"stop": stop, "take_in": take_in},
            name="glymph-upkeep",
        )  # fmt: skip
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join(LAST_SECONDS)
