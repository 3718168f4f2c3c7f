"""Secret keys of spaces in the database itself, for every machine that works on a space.

Whoever can read the whole database can then guess short texts that were removed. Name a folder that
the database's own backups do not hold, `?keys=FOLDER`, where that matters.
"""

from __future__ import annotations

from pathlib import Path

from glymph.errors import StoreError
from glymph.store.backends.postgresql.pool import Pool
from glymph.store.backends.postgresql.translation import translate_errors
from glymph.store.keyring import KEY_BYTES, Keyring


class DatabaseKeyring(Keyring):
    """A keyring whose folder is a table."""

    def __init__(self, pool: Pool, name: str) -> None:
        super().__init__(Path(name, "glymph.keys"))
        self._pool, self._name = pool, name

    def get(self, identity: str) -> bytes | None:
        with translate_errors(self._name), self._pool.transaction(writes=False) as session:
            found = session.tuples(
                "SELECT secret FROM keys WHERE identity = :identity", {"identity": identity}
            )
        if not found:
            return None
        try:
            key = bytes.fromhex(found[0][0])
        except ValueError:
            key = b""
        if len(key) != KEY_BYTES:
            raise StoreError(
                f"The key {self.folder / identity} is damaged. Put it back from a backup."
            )
        return key

    def explain_missing(self, identity: str) -> str:
        return (
            f"the table glymph.keys of {self._name} has no key {identity}. Put it back from a "
            "backup, or add "
            "keys=FOLDER to the URL if the keys lie in a folder"
        )

    def put(self, identity: str, key: bytes) -> None:
        with translate_errors(self._name), self._pool.transaction(writes=True) as session:
            session.execute(
                "INSERT INTO keys(identity, secret) VALUES (:identity, :secret) ON CONFLICT "
                "(identity) DO NOTHING",
                {"identity": identity, "secret": key.hex()},
            )

    def copy_to(self, other: Keyring) -> None:
        with translate_errors(self._name), self._pool.transaction(writes=False) as session:
            found = session.tuples("SELECT identity, secret FROM keys ORDER BY identity", {})
        for identity, secret in found:
            other.put(identity, bytes.fromhex(secret))
