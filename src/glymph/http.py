"""One polite way to send JSON to a service and read its answer.

It serves embeddings and language models alike.

* A call ends within its `timeout`, counted over everything: finding the host, connecting, every
  attempt, every wait between them, and a body that comes in drop by drop. Once `cancel` is set it
  ends within a moment.
* A refusal that may pass (`PASSING`, or no connection) is tried again, after the wait the server
  asks for or a growing one with jitter; any other is raised at once, and so is one whose wait would
  not fit into the time left.
* What is paid for is sent `once`: if it went out whole and no answer came, it may have been
  processed, and is not sent again.
* The key goes to that address only: redirects are not followed, and it is cut from every message;
  `mask` takes out what else must not be told.
* Proxies of the environment are used as urllib uses them, but never for this machine.
"""

from __future__ import annotations

import base64
import ipaddress
import json
import math
import random
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPSConnection, IncompleteRead
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from glymph.errors import InvalidInput

ATTEMPTS = 4
FIRST_WAIT, LONGEST_WAIT = 0.5, 20.0  # seconds between attempts, before jitter
PASSING = {408, 429, 500, 502, 503, 504, 529}
MOST_BYTES = 64_000_000  # of one answer
TICK = 0.02  # seconds until a call notices that it was called off
NEXT_STEPS = {
    401: "Check the setting {setting}_key.",
    403: "Check the setting {setting}_key and what it may do.",
    404: "Check the setting {setting}_url and the name of the model.",
    429: "Wait, or ask the service for a higher limit; what is left undone is taken up later.",
}


class RemoteFailed(Exception):
    """No usable answer. `charged` says whether the service may count the call all the same."""

    def __init__(self, problem: str, next_step: str, *, charged: bool = False) -> None:
        super().__init__(problem)
        self.next_step, self.charged = next_step, charged


class Unreached(RemoteFailed):
    """There is no connection, or it broke."""


class Rejected(RemoteFailed):
    """The service said no. `said` is the start of how it put it."""

    def __init__(self, status: int, reason: str, said: str, next_step: str) -> None:
        super().__init__(f"{status} {reason} {said[:300]}".strip(), next_step)
        self.status, self.said = status, said


class Unusable(RemoteFailed):
    """The answer is too large or is no JSON."""


class TooLate(RemoteFailed):
    """The time is up."""


class CalledOff(RemoteFailed):
    """The caller wants no answer any more."""


_Way = tuple[
    HTTPConnection, str, dict[str, str]
]  # not connected yet; what to ask it for; the headers


@dataclass(slots=True)
class _Exchange:
    """One request and what came of it.

    It runs in a thread of its own, so that nothing can hold up the caller.
    """

    line: socket.socket | None = None
    sent: bool = False  # at least in part
    whole: bool = False  # sent to the end: it may have been processed
    status: int = 0
    reason: str = ""
    retry_after: str = ""
    body: bytes = b""
    error: Exception | None = None
    over: threading.Event = field(default_factory=threading.Event)

    def run(self, prepared: Callable[[], _Way], body: bytes, most: int) -> None:
        try:
            connection, target, headers = prepared()
            with closing(connection):
                connection.connect()
                self.line = connection.sock
                self.sent = True
                connection.request("POST", target, body, headers)
                self.whole = True
                with connection.getresponse() as response:
                    self.status, self.reason = response.status, response.reason
                    self.retry_after = response.headers.get("Retry-After", "")
                    self.body = response.read(most + 1)
                    if response.length and len(self.body) <= most:
                        raise IncompleteRead(self.body, response.length)
        except (OSError, HTTPException, ValueError) as error:
            self.error = error
        finally:
            self.over.set()

    def abandon(self) -> None:
        """Ends a read or write that is under way."""
        if self.line is not None:
            try:
                self.line.shutdown(socket.SHUT_RDWR)
            except OSError as error:
                self.error = error  # the line is down already


