"""Finds the weights, which have a package of their own, and checks that they are ours."""

from __future__ import annotations

import hashlib
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from glymph.errors import ReaderFailed

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
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise ReaderFailed(
            name, f"the package {PACKAGE} with its weights is not installed", INSTALL
        )
    return Path(found.origin).parent


def read_checked(name: str, folder: Path, files: dict[str, str]) -> dict[str, bytes]:
    """Reads the files; raises ReaderFailed if one is missing or not the known one."""
    found: dict[str, bytes] = {}
    for file, sha256 in files.items():
        try:
            found[file] = (folder / file).read_bytes()
        except OSError as error:
            raise ReaderFailed(name, f"its weights cannot be read ({error})", AGAIN) from error
        if hashlib.sha256(found[file]).hexdigest() != sha256:
            problem = f"{folder / file} is not the known file: its sha256 is another"
            raise ReaderFailed(name, problem, AGAIN)
    return found
