"""Tombstones, which keep what was removed for good on request from being learnt again.

Nothing tells what it was. A tombstone is a fingerprint of the text, made with the key of its space:
HMAC-SHA256 over each form under which the text is known again after trivial rewording. The key lies
beside the store, not in it.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Sequence

from glymph.context import Context, OpenOperation
from glymph.errors import KeyMissing
from glymph.store.contract import Row
from glymph.store.reader import Reader
from glymph.text.identifiers import fingerprint_forms


def match_tombstones(ctx: Context, reader: Reader, texts: Sequence[str]) -> list[bool]:
    """Tells for each text whether it was removed for good, worded like this or nearly so."""
    if not texts or not reader.has_tombstones():
        return [False] * len(texts)
    key = _key(ctx, reader)
    marks = [fingerprints(key, text) for text in texts]
    wanted = dict.fromkeys(mark for of_one in marks for mark in of_one)
    standing = {row["fingerprint"] for row in reader.tombstones_with(wanted)}
    return [not standing.isdisjoint(of_one) for of_one in marks]


def bury(op: OpenOperation, ctx: Context, texts: Iterable[str]) -> None:
    """Keeps these texts from being learnt again, as a part of the operation that removes them."""
    key = (
        _key(ctx, op.writer)
        if op.writer.has_tombstones()
        else ctx.store.keyring.get_or_create(_identity(op.writer))
    )
    op.writer.bury(
        dict.fromkeys(mark for text in texts for mark in fingerprints(key, text)), at=op.now
    )


def unbury(op: OpenOperation, ctx: Context, texts: Iterable[str]) -> list[int]:
    """Lifts the tombstones of these texts, as a part of an operation; returns their numbers."""
    numbers = [row["key"] for row in find_tombstones(ctx, op.writer, texts)]
    op.writer.remove("tombstones", numbers)
    return numbers


def fingerprints(key: bytes, text: str) -> tuple[str, ...]:
    """Returns what a tombstone keeps of a text: without the key it cannot be read or guessed."""
    # Of bare punctuation no form is left; it stands for itself then, not for all there is.
    forms = (form or " ".join(text.split()) for form in fingerprint_forms(text))
    return tuple(hmac.digest(key, form.encode(), "sha256").hex() for form in forms)


def find_tombstones(ctx: Context, reader: Reader, texts: Iterable[str]) -> list[Row]:
    """Returns the tombstones that keep these texts out."""
    if not reader.has_tombstones():
        return []
    key = _key(ctx, reader)
    return reader.tombstones_with(
        dict.fromkeys(mark for text in texts for mark in fingerprints(key, text))
    )


def _key(ctx: Context, reader: Reader) -> bytes:
    """Returns the key of a space that has tombstones, or raises KeyMissing."""
    keyring, identity = ctx.store.keyring, _identity(reader)
    key = keyring.get(identity)
    if key is None:
        raise KeyMissing(ctx.space, str(keyring.folder / identity))
    return key


def _identity(reader: Reader) -> str:
    return str(reader.identity()["id"])
