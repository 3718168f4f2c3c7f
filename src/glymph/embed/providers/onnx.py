"""Any sentence model exported to ONNX, from a folder laid out as sentence-transformers does it.

The folder holds model.onnx (or onnx/model.onnx) and tokenizer.json. Pooling is read from
1_Pooling/config.json and the longest text from sentence_bert_config.json or tokenizer_config.json,
where there are such files.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from glymph.embed.contract import EmbedderProvider, Vectors
from glymph.embed.vectors import one_by_one
from glymph.errors import EmbedderFailed, InvalidInput
from glymph.inference import Session, import_optional

MODEL_FILES = ("model.onnx", "onnx/model.onnx")
MOST_TOKENS = 256  # where no file says otherwise
NO_LIMIT = 100_000  # tokenizer configurations without a limit hold an absurd number
POOLINGS = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
KNOWN_MODULES = {"Transformer", "Pooling", "Normalize"}


def from_spec(detail: str, *, url: str, key: str) -> OnnxEmbedder:
    return open_folder(Path(detail).expanduser())


PROVIDER = EmbedderProvider("onnx:FOLDER", from_spec)


class OnnxEmbedder:
    """A model file, loaded at the first text; it takes one text at a time.

    The name ends in a fingerprint of all that decides the vectors: model, tokenizer, pooling and
    length.
    """

    def __init__(
        self,
        model_path: Path,
        tokenizer_path: Path,
        *,
        name: str | None = None,
        max_tokens: int = MOST_TOKENS,
        pooling: str = "mean",
        threads: int = 1,
    ) -> None:
        if pooling not in POOLINGS.values():
            raise InvalidInput(
                "pooling", f"{pooling!r} is not known. Use {' or '.join(POOLINGS.values())}."
            )
        self._model, self._tokens = Path(model_path), Path(tokenizer_path)
        self._title = name or f"onnx:{self._model.parent.name}"
        self._max_tokens, self._pooling, self._threads = max_tokens, pooling, threads
        self._lock = threading.Lock()
        self._name: str | None = None
        self._loaded: _Loaded | None = None

    @property
    def name(self) -> str:
        with self._lock:
            if self._name is None:
                self._name = f"{self._title}@{self._fingerprint()[:8]}"
        return self._name

    @property
    def dimension(self) -> int:
        return self._ready().dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Returns the same bits for the same text on one machine, whatever else is in the call."""
        loaded = self._ready()
        return one_by_one(texts, loaded.dimension, loaded.one)

    def _ready(self) -> _Loaded:
        with self._lock:
            if self._loaded is None:
                session = Session(self._title, self._model, EmbedderFailed, threads=self._threads)
                tokenizer = _open_tokenizer(self._title, self._tokens, self._max_tokens)
                self._loaded = _Loaded(self._title, session, tokenizer, self._pooling)
        return self._loaded

    def _fingerprint(self) -> str:
        digest = hashlib.sha256(f"{self._pooling} {self._max_tokens}".encode())
        # Weights may lie beside the model, in model.onnx_data.
        beside = sorted(self._model.parent.glob(f"{self._model.name}*"))
        try:
            for path in [*beside, self._tokens]:
                digest.update(hashlib.sha256(path.read_bytes()).digest())
        except OSError as error:
            raise EmbedderFailed(
                self._title, f"{error}", "Check the folder and its permissions."
            ) from error
        return digest.hexdigest()


class _Loaded:
    """A session with its tokenizer. Its dimension is found out by trying."""

    def __init__(self, title: str, session: Session, tokenizer: Any, pooling: str) -> None:
        self._title, self._session = title, session
        self._tokenizer, self._pooling = tokenizer, pooling
        pooled = "sentence_embedding"  # some exports pool by themselves
        self._output = pooled if pooled in session.outputs else session.outputs[0]
        self.dimension = len(self.one("size"))

    def one(self, text: str) -> Vectors:
        encoded = self._tokenizer.encode(text)
        ids = np.array([encoded.ids], dtype=np.int64)
        known = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        unknown = set(self._session.inputs) - set(known)
        if unknown:
            step = "Export it for feature extraction, with token inputs only."
            raise EmbedderFailed(
                self._title, f"the model asks for {', '.join(sorted(unknown))}", step
            )
        answer = self._session.run(
            self._output, {name: known[name] for name in self._session.inputs}
        )[0]
        if answer.ndim == 1:
            answer = answer[np.newaxis]
        vector: Vectors = answer[0] if self._pooling == "cls" else answer.mean(axis=0)
        return vector


def open_folder(folder: Path, *, threads: int = 1) -> OnnxEmbedder:
    """Opens the embedder of a folder; raises InvalidInput if a file is missing or not supported."""
    model = next((folder / name for name in MODEL_FILES if (folder / name).is_file()), None)
    if model is None or not (folder / "tokenizer.json").is_file():
        wanted = f"{' or '.join(MODEL_FILES)}, and tokenizer.json"
        raise InvalidInput(
            "embedder",
            f"{folder} needs {wanted}. Export a model with optimum or name another folder.",
        )
    modules = _settings(folder / "modules.json")
    kinds = {
        str(one.get("type", "")).rpartition(".")[2] for one in modules if isinstance(one, dict)
    }
    if not kinds <= KNOWN_MODULES:
        other = ", ".join(sorted(kinds - KNOWN_MODULES))
        raise InvalidInput(
            "embedder",
            f"{folder} has the module {other}, which is not supported. Use a model without.",
        )
    return OnnxEmbedder(
        model,
        folder / "tokenizer.json",
        name=f"onnx:{folder.resolve().name}",
        max_tokens=_longest(folder),
        pooling=_read_pooling(folder),
        threads=threads,
    )


def _read_pooling(folder: Path) -> str:
    settings = _settings(folder / "1_Pooling" / "config.json") or {}
    if "pooling_mode" in settings:  # the newer form names it
        chosen = [str(settings["pooling_mode"])]
    else:
        chosen = [
            POOLINGS.get(key, key)
            for key, on in settings.items()
            if key.startswith("pooling_mode_") and on
        ]
    if len(chosen) > 1 or not set(chosen) <= set(POOLINGS.values()):
        known = " or ".join(POOLINGS.values())
        raise InvalidInput(
            "embedder",
            f"{folder} pools by {', '.join(chosen)}; known is {known}. Use another model.",
        )
    return chosen[0] if chosen else "mean"


def _longest(folder: Path) -> int:
    said = [
        (_settings(folder / "sentence_bert_config.json") or {}).get("max_seq_length"),
        (_settings(folder / "tokenizer_config.json") or {}).get("model_max_length"),
    ]
    return next(
        (size for size in said if isinstance(size, int) and 2 < size < NO_LIMIT), MOST_TOKENS
    )


def _settings(path: Path) -> Any:
    """Returns what a JSON file holds; an empty list if there is none."""
    if not path.is_file():
        return []
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InvalidInput(
            "embedder", f"{path} is not JSON. Copy the model's folder again."
        ) from error


def _open_tokenizer(title: str, path: Path, longest: int) -> Any:
    tokenizers = import_optional(title, "tokenizers", EmbedderFailed)
    try:
        # Not from_str, which raises a bare Exception.
        tokenizer = tokenizers.Tokenizer.from_buffer(path.read_bytes())
    except (OSError, ValueError) as error:
        raise EmbedderFailed(
            title, f"{path} is not a tokenizer ({error})", "Copy the model's folder again."
        ) from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(longest)
    return tokenizer
