"""The model that the settings name, opened at the first question.

A setting that is wrong, or a file that is gone, must not keep anybody from what needs no model.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from glymph.errors import InvalidInput
from glymph.llm import open_model
from glymph.llm.contract import TIMEOUT, Model
from glymph.llm.dialogue import Message, Prices, Reply, Schema


class LazyModel:
    """A model by its spec, opened when its name, its prices or an answer is asked for.

    What cannot be opened is a model that fails, each time it is asked.
    """

    def __init__(self, spec: str, *, url: str = "", key: str = "", prices: str = "") -> None:
        self._spec, self._url, self._key, self._prices = spec, url, key, prices
        self._lock = threading.Lock()
        self._model: Model | None = None

    def __repr__(self) -> str:
        return f"LazyModel({self._scheme!r})"

    @property
    def name(self) -> str:
        return self._open().name

    @property
    def prices(self) -> Prices:
        return self._open().prices

    def complete(
        self, messages: Sequence[Message], schema: Schema | None = None, *, max_tokens: int = 1024,
        timeout: float = TIMEOUT, cancel: threading.Event | None = None,
    ) -> Reply:  # fmt: skip
        return self._open().complete(
            messages, schema, max_tokens=max_tokens, timeout=timeout, cancel=cancel
        )

    def close(self) -> None:
        if self._model is not None:
            self._model.close()

    @property
    def _scheme(self) -> str:
        """The scheme alone: a command's arguments may hold what must not get into a message."""
        return self._spec.partition(":")[0]

    def _open(self) -> Model:
        with self._lock:
            if self._model is None:
                try:
                    self._model = open_model(
                        self._spec, url=self._url, key=self._key, prices=self._prices
                    )
                except InvalidInput as error:
                    from glymph.llm.failures import (
                        make_failure,
                    )  # not at the top: it loads what makes connections

                    step = "Fix it with `glymph config set`; everything else works meanwhile."
                    raise make_failure(
                        self._scheme, f"a setting is wrong: {error}", step, charged=False
                    ) from error
                assert self._model is not None, "none is no model"
            return self._model
