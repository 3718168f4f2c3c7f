"""`glymph compact`: writes the store anew, without the traces of what was removed."""

from __future__ import annotations

import typer

from glymph import environment
from glymph.cli.certificates import answer_certificates
from glymph.cli.options import KEEP, Json, SpaceName, Url


def register(app: typer.Typer) -> None:
    app.command("compact", rich_help_panel=KEEP)(compact)


def compact(url: Url = None, space: SpaceName = "default", as_json: Json = False) -> None:
    """Write the store anew, without what was removed, and complete the certificates that waited."""
    with environment.open_glymph(url, space, "user", create=False) as glymph:
        found = glymph.compact()
    none = "The store is written anew. No certificate waited for it."
    answer_certificates(found, none, as_json=as_json)
