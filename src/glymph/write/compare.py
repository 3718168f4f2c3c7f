"""Compares a new statement with the older ones near it, before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np

from glymph.context import Context
from glymph.decay.sections import SECTIONS
from glymph.embed.embedding import Embedding
from glymph.store import records
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader
from glymph.text.bands import BANDS, Bands
from glymph.text.query import Words, asked_words
from glymph.write.claims import news, predicates
from glymph.write.draft import Draft
from glymph.write.lexicon import kin
from glymph.write.supersession import Statement, decide

NEAR = 10  # older statements a new one is compared with
LONGEST = 2_000  # characters; a longer text is a document, not a statement
MOST_WORDS = 24  # of a statement that are looked up
FEW = 1_000  # memories of which every word may be looked up
# Memories that the words looked up may bring to be ranked; ranking them is what costs.
MOST_READ = 100
LEAST_WORDS = 4  # however common they are
COUNTED_EVERY = 200  # askings
GROWN = 1.25  # times; a store that has grown so much is counted anew
MOST_COMPARED = 100  # statements in one call; a larger load is compared by the sweep

Target = tuple[Row, str]  # an older memory, and why


@dataclass(slots=True)
class Judgement:
    """Older memories that a new statement concerns. None of it hides one: these rules may err."""

    # Those of which it gives another value for all that they say.
    replaces: list[Target] = field(default_factory=list)
    updates: list[Target] = field(default_factory=list)  # which also say other things
    conflicts: list[Target] = field(default_factory=list)
    # Those that seem to say the same come first.
    connects: list[Target] = field(default_factory=list)

    @property
    def newer_than(self) -> list[Target]:
        return [*self.replaces, *self.updates]

    @property
    def is_empty(self) -> bool:
        return not (self.replaces or self.updates or self.conflicts or self.connects)


NOTHING = Judgement()


def compare_drafts(
    ctx: Context, drafts: Sequence[Draft], vectors: Sequence[bytes] | None, *, now: int
) -> list[Judgement]:
    """Compares each draft with what is stored now; not in large loads and with `compare = off`."""
    if ctx.settings.compare == "off" or not 0 < len(drafts) <= MOST_COMPARED:
        return [NOTHING] * len(drafts)
    known: Sequence[bytes | None] = vectors or [None] * len(drafts)
    with ctx.reading() as reader:
        return [
            _compare(ctx, reader, d, vector, now=now)
            for d, vector in zip(drafts, known, strict=True)
        ]


def _compare(
    ctx: Context, reader: Reader, d: Draft, vector: bytes | None, *, now: int
) -> Judgement:
    target = SECTIONS[d.section].role == "target"
    if len(d.text) > LONGEST or (not target and vector is None):
        return Judgement()  # episodes are only ever connected, and only by their meaning
    near = _near(ctx, reader, d, vector, now=now)
    rows = {row["key"]: row for row, _ in near}
    said = now if d.event_at is None else d.event_at
    new = Statement(0, d.text, str(d.section), tuple(records.words(d.entities)), said)
    result = Judgement()
    alike: list[Target] = []
    bands = BANDS if vector is None else kept_bands(ctx, reader)
    for verdict in decide(new, [(_statement(row), cosine) for row, cosine in near], bands=bands):
        row = rows[verdict.target]
        if verdict.kind == "duplicate":
            alike.append((row, verdict.reason))
        elif verdict.kind == "supersedes":
            (result.replaces if verdict.whole else result.updates).append((row, verdict.reason))
        elif verdict.kind == "conflict":
            result.conflicts.append((row, verdict.reason))
        elif verdict.kind == "connect":
            result.connects.append((row, verdict.reason))
    result.connects = alike + result.connects
    return result


def kept_bands(ctx: Context, reader: Reader) -> Bands:
    """Returns the bands kept with the handle's model, once it has vectors here."""
    model = ctx.embedding.model
    key = None if model is None else reader.model_key(*model)
    return ctx.embedding.bands if key is None else reader.bands(key)


def _statement(row: Row) -> Statement:
    names = tuple(records.words(row["entities"]))
    said = row["created_at"] if row["event_at"] is None else row["event_at"]
    return Statement(row["key"], row["text"], row["section"], names, said)


def _near(
    ctx: Context, reader: Reader, d: Draft, vector: bytes | None, *, now: int
) -> list[tuple[Row, float | None]]:
    """Returns the live, current memories close to a draft, with their cosines.

    They share most words with it, or are nearest to it by their vectors.
    """
    wanted = Filter(live_at=now)
    words = asked_words(d.text, MOST_WORDS)
    lookups = [rarest(ctx, reader, words)]
    if SECTIONS[d.section].role == "target":
        lookups += [
            sorted(kin(predicates(d.text))),
            rarest(ctx, reader, asked_words(news(d.text), MOST_WORDS)),
        ]
    keys = list(
        dict.fromkeys(
            key
            for asked in lookups
            if asked
            for key, _ in reader.match(Words(tuple(asked)), wanted, limit=NEAR)
        )
    )
    cosines: dict[int, float] = {}
    model = ctx.embedding.model if vector is not None else None
    if vector is not None and model is not None:
        view = ctx.embedding.mirrors.view(reader, model)
        query = np.frombuffer(vector, dtype="<f2").astype(np.float32)
        slots, _ = view.nearest(query, view.mask(wanted), limit=NEAR, reader=reader)
        slots = np.unique(np.concatenate([slots, view.slots(keys)]))
        slots = slots[slots >= 0]
        found = view.cosines(query, slots, reader=reader)
        known = zip(view["key"][slots].tolist(), found.tolist(), strict=True)
        cosines = {key: cosine for key, cosine in known if cosine == cosine}
        keys += [key for key in cosines if key not in keys]
    rows = {
        key: row for key, row in reader.by_key(keys, wanted).items() if len(row["text"]) <= LONGEST
    }
    return [(rows[key], cosines.get(key)) for key in keys if key in rows]


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
