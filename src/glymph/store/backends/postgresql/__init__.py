"""The server engine: a PostgreSQL database with pgvector, through psycopg. Needs the extra
`postgres`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from glymph.config import Settings
from glymph.errors import StoreError

if TYPE_CHECKING:
    from glymph.store.backends.postgresql.store import PostgresStore


def open_store(url: str, settings: Settings, *, create: bool = True) -> PostgresStore:
    """The store of `postgresql://user:password@host:port/database`, in the schema `glymph` of that
    database.

    `?mode=ro` opens it for reading only; `?keys=FOLDER` keeps the secret keys of its spaces in a
    folder instead of in the database. Other options are those of libpq.
    """
    try:
        from glymph.store.backends.postgresql.store import PostgresStore
    except ImportError as error:
        raise StoreError(
            "PostgreSQL needs an extra package: pip install 'glymph[postgres]'."
        ) from error
    return PostgresStore(url, settings, create=create)
