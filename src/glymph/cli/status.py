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
from glymph.tools.blocks import Line, Table, quantity
from glymph.tools.ids import shorten_ids
from glymph.tools.render import from_now, render_upkeep

if TYPE_CHECKING:
    from glymph.client import Glymph
    from glymph.tools.render import Blocks

NAMED_SPACES = 8
# What upkeep does to memories: the verb of the journal, and the words for it.
SLEPT = {
    "lifecycle": "archived the faded",
    "lifecycle_trash": "trashed old archive",
    "ai_prune": "archived by model",
    "garden": "merged, tidied links",
    "consolidate": "learnt from events",
}


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
            "slept": find_slept(glymph),
        }
    output.answer(facts, _render(facts, space), as_json=as_json)


def find_slept(glymph: Glymph) -> list[dict[str, Any]]:
    """Returns the last change of each kind that upkeep made, newest first."""
    found = [one for verb in SLEPT for one in glymph.operations(verb=verb, limit=1)]
    found.sort(key=lambda one: one.at, reverse=True)
    rows = [
        {
            "operation_id": one.id, "verb": one.verb, "actor": one.actor, "at": one.at.isoformat(),
            "changes": one.changes, "undone": one.undone_by is not None,
        }
        for one in found
    ]  # fmt: skip
    shortened = shorten_ids(glymph, {"rows": rows})["rows"]
    return [
        {**row, "undo": f"glymph undo {short['operation_id']}{_where(glymph.space)}"}
        for row, short in zip(rows, shortened, strict=True)
    ]


def find_spaces(glymph: Glymph) -> tuple[list[str], dict[str, str]]:
    """Returns the spaces within reach, and for each part of a map that is not, the reason."""
    try:
        return [space.name for space in glymph.spaces()], {}
    except PartsAway as error:
        return list(error.spaces), error.away


def _render(facts: Mapping[str, Any], space: str) -> Blocks:
    presence = ", ".join(f"{facts[one]:,} {one}" for one in ("active", "weak", "dormant"))
    linked = f"{facts['pinned']:,} pinned, {facts['superseded']:,} superseded"
    rows = [
        ["store", facts["store"]],
        ["space", f"{facts['space']}{_others(facts['spaces'])}"],
        *(["away", f"part {part}: {why}"] for part, why in facts["away"].items()),
        ["memories", f"{facts['live'] + facts['dormant']:,}: {presence}"],
        ["kinds", ", ".join(f"{k} {n:,}" for k, n in facts["by_kind"].items()) or "none"],
        ["put away", f"{facts['archived']:,} archived, {facts['trashed']:,} in the trash"],
        ["links", f"{facts['edges']:,}; {linked}"],
        ["operations", f"{facts['operations']:,}, the last {from_now(facts['last_operation_at'])}"],
        ["meaning", " ".join(describe_embedder(facts["meaning"], space))],
    ]
    yield Table(["", ""], rows)
    yield Line("")
    yield Line(f"Waits for you: {_say_waiting(facts)}", "bold")
    yield from _render_slept(facts["slept"])
    yield Line("")
    yield from render_upkeep(facts)


def _say_waiting(facts: Mapping[str, Any]) -> str:
    """Says what only a person can settle, each with the command that shows it."""
    backlog, where = facts["backlog"], _where(facts["space"])
    waiting = [
        (backlog["open_questions"], "question", "questions", f"questions{where}"),
        (facts["queue"]["failed"], "job given up", "jobs given up", "sleep worker --dead"),
        (backlog["pending_certificates"], "purge not complete", "purges not complete",
            f"store certificates --pending{where}"),
    ]  # fmt: skip
    told = [
        f"{quantity(count, one, many)} (`glymph {command}`)"
        for count, one, many, command in waiting
        if count
    ]
    return ", ".join(told) or "nothing"


def _where(space: str) -> str:
    return "" if space == "default" else f" --space {space}"


def _render_slept(slept: Sequence[Mapping[str, Any]]) -> Blocks:
    rows = [
        [
            SLEPT[one["verb"]], from_now(one["at"]), f"{one['changes']:,}",
            "undone" if one["undone"] else "",
        ]
        for one in slept
    ]  # fmt: skip
    notes = [None if one["undone"] else f"take it back: {one['undo']}" for one in slept]
    yield Table(["sleep last", "when", "changes>", ""], rows, notes)
    if not rows:
        yield Line("Sleep has changed nothing yet.")


def _others(spaces: Sequence[str]) -> str:
    rest = len(spaces) - NAMED_SPACES
    more = f" and {rest:,} more" if rest > 0 else ""
    return f" (of {', '.join(spaces[:NAMED_SPACES])}{more})" if len(spaces) > 1 else ""
