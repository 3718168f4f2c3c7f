"""Glymph, the handle a program holds: methods of a few lines that call services."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from glymph import transfer, write
from glymph.checks import checked_space, checked_text, optional_text
from glymph.client.conversing import Conversing
from glymph.client.finding import Finding
from glymph.client.forgetting import Forgetting
from glymph.client.handle import LAST_EMBEDDINGS
from glymph.client.keeping import Keeping
from glymph.client.remembering import Remembering
from glymph.client.sleeping import Sleeping
from glymph.config import Settings
from glymph.context import Context
from glymph.embed.contract import Embedder
from glymph.embed.embedding import open_meaning
from glymph.errors import InvalidInput, SpaceNotFound
from glymph.history import list_text_keepers
from glymph.llm import interrupt, open_model
from glymph.llm.contract import Model
from glymph.llm.lazy import LazyModel
from glymph.llm.own import checked
from glymph.llm.prices import read
from glymph.model import Space
from glymph.store import open_store

if TYPE_CHECKING:
    from glymph.transfer.restore_backup import Restored

DEFAULT_URL = "sqlite:///~/.glymph/memory.db"


def _now() -> datetime:
    return datetime.now(UTC)


def _nothing() -> None:
    """What a model of a program's own does at the end that has no close."""


class Glymph(Remembering, Finding, Forgetting, Sleeping, Conversing, Keeping):
    """The long-term memory of one agent, user or project: one space of a store."""

    @classmethod
    def open(
        cls,
        url: str = DEFAULT_URL,
        *,
        space: str = "default",
        actor: str = "user",
        settings: Settings | Mapping[str, Any] | None = None,
        clock: Callable[[], datetime] | None = None,
        embedder: str | Embedder = "auto",
        model: str | Model | None = None,
        session: str | None = None,
        create: bool = True,
    ) -> Self:
        """Opens a store. A store or space that does not exist is made, unless `create` is False.

        `embedder` is "auto", "none", "local", "onnx:FOLDER", "openai:MODEL" or an object with the
        methods of `glymph.embed.contract.Embedder`; for "auto" the setting of that name decides.
        `model` is the language model for upkeep, by the same rules: a text such as
        "openai:gpt-4o-mini", an object with the methods of `glymph.llm.contract.Model`, or None for
        what the setting says, which is opened at the first question.
        """
        if not isinstance(settings, Settings):
            settings = Settings.parse(settings or {})
        if not isinstance(url, str):
            raise InvalidInput(
                "url", f"expected a text such as {DEFAULT_URL}, got {type(url).__name__}."
            )
        checked_space(space)
        checked_text("actor", actor, 200)
        optional_text("session", session)
        asked = _model(settings, model)
        store = open_store(url, settings, create=create)
        meaning = open_meaning(settings, embedder)
        place = Context(
            store, space, actor, settings, clock or _now, list_text_keepers,
            session=session, meaning=meaning, model=asked,
        )  # fmt: skip
        if not store.has_space(space):
            if not (create and store.writable):
                store.close()
                raise SpaceNotFound(space)
            write.spaces.create_space(place)
        return cls(place)

    def close(self) -> None:
        """Ends the handle. Memories it added are embedded first, for a few seconds at most."""
        self._background.finish(LAST_EMBEDDINGS)
        if self._ctx.model is not None:
            getattr(self._ctx.model, "close", _nothing)()
        self._ctx.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _model(settings: Settings, model: str | Model | None) -> Model | None:
    """The language model asked for, checked at once; or what the settings name, opened at the first
    question.
    """
    given = {"url": settings.model_url, "key": settings.model_key, "prices": settings.model_prices}
    if model is None:
        return None if settings.model == "none" else LazyModel(settings.model, **given)
    if isinstance(model, str):
        return open_model(model, **given)
    return checked(model)


def check_model(settings: Settings) -> None:
    """Raises InvalidInput unless the language model that settings name can be opened with them."""
    if settings.model_prices:
        read(settings.model_prices)
    open_model(
        settings.model, url=settings.model_url, key=settings.model_key, prices=settings.model_prices
    )


def stoppable(glymph: Glymph, stop: threading.Event) -> Glymph:
    """A handle in place of this one, whose language model is called off once `stop` is set."""
    return Glymph(interrupt.stoppable(glymph.context, stop))


def spaces_at(url: str, *, create: bool = False) -> list[Space]:
    """The spaces of a store, without opening one of them. A store that is missing is made only if
    asked for.
    """
    store = open_store(url, Settings(), create=create)
    try:
        return write.spaces.spaces(store)
    finally:
        store.close()


def parts_at(url: str) -> list[str]:
    """The URLs of the stores that one is made of: those of a map, reachable or not; else its own."""
    store = open_store(url, Settings(), create=False)
    try:
        return store.parts()
    finally:
        store.close()


def restore_backup(
    source: str | Path, target: str | Path, *, in_use: str | None = None,
    settings: Settings | Mapping[str, Any] | None = None, actor: str = "user",
    clock: Callable[[], datetime] | None = None, apply: bool = True,
) -> Restored:  # fmt: skip
    """Makes a new store of a backup, without what was removed for good since from the store in use."""
    if not isinstance(settings, Settings):
        settings = Settings.parse(settings or {})
    return transfer.restore_backup.restore_backup(
        Path(source), Path(target), in_use=in_use or DEFAULT_URL, actor=actor, settings=settings,
        clock=clock or _now, apply=apply,
    )  # fmt: skip
