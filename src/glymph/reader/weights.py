"""Finds the weights, which have a package of their own, and checks that they are ours."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from glymph.errors import ReaderFailed
from glymph.inference import find_weights, read_checked

PACKAGE = "glymph_reader"
NEEDS = (PACKAGE, "onnxruntime", "tokenizers")
RECORD = Path(__file__).parent / "data" / "weights.json"
INSTALL = "Run `pip install 'glymph[reader]'`."
AGAIN = "Run `pip install --force-reinstall --no-deps glymph-reader`."


def explain_absence() -> str:
    """Says which parts of the local reader are not installed and how to get them; or nothing."""
    missing = ", ".join(part for part in NEEDS if find_spec(part) is None)
    return f"No local reader: {missing} not installed. {INSTALL}" if missing else ""


def load_record() -> dict[str, Any]:
    """Reads which weights are known: their name, and the sha256 of each file."""
    record: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return record


def find_folder(name: str) -> Path:
    """Returns the folder of the installed weights; raises ReaderFailed where there is none."""
    return find_weights(name, PACKAGE, ReaderFailed, INSTALL)


def read_file(name: str, path: Path, sha256: str) -> bytes:
    """Reads a file of the weights; raises ReaderFailed if it is missing or not the known one."""
    return read_checked(name, path, sha256, ReaderFailed, AGAIN)
