"""Finds the older memories that a new one may concern: by words and by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from glymph.checks import checked_id
from glymph.context import Context
from glymph.decay.sections import SUMMARY_KIND
from glymph.embed.embedding import Embedding
from glymph.errors import MemoryNotFound
from glymph.moments import micros
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader
from glymph.text.bands import Bands
from glymph.text.query import Words, asked_words

LONGEST = 2_000  # characters; a longer text is a document, not a statement
MOST_WORDS = 24  # of a statement that are looked up
FEW = 1_000  # memories of which every word may be looked up
# Memories that the words looked up may bring to be ranked; ranking them is what costs.
MOST_READ = 100
LEAST_WORDS = 4  # however common they are
COUNTED_EVERY = 200  # askings
GROWN = 1.25  # times; a store that has grown so much is counted anew


class Neighbour(NamedTuple):
    """An older memory, and its cosine to the new one where both have vectors."""

    row: Row
    cosine: float | None


def find_neighbours(
    ctx: Context, reader: Reader, row: Row, *, now: int, most: int, or_last: bool = True
) -> list[Neighbour]:
    """Returns the current memories before this one that are near it, the nearest first.

    They share rare words with it, or are nearest to it by their vectors; without vectors, those
    that were said last are among them, unless `or_last` is False.
    """
    wanted = Filter(live_at=now)
    words = rarest(ctx, reader, asked_words(row["text"], MOST_WORDS))
    by_words = [key for key, _ in reader.match(Words(tuple(words)), wanted, limit=2 * most)]
    by_meaning, cosines = _find_nearest(ctx, reader, row, wanted, by_words, most=2 * most)
    keys = [key for key in _alternate(by_meaning, by_words) if key < row["key"]]
    if (
        or_last and not by_meaning
    ):  # without vectors, what was said last is the likeliest to be meant
        last = reader.page(wanted, before=row["key"], limit=most)
        keys = list(dict.fromkeys([*keys, *(one["key"] for one in last)]))
    rows = reader.by_key(keys, wanted)
    found = [rows[key] for key in keys if key in rows and is_statement(rows[key])]
    return [Neighbour(one, cosines.get(one["key"])) for one in found[:most]]


def is_statement(row: Row) -> bool:
    """Tells whether a memory states something itself, and is no document nor a summary."""
    return len(row["text"]) <= LONGEST and row["kind"] != SUMMARY_KIND


def list_nearest(ctx: Context, memory_id: str, *, most: int) -> list[str]:
    """Returns the ids of the current memories before one that are nearest to it."""
    checked_id(memory_id)
    with ctx.reading() as reader:
        row = reader.memory(memory_id)
        if row is None:
            raise MemoryNotFound(memory_id, ctx.space)
        near = find_neighbours(ctx, reader, row, now=micros(ctx.now()), most=most, or_last=False)
    return [one.row["id"] for one in near]


def _alternate(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """Joins two rankings, the best of each in turn."""
    places = max(len(first), len(second))
    both = (part[at] for at in range(places) for part in (first, second) if at < len(part))
    return list(dict.fromkeys(both))


def _find_nearest(
    ctx: Context, reader: Reader, row: Row, wanted: Filter, beside: Sequence[int], *, most: int
) -> tuple[list[int], dict[int, float]]:
    """Returns the keys nearest to a memory's vector, and the cosines of these and of others."""
    model, _ = ctx.embedding.try_model()
    if model is None:
        return [], {}
    view = ctx.embedding.mirrors.view(reader, model)
    vector = view.vector_of(row["key"], reader=reader)
    if vector is None:
        return [], {}
    passing = view.mask(wanted) & (view["key"] < row["key"])
    slots, _ = view.nearest(vector, passing, limit=most, reader=reader)
    nearest = view["key"][slots].tolist()
    known = view.slots([*nearest, *beside])
    known = np.unique(known[known >= 0])
    found = view.cosines(vector, known, reader=reader)
    pairs = zip(view["key"][known].tolist(), found.tolist(), strict=True)
    return nearest, {key: cosine for key, cosine in pairs if cosine == cosine}


def kept_bands(ctx: Context, reader: Reader) -> Bands:
    """Returns the bands kept with the handle's model, once it has vectors here."""
    model = ctx.embedding.model
    key = None if model is None else reader.model_key(*model)
    return ctx.embedding.bands if key is None else reader.bands(key)


@dataclass(slots=True)
class Counted:
    """A recent count of how common words are in a store.

    A count that is a little old does no harm.
    """

    size: int = 0
    shares: dict[str, float] = field(default_factory=dict)
    left: int = 0  # askings until it is counted anew


_counted: WeakKeyDictionary[Embedding, Counted] = WeakKeyDictionary()  # by handle


def rarest(ctx: Context, reader: Reader, words: Sequence[str]) -> list[str]:
    """Returns those of the words that few memories hold.

    A text index reads every memory that holds any of the words. Numbers are left out where there
    are words: the older statement has another one.
    """
    telling = [word for word in words if not word.isdigit()] or list(words)
    if len(telling) <= LEAST_WORDS:
        return telling
    counted = _counted.setdefault(ctx.embedding, Counted())
    if not counted.left:
        newest = reader.page(Filter(), before=None, limit=1)
        size = newest[0]["key"] if newest else 0
        if size > GROWN * counted.size:
            counted.shares.clear()
        counted.size, counted.left = size, COUNTED_EVERY
    counted.left -= 1
    if counted.size <= FEW:
        return telling
    for word in telling:
        if word not in counted.shares:
            counted.shares[word] = reader.frequency(word)
    chosen: list[str] = []
    read = 0.0
    for word in sorted(telling, key=counted.shares.__getitem__):
        read += counted.size * counted.shares[word]
        if len(chosen) > 1 and read > MOST_READ:
            break
        chosen.append(word)
    return chosen
