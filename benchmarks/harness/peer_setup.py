"""Environments of the programs that Glymph is measured beside: each its own, under .cache/peers.

python -m benchmarks.harness.peer_setup [NAME …]    makes those that are missing

What cannot be installed is said and left out; the benchmark then measures the others.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness.keeping import REPOSITORY

FOLDER = REPOSITORY / ".cache" / "peers"
CANDIDATES = ("python3", "python3.14", "python3.13", "python3.12", "python3.11", "/usr/bin/python3")
SUITABLE = """
import sqlite3, sys
extensions = hasattr(sqlite3.connect(":memory:"), "enable_load_extension")
sys.exit(sys.version_info < (3, 11) or (sys.argv[1] == "extensions" and not extensions))
"""


@dataclass(frozen=True, slots=True)
class Peer:
    """One program: what people call it, and what is installed for it."""

    title: str
    module: str  # that tells whether it is installed
    distribution: str  # whose version is printed
    requirements: Sequence[str] = ()
    npm: str | None = None
    extensions: bool = False  # needs a Python whose sqlite3 loads extensions; not every one does


PEERS = {
    "glymph": Peer("Glymph", "glymph", "glymph"),
    "langgraph": Peer(
        "LangGraph SqliteStore", "langgraph.store.sqlite", "langgraph-checkpoint-sqlite",
        ("langgraph-checkpoint-sqlite==3.1.2", "numpy>=2"), extensions=True,
    ),
    "chroma": Peer("chromadb", "chromadb", "chromadb", ("chromadb==1.5.9", "numpy>=2")),
    "mem0": Peer("mem0 with qdrant", "mem0", "mem0ai", ("mem0ai==2.2.1", "numpy>=2")),
    # Later ones ask for a certifi that not every package index has yet.
    "mcp_memory": Peer(
        "mcp-memory-service", "mcp_memory_service", "mcp-memory-service",
        ("mcp-memory-service==12.2.0", "numpy>=2"), extensions=True,
    ),
    "mnemosyne": Peer(
        "mnemosyne", "mnemosyne", "mnemosyne-memory",
        ("mnemosyne-memory==3.15.1", "sqlite-vec==0.1.9", "numpy>=2"), extensions=True,
    ),
    "server_memory": Peer(
        "MCP server-memory", "", "", npm="@modelcontextprotocol/server-memory@2026.8.31"
    ),
}  # fmt: skip


def find_python(name: str) -> str | None:
    """The interpreter that runs a peer: of its own environment, or this one if it has the peer."""
    peer, own = PEERS[name], FOLDER / name / "bin" / "python"
    if peer.npm:
        return sys.executable if find_server(name).exists() and shutil.which("node") else None
    if own.exists():
        return str(own)
    try:
        here = importlib.util.find_spec(peer.module) is not None
    except ModuleNotFoundError:
        here = False
    return sys.executable if here and _suits(sys.executable, peer) else None


def find_server(name: str) -> Path:
    """The program of a peer that comes from npm."""
    package = (PEERS[name].npm or "").rpartition("@")[0]
    return FOLDER / name / "node_modules" / package / "dist" / "index.js"


def _suits(python: str, peer: Peer) -> bool:
    wanted = "extensions" if peer.extensions else "any"
    done = subprocess.run([python, "-c", SUITABLE, wanted], capture_output=True, check=False)
    return done.returncode == 0


def set_up(name: str) -> str | None:
    """Installs one peer; None, or why that did not work."""
    peer, place = PEERS[name], FOLDER / name
    if peer.npm:
        if not shutil.which("npm"):
            return "there is no npm"
        place.mkdir(parents=True, exist_ok=True)
        return _try("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(place), peer.npm)  # fmt: skip
    found = [path for each in CANDIDATES if (path := shutil.which(each)) and _suits(path, peer)]
    if not found:
        return "no Python on the path has an sqlite3 module that loads extensions"
    return _try(found[0], "-m", "venv", str(place)) or _try(
        str(place / "bin" / "python"), "-m", "pip", "install", "--quiet",
        "--disable-pip-version-check", *peer.requirements,
    )  # fmt: skip


def _try(*command: str) -> str | None:
    """Runs a command; the last line of its complaint if it fails."""
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": ""}
    )
    if done.returncode == 0:
        return None
    return (done.stderr.strip().splitlines() or [f"{command[0]} ended with {done.returncode}"])[-1]


def main() -> int:
    for name in sys.argv[1:] or [each for each in PEERS if each != "glymph"]:
        if find_python(name) is None or name in sys.argv[1:]:
            print(f"{PEERS[name].title}: installing …", flush=True)
            print(f"{PEERS[name].title}: {set_up(name) or 'ready'}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
