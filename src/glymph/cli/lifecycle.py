"""`glymph sleep lifecycle`: archives what has faded and has a reason to go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.options import SLEEP, Actor, Apply, IfNeeded, Json, SpaceName, Url
from glymph.plain import plain
from glymph.tools.blocks import Line, Table, quantity
from glymph.tools.render import NOT_CHANGED, render_undo

if TYPE_CHECKING:
    from glymph.tools.render import Blocks


MANY_LEAD_TO = (
    "is kept because many others lead to it",
    "are kept because many others lead to them",
)
MAY_BE_NEEDED = (
    "is kept because somebody may need it",
    "are kept because somebody may need them",
)


def register(app: typer.Typer) -> None:
    app.command("lifecycle", rich_help_panel=SLEEP)(lifecycle)


def lifecycle(
    if_needed: IfNeeded = False,
    apply: Apply = False,
    url: Url = None,
    space: SpaceName = "default",
    actor: Actor = "user",
    as_json: Json = False,
) -> None:
    """Archive what has faded and has a reason to go; trash what it archived long ago."""
    with environment.open_glymph(url, space, actor, create=False) as glymph:
        done = glymph.lifecycle(if_needed=if_needed, dry_run=not (apply or if_needed))
    facts = {**plain(done), "told": done.told}
    output.answer(facts, _render(facts), as_json=as_json)


def _render(facts: dict[str, Any]) -> Blocks:
    yield Line(facts["told"], "bold")
    for verb in ("archived", "trashed"):
        rows = [[verb, one["kind"], one["id"], one["title"]] for one in facts[verb]]
        yield Table(["", "kind", "id", "title"], rows, [one["reason"] for one in facts[verb]])
    for count, reason in (("kept_central", MANY_LEAD_TO), ("kept_as_vital", MAY_BE_NEEDED)):
        if facts[count]:
            yield Line(f"{quantity(facts[count], *reason)}.", "dim")
    for operation in facts["operation_ids"]:
        yield from render_undo(operation)
    if facts["dry_run"] and facts["ran"]:
        yield Line(NOT_CHANGED, "dim")
