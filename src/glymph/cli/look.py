"""Commands that look: status, list, doctor, demo; and `mcp`, which lets an agent in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from glymph.cli.options import Actor, Json, SpaceName, Url
from glymph.errors import PartsAway

if TYPE_CHECKING:
    from glymph.client import Glymph

PANEL = "Look"


def register(app: typer.Typer) -> None:
    for function in (status, list_memories, doctor, demo, mcp):
        name = {"list_memories": "list"}.get(function.__name__, function.__name__)
        app.command(name, rich_help_panel=PANEL)(function)


def status(url: Url = None, space: SpaceName = "default", as_json: Json = False) -> None:
    """Show how a space is doing: what it holds, what upkeep did and will do, and what needs a hand."""
    from glymph import environment
    from glymph.cli import show, status_page
    from glymph.plain import plain

    with environment.open_glymph(url, space, "user", create=False) as glymph:
        spaces, away = _reached(glymph)
        facts = {
            "store": glymph.shown_url,
            "spaces": spaces,
            "away": away,
            **plain(glymph.health()),
            "meaning": plain(glymph.meaning()),
            **plain(glymph.autonomous_status()),
        }
    if as_json:
        show.document(facts)
    else:
        status_page.status(facts, space)


def _reached(glymph: Glymph) -> tuple[list[str], dict[str, str]]:
    """The spaces that can be told of, and why those of some parts of a map cannot, by part."""
    try:
        return [space.name for space in glymph.spaces()], {}
    except PartsAway as error:
        return list(error.spaces), error.away


def list_memories(
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
    limit: Annotated[int, typer.Option(help="Memories on a page.", min=1, max=1000)] = 30,
    cursor: Annotated[str | None, typer.Option(help="Where the last page ended.")] = None,
    kinds: Annotated[
        list[str] | None, typer.Option("--kinds", help="Only this kind; may be repeated.")
    ] = None,
    states: Annotated[
        list[str] | None,
        typer.Option("--states", help="LIVE (default), ARCHIVED, TRASHED; may be repeated."),
    ] = None,
    tags: Annotated[
        list[str] | None, typer.Option("--tags", help="Only with this tag; may be repeated.")
    ] = None,
    at: Annotated[str | None, typer.Option(help="As things stood at this ISO 8601 time.")] = None,
) -> None:
    """List memories, newest first."""
    from glymph import environment
    from glymph.cli import show
    from glymph.moments import parse_iso
    from glymph.tools.shapes import brief

    with environment.open_glymph(url, space, "user", create=False) as glymph:
        moment = parse_iso(at, "at") if at else None
        page = glymph.list(
            limit=limit, cursor=cursor, kinds=kinds, states=states, tags=tags, at=moment
        )
        items = [brief(memory) for memory in page]
    if as_json:
        show.document({"memories": items, "cursor": page.cursor})
        return
    show.memories(items)
    if not items:
        show.line("Nothing here yet. `glymph add TEXT` remembers something.")
    if page.cursor:
        show.line(f"more: --cursor {page.cursor}", "dim")


def doctor(url: Url = None, as_json: Json = False) -> None:
    """Check a whole store against every invariant, name what is wrong, and tell how recall finds by
    meaning.
    """
    from glymph import environment
    from glymph.cli import show
    from glymph.plain import plain

    with environment.open_whole(url) as glymph:
        verdict = glymph.verify()
        store = glymph.shown_url
        spaces, away = _reached(glymph)
    sound = verdict.ok and not away
    meaning = {}
    for name in spaces:
        with environment.open_glymph(url, name, "user", create=False) as glymph:
            meaning[name] = plain(glymph.meaning())
    if as_json:
        show.document(
            {"store": store, "ok": sound, "away": away, **plain(verdict), "meaning": meaning}
        )
    else:
        for check in verdict.checks:
            show.line(f"checked  {check}")
        for problem in verdict.problems:
            show.line(f"WRONG    {problem.check}: {problem.detail}", "bold red")
        _tell_meaning(meaning)
        problems = show.counted(len(verdict.problems), "problem", "problems")
        show.line(f"{store}: {'sound' if sound else problems}", "bold")
    if not sound:
        raise typer.Exit(1)


def _tell_meaning(meaning: dict[str, Any]) -> None:
    """What is the same in every space is said once."""
    from glymph.cli import show

    told: dict[str, list[str]] = {}
    for space, status in meaning.items():
        for sentence in show.meaning(status, space):
            told.setdefault(sentence, []).append(space)
    rows = []
    for sentence, spaces in told.items():
        where = "" if len(spaces) == len(meaning) else f"{', '.join(spaces)}: "
        rows.append(["meaning", where + sentence])
    show.table(["", ""], rows)


def demo(
    url: Annotated[
        str | None,
        typer.Option(
            help="Keep it: load into a new space `demo` of this store.", show_default=False
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Another seed, another life.")] = 7,
    as_json: Json = False,
) -> None:
    """Play half a year of an agent's life into a fresh store and show what became of it."""
    from glymph import demo as life

    raise typer.Exit(life.run(url, as_json, seed))


def mcp(
    url: Url = None,
    space: SpaceName = "default",
    actor: Actor = "agent",
    profile: Annotated[str, typer.Option(help="Which tools a client sees: core, curator or full.")] = "core",
    http: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT", show_default=False,
            help="Serve many clients over HTTP, at /mcp. Beyond this machine, with a secret in GLYMPH_TOKEN.",
        ),
    ] = None,
    any_space: Annotated[
        bool, typer.Option("--any-space", help="With --http: a request's header Glymph-Space names the space.")
    ] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", help="With --http: a name by which clients may call it; may be repeated."),
    ] = None,
) -> None:  # fmt: skip
    """Serve the memory tools to an agent over MCP, on standard input and output or over HTTP."""
    from glymph import environment
    from glymph.errors import GlymphError, InvalidInput

    if profile not in ("core", "curator", "full"):
        raise InvalidInput("profile", f"{profile!r} is not one of core, curator, full.")
    chosen: Any = profile
    if http is None and (any_space or allow_host):
        raise InvalidInput(
            "http", "--any-space and --allow-host are for a server over HTTP: add --http HOST:PORT."
        )
    try:
        from glymph.mcp import server
    except ImportError as error:
        raise GlymphError("MCP needs an extra package: pip install 'glymph[mcp]'.") from error
    if http is None:
        with environment.open_glymph(url, space, actor, create=True) as glymph:
            server.serve(glymph, chosen)
        return
    from glymph.cli.daemon import log_to_stderr
    from glymph.mcp.http import Door, Handles
    from glymph.mcp.http import serve as serve_http

    log_to_stderr(as_json=False)
    door = Door.of(http, environment.token(), allow_host or ())
    with environment.open_glymph(url, space, actor, create=True) as glymph:
        handles = Handles(glymph, url=url, any_space=any_space)
        serve_http(server.server_for(handles.of, chosen), handles, door)
