"""Tombstones: what was removed for good on request is not learnt again, and nothing tells what it
was.

A tombstone is a fingerprint of the text, made with the key of its space: HMAC-SHA256 over each form
under which the text is known again after trivial rewording. The key lies beside the store, not in
it.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Sequence

from glymph.checks import checked_list, checked_text
from glymph.context import Context, Operating
from glymph.errors import InvalidInput, KeyMissing
from glymph.model import Receipt, Tombstone
from glymph.store import records
from glymph.store.contract import Row
from glymph.store.reader import Reader
from glymph.text.identifiers import fingerprint_forms
from glymph.undo.restore import MAX_BATCH

ONE_WAY = "name numbers, or a text, or all of them: one of the three."


def match_tombstones(ctx: Context, reader: Reader, texts: Sequence[str]) -> list[bool]:
    """Tells for each text whether it was removed for good, worded like this or nearly so."""
    if not texts or not reader.has_tombstones():
        return [False] * len(texts)
    key = _key(ctx, reader)
    marks = [fingerprints(key, text) for text in texts]
    wanted = dict.fromkeys(mark for of_one in marks for mark in of_one)
    standing = {row["fingerprint"] for row in reader.tombstones_with(wanted)}
    return [not standing.isdisjoint(of_one) for of_one in marks]


def bury(op: Operating, ctx: Context, texts: Iterable[str]) -> None:
    """Keeps these texts from being learnt again, as a part of the operation that removes them."""
    key = (
        _key(ctx, op.writer)
        if op.writer.has_tombstones()
        else ctx.store.keyring.get_or_create(_identity(op.writer))
    )
    op.writer.bury(
        dict.fromkeys(mark for text in texts for mark in fingerprints(key, text)), at=op.now
    )


def unbury(op: Operating, ctx: Context, texts: Iterable[str]) -> list[int]:
    """Lifts the tombstones of these texts, as a part of an operation; returns their numbers."""
    numbers = [row["key"] for row in _of_texts(ctx, op.writer, texts)]
    op.writer.remove("tombstones", numbers)
    return numbers


def tombstones(ctx: Context, *, text: str | None = None) -> tuple[Tombstone, ...]:
    """Returns the tombstones of the space, oldest first; with `text`, those that keep it out."""
    wanted = None if text is None else [_check_text(ctx, text)]
    with ctx.reading() as reader:
        rows = reader.tombstones() if wanted is None else _of_texts(ctx, reader, wanted)
    return tuple(records.tombstone(row) for row in rows)


def lift(
    ctx: Context,
    numbers: int | Iterable[int] = (),
    *,
    text: str | None = None,
    all: bool = False,
    reason: str | None = None,
) -> Receipt:
    """Removes tombstones as an operation that can be undone. Memories do not come back by it.

    Neither the receipt nor the journal holds the text. Lifting by number, or all, needs no key.
    """
    wanted = _checked_numbers(numbers)
    if (bool(wanted), text is not None, all).count(True) != 1:
        raise InvalidInput("numbers", ONE_WAY)
    texts = [] if text is None else [_check_text(ctx, text)]
    with ctx.operation("lift", reason=reason) as op:
        lifted = unbury(op, ctx, texts) if texts else _lift_numbers(op, None if all else wanted)
        if texts and not lifted:
            op.fail("text", "no tombstone of this space keeps it out")
        op.succeeded += map(str, lifted)
    return ctx.receipt(op)


def _lift_numbers(op: Operating, wanted: Sequence[int] | None) -> list[int]:
    """Removes the wanted tombstones, or all; returns the numbers of those that were there."""
    if wanted is None:
        lifted = [row["key"] for row in op.writer.tombstones()]
    else:
        standing = op.writer.rows([("tombstones", number) for number in wanted])
        lifted = [number for number in wanted if ("tombstones", number) in standing]
        for number in wanted:
            if ("tombstones", number) not in standing:
                op.fail(str(number), "no such tombstone in this space")
    op.writer.remove("tombstones", lifted)
    return lifted


def fingerprints(key: bytes, text: str) -> tuple[str, ...]:
    """Returns what a tombstone keeps of a text: without the key it cannot be read or guessed."""
    # Of bare punctuation no form is left; it stands for itself then, not for all there is.
    forms = (form or " ".join(text.split()) for form in fingerprint_forms(text))
    return tuple(hmac.digest(key, form.encode(), "sha256").hex() for form in forms)


def _of_texts(ctx: Context, reader: Reader, texts: Iterable[str]) -> list[Row]:
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


def _check_text(ctx: Context, text: object) -> str:
    return checked_text("text", text, ctx.settings.max_text_chars)


def _checked_numbers(numbers: object) -> list[int]:
    given = [numbers] if isinstance(numbers, int) else checked_list("numbers", numbers)
    if not all(isinstance(number, int) and not isinstance(number, bool) for number in given):
        raise InvalidInput(
            "numbers", "expected the numbers of tombstones, as tombstones() gives them."
        )
    if len(given) > MAX_BATCH:
        raise InvalidInput(
            "numbers", f"{len(given):,} given; at most {MAX_BATCH:,} in one operation. Split them."
        )
    return list(dict.fromkeys(given))
