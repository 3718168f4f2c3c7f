"""What a cold start costs.

Measured on the command line's help, on a program that opens a store and searches once, and on the
first answer of the MCP server over stdio.
"""

from __future__ import annotations

import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from benchmarks.harness.clocks import command_cpu, running_cpu
from benchmarks.harness.contract import Figure, Figures, Options, Unavailable
from benchmarks.harness.corpus import Corpus
from glymph import Glymph

QUESTION = "How much CPU does a cold start cost: command, first search, first answer over MCP?"

REPEATS = 7
MEMORIES = 10_000  # of the store that is searched
PATIENCE_S = 120.0
PROTOCOL = "2025-11-25"
IMPORT_LIBRARIES = "import numpy, apsw"
SEARCH_ONCE = """
import sys
from glymph import Glymph
with Glymph.open(sys.argv[1], embedder="none", reader="none", create=False) as memory:
    memory.search(sys.argv[2])
"""
IMPORT_SDK = "import mcp, mcp.server.lowlevel, mcp.server.stdio"


def run(options: Options) -> Figures:
    """Medians of CPU seconds, user and system together, of processes started afresh."""
    glymph = _console_script()
    if importlib.util.find_spec("mcp") is None:
        raise Unavailable("needs the MCP SDK. Install it with `pip install 'glymph[mcp]'`.")
    repeats = options.count(REPEATS)
    python = _median(repeats, lambda: command_cpu([sys.executable, "-c", "pass"]))
    cli = _median(repeats, lambda: command_cpu([glymph, "--help"]))
    libraries = _median(repeats, lambda: command_cpu([sys.executable, "-c", IMPORT_LIBRARIES]))
    sdk = _median(repeats, lambda: command_cpu([sys.executable, "-c", IMPORT_SDK]))
    with tempfile.TemporaryDirectory(prefix="glymph-start-") as folder:
        command = [glymph, "mcp", "--url", f"sqlite:///{Path(folder) / 'memory.db'}"]
        answer = _median(repeats, lambda: _first_answer_cpu(command))
        search, memories = _first_search_cpu(Path(folder) / "full.db", options)
    return {
        "cli_help_cpu_s": Figure(cli, "glymph --help from start to end", limit=python),
        "python_cpu_s": Figure(
            python, "an interpreter that does nothing: the limit of the command"
        ),
        "search_cpu_s": Figure(
            search,
            f"open a store of {memories:,} memories, search once by words, end",
            at_most=0.5,
            limit=libraries,
        ),
        "search_import_cpu_s": Figure(
            libraries, "an interpreter that only imports numpy and apsw: the limit of the search"
        ),
        "mcp_over_import_cpu_s": Figure(
            answer - sdk, "first tool answer of `glymph mcp`, beyond importing the SDK", at_most=0.5
        ),
        "mcp_import_cpu_s": Figure(
            sdk, "an interpreter that only imports the SDK: the limit of the server"
        ),
        "mcp_first_answer_cpu_s": Figure(
            answer, "`glymph mcp` from start to its first tool answer", limit=sdk
        ),
    }


def _console_script() -> str:
    # Beside the interpreter of the environment, which may itself be a link into another place.
    script = Path(sys.executable).with_name("glymph")
    if not script.exists():
        raise Unavailable(
            f"needs the command {script}. Install the project with `pip install -e '.[mcp]'`."
        )
    return str(script)


def _median(repeats: int, measure: Callable[[], float]) -> float:
    """The median of several measurements after a first one.

    The first one warms the file cache and writes the bytecode.
    """
    measure()
    return statistics.median(measure() for _ in range(repeats))


def _first_search_cpu(file: Path, options: Options) -> tuple[float, int]:
    """CPU seconds of a process that searches a full store once, and how much the store holds."""
    texts = Corpus(options.seed).texts(options.count(MEMORIES, least=50) + 1)
    url = f"sqlite:///{file}"
    with Glymph.open(url, embedder="none", reader="none") as memory:
        memory.add_many(texts[:-1])
    command = [sys.executable, "-c", SEARCH_ONCE, url, " ".join(texts[-1].split()[:12])]
    return _median(options.count(REPEATS), lambda: command_cpu(command)), len(texts) - 1


def _first_answer_cpu(command: Sequence[str]) -> float:
    """CPU seconds an MCP server has spent when it has answered its first tool call."""
    with (
        tempfile.TemporaryFile("w+") as complaints,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaints, text=True
        ) as server,
    ):
        assert server.stdin is not None
        assert server.stdout is not None
        watchdog = threading.Timer(PATIENCE_S, server.kill)
        watchdog.start()
        try:
            _converse(server.stdin, server.stdout)
            spent = running_cpu(server.pid)
        except EOFError as error:
            complaints.seek(0)
            raise RuntimeError(
                f"{' '.join(command)} ended without an answer: {complaints.read()}"
            ) from error
        finally:
            watchdog.cancel()
            server.stdin.close()
    return spent


def _converse(to_server: IO[str], from_server: IO[str]) -> None:
    """Introduces itself and searches once, as a client does."""
    client = {"name": "glymph-benchmark", "version": "1"}
    hello = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client}
    _send(to_server, {"id": 1, "method": "initialize", "params": hello})
    _answer(from_server, 1)
    _send(to_server, {"method": "notifications/initialized"})
    search = {"name": "memory_recall", "arguments": {"query": "which editor does the user prefer"}}
    _send(to_server, {"id": 2, "method": "tools/call", "params": search})
    if _answer(from_server, 2).get("isError"):
        raise RuntimeError("the server answered memory_recall with an error")


def _send(to_server: IO[str], message: Mapping[str, Any]) -> None:
    to_server.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    to_server.flush()


def _answer(from_server: IO[str], number: int) -> Mapping[str, Any]:
    """The result of the request of that number; notifications in between are passed over."""
    for line in from_server:
        message = json.loads(line)
        if message.get("id") != number:
            continue
        if "error" in message:
            raise RuntimeError(f"the server refused request {number}: {message['error']}")
        result: Mapping[str, Any] = message["result"]
        return result
    raise EOFError
