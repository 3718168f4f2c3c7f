"""Giving vectors to memories that have none for their wording: in batches, by anybody, at any time.

What waits is not kept in a list that could be lost: a memory waits as long as it has no vector of
this model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from glymph.context import Context
from glymph.embed.embedding import wording
from glymph.errors import GlymphError
from glymph.model import MeaningStatus, State
from glymph.moments import micros
from glymph.store.contract import Row
from glymph.store.reader import Reader
from glymph.store.writer import Writer
from glymph.write.grading import is_grades

BATCH = 16  # texts between two commits: little to lose, little to wait for
NEWEST = 2**62


def backfill(ctx: Context) -> Iterator[int]:
    """Embeds what waits, live memories first, the newest before the older; yields how many so far.

    A run that is cut short has done what it yielded; the next one goes on from there.
    """
    model = ctx.embedding.model
    if model is None:
        return
    done = 0
    for state in (State.LIVE, State.ARCHIVED):
        before = NEWEST
        while batch := _read_waiting(ctx, model, state, before):
            _keep(ctx, model, batch)
            done += len(batch)
            before = batch[-1]["key"]
            yield done


def _read_waiting(ctx: Context, model: tuple[str, int], state: State, before: int) -> list[Row]:
    with ctx.reading() as reader:
        key = reader.model_key(*model)
        return reader.find_unembedded(key, state=state.value, before=before, limit=BATCH)


def _keep(ctx: Context, model: tuple[str, int], batch: Sequence[Row]) -> None:
    vectors = ctx.embedding.encode([row["text"] for row in batch])
    with ctx.store.writing(ctx.space, None) as writer:
        keep_vectors(ctx, writer, batch, vectors)


def keep_vectors(
    ctx: Context, writer: Writer, rows: Sequence[Row], vectors: Sequence[bytes]
) -> None:
    """Stores the vectors of memory rows, in their order."""
    model = ctx.embedding.model
    if model is None or not rows:
        return
    key = writer.add_model(*model, at=micros(ctx.now()), bands=ctx.embedding.bands)
    kept = [
        (row["key"], wording(row["content_hash"]), vector)
        for row, vector in zip(rows, vectors, strict=True)
    ]
    writer.add_vectors(key, kept)


def embed(ctx: Context, ids: Sequence[str]) -> Iterator[int]:
    """Embeds these memories in batches, and yields how many are done so far.

    One that is gone meanwhile is passed over.
    """
    model = ctx.embedding.model
    if model is None:
        return
    for at in range(0, len(ids), BATCH):
        with ctx.reading() as reader:
            rows = list(reader.memories(ids[at : at + BATCH]).values())
        _keep(ctx, model, rows)
        yield at + len(rows)


def embed_newest(ctx: Context, most: int) -> None:
    """Embeds those of the newest so many live memories that wait for a vector."""
    model = ctx.embedding.model
    if model is None:
        return
    with ctx.reading() as reader:
        key = reader.model_key(*model)
        rows = reader.find_unembedded(key, state=State.LIVE.value, before=NEWEST, limit=most)
    if rows:
        _keep(ctx, model, rows)


def tidy(ctx: Context) -> Iterator[int]:
    """Removes the vectors of every other model than the handle's; yields how many so far."""
    own = ctx.embedding.model
    if own is None:
        return  # to a handle without a model every one is another
    with ctx.reading() as reader:
        others = [row["key"] for row in list_others(reader, own)]
    removed = 0
    for model in others:
        gone = ctx.settings.bulk_chunk
        while gone == ctx.settings.bulk_chunk:
            with ctx.store.writing(ctx.space, None) as writer:
                gone = writer.forget_model(model, limit=ctx.settings.bulk_chunk)
            removed += gone
            yield removed


def list_others(reader: Reader, own: tuple[str, int] | None) -> list[Row]:
    """Returns the other embedding models of the space."""
    return [
        row
        for row in reader.models()
        if (row["name"], row["dimension"]) != own and not is_grades(row["name"])
    ]


def count_waiting(ctx: Context) -> int:
    """Returns how many live memories have no vector of the handle's model; 0 without one."""
    model = ctx.embedding.model
    if model is None:
        return 0
    with ctx.reading() as reader:
        return reader.count_unembedded(reader.model_key(*model))


def meaning(ctx: Context, failure: GlymphError | None = None) -> MeaningStatus:
    """Returns the embedder of the handle and how far its vectors are.

    `failure` is what stopped the background.
    """
    told = str(failure or "")
    try:
        own = ctx.embedding.model
    except GlymphError as error:
        own, told = None, str(error)
    with ctx.reading() as reader:
        others = list_others(reader, own)
    return MeaningStatus(
        embedder=own[0] if own else None,
        dimension=own[1] if own else None,
        waiting=count_waiting(ctx) if own else 0,
        others=tuple((row["name"], row["vectors"]) for row in others),
        absence=ctx.embedding.absence,
        failure=told,
    )
