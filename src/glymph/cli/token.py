"""`glymph store token`: makes, lists and revokes what lets programs in over HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.listing import make_group
from glymph.cli.options import KEEP, Apply, Json, Url
from glymph.errors import SpaceNotFound
from glymph.plain import plain
from glymph.service import tokens
from glymph.service.access import ALL_SPACES
from glymph.tools.blocks import Line, Table, format_time


def register(app: typer.Typer) -> None:
    group = make_group("Make, list and revoke the tokens that let programs in over HTTP.")
    group.command("create")(create)
    group.command("list")(list_tokens)
    group.command("revoke")(revoke)
    app.add_typer(group, name="token", rich_help_panel=KEEP)


def create(
    name: Annotated[
        str, typer.Argument(help="What it is for, e.g. the agent's name.", show_default=False)
    ],
    space: Annotated[
        list[str] | None,
        typer.Option(
            "--space",
            metavar="<str>",
            help="A space that it opens; may be repeated.",
            show_default="default",
        ),
    ] = None,
    all_spaces: Annotated[
        bool, typer.Option("--all-spaces", help="It opens every space, those to come included.")
    ] = False,
    role: Annotated[
        str,
        typer.Option(
            metavar="read|write|curate|admin",
            help="write: add and change; curate: also prune and forget; admin: everything.",
        ),
    ] = "write",
    actor: Annotated[
        str | None,
        typer.Option(
            "--actor", help="The name it signs with.", show_default="agent:NAME"
        ),
    ] = None,
    days: Annotated[
        float | None,
        typer.Option("--days", help="How long it counts.", show_default="until it is revoked"),
    ] = None,
    url: Url = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Make a token. It is shown once; the store keeps only its hash."""
    chosen = [ALL_SPACES] if all_spaces else space or ["default"]
    with environment.open_whole(url) as glymph:
        store = glymph.context.store
        known = [one.name for one in glymph.spaces()]
        for one in chosen:
            if one != ALL_SPACES and one not in known:
                raise SpaceNotFound(one, known)
        secret, kept = tokens.create(
            store, name, spaces=chosen, role=role, actor=actor, days=days, now=glymph.context.now()
        )
    text = f"{secret}\nKeep it now: it is not shown again. Its id is {kept.id}."
    output.answer({"token": secret, **plain(kept)}, text, as_json=as_json)


def list_tokens(url: Url = None, as_json: Json = False) -> None:
    """List the tokens of a store, those that count no more included."""
    with environment.open_whole(url) as glymph:
        now = glymph.context.now()
        found = [
            {**plain(one), "counts": one.counts(now)}
            for one in tokens.list_all(glymph.context.store)
        ]
    page = [_table(found)] if found else "No tokens. `glymph store token create NAME` makes one."
    output.answer({"tokens": found}, page, as_json=as_json)


def _table(found: Sequence[dict[str, Any]]) -> Table:
    rows = [
        [one["id"], one["name"], one["role"], ", ".join(one["spaces"]), _end(one)] for one in found
    ]
    return Table(["id", "name", "role", "spaces", "until (UTC)"], rows)


def _end(one: dict[str, Any]) -> str:
    if one["revoked_at"]:
        return "revoked"
    until = format_time(one["expires_at"]) if one["expires_at"] else "–"
    return until if one["counts"] else f"expired {until}"


def revoke(
    token_id: Annotated[
        str,
        typer.Argument(
            help="Its name, or its id or the beginning of it: see `token list`.", show_default=False
        ),
    ],
    apply: Apply = False,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Revoke a token for good; whoever has it is refused from then on."""
    with environment.open_whole(url) as glymph:
        store = glymph.context.store
        if apply:
            found = tokens.revoke(store, token_id, now=glymph.context.now())
            said = f"Revoked {found.name} ({found.id})."
        else:
            found = tokens.find(store, token_id)
            said = f"Would revoke {found.name} ({found.id}). Add --apply to do it."
    output.answer({"revoked": apply, **plain(found)}, [Line(said)], as_json=as_json)
