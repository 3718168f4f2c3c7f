"""Runs models with onnxruntime, which is imported only when the first model is opened."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from glymph.errors import GlymphError

INSTALL_LOCAL = "Run `pip install 'glymph[local]'`."
ONLY_ERRORS = 3  # onnxruntime's log level; its warnings about graphs are not for our users

Floats = npt.NDArray[np.float32]
Fail = Callable[[str, str, str], GlymphError]  # makes the error from name, problem and next step


def find_weights(name: str, package: str, fail: Fail, install: str) -> Path:
    """Returns the folder of a package that holds weights; fails where it is not installed."""
    found = find_spec(package)
    if found is None or found.origin is None:
        raise fail(name, f"the package {package} with its weights is not installed", install)
    return Path(found.origin).parent


def read_checked(name: str, path: Path, sha256: str, fail: Fail, again: str) -> bytes:
    """Returns the bytes of a file of weights; fails unless it is the known one."""
    try:
        file = path.read_bytes()
    except OSError as error:
        raise fail(name, f"its weights cannot be read ({error})", again) from error
    if hashlib.sha256(file).hexdigest() != sha256:
        raise fail(name, f"{path} is not the known file: its sha256 is another", again)
    return file


class Session:
    """A loaded model. Raises what `fail` makes if it cannot be loaded or run."""

    def __init__(self, name: str, model: Path | bytes, fail: Fail, *, threads: int = 1) -> None:
        self._name, self._fail = name, fail
        onnxruntime = import_optional(name, "onnxruntime", fail)
        onnxruntime.disable_telemetry_events()
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

    def run(self, output: str, feeds: Mapping[str, npt.NDArray[Any]]) -> Floats:
        """Returns one output, as float32."""
        return self.run_several([output], feeds)[0]

    def run_several(
        self, outputs: Sequence[str], feeds: Mapping[str, npt.NDArray[Any]]
    ) -> list[Floats]:
        """Returns several outputs of one run, as float32."""
        answers = self._guard(lambda: self._session.run(list(outputs), dict(feeds)))
        return [np.asarray(answer, dtype=np.float32) for answer in answers]

    def _guard(self, act: Callable[[], Any]) -> Any:
        try:
            return act()
        except self._errors as error:
            problem = f"onnxruntime says: {str(error)[:300]}"
            step = "Check the model file, or update with `pip install -U onnxruntime`."
            raise self._fail(self._name, problem, step) from error


def import_optional(name: str, module: str, fail: Fail, install: str = INSTALL_LOCAL) -> Any:
    """Imports an optional package; raises what `fail` makes, with the command that installs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        problem = f"the package {module} cannot be imported ({error})"
        raise fail(name, problem, install) from error
