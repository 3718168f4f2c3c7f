"""Counts the round trips of clients to a PostgreSQL, between the two.

A client waits for the server where it sends a query of the simple protocol, a sync or a flush: that
is a round trip. Messages of a pipeline that wait for nothing are none. The counter is a relay that
any number of connections go through; it can hold each of them up, as a network would.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit, urlunsplit

WAITED_FOR = frozenset(b"QSH")  # query, sync, flush
_HEAD = 5  # bytes of a message before its body: its type and its length
_PLAIN = "sslmode=disable&gssencmode=disable"  # what is encrypted cannot be counted


class RoundTrips:
    """A relay on a port of this machine; `url` leads through it to the server."""

    def __init__(self, url: str, *, delay_s: float = 0.0) -> None:
        parts = urlsplit(url)
        self._target = (parts.hostname or "127.0.0.1", parts.port or 5432)
        self._delay_s = delay_s
        self._lock = threading.Lock()
        self._total = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = [self._listener]
        user = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
        place = f"{user}127.0.0.1:{self._listener.getsockname()[1]}"
        query = f"{parts.query}&{_PLAIN}" if parts.query else _PLAIN
        self.url = urlunsplit(parts._replace(netloc=place, query=query))
        threading.Thread(target=self._accept, name="round-trips", daemon=True).start()

    @property
    def total(self) -> int:
        """The round trips of all connections so far."""
        with self._lock:
            return self._total

    def of(self, call: Callable[[], Any]) -> int:
        """Returns the round trips that a call takes, if nothing else goes on meanwhile."""
        before = self.total
        call()
        return self.total - before

    def close(self) -> None:
        with self._lock:
            for one in self._open:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
                one.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._target)
                with self._lock:
                    self._open += [client, server]
                for one in (client, server):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for relay, pair in ((self._ask, (client, server)), (_answer, (server, client))):
                    threading.Thread(target=relay, args=pair, daemon=True).start()

    def _ask(self, client: socket.socket, server: socket.socket) -> None:
        """Carries messages to the server, and counts those after which the client waits."""
        counts = Messages()
        for piece in _pieces(client, server):
            waits = counts.feed(piece)
            with self._lock:
                self._total += waits
            if waits and self._delay_s:
                time.sleep(self._delay_s)
            _pass_on(server, piece)


class Messages:
    """Finds the messages of a client in its bytes, however these are cut."""

    def __init__(self) -> None:
        self._rest = b""
        self._started = False  # the first message has no type

    def feed(self, piece: bytes) -> int:
        """Returns how many of the messages that end here are waited for."""
        self._rest += piece
        waits = at = 0
        while len(self._rest) - at >= _HEAD:
            head = 1 if self._started else 0
            end = at + head + int.from_bytes(self._rest[at + head : at + head + 4], "big")
            if end > len(self._rest):
                break
            waits += self._started and self._rest[at] in WAITED_FOR
            self._started, at = True, end
        self._rest = self._rest[at:]
        return waits


def _answer(server: socket.socket, client: socket.socket) -> None:
    for piece in _pieces(server, client):
        _pass_on(client, piece)


def _pass_on(target: socket.socket, piece: bytes) -> None:
    with contextlib.suppress(OSError):  # it went away
        target.sendall(piece)


def _pieces(source: socket.socket, target: socket.socket) -> Iterator[bytes]:
    """Yields what comes from one side; when that ends, the other is told."""
    with contextlib.suppress(OSError):  # either side went away
        while piece := source.recv(1 << 16):
            yield piece
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def round_trips(url: str, *, delay_s: float = 0.0) -> Iterator[RoundTrips]:
    """Opens a counting way to the server of a URL."""
    counter = RoundTrips(url, delay_s=delay_s)
    try:
        yield counter
    finally:
        counter.close()
