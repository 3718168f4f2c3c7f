"""The tokens of a store: rows that belong to no space. Of a secret only its hash comes here."""

from __future__ import annotations

from glymph.store.contract import Row
from glymph.store.statements import statements
from glymph.store.store import Store


def find_token(store: Store, hash: str) -> Row | None:
    """Returns the token of this hash, revoked or not; None if there is none."""
    with store.home().database.reading() as session:
        found = session.rows(statements()["token_by_hash"], {"hash": hash})
    return found[0] if found else None


def list_tokens(store: Store) -> list[Row]:
    """Returns every token, the oldest first."""
    with store.home().database.reading() as session:
        return session.rows(statements()["tokens"], {})


def put_token(store: Store, row: Row) -> None:
    """Adds a token."""
    with store.home().database.writing() as session:
        session.execute(statements()["insert_token"], row)


def revoke_token(store: Store, token_id: str, at: int) -> bool:
    """Ends a token; returns False if there is none of that id that still counts."""
    with store.home().database.writing() as session:
        return session.execute(statements()["revoke_token"], {"id": token_id, "at": at}) > 0
