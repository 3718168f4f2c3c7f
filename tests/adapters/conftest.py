"""Handles for the adapters, and a server that speaks a provider's wire format from a script."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class Scripted:
    """A local HTTP server: answers each POST with the next reply, and keeps what it was sent."""

    def __init__(self, *replies):
        self.asked = []
        script = iter(replies)
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                asked.append(json.loads(body))
                told = json.dumps(next(script)).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(told)))
                self.end_headers()
                self.wfile.write(told)

            def log_message(self, *_):
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(
            target=self.server.serve_forever, kwargs={"poll_interval": 0.01}
        )
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def scripted():
    made = []

    def make(*replies):
        made.append(Scripted(*replies))
        return made[-1]

    yield make
    for one in made:
        one.close()
