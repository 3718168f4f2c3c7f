"""Embedders. `open_embedder(spec)` opens one, which loads nothing before the first text.

A spec is a scheme and what its provider needs, such as openai:MODEL. The providers lie in
`glymph.embed.providers`; other packages add theirs there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from glymph.embed.contract import EmbedderProvider
from glymph.errors import InvalidInput
from glymph.extensions import ExtensionPoint

if TYPE_CHECKING:
    from glymph.embed.contract import Embedder

PROVIDERS: ExtensionPoint[EmbedderProvider] = ExtensionPoint(
    "glymph.embedders", EmbedderProvider, package="glymph.embed.providers", attribute="PROVIDER"
)


def open_embedder(spec: str, *, url: str = "", key: str = "") -> Embedder | None:
    """Returns the embedder that a spec names; None for "none".

    "auto" is the local model, or None where it is not installed.
    """
    if spec == "none" or (spec == "auto" and absence()):
        return None
    provider, detail = _find_provider("local" if spec == "auto" else spec)
    return provider.from_spec(detail, url=url, key=key)


def check_embedder(spec: str) -> None:
    """Raises InvalidInput if a spec names no embedder; opens none."""
    if spec not in ("auto", "none"):
        _find_provider(spec)


def _find_provider(spec: str) -> tuple[EmbedderProvider, str]:
    scheme, colon, detail = spec.partition(":")
    provider = PROVIDERS.get(scheme)
    if provider is None or bool(colon and detail) != (":" in provider.form):
        forms = ", ".join(["auto", "none", *(one.form for one in PROVIDERS.members.values())])
        raise InvalidInput("embedder", f"{spec!r} is not known. Use one of: {forms}.")
    return provider, detail


def absence() -> str:
    """Says why there is no local model here and how to get it; empty if there is one."""
    from glymph.embed.providers.local import explain_absence  # only "auto" needs it

    return explain_absence()
