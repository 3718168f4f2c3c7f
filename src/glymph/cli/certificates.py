"""`glymph store certificates`: what was removed for good, and whether each place is clean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.options import KEEP, Json, SpaceName, Url
from glymph.plain import plain
from glymph.tools.blocks import Line, Table

if TYPE_CHECKING:
    from glymph.store.certificate import Certificate
    from glymph.tools.render import Blocks


def register(app: typer.Typer) -> None:
    app.command("certificates", rich_help_panel=KEEP)(certificates)


def certificates(
    pending: Annotated[
        bool, typer.Option("--pending", help="Only those not complete yet.")
    ] = False,
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """Show what was removed for good, and for each place whether it is clean."""
    with environment.open_glymph(url, space, "user", create=False) as glymph:
        found = glymph.certificates(pending=pending)
    none = "None is pending." if pending else "Nothing was removed for good."
    answer_certificates(found, none, as_json=as_json)


def answer_certificates(found: Sequence[Certificate], none: str, *, as_json: bool) -> None:
    """Prints certificates, or what to say if there is none."""
    page = [block for one in found for block in _render(one)]
    output.answer({"certificates": plain(found)}, page or none, as_json=as_json)


def _render(one: Certificate) -> Blocks:
    head, *_ = one.text.splitlines()
    yield Line(head, "bold")
    rows = [
        [place.name, place.status, f"{place.detail}; {place.how}" if place.detail else place.how]
        for place in one.places
    ]
    if rows:
        yield Table(["place", "state", "how"], rows)
