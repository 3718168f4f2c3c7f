"""The tokens of a store: rows that belong to no space. Of a secret only its hash comes here."""

from __future__ import annotations

from glymph.store.contract import Row
from glymph.store.statements import statements
from glymph.store.store import Store

ALL_SPACES = "*"  # alone in the list of a token's spaces


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


def rename_token(store: Store, token_id: str, *, name: str, actor: str) -> None:
    """Gives a token another name, and another actor to sign as."""
    with store.home().database.writing() as session:
        values = {"id": token_id, "name": name, "actor": actor}
        session.execute(statements()["rename_token"], values)