class Service:
    """An address that takes JSON.

    `setting` begins the names of the settings that messages point to.
    """

    def __init__(
        self, url: str, endpoint: str, *, setting: str, key: str = "",
        headers: Mapping[str, str] | None = None,
        most_bytes: int = MOST_BYTES, longest_wait: float = math.inf,  # that a server may ask for
        sleep: Callable[[float], None] | None = None, jitter: Callable[[], float] = random.random,
        mask: Callable[[str], str] = str,
    ) -> None:  # fmt: skip
        if not key.isascii() or not key.isprintable():
            raise InvalidInput(
                f"{setting}_key", "has a character no key has. Copy it again, as one line."
            )
        try:
            parts = urlsplit(url)
            name, port = parts.hostname, parts.port
        except ValueError:
            parts, name, port = urlsplit(""), None, None
        if parts.scheme not in ("http", "https") or not name:
            raise InvalidInput(
                f"{setting}_url", "is not an address. Write it like https://api.openai.com/v1."
            )
        self.host = (f"[{name}]" if ":" in name else name) + (f":{port}" if port else "")
        self.is_here = _is_here(name)
        self._secure, self._name = parts.scheme == "https", name
        self._port = port or (443 if self._secure else 80)
        path = parts.path.rstrip("/").removesuffix(endpoint) + endpoint
        self._target = f"{path}?{parts.query}" if parts.query else path
        self._setting, self._key, self._most_bytes, self._longest = (
            setting,
            key,
            most_bytes,
            longest_wait,
        )
        self._sleep, self._jitter, self._mask = sleep, jitter, mask
        self._headers = {
            "Content-Type": "application/json", "Accept": "application/json",
            "User-Agent": "glymph", "Connection": "close", **(headers or {}),
        }  # fmt: skip

    def hide(self, text: str) -> str:
        """Returns the text without the key and what else must not be told."""
        return self._mask(text.replace(self._key, "[key]") if self._key else text)

    def post(
        self,
        value: Any,
        *,
        timeout: float,
        cancel: threading.Event | None = None,
        once: bool = False,
    ) -> Any:
        """Returns the answer's JSON.

        Raises one of the kinds of RemoteFailed and nothing else.

        `once`: what may have been processed is not sent again.
        """
        deadline, cancel = time.monotonic() + timeout, cancel or threading.Event()
        body = json.dumps(value).encode()
        for attempt in range(ATTEMPTS):
            exchange = self._exchange(body, deadline, cancel)
            if exchange.error is None and 200 <= exchange.status < 300:
                return self._read(exchange.body)
            refusal = self._refusal(exchange)
            wait = self._wait(attempt, exchange)
            unheard = isinstance(refusal, Unreached) and not (once and exchange.whole)
            passing = unheard or exchange.status in PASSING
            if not passing or attempt == ATTEMPTS - 1 or wait >= deadline - time.monotonic():
                raise refusal
            (self._sleep or cancel.wait)(wait)
        raise AssertionError("the last attempt returns or raises")

    def _exchange(self, body: bytes, deadline: float, cancel: threading.Event) -> _Exchange:
        """One attempt, given up at the deadline or when it is called off."""
        exchange, left = _Exchange(), deadline - time.monotonic()
        if left > 0 and not cancel.is_set():
            # The line's own limit only ends what is left behind; it must not come before the
            # deadline.
            given = (partial(self._way, left + 1), body, self._most_bytes)
            threading.Thread(
                target=exchange.run, args=given, name="glymph-remote", daemon=True
            ).start()
        while not exchange.over.wait(max(0.0, min(TICK, deadline - time.monotonic()))):
            if cancel.is_set():
                exchange.abandon()
                raise CalledOff(
                    "the call was called off",
                    "Repeat it when there is time.",
                    charged=exchange.sent,
                )
            if time.monotonic() >= deadline:
                exchange.abandon()
                raise TooLate(
                    "the time is up", "Try again, or allow more time.", charged=exchange.sent
                )
        return exchange

    def _way(self, timeout: float) -> _Way:
        proxy = urlsplit("")
        if not self.is_here and not proxy_bypass(self._name):
            given = getproxies().get("https" if self._secure else "http", "")
            proxy = urlsplit(given if "//" in given else f"//{given}")
        kind = HTTPSConnection if self._secure else HTTPConnection
        secured: dict[str, Any] = {"context": ssl.create_default_context()} if self._secure else {}
        if not proxy.hostname:
            return (
                kind(self._name, self._port, timeout=timeout, **secured),
                self._target,
                self._headers,
            )
        user = (
            f"{unquote(proxy.username or '')}:{unquote(proxy.password or '')}"
            if proxy.username
            else ""
        )
        login = (
            {"Proxy-Authorization": f"Basic {base64.b64encode(user.encode()).decode()}"}
            if user
            else {}
        )
        connection = kind(proxy.hostname, proxy.port or 80, timeout=timeout, **secured)
        if self._secure:
            connection.set_tunnel(self._name, self._port, login)
            return connection, self._target, self._headers
        return connection, f"http://{self.host}{self._target}", self._headers | login

    def _read(self, body: bytes) -> Any:
        why = f"it is larger than {self._most_bytes:,} bytes"
        if len(body) <= self._most_bytes:
            try:
                return json.loads(body)
            except (ValueError, RecursionError):
                why = "it is not JSON"
        step = f"Check that the setting {self._setting}_url is the address of such a service."
        raise Unusable(f"the answer cannot be used ({why})", step, charged=True)

    def _refusal(self, exchange: _Exchange) -> Unreached | Rejected:
        if exchange.error is not None:
            why = self.hide(str(exchange.error) or type(exchange.error).__name__)[:300]
            step = f"Check the setting {self._setting}_url and the network."
            return Unreached(f"no answer from {self.host} ({why})", step, charged=exchange.whole)
        said = self.hide(" ".join(exchange.body[:100_000].decode("utf-8", "replace").split()))[
            :1000
        ]
        step = NEXT_STEPS.get(exchange.status, "Try again later, or ask who runs the service.")
        return Rejected(
            exchange.status, self.hide(exchange.reason), said, step.format(setting=self._setting)
        )

    def _wait(self, attempt: int, exchange: _Exchange) -> float:
        """Returns the seconds until the next attempt.

        That is as the server asks, else twice as long each time, half of it luck.
        """
        asked = _asked_wait(exchange.retry_after.strip())
        if asked is not None:
            return min(self._longest, max(asked, 0.0))
        return min(LONGEST_WAIT, FIRST_WAIT * 2.0**attempt) * (1 - self._jitter() / 2)


def _is_here(name: str) -> bool:
    """Tells whether a host is this machine."""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


def _asked_wait(value: str) -> float | None:
    """Returns the seconds of a Retry-After header, which holds seconds or a date.

    None if it holds neither.
    """
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        return (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError):
        return None
