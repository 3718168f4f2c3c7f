"""Language models. `open_model(spec)` opens one, which loads nothing before the first question.

A spec is a scheme and what its provider needs, such as openai:gpt-4o-mini. The providers lie in
`glymph.llm.providers`; other packages add theirs there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from glymph.errors import InvalidInput
from glymph.extensions import ExtensionPoint
from glymph.llm.contract import ModelProvider

if TYPE_CHECKING:
    from glymph.llm.contract import Model

PROVIDERS: ExtensionPoint[ModelProvider] = ExtensionPoint(
    "glymph.models", ModelProvider, package="glymph.llm.providers", attribute="PROVIDER"
)


def open_model(spec: str, *, url: str = "", key: str = "", prices: str = "") -> Model | None:
    """Returns the language model that a spec names; None for "none"."""
    if spec == "none":
        return None
    scheme, _, detail = spec.partition(":")
    provider = PROVIDERS.get(scheme) if detail.strip() else None
    if provider is None:
        forms = ", ".join(["none", *(one.form for one in PROVIDERS.members.values())])
        raise InvalidInput("model", f"{spec!r} is not known. Use one of: {forms}.")
    return provider.from_spec(detail.strip(), url=url, key=key, prices=prices)
