"""Texts of the demo as TOML files, and how they are read."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def read_data(name: str) -> dict[str, Any]:
    """Returns what a file of this folder holds."""
    return tomllib.loads(files(__name__).joinpath(f"{name}.toml").read_text(encoding="utf-8"))
