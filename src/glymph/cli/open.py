"""`glymph open`: the dashboard of a store in the browser, signed in by a link that counts once."""

from __future__ import annotations

import threading
import webbrowser
from contextlib import nullcontext
from typing import Annotated

import typer

from glymph import environment
from glymph.cli.daemon import log_to_stderr
from glymph.cli.options import LOOK, SpaceName, Url
from glymph.cli.serve import make_gate, run_upkeep
from glymph.errors import GlymphError, InvalidInput


def register(app: typer.Typer) -> None:
    app.command("open", rich_help_panel=LOOK)(open_dashboard)


def open_dashboard(
    url: Url = None,
    space: SpaceName = "default",
    at: Annotated[
        str, typer.Option("--at", metavar="HOST:PORT", help="Where to listen, on this machine.")
    ] = "127.0.0.1:8766",
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open it, or only print the link.")
    ] = True,
    jobs: Annotated[
        bool, typer.Option("--jobs/--no-jobs", help="Run upkeep when it is due.")
    ] = False,
) -> None:
    """Open the dashboard of a store in the browser, signed in.

    It serves until Ctrl-C. The link lets in once, within ten minutes; the browser stays signed in.
    """
    try:
        from glymph.cli.mcp import listen
        from glymph.dashboard.mount import add_pages
        from glymph.dashboard.sign_in import OneTimeLinks
        from glymph.mcp.http import run
        from glymph.mcp.spaces import Handles
        from glymph.service.app import serve_all
        from glymph.service.serving import Service
    except ImportError as error:
        needs = "The dashboard needs extra packages: pip install 'glymph[serve]'."
        raise GlymphError(needs) from error
    log_to_stderr(as_json=False)
    door, listening = listen(at, (), no_token=False, option="at")
    if not door.is_loopback:
        listening.close()
        raise InvalidInput("at", f"{door.host} is not this machine. `glymph serve` serves others.")
    links = OneTimeLinks()

    def tell(address: str) -> None:
        link = address + links.issue(door.token)
        typer.echo(f"The dashboard: {link}")
        if browser:
            threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()

    with listening, environment.open_glymph(url, space, "user", create=True) as glymph:
        service = Service(Handles(glymph, url=url), make_gate(glymph, door, any_space=True))
        with run_upkeep(glymph, service.stopping) if jobs else nullcontext():
            served = serve_all(service, door, "core", lambda app: add_pages(app, links))
            run(
                served, door, stopping=service.stopping.set, listening_at=tell,
                listening=listening,
            )  # fmt: skip
            service.stopping.set()
