"""Requests to a server: a connection a thread, kept while it is in use."""

from __future__ import annotations

import gzip
import http.client
import json
import threading
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from glymph.errors import InvalidInput, ServerAway
from glymph.text.secrets import mask_url
from glymph.wire.coding import revive_error

SECONDS = 120.0  # that a call may take
IDLE = 3.0  # after which a connection is made anew: the server closes its end after five
SPACE, ACTOR = "Glymph-Space", "Glymph-Actor"


class Line:
    """The way to a server, for one space and actor."""

    def __init__(self, url: str, *, token: str | None, space: str, actor: str | None) -> None:
        parts = urlsplit(url)
        if not parts.hostname or parts.query or parts.fragment or parts.username:
            shown = mask_url(url)
            raise InvalidInput("url", f"{shown!r} is no address of a server: http://HOST:PORT.")
        if parts.scheme == "http" and token and not _is_here(parts.hostname):
            raise InvalidInput(
                "url", f"a token would go to {parts.hostname} in the clear. Use https://, which a "
                "proxy in front of the server speaks.",
            )  # fmt: skip
        self.url = url.rstrip("/")
        self._secure, self._host, self._port = parts.scheme == "https", parts.hostname, parts.port
        self._base = parts.path.rstrip("/")
        self._headers = {
            "Content-Type": "application/json", "Accept": "application/json",
            "Accept-Encoding": "gzip", SPACE: quote(space, safe=""),
            **({ACTOR: actor} if actor else {}),
            **({"Authorization": f"Bearer {token}"} if token else {}),
        }  # fmt: skip
        self._kept = threading.local()

    def ask(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, *, again: bool = True
    ) -> Any:
        """Returns the answer's data, or raises the error it tells of.

        `again` says that a request which met a closed connection may be sent a second time.
        """
        data = None if body is None else json.dumps(body).encode()
        for last in (not again, True):
            try:
                status, answer = self._exchange(method, self._base + path, data)
                break
            except (OSError, http.client.HTTPException) as error:
                self.close()
                if last or isinstance(error, TimeoutError):
                    problem = str(error) or type(error).__name__
                    raise ServerAway(mask_url(self.url), problem) from error
        if status < 400:
            return answer
        told = answer if isinstance(answer, dict) else {}
        detail = told.get("detail") or f"The server answered with status {status}."
        raise revive_error(str(told.get("title")), str(detail), told.get("facts") or {})

    def _exchange(self, method: str, path: str, data: bytes | None) -> tuple[int, Any]:
        connection = self._connect()
        connection.request(method, path, data, self._headers)
        answer = connection.getresponse()
        body = answer.read()
        self._kept.used = time.monotonic()
        if answer.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        try:
            return answer.status, json.loads(body) if body else None
        except ValueError as error:
            raise http.client.HTTPException("the answer is no JSON") from error

    def _connect(self) -> http.client.HTTPConnection:
        kept: http.client.HTTPConnection | None = getattr(self._kept, "connection", None)
        if kept is not None and time.monotonic() - self._kept.used < IDLE:
            return kept
        self.close()
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        self._kept.connection = kind(self._host, self._port, timeout=SECONDS)
        self._kept.used = time.monotonic()
        made: http.client.HTTPConnection = self._kept.connection
        return made

    def close(self) -> None:
        """Closes this thread's connection; another call makes one anew."""
        kept = getattr(self._kept, "connection", None)
        if kept is not None:
            kept.close()
            self._kept.connection = None


def _is_here(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")
