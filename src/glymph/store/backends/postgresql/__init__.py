"""The server: a PostgreSQL database with pgvector, through psycopg. Needs the extra `postgres`."""

from __future__ import annotations

from glymph.config import Settings
from glymph.errors import StoreError
from glymph.store.store import Store


def open_store(url: str, settings: Settings, *, create: bool = True) -> Store:
    """Opens the store of `postgresql://user:password@host:port/database`, in its schema `glymph`.

    `?mode=ro` opens it for reading only; `?keys=FOLDER` keeps the secret keys of its spaces in a
    folder instead of in the database. Other options are those of libpq.
    """
    try:
        from glymph.store.backends.postgresql.database import PostgresDatabase
    except ImportError as error:
        raise StoreError(
            "PostgreSQL needs an extra package: pip install 'glymph[postgres]'."
        ) from error
    return Store(PostgresDatabase(url, settings, create=create))
