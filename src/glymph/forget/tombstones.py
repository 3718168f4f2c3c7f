"""Lists tombstones and lifts them: each keeps out a text that was removed for good on request.

`write/tombstones.py` makes them and looks them up while something is added.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from glymph.checks import checked_list, checked_text
from glymph.context import Context, OpenOperation
from glymph.errors import InvalidInput
from glymph.model import Receipt, Tombstone
from glymph.store import records
from glymph.undo.restore import MAX_BATCH
from glymph.write.tombstones import find_tombstones, unbury

MOST_NUMBER = 2**63  # as far as a key of a row goes
ONE_WAY = "name numbers, or a text, or all of them: one of the three."


def tombstones(ctx: Context, *, text: str | None = None) -> tuple[Tombstone, ...]:
    """Returns the tombstones of the space, oldest first; with `text`, those that keep it out."""
    wanted = None if text is None else [_check_text(ctx, text)]
    with ctx.reading() as reader:
        rows = reader.tombstones() if wanted is None else find_tombstones(ctx, reader, wanted)
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


def _lift_numbers(op: OpenOperation, wanted: Sequence[int] | None) -> list[int]:
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


def _check_text(ctx: Context, text: object) -> str:
    return checked_text("text", text, ctx.settings.max_text_chars)


def _checked_numbers(numbers: object) -> list[int]:
    given = [numbers] if isinstance(numbers, int) else checked_list("numbers", numbers)
    if not all(
        isinstance(number, int) and not isinstance(number, bool) and abs(number) < MOST_NUMBER
        for number in given
    ):
        raise InvalidInput(
            "numbers", "expected the numbers of tombstones. Pass those that tombstones() gives."
        )
    if len(given) > MAX_BATCH:
        raise InvalidInput(
            "numbers", f"{len(given):,} given; at most {MAX_BATCH:,} in one operation. Split them."
        )
    return list(dict.fromkeys(given))
