"""A proxy that lets requests through to a server and loses answers on their way back."""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

RESET = struct.pack("ii", 1, 0)  # a connection that is closed so is reset
AWAY = b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\nAway"


@dataclass
class Proxy:
    """How the next answers to calls are lost: by a `reset`, as a 502 (`away`), or `never` sent."""

    url: str
    losses: list[str] = field(default_factory=list)
    handled: list[bytes] = field(default_factory=list)  # calls that reached the server


@contextmanager
def losing_answers(url):
    target = urlsplit(url)
    listening = socket.create_server(("127.0.0.1", 0))
    proxy = Proxy(f"http://127.0.0.1:{listening.getsockname()[1]}")
    ended = threading.Event()

    def accept():
        while True:
            try:
                client, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=carry, args=(client,), daemon=True).start()

    def carry(client):
        server = socket.create_connection((target.hostname, target.port))
        with client, server:
            while (request := _read(client)) and (answer := _ask(server, request)):
                if request.startswith(b"POST /v1/call/"):
                    proxy.handled.append(request)
                    how = proxy.losses.pop(0) if proxy.losses else ""
                    if how == "reset":
                        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                        return
                    if how == "never":
                        ended.wait(30)
                        return
                    answer = AWAY if how == "away" else answer
                client.sendall(answer)

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield proxy
    finally:
        ended.set()
        listening.close()


def _ask(server, request):
    server.sendall(request)
    return _read(server)


def _read(line):
    """One message with its whole body; nothing if the other side is gone."""
    data = b""
    try:
        while b"\r\n\r\n" not in data:
            data += (some := line.recv(65536))
            if not some:
                return b""
        head, _, body = data.partition(b"\r\n\r\n")
        [length] = [
            int(one.partition(b":")[2])
            for one in head.split(b"\r\n")
            if one.lower().startswith(b"content-length:")
        ] or [0]
        while len(body) < length:
            body += line.recv(65536)
    except OSError:
        return b""
    return head + b"\r\n\r\n" + body
