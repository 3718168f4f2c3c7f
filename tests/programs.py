"""Programs of others that tests run: installed under .cache once, and skipped where they cannot be."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

CACHE = Path(__file__).parents[1] / ".cache"
# What a registry says that answered: the pinned version is not to be had, and the pin is our fault.
OUR_FAULT = ("E404", "ETARGET", "EINTEGRITY")
EXTENSIONS = "import sqlite3; sqlite3.connect(':memory:').enable_load_extension"


def find_npm_program(name: str, package: str, program: str) -> Path:
    """Returns a program of an npm package, installed in `.cache/name`; skips where that fails."""
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip(f"{package} needs node and npm, which are not on the path")
    home = CACHE / name
    if not (home / "node_modules").exists():
        quick = ("--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-retry-mintimeout=1000")
        _install(home, lambda place: ["npm", "install", "--prefix", place, *quick, package])
    return home / "node_modules" / ".bin" / program


def find_python_with(name: str, *packages: str) -> Path:
    """Returns a Python that has packages, and an SQLite that loads extensions, in `.cache/name`."""
    home = CACHE / name
    if not home.exists():
        python = _find_loading_python()
        quick = ("--quiet", "--disable-pip-version-check", "--no-deps", "--retries=1")
        _install(
            home,
            lambda place: [python, "-m", "venv", place],
            lambda place: [place / "bin" / "python", "-m", "pip", "install", *quick, *packages],
        )
    return home / "bin" / "python"


def _find_loading_python() -> str:
    candidates = (sys.executable, "/usr/bin/python3", "python3.13", "python3.12", "python3.11")
    for each in candidates:
        path = shutil.which(each)
        if path and subprocess.run([path, "-c", EXTENSIONS], capture_output=True).returncode == 0:
            return path
    pytest.skip("no Python here has an sqlite3 module that loads extensions")


def _install(home: Path, *commands: Callable[[Path], Sequence[str | Path]]) -> None:
    """Installs beside its place and moves in whole, so that two tests do not meet halfway."""
    beside = CACHE / f"{home.name}-{os.getpid()}"
    beside.mkdir(parents=True, exist_ok=True)
    clean = os.environ | {"PYTHONPATH": ""}
    for command in commands:
        done = subprocess.run(command(beside), capture_output=True, text=True, env=clean)
        if done.returncode == 0:
            continue
        shutil.rmtree(beside)
        assert not any(sign in done.stderr for sign in OUR_FAULT), done.stderr
        said = [line for line in done.stderr.splitlines() if "error" in line.lower()]
        pytest.skip(f"{home.name} cannot be installed here: {'; '.join(said[:2])}")
    try:
        beside.rename(home)
    except OSError:  # another process was first
        shutil.rmtree(beside)
