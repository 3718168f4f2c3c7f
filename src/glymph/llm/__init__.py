"""Language models. `open_model(spec)` picks one; nothing is loaded or asked before the first
question.

A provider is one file here, named like its scheme: `FORM` shows how it is written, and
`from_spec(detail, url=, key=, prices=)` gives its `Model`.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING

from glymph.errors import InvalidInput

if TYPE_CHECKING:
    from glymph.llm.contract import Model


def open_model(spec: str, *, url: str = "", key: str = "", prices: str = "") -> Model | None:
    """The language model that a text names; "none" gives None."""
    if spec == "none":
        return None
    scheme, _, detail = spec.partition(":")
    if detail.strip() and scheme in _files():
        from_spec = getattr(import_module(f"{__name__}.{scheme}"), "from_spec", None)
        if from_spec is not None:
            model: Model = from_spec(detail.strip(), url=url, key=key, prices=prices)
            return model
    raise InvalidInput(
        "model", f"{spec!r} is not known. Use one of: {', '.join(['none', *_forms()])}."
    )


def _files() -> list[str]:
    return sorted(file.name for file in pkgutil.iter_modules(__path__))


def _forms() -> list[str]:
    """How the models of every provider are written."""
    found = [getattr(import_module(f"{__name__}.{name}"), "FORM", "") for name in _files()]
    return [form for form in found if form]
