"""Tokens: made, listed, ended, and recognised by their hash."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from glymph.checks import checked_space, checked_text
from glymph.errors import Ambiguous, InvalidInput, Unauthorized
from glymph.moments import micros, moment
from glymph.service.access import ALL_SPACES, Access, Role
from glymph.store.contract import Row
from glymph.store.store import Store
from glymph.store.tokens import find_token, list_tokens, put_token, revoke_token
from glymph.tools.ids import choose_id

PREFIX = "glymph_"
SECRET_BYTES, ID_BYTES = 32, 4
REMEMBERED = 1.0  # seconds: a token that is revoked is refused after that, at the latest
MOST_REMEMBERED = 1024
LONGEST_SHOWN = 512  # characters of a token that is looked up


@dataclass(frozen=True, slots=True)
class TokenFacts:
    """What is known of a token; its secret is not."""

    id: str
    name: str
    actor: str
    role: str
    spaces: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None

    def counts(self, now: datetime) -> bool:
        """Tells whether it lets anybody in."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


def create(
    store: Store, name: str, *, spaces: Sequence[str], role: str, actor: str | None = None,
    days: float | None = None, now: datetime,
) -> tuple[str, TokenFacts]:  # fmt: skip
    """Makes a token; returns its secret, which is never shown again, and what is kept of it."""
    checked_text("name", name, 100)
    if not spaces:
        raise InvalidInput("spaces", "is empty. Name a space, or all of them with --all-spaces.")
    for space in spaces:
        if space != ALL_SPACES:
            checked_space(space)
    if ALL_SPACES in spaces and len(spaces) > 1:
        raise InvalidInput("spaces", "name some spaces, or all of them, not both.")
    known = [one.label for one in Role]
    if role not in known:
        raise InvalidInput("role", f"{role!r} is not one of {', '.join(known)}.")
    signs = checked_text("actor", actor or f"agent:{name}", 200)
    if days is not None and not 0 < days <= 36_500:
        raise InvalidInput("days", "must be more than 0 and at most 36500.")
    secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    row = {
        "id": secrets.token_hex(ID_BYTES), "name": name, "hash": _hash(secret), "actor": signs,
        "role": role, "spaces": json.dumps(list(spaces)), "created_at": micros(now),
        "expires_at": None if days is None else micros(now + timedelta(days=days)),
    }  # fmt: skip
    put_token(store, row)
    return secret, _read({**row, "revoked_at": None})


def list_all(store: Store) -> list[TokenFacts]:
    """Returns every token, the oldest first, those that count no more included."""
    return [_read(row) for row in list_tokens(store)]


def find(store: Store, token_id: str) -> TokenFacts:
    """Returns the token of an id or a name, or of the beginning of an id, if only one has it.

    Raises InvalidInput if there is none, and Ambiguous if several are meant.
    """
    known = {one.id: one for one in list_all(store)}
    named = [(one.id, one.name) for one in known.values() if one.name == token_id]
    if len(named) > 1:
        raise Ambiguous(f"The name {token_id!r}", named, "tokens")
    whole = named[0][0] if named else None
    if whole is None:
        whole = choose_id(token_id, [(one.id, one.name) for one in known.values()], "tokens")
    if (found := known.get(whole)) is None:
        all_of_them = "`glymph store token list` shows all."
        raise InvalidInput("id", f"there is no token {token_id!r}. {all_of_them}")
    return found


def revoke(store: Store, token_id: str, *, now: datetime) -> TokenFacts:
    """Ends a token for good."""
    known = find(store, token_id)
    revoke_token(store, known.id, micros(now))
    return find(store, known.id)


def _hash(secret: str) -> str:
    # A secret of 256 random bits cannot be guessed from a plain hash.
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def _read(row: Row) -> TokenFacts:
    return TokenFacts(
        row["id"], row["name"], row["actor"], row["role"], tuple(json.loads(row["spaces"])),
        moment(row["created_at"]),
        None if row["expires_at"] is None else moment(row["expires_at"]),
        None if row["revoked_at"] is None else moment(row["revoked_at"]),
    )  # fmt: skip


@dataclass(slots=True)
class TokenGate:
    """Knows the tokens of a store, and beside them the operator's own secret, if there is one."""

    store: Store
    clock: Callable[[], datetime]
    operator: Access | None = None
    secret: str = field(default="", repr=False)
    remembered_s: float = REMEMBERED
    _known: OrderedDict[str, tuple[float, Access]] = field(default_factory=OrderedDict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def recall(self, token: str | None) -> Access | None:
        """Returns who shows a token that was looked up just now; None if it must be looked up."""
        if token is None or self._is_operator(token):
            return self.admit(token)
        with self._lock:
            found = self._known.get(_hash(token[:LONGEST_SHOWN]))
        fresh = found is not None and time.monotonic() - found[0] < self.remembered_s
        return found[1] if found and fresh else None

    def admit(self, token: str | None) -> Access:
        if token is None:
            raise Unauthorized
        if self.operator is not None and self._is_operator(token):
            return self.operator
        hashed = _hash(token[:LONGEST_SHOWN])
        row = find_token(self.store, hashed)
        found = _read(row) if row is not None else None
        if found is None or not found.counts(self.clock()):
            with self._lock:
                self._known.pop(hashed, None)
            raise Unauthorized(
                "this one is unknown, expired or revoked" if found is None or found.revoked_at
                else "this one has expired"
            )  # fmt: skip
        access = Access(
            found.name, found.actor, found.spaces, Role[found.role.upper()], found.id,
            found.expires_at,
        )  # fmt: skip
        with self._lock:
            self._known[hashed] = (time.monotonic(), access)
            while len(self._known) > MOST_REMEMBERED:
                self._known.popitem(last=False)
        return access

    def _is_operator(self, token: str) -> bool:
        return bool(self.secret) and hmac.compare_digest(_hash(token), _hash(self.secret))
