"""Picks the language model of a handle: the one a program passes, or the one its settings name."""

from __future__ import annotations

from glymph.config import Settings
from glymph.llm import open_model
from glymph.llm.contract import Model
from glymph.llm.lazy import LazyModel
from glymph.llm.own import check_own_model
from glymph.llm.prices import parse_prices


def choose_model(settings: Settings, model: str | Model | None = None) -> Model | None:
    """Returns the model asked for, checked at once, or the settings' one, opened when needed."""
    if model is None:
        return (
            None
            if settings.model == "none"
            else LazyModel(settings.model, **_spec_options(settings))
        )
    if isinstance(model, str):
        return open_model(model, **_spec_options(settings))
    return check_own_model(model)


def check_model(settings: Settings) -> None:
    """Raises InvalidInput unless the language model that settings name can be opened with them."""
    if settings.model_prices:
        parse_prices(settings.model_prices)
    open_model(settings.model, **_spec_options(settings))


def _spec_options(settings: Settings) -> dict[str, str]:
    return {"url": settings.model_url, "key": settings.model_key, "prices": settings.model_prices}
