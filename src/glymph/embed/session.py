"""Running a model with onnxruntime, which is imported only when the first model is."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from glymph.embed.contract import Vectors
from glymph.errors import EmbedderFailed

INSTALL_LOCAL = "Run `pip install 'glymph[local]'`."
ONLY_ERRORS = 3  # onnxruntime's log level; its warnings about graphs are not for our users


class Session:
    """A loaded model. Raises EmbedderFailed, naming the embedder, if it cannot be loaded or run."""

    def __init__(self, embedder: str, model: Path | bytes, *, threads: int = 1) -> None:
        self._embedder = embedder
        onnxruntime = import_optional(embedder, "onnxruntime")
        # Its errors share no class of their own, so they are gathered from where they are defined.
        native = vars(onnxruntime.capi.onnxruntime_pybind11_state).values()
        self._errors = tuple(
            kind for kind in native if isinstance(kind, type) and issubclass(kind, Exception)
        )
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = ONLY_ERRORS
        options.add_session_config_entry(
            "session.intra_op.allow_spinning", "0"
        )  # waiting threads burn no CPU
        source = model if isinstance(model, bytes) else str(model)
        here = ["CPUExecutionProvider"]
        self._session = self._guard(
            lambda: onnxruntime.InferenceSession(source, options, providers=here)
        )
        self.inputs: list[str] = [one.name for one in self._session.get_inputs()]
        self.outputs: list[str] = [one.name for one in self._session.get_outputs()]

    def run(self, output: str, feeds: Mapping[str, npt.NDArray[Any]]) -> Vectors:
        """One output, as float32."""
        answer = self._guard(lambda: self._session.run([output], dict(feeds)))
        return np.asarray(answer[0], dtype=np.float32)

    def _guard(self, act: Callable[[], Any]) -> Any:
        try:
            return act()
        except self._errors as error:
            problem = f"onnxruntime says: {str(error)[:300]}"
            step = "Check the model file, or update with `pip install -U onnxruntime`."
            raise EmbedderFailed(self._embedder, problem, step) from error


def import_optional(embedder: str, module: str) -> Any:
    """Imports an optional package; raises EmbedderFailed with the command that installs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        problem = f"the package {module} cannot be imported ({error})"
        raise EmbedderFailed(embedder, problem, INSTALL_LOCAL) from error
