"""Requests to a server: a connection a thread, kept while it is in use."""

from __future__ import annotations

import gzip
import http.client
import json
import random
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlsplit

from glymph import errors
from glymph.errors import InvalidInput, ServerAway
from glymph.text.secrets import mask_url
from glymph.wire.coding import revive_error

SECONDS = 120.0  # that a call may take
IDLE = 3.0  # after which a connection is made anew: the server closes its end after five
PAUSES = (0.1, 0.5, 2.5)  # seconds before a request whose answer was lost is sent again
LOST = (502, 503, 504)  # statuses of who could not reach the server, or of one that was too busy
# Errors that may be over a moment later.
PASSING = ("StoreBusy", "StoreAway", "StoreError", "PartsAway")
SPACE, ACTOR = "Glymph-Space", "Glymph-Actor"


class ServerLine:
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
        self._kept, self._lock = threading.local(), threading.Lock()
        self._every: set[http.client.HTTPConnection] = set()

    def ask(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, *,
        key: str | None = None, pauses: Sequence[float] | None = None,
    ) -> Any:  # fmt: skip
        """Returns the answer's data, or raises the error it tells of.

        A request whose answer was lost is sent again after each of the pauses. With a key, which
        one that changes something needs, the server applies it once. What is refused is not sent
        again.
        """
        data = None if body is None else json.dumps(body).encode()
        headers = self._headers | ({"Idempotency-Key": key} if key else {})
        for pause in (*(PAUSES if pauses is None else pauses), None):
            try:
                status, answer = self._exchange(method, self._base + path, data, headers)
                problem = f"status {status}"
                if not _is_lost(status, answer):
                    break
            except (OSError, http.client.HTTPException) as error:
                self._drop()
                status, answer, problem = 0, None, str(error) or type(error).__name__
            if pause is not None:
                time.sleep(pause * random.uniform(0.5, 1.0))
        if 0 < status < 400:
            return answer
        told = answer if isinstance(answer, dict) else {}
        if not status or (status in LOST and "title" not in told):
            raise ServerAway(mask_url(self.url), problem)
        detail = told.get("detail") or f"The server answered with status {status}."
        raise revive_error(str(told.get("title", status)), str(detail), told.get("facts") or {})

    def _exchange(
        self, method: str, path: str, data: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, Any]:
        connection = self._connect()
        connection.request(method, path, data, dict(headers))
        answer = connection.getresponse()
        body = answer.read()
        self._kept.used = time.monotonic()
        if answer.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        try:
            return answer.status, json.loads(body) if body else None
        except ValueError as error:
            if answer.status >= 400:  # a proxy's own words
                return answer.status, None
            raise http.client.HTTPException("the answer is no JSON") from error

    def _connect(self) -> http.client.HTTPConnection:
        kept: http.client.HTTPConnection | None = getattr(self._kept, "connection", None)
        if kept is not None and time.monotonic() - self._kept.used < IDLE:
            return kept
        self._drop()
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        made: http.client.HTTPConnection = kind(self._host, self._port, timeout=SECONDS)
        self._kept.connection, self._kept.used = made, time.monotonic()
        with self._lock:
            self._every.add(made)
        return made

    def _drop(self) -> None:
        """Closes this thread's connection; another request makes one anew."""
        kept = getattr(self._kept, "connection", None)
        if kept is not None:
            kept.close()
            self._kept.connection = None
            with self._lock:
                self._every.discard(kept)

    def close(self) -> None:
        """Closes the connections of all threads; another call makes one anew."""
        self._drop()
        with self._lock:
            others, self._every = self._every, set()
        for one in others:
            one.close()


def _is_lost(status: int, answer: Any) -> bool:
    """Tells whether a request may be answered otherwise when it is sent again a moment later."""
    if status not in LOST:
        return False
    title = answer.get("title") if isinstance(answer, dict) else None
    return title in PASSING or not hasattr(errors, str(title))


def _is_here(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")
