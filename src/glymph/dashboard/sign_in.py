"""Signing in: links that let somebody in once, and the proof that a form is one of ours."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.requests import Request

FORM_FIELD = "form"  # the hidden field of every form
LINK_SECONDS = 600.0
SAME = ("same-origin", "none")  # where a browser says that a request comes from
_UNSIGNED = secrets.token_bytes(32)  # for forms where nobody has to sign in


def cookie_name(request: Request) -> str:
    """Returns the name of the cookie; browsers tell servers on one host not apart by their port."""
    port = request.url.port
    return f"glymph_{port}" if port else "glymph"


def form_proof(token: str | None) -> str:
    """Returns what a form must bring along: only a page that was shown to this visitor knows it."""
    key = token.encode("utf-8", "surrogateescape") if token else _UNSIGNED
    return hmac.new(key, b"glymph form", hashlib.sha256).hexdigest()[:32]


def is_own_form(request: Request, given: object, token: str | None) -> bool:
    """Tells whether a form was sent from a page of ours."""
    if request.headers.get("sec-fetch-site", "same-origin") not in SAME:
        return False
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        return False
    wanted = form_proof(token).encode()
    return isinstance(given, str) and hmac.compare_digest(given.encode(), wanted)


def is_local(path: str) -> bool:
    """Tells whether an address is one of this server's pages, and leads nowhere else."""
    return path.startswith("/") and not path.startswith(("//", "/\\")) and "\n" not in path


@dataclass(slots=True)
class OneTimeLinks:
    """Links that let somebody in once, with a token, within some minutes."""

    clock: Callable[[], float] = time.monotonic
    _waiting: dict[str, tuple[str, float]] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def issue(self, token: str) -> str:
        """Returns the path of a new link."""
        key = secrets.token_urlsafe(24)
        with self._lock:
            self._waiting[_digest(key)] = (token, self.clock() + LINK_SECONDS)
        return f"/login?key={key}"

    def redeem(self, key: str) -> str | None:
        """Returns the token of a link, which counts no more; None if it never did or is late."""
        with self._lock:
            token, until = self._waiting.pop(_digest(key), ("", 0.0))
        return token if token and self.clock() < until else None


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()
