"""A line to a server that fails on purpose: a proxy on this machine with one planned fault.

It hands on what comes from either side, counts the pieces, and at the planned one cuts the line,
before or after handing it on or in the middle of it, or lets it wait.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from dataclasses import dataclass
from typing import Literal, Self
from urllib.parse import urlsplit, urlunsplit

Kind = Literal["cut", "cut_after", "truncate", "delay"]
KINDS: tuple[Kind, ...] = ("cut", "cut_after", "truncate", "delay")
PIECE = 1 << 16
DELAY_S = 0.3


@dataclass(frozen=True, slots=True)
class LineFault:
    """What happens to which piece, counted from 1 over both directions and all lines."""

    kind: Kind
    at: int


class FaultyLine:
    """A proxy before the server of a URL, as long as its context lasts."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._server = (parts.hostname or "127.0.0.1", parts.port or 5432)
        self._door = socket.create_server(("127.0.0.1", 0))
        user = f"{parts.username}@" if parts.username else ""
        place = f"{user}127.0.0.1:{self._door.getsockname()[1]}"
        self.url = urlunsplit(parts._replace(netloc=place))
        self.pieces = 0
        self._fault: LineFault | None = None
        self._turn = threading.Lock()
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)  # wakes who waits for a caller
        self._door.close()
        with self._turn:
            lines = list(self._open)
        for line in lines:
            _hang_up(line)
        for thread in self._threads:
            thread.join(10)

    def plan(self, fault: LineFault) -> None:
        """Lets that fault happen from now on, once."""
        with self._turn:
            self.pieces, self._fault = 0, fault

    def cure(self) -> None:
        with self._turn:
            self._fault = None

    def _start(self, target: object, *arguments: object) -> None:
        thread = threading.Thread(target=target, args=arguments, daemon=True)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                caller, _ = self._door.accept()
            except OSError:  # the door is closed
                return
            server = socket.create_connection(self._server)
            for line in (caller, server):
                line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._turn:
                self._open |= {caller, server}
            self._start(self._carry, caller, server)
            self._start(self._carry, server, caller)

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while piece := source.recv(PIECE):
                if not self._hand_on(piece, target):
                    break
        except OSError:  # either side has hung up
            pass
        for line in (source, target):
            _hang_up(line)
        with self._turn:
            self._open -= {source, target}

    def _hand_on(self, piece: bytes, target: socket.socket) -> bool:
        """Passes a piece on; False if the line is cut there."""
        with self._turn:
            self.pieces += 1
            planned = self._fault
            kind = planned.kind if planned and planned.at == self.pieces else None
        if kind == "cut":
            return False
        if kind == "delay":
            time.sleep(DELAY_S)
        target.sendall(piece[: len(piece) // 2] if kind == "truncate" else piece)
        return kind not in ("cut_after", "truncate")


def _hang_up(line: socket.socket) -> None:
    with contextlib.suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)
    line.close()
