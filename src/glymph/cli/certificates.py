"""`glymph certificates` and `glymph compact`: what was removed for good, and the end of its traces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from glymph.cli.options import Json, SpaceName, Url

if TYPE_CHECKING:
    from glymph.store.certificate import Certificate

PANEL = "Keep"


def register(app: typer.Typer) -> None:
    app.command("certificates", rich_help_panel=PANEL)(certificates)
    app.command("compact", rich_help_panel=PANEL)(compact)


def certificates(
    pending: Annotated[
        bool, typer.Option("--pending", help="Only those not complete yet.")
    ] = False,
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """Show what was removed for good, and for each place whether it is clean."""
    from glymph import environment

    with environment.open_glymph(url, space, "user", create=False) as glymph:
        found = glymph.certificates(pending=pending)
    _show(
        found,
        as_json=as_json,
        otherwise="Nothing was removed for good." if not pending else "None is pending.",
    )


def compact(url: Url = None, space: SpaceName = "default", as_json: Json = False) -> None:
    """Write the store anew, without what was removed, and complete the certificates that waited."""
    from glymph import environment

    with environment.open_glymph(url, space, "user", create=False) as glymph:
        found = glymph.compact()
    _show(
        found, as_json=as_json, otherwise="The store is written anew. No certificate waited for it."
    )


def _show(found: list[Certificate], *, as_json: bool, otherwise: str) -> None:
    from glymph.cli import show
    from glymph.plain import plain

    if as_json:
        show.document({"certificates": plain(found)})
        return
    for one in found:
        show.line(one.text)
    if not found:
        show.line(otherwise)
