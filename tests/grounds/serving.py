"""A service in this process, on a port of its own, for clients that really connect."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass

import httpx2
import uvicorn

from glymph.mcp.http import Door, configure
from glymph.mcp.spaces import Handles
from glymph.service.access import ALL_SPACES, Access, Role
from glymph.service.app import serve_all
from glymph.service.limits import Limits
from glymph.service.serving import OpenGate, Service
from glymph.service.tokens import TokenGate, create

ENOUGH = 30.0
SECRET = "the-operators-own-secret-0123456789"


@dataclass(frozen=True)
class Served:
    url: str
    service: Service

    def client(self, token=None, **headers):
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            given["Authorization"] = f"Bearer {token}"
        return httpx2.Client(base_url=self.url, headers=given, timeout=ENOUGH)


def open_gate(*spaces, role=Role.ADMIN):
    return OpenGate(Access("operator", "user", spaces or (ALL_SPACES,), role))


def token_gate(glymph, **options):
    return TokenGate(
        glymph.context.store, glymph.context.now, secret=SECRET,
        operator=Access("operator", "user", (ALL_SPACES,), Role.ADMIN), **options,
    )  # fmt: skip


def make_token(glymph, name, *spaces, role="write", **options):
    """The secret of a new token."""
    store, now = glymph.context.store, glymph.context.now()
    return create(store, name, spaces=spaces or ("default",), role=role, now=now, **options)[0]


@contextmanager
def serving(glymph, gate=None, *, url=None, limits=None, names=()):
    """A service that listens."""
    door = Door("127.0.0.1", 0, names=tuple(names))
    service = Service(
        Handles(glymph, url=url or glymph.url), gate or open_gate(), limits or Limits(per_second=0)
    )
    listening = door.open()
    server = uvicorn.Server(configure(serve_all(service, door, "full")))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        until = time.monotonic() + ENOUGH
        while not server.started and time.monotonic() < until:
            time.sleep(0.005)
        yield Served(f"http://127.0.0.1:{listening.getsockname()[1]}", service)
    finally:
        service.stopping.set()
        server.should_exit = True
        thread.join(ENOUGH)
        listening.close()
