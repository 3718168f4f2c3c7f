"""What waits to be reconciled: everything after the newest memory that was, by a counter."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from glymph.context import Context
from glymph.reader.no_reader import NoReader
from glymph.store import foresight
from glymph.store.contract import Ask, Filter, NewestKey, Row
from glymph.store.reader import Reader
from glymph.store.writer import Writer

COUNTER = "reconciled_upto"  # the newest memory that was reconciled
AT_ONCE = 16  # memories listed together


def can_reconcile(ctx: Context) -> bool:
    """Tells whether there is anything to judge with: a reader, or vectors."""
    if ctx.settings.compare == "off" or not ctx.store.writable:
        return False
    return type(ctx.reader) is not NoReader or ctx.embedding.embedder is not None


def list_waiting(ctx: Context, reader: Reader) -> tuple[int, list[Row]]:
    """Returns how far the space is reconciled, and the next memories that have their vectors."""
    seen = reader.counter(COUNTER)
    if seen is None:
        return 0, []
    rows = reader.page_after(Filter(include_superseded=True), after=seen, limit=AT_ONCE)
    model, _ = ctx.embedding.try_model()
    if model is None or not rows:
        return seen, rows
    view = ctx.embedding.mirrors.view(reader, model)
    slots = view.slots([row["key"] for row in rows])
    for at, slot in enumerate(slots.tolist()):
        if slot < 0 or not view["embedded"][slot]:
            return seen, rows[:at]
    return seen, rows


def find_unreconciled(ctx: Context, most: int) -> list[str]:
    """Returns the ids of memories that nobody has reconciled yet, of at most so many."""
    if not can_reconcile(ctx):
        return []
    with ctx.reading() as reader:
        seen = reader.counter(COUNTER)
        if seen is None:
            return []  # nothing was added here since there is a counter
        if seen >= reader.highest_key():
            return []
        rows = reader.page_after(Filter(include_superseded=True), after=seen, limit=most)
    return [row["id"] for row in rows]


def begin(writer: Writer) -> int:
    """Lets a space be reconciled from here on: what it held before is taken as it is.

    Returns the key up to which it is reconciled.
    """
    seen = writer.counter(COUNTER)
    if seen is None:
        writer.set_counter_to_newest(COUNTER)
        seen = writer.counter(COUNTER)
    return seen or 0


@contextmanager
def taking_as_is(ctx: Context, writer: Writer) -> Iterator[None]:
    """Lets what is added meanwhile wait for nobody, if nothing is to be compared.

    What waits from before goes on waiting, and what is added with it.
    """
    seen = begin(writer)
    idle = ctx.settings.compare == "off" and not _anything_waits(writer, seen)
    yield
    if idle:
        writer.set_counter_to_newest(COUNTER)


def waiting_facts(ctx: Context) -> list[Ask]:
    """Returns what `taking_as_is` asks for first."""
    idle: list[Ask] = [NewestKey("memories")] if ctx.settings.compare == "off" else []
    return [foresight.counter(COUNTER), *idle]


def _anything_waits(writer: Writer, seen: int) -> bool:
    if writer.highest_key() <= seen:
        return False
    return bool(writer.page_after(Filter(include_superseded=True), after=seen, limit=1))
