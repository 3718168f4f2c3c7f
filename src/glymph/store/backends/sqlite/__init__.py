"""The embedded engine: one SQLite file in WAL mode, through apsw."""

from __future__ import annotations

from urllib.parse import parse_qs, unquote, urlsplit

from glymph.config import Settings
from glymph.errors import InvalidInput
from glymph.store.backends.sqlite.store import SqliteStore


def open_store(url: str, settings: Settings) -> SqliteStore:
    """The store of `sqlite:///relative.db`, `sqlite:////absolute.db` or `sqlite:///~/in-home.db`.

    `?mode=ro` opens it for reading only.
    """
    parts = urlsplit(url)
    options = parse_qs(parts.query)
    if parts.netloc or len(parts.path) < 2:
        raise InvalidInput("url", f"{url!r} names no file. Write sqlite:///memory.db (three slashes).")
    unknown = set(options) - {"mode"}
    if unknown or options.get("mode", ["rw"])[-1] not in ("rw", "ro"):
        raise InvalidInput("url", f"{url!r} has an unknown option. Only ?mode=ro and ?mode=rw exist.")
    path = unquote(parts.path[1:])
    if path == ":memory:":
        raise InvalidInput(
            "url", "a store in memory could not keep its promises. Use a file in a temporary folder."
        )
    return SqliteStore(path, settings, read_only=options.get("mode") == ["ro"])
