"""The embedded database: one SQLite file in WAL mode, through apsw."""

from __future__ import annotations

from glymph.errors import InvalidInput

TYPE_CHECKING = False  # what a hook loads must be little: `typing` alone would cost it milliseconds
if TYPE_CHECKING:
    from glymph.config import Settings
    from glymph.store.store import Store


def open_store(url: str, settings: Settings, *, create: bool = True) -> Store:
    """Opens the store of `sqlite:///relative.db`, `sqlite:////absolute.db` or `sqlite:///~/in-home.db`.

    `?mode=ro` opens it for reading only. A `#`, `?` or `%` in the file's name is written %23, %3F
    or %25.
    """
    from urllib.parse import parse_qs, unquote, urlsplit

    from glymph.store.backends.sqlite.database import SqliteDatabase
    from glymph.store.store import Store

    parts = urlsplit(url)
    if "#" in url:
        raise InvalidInput(
            "url", f"{url!r} holds a '#', which would cut the path short. Write it as %23."
        )
    if parts.netloc or len(parts.path) < 2:
        raise InvalidInput(
            "url", f"{url!r} names no file. Write sqlite:///memory.db (three slashes)."
        )
    options = parse_qs(parts.query, keep_blank_values=True)
    mode = options.pop("mode", ["rw"])
    if options or mode not in (["rw"], ["ro"]):
        raise InvalidInput(
            "url",
            f"{url!r} has an unknown option. Only ?mode=ro and ?mode=rw exist; "
            "a '?' in a file's name is %3F.",
        )
    try:
        path = unquote(parts.path[1:], errors="strict")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            "url", f"{url!r} is not UTF-8 behind its % signs. Name another file."
        ) from error
    if "\0" in path:
        raise InvalidInput("url", f"{url!r} holds a NUL, which no file's name may. Remove it.")
    if path == ":memory:":
        raise InvalidInput(
            "url",
            "a store in memory could not keep its promises. Use a file in a temporary folder.",
        )
    return Store(SqliteDatabase(path, settings, read_only=mode == ["ro"], create=create))
