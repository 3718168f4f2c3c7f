"""`glymph mcp`: serves the tools to agents, over stdio or HTTP."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any
from uuid import uuid4

import typer

from glymph import environment
from glymph.cli.daemon import log_to_stderr
from glymph.cli.options import LOOK, Actor, SpaceName, Url
from glymph.errors import GlymphError, InvalidInput
from glymph.mcp.http import Door
from glymph.mcp.http import serve as serve_http
from glymph.mcp.spaces import Handles

if TYPE_CHECKING:
    from glymph.client import Glymph
    from glymph.tools.contract import Tool

COMPAT = "server-memory"


def register(app: typer.Typer) -> None:
    app.command("mcp", rich_help_panel=LOOK)(mcp)


def mcp(
    url: Url = None,
    space: SpaceName = "default",
    actor: Actor = "agent",
    profile: Annotated[
        str, typer.Option(help="Which tools a client sees: core, curator or full.")
    ] = "core",
    answers: Annotated[
        str,
        typer.Option(
            help="text: few words, for a model; data: what --json prints, for a program.",
        ),
    ] = "text",
    compat: Annotated[
        str | None,
        typer.Option(
            metavar=COMPAT,
            show_default=False,
            help="Instead of our tools, the nine of the reference server-memory, on this store.",
        ),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(
            envvar="GLYMPH_SESSION",
            show_default=False,
            help="The conversation, as operations name it; without one each start is its own.",
        ),
    ] = None,
    http: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            show_default=False,
            help="Serve many clients over HTTP, at /mcp. They send a secret: that in GLYMPH_TOKEN, "
            "or on this machine that in the file token of Glymph's home folder, made at the first "
            "start.",
        ),
    ] = None,
    no_token: Annotated[
        bool,
        typer.Option(
            "--no-token", help="With --http on loopback: let in whoever is on this machine."
        ),
    ] = False,
    any_space: Annotated[
        bool,
        typer.Option(
            "--any-space", help="With --http: a request's header Glymph-Space names the space."
        ),
    ] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            metavar="<str>",
            help="With --http: a name by which clients may call it; may be repeated.",
        ),
    ] = None,
) -> None:
    """Serve the memory tools to an agent over MCP, on standard input and output or over HTTP."""
    if profile not in ("core", "curator", "full"):
        raise InvalidInput("profile", f"{profile!r} is not one of core, curator, full.")
    chosen: Any = profile
    how: Any = answers
    if compat not in (None, COMPAT):
        raise InvalidInput("compat", f"{compat!r} is not known. There is {COMPAT}.")
    if http is None and (any_space or allow_host or no_token):
        raise InvalidInput(
            "http",
            "--any-space, --allow-host and --no-token are for a server over HTTP: add --http "
            "HOST:PORT.",
        )
    try:
        from glymph.mcp import server
    except ImportError as error:
        raise GlymphError("MCP needs an extra package: pip install 'glymph[mcp]'.") from error
    if answers not in server.ANSWERS:
        raise InvalidInput("answers", f"{answers!r} is not one of {', '.join(server.ANSWERS)}.")

    def make(find: Callable[[Any, Tool], Glymph]) -> Any:
        return server.compat_server_for(find) if compat else server.server_for(find, chosen, how)

    if http is None:
        own = session or f"mcp-{uuid4()}"  # the host starts one server for each conversation
        with environment.open_glymph(url, space, actor, create=True, session=own) as glymph:
            server.serve(make(lambda *_: glymph))
        return
    log_to_stderr(as_json=False)
    door, listening = listen(http, allow_host or (), no_token=no_token, option="http")
    with listening, environment.open_glymph(url, space, actor, create=True) as glymph:
        handles = Handles(glymph, url=url, any_space=any_space)
        serve_http(make(handles.find), handles, door, listening)


def listen(
    address: str, names: Sequence[str], *, no_token: bool, option: str
) -> tuple[Door, socket.socket]:
    """Returns the server's door with its open socket, before anything is read or written.

    So a port that another program has stops a command that has done nothing yet.
    """
    door = parse_door(address, names, no_token=no_token, option=option)
    listening = door.open()
    try:
        return add_token(door, no_token=no_token), listening
    except BaseException:
        listening.close()
        raise


def parse_door(address: str, names: Sequence[str], *, no_token: bool, option: str) -> Door:
    """Returns the door of that address, with the secret of the environment."""
    given = environment.token()
    if no_token and given:
        raise InvalidInput("no_token", "there is a secret in GLYMPH_TOKEN. Leave one of them out.")
    return Door.parse(address, given, names, option)


def add_token(door: Door, *, no_token: bool) -> Door:
    """Returns a door that has no secret, and needs one, with that of this user's own file."""
    if door.token or no_token:
        return door
    return door.with_token(environment.own_token(), str(environment.token_path()))
