"""A model from a GGUF file, run in this process by xllamacpp.

That is llama.cpp with its OpenAI-compatible server. The file is loaded at the first question.
Loading cannot be interrupted and holds up the whole process: it counts against the time of the call
that causes it, and may exceed it. The server listens on this machine only, under a key made up for
it, and stops when the model is closed.
"""

from __future__ import annotations

import math
import secrets
import threading
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from glymph.errors import InvalidInput, ModelTimedOut
from glymph.http import TICK
from glymph.llm.contract import TIMEOUT, ModelProvider
from glymph.llm.dialogue import FREE, Message, Prices, Reply, Schema
from glymph.llm.failures import make_failure
from glymph.llm.prices import prices_of
from glymph.llm.providers.openai import OpenAIModel

MAGIC = b"GGUF"
CONTEXT = 8192  # tokens, prompt and answer together
SILENT = -1  # nothing is logged: standard output may belong to a protocol


def from_spec(detail: str, *, url: str, key: str, prices: str) -> GGUFModel:
    try:
        path = Path(detail).expanduser()
    except RuntimeError as error:
        raise InvalidInput(
            "model", f"{detail} names no home folder. Give the path of a GGUF file."
        ) from error
    return GGUFModel(path, prices=prices_of("", stated=prices, is_here=True))


PROVIDER = ModelProvider("gguf:FILE", from_spec)


class GGUFModel:
    """A file as a model. Opening it reads its first four bytes only."""

    def __init__(self, path: Path, *, prices: Prices = FREE) -> None:
        _check(path)
        if find_spec("xllamacpp") is None:
            raise InvalidInput("model", "gguf: needs xllamacpp. Run `pip install 'glymph[gguf]'`.")
        self.name, self.prices = f"gguf:{path.name}", prices
        self._path, self._changed = path, threading.Condition()
        self._calls: list[_Either] = []
        self._server: Any = None  # the server runs as long as this is kept
        self._model: OpenAIModel | None = None

    def __repr__(self) -> str:
        return f"GGUFModel({self.name!r})"

    def complete(
        self, messages: Sequence[Message], schema: Schema | None = None, *, max_tokens: int = 1024,
        timeout: float = TIMEOUT, cancel: threading.Event | None = None,
    ) -> Reply:  # fmt: skip
        began, stop = time.monotonic(), _Either(cancel)
        with self._changed:
            model = self._start()
            self._calls.append(stop)
        try:
            left = timeout - (time.monotonic() - began)
            return model.complete(
                messages, schema, max_tokens=max_tokens, timeout=left, cancel=stop
            )
        except ModelTimedOut as error:
            raise ModelTimedOut(self.name, timeout) from error
        finally:
            with self._changed:
                self._calls.remove(stop)
                self._changed.notify_all()

    def close(self) -> None:
        """Calls off what is asked, stops the server and frees the model.

        The next question loads it again.
        """
        with self._changed:
            for stop in self._calls:
                stop.set()
            # A server that is dropped while it answers holds up the process until it is done.
            self._changed.wait_for(lambda: not self._calls)
            self._server = self._model = None

    def _start(self) -> OpenAIModel:
        if self._model is None:
            key = secrets.token_hex(16)
            self._server = self._serve(key)
            url = f"{self._server.listening_address}/v1"
            self._model = OpenAIModel(self._path.name, url=url, key=key, name=self.name)
        return self._model

    def _serve(self, key: str) -> Any:
        from xllamacpp import CommonParams, Server

        params = CommonParams()
        params.model.path = str(self._path)
        params.hostnames, params.port, params.api_keys = ["127.0.0.1"], 0, [key]
        params.n_ctx, params.n_parallel, params.verbosity = CONTEXT, 1, SILENT
        params.ui = params.warmup = params.endpoint_slots = False
        params.offline = True
        try:
            return Server(params)
        except RuntimeError as error:
            step = "Check that the file is whole and this machine has the memory for it."
            raise make_failure(
                self.name, f"the file cannot be loaded ({error})", step, charged=False
            ) from error


class _Either(threading.Event):
    """An event that counts as set, too, when another is."""

    def __init__(self, other: threading.Event | None) -> None:
        super().__init__()
        self._other = other

    def is_set(self) -> bool:
        return super().is_set() or (self._other is not None and self._other.is_set())

    def wait(self, timeout: float | None = None) -> bool:
        deadline = math.inf if timeout is None else time.monotonic() + timeout
        while not self.is_set() and (left := deadline - time.monotonic()) > 0:
            super().wait(min(TICK, left))
        return self.is_set()


def _check(path: Path) -> None:
    """Raises InvalidInput unless the file is there and begins like a GGUF file."""
    try:
        with path.open("rb") as file:
            magic = file.read(len(MAGIC))
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        problem = f"{path} cannot be read ({why}). Give the path of a GGUF file."
        raise InvalidInput("model", problem) from error
    if magic != MAGIC:
        raise InvalidInput("model", f"{path} is not a GGUF file. Give the path of one.")
