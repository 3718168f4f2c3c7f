"""`glymph status`: what a space holds, what upkeep did and will do, and what needs a hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.embed import describe_embedder
from glymph.cli.options import LOOK, Json, SpaceName, Url
from glymph.errors import PartsAway
from glymph.plain import plain
from glymph.tools.blocks import Line, Table
from glymph.tools.render import from_now, render_upkeep

if TYPE_CHECKING:
    from glymph.client import Glymph
    from glymph.tools.render import Blocks

NAMED_SPACES = 8


def register(app: typer.Typer) -> None:
    app.command("status", rich_help_panel=LOOK)(status)


def status(url: Url = None, space: SpaceName = "default", as_json: Json = False) -> None:
    """Show what a space holds, what upkeep did and will do, and what needs a hand."""
    with environment.open_glymph(url, space, "user", create=False) as glymph:
        spaces, away = find_spaces(glymph)
        facts = {
            "store": glymph.shown_url,
            "spaces": spaces,
            "away": away,
            **plain(glymph.health()),
            "meaning": plain(glymph.meaning()),
            **plain(glymph.autonomous_status()),
        }
    output.answer(facts, _render(facts, space), as_json=as_json)


def find_spaces(glymph: Glymph) -> tuple[list[str], dict[str, str]]:
    """Returns the spaces within reach, and for each part of a map that is not, the reason."""
    try:
        return [space.name for space in glymph.spaces()], {}
    except PartsAway as error:
        return list(error.spaces), error.away


def _render(facts: Mapping[str, Any], space: str) -> Blocks:
    active = f"{facts['active']:,} active, {facts['weak']:,} weak"
    linked = f"{facts['pinned']:,} pinned, {facts['superseded']:,} superseded"
    rows = [
        ["store", facts["store"]],
        ["space", f"{facts['space']}{_others(facts['spaces'])}"],
        *(["away", f"part {part}: {why}"] for part, why in facts["away"].items()),
        ["live", f"{facts['live']:,}: {active}; besides {facts['dormant']:,} dormant"],
        ["kinds", ", ".join(f"{k} {n:,}" for k, n in facts["by_kind"].items()) or "none"],
        ["put away", f"{facts['archived']:,} archived, {facts['trashed']:,} in the trash"],
        ["links", f"{facts['edges']:,}; {linked}"],
        ["operations", f"{facts['operations']:,}, the last {from_now(facts['last_operation_at'])}"],
        ["meaning", " ".join(describe_embedder(facts["meaning"], space))],
    ]
    yield Table(["", ""], rows)
    yield Line("")
    yield from render_upkeep(facts)


def _others(spaces: Sequence[str]) -> str:
    rest = len(spaces) - NAMED_SPACES
    more = f" and {rest:,} more" if rest > 0 else ""
    return f" (of {', '.join(spaces[:NAMED_SPACES])}{more})" if len(spaces) > 1 else ""
