"""A service on this machine that misbehaves by script."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain, repeat


def says(body, status=200, **headers):
    """A step that answers with a body: bytes, or anything JSON can say."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()

    def step(handler):
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(raw)))
        handler.end_headers()
        handler.wfile.write(raw)

    return step


def refuses(status, body=b"", **headers):
    return says(body, status, **headers)


def raw(*lines):
    """A step that sends bytes as they are and hangs up."""

    def step(handler):
        handler.wfile.write(b"".join(lines))
        handler.close_connection = True

    return step


def hangs_up(handler):
    handler.close_connection = True


def drips(start):
    """A step that sends a start and then a space now and then, for ever."""

    def step(handler):
        handler.wfile.write(start)
        while not handler.server.over.wait(0.01):
            handler.wfile.write(b" ")

    return step


def stalls(handler):
    """A step that never answers."""
    handler.server.over.wait()


@contextmanager
def service(*script, then=None):
    """The address of a scripted service, and the requests it has had.

    It answers by the script and then by `then`.
    """
    steps, requests = chain(script, repeat(then) if then else ()), []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append({"path": self.path, "headers": dict(self.headers), "body": body})
            step = next(steps, None)
            assert step is not None, "the script has no answer for one more request"
            step(self)

        def do_CONNECT(self):
            requests.append({"path": self.path, "headers": dict(self.headers)})
            self.send_error(403)

        def log_message(self, *_):
            """Quiet."""

        def handle_one_request(self):
            try:
                super().handle_one_request()
            except (OSError, ValueError):  # the caller has gone
                self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.over = threading.Event()
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", requests
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()
        thread.join()
