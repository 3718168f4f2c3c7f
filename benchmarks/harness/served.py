"""A `glymph serve` process, and bare requests to it over connections that are kept."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ENOUGH = 60.0  # seconds
PROGRAM = ("-m", "glymph.cli.main")


@dataclass(frozen=True, slots=True)
class ServedProcess:
    """A server and where it listens."""

    process: subprocess.Popen[str]
    port: int

    def connect(self) -> Requests:
        return Requests(self.port)

    def resident_mb(self) -> float:
        """Tell the memory in use; 0 where the system does not tell."""
        try:
            pages = Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii").split()[1]
        except OSError:
            return 0.0
        return int(pages) * os.sysconf("SC_PAGESIZE") / 2**20


class Requests:
    """One connection of a client."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=ENOUGH)

    def post(
        self, path: str, body: Mapping[str, Any], headers: Mapping[str, str] | None = None
    ) -> tuple[int, Any]:
        """Send JSON; return the status and the data of the answer."""
        given = {"Content-Type": "application/json", **(headers or {})}
        self._connection.request("POST", path, json.dumps(body), given)
        answer = self._connection.getresponse()
        return answer.status, json.loads(answer.read())

    def close(self) -> None:
        self._connection.close()


@contextmanager
def served_process(
    url: str, home: Path, *options: str, program: Sequence[str] = PROGRAM
) -> Iterator[ServedProcess]:
    """Start a server that listens on a free port; kill it in the end if it still runs."""
    environment = os.environ | {
        "HOME": str(home), "GLYMPH_EMBEDDER": "none", "GLYMPH_READER": "none", "GLYMPH_TOKEN": "",
    }  # fmt: skip
    command = [
        sys.executable, *program, "serve", "--at", "127.0.0.1:0", "--url", url,
        "--no-token", "--rate", "0", *options,
    ]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stderr is not None
    said: list[str] = []
    try:
        for line in process.stderr:
            said.append(line)
            if found := re.search(r"listening on http://\S+:(\d+)", line):
                break
        else:
            raise RuntimeError("".join(said))
        reader = threading.Thread(target=_drain, args=(process,), daemon=True)
        reader.start()
        yield ServedProcess(process, int(found[1]))
    finally:
        process.kill()
        process.wait(ENOUGH)
        process.stderr.close()


def _drain(process: subprocess.Popen[str]) -> None:
    """Read the log, so that the server never waits for a reader."""
    with suppress(ValueError):  # closed meanwhile
        for _ in process.stderr or ():
            continue
