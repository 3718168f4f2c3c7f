"""Adding memories: checked, compared with what is there, stored and journalled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Unpack

from glymph.core.decay import Rating, initial_difficulty
from glymph.core.draft import Draft, NewMemory, checked_list, draft
from glymph.core.edges import DEFAULT_WEIGHTS
from glymph.core.model import Added, Outcome, State
from glymph.core.reinforcement import reinforced
from glymph.core.sections import initial_stability
from glymph.errors import EmbedderFailed, InvalidInput, MemoryNotFound
from glymph.services.backfill import keep_vectors
from glymph.services.workplace import Operating, Workplace
from glymph.store.contract import Row

NEW_DIFFICULTY = initial_difficulty(Rating.GOOD)
CHARS_PER_MEMORY = 500  # of an average memory; a chunk of longer ones holds fewer
FIELDS = ("text", *NewMemory.__annotations__)


def add(place: Workplace, text: str, **fields: Unpack[NewMemory]) -> Added:
    """Stores one memory, or reinforces the live one that says the same."""
    return _store(place, [draft(text, place.settings, **fields)])[0]


def add_many(place: Workplace, items: Iterable[str | Mapping[str, Any]]) -> list[Added]:
    """Stores many memories under one operation; all are checked before the first is written.

    More than one chunk becomes a parent operation with a child per chunk, so that no transaction holds the
    write lock for long; undoing the parent undoes them all.
    """
    drafts = [_draft_of(place, item, number) for number, item in enumerate(checked_list("items", items))]
    chunks = list(_chunks(drafts, place.settings.bulk_chunk))
    if len(chunks) <= 1:
        return _store(place, drafts) if drafts else []
    added: list[Added] = []
    with place.bulk("add", reason=f"{len(drafts)} memories") as parent:
        for chunk in chunks:
            added += _store(place, chunk, parent=parent)
    return added


def _chunks(drafts: Sequence[Draft], most: int) -> Iterator[list[Draft]]:
    """The drafts in order, cut where there are too many or where they hold too much text for one transaction."""
    chunk: list[Draft] = []
    chars = 0
    for d in drafts:
        if chunk and (len(chunk) == most or chars + len(d.text) > most * CHARS_PER_MEMORY):
            yield chunk
            chunk, chars = [], 0
        chunk.append(d)
        chars += len(d.text)
    if chunk:
        yield chunk


def _draft_of(place: Workplace, item: object, number: int) -> Draft:
    if not isinstance(item, str | Mapping):
        raise InvalidInput(
            f"items[{number}]", f"expected a text or a mapping, got {type(item).__name__}. Pass {{'text': …}}."
        )
    fields: dict[str, Any] = {"text": item} if isinstance(item, str) else dict(item)
    if unknown := [name for name in fields if name not in FIELDS]:
        raise InvalidInput(f"items[{number}]", f"no such field {unknown[0]!r}. Use some of {', '.join(FIELDS)}.")
    try:
        return draft(fields.pop("text", None), place.settings, **fields)
    except InvalidInput as error:
        raise InvalidInput(f"items[{number}].{error.field}", str(error).partition(": ")[2]) from error


def _store(place: Workplace, drafts: Sequence[Draft], parent: int | None = None) -> list[Added]:
    session = drafts[0].session if len(drafts) == 1 else None
    meanings = _meanings(place, drafts)
    with place.operation("add", session=session, parent=parent) as op:
        known: dict[str, Row] = dict(op.writer.by_content((d.content_hash for d in drafts), live_at=op.now))
        rows: list[dict[str, Any]] = []
        repeats: list[tuple[Draft, str]] = []
        outcomes: list[tuple[str, bool]] = []
        for d in drafts:
            same = known.get(d.content_hash)
            if same is None:
                row = _row(place, d, op)
                rows.append(row)
                outcomes.append((row["id"], False))
                if d.expires_at is None or d.expires_at > op.now:
                    known[d.content_hash] = row
            else:
                repeats.append((d, same["id"]))
                outcomes.append((same["id"], True))
        op.writer.insert("memories", rows)
        if meanings and rows:
            stored = list(op.writer.memories(row["id"] for row in rows).values())
            keep_vectors(place, op.writer, stored, [meanings[row["content_hash"]] for row in stored])
        _reinforce(op, repeats)
        connected = _connect(op, drafts, outcomes)
    place.embed_soon([] if meanings else [row["id"] for row in rows])
    return [
        Added(
            id=memory_id,
            duplicate_of=memory_id if repeated else None,
            connected_to=connected.get(memory_id, ()),
            operation_id=op.intent.id,
        )
        for memory_id, repeated in outcomes
    ]


def _meanings(place: Workplace, drafts: Sequence[Draft]) -> dict[str, bytes]:
    """The vectors of the drafts by their content, if that is quick. A model that fails is asked again later."""
    try:
        vectors = place.meaning.stored([d.text for d in drafts]) if place.meaning.inline else []
    except EmbedderFailed:
        return {}
    return dict(zip((d.content_hash for d in drafts), vectors, strict=bool(vectors)))


def _row(place: Workplace, d: Draft, op: Operating) -> dict[str, Any]:
    now = op.now
    return {
        "id": place.new_id(now),
        "kind": d.kind,
        "section": d.section.value,
        "title": d.title,
        "text": d.text,
        "state": State.LIVE.value,
        "state_at": now,
        "state_by": "add",
        "pinned": int(d.pinned),
        "salience": d.salience,
        "trust": d.trust,
        "source": d.source,
        "session": d.session or op.intent.session,
        "tags": d.tags,
        "entities": d.entities,
        "attributes": d.attributes,
        "event_at": d.event_at,
        "expires_at": d.expires_at,
        "created_at": now,
        "updated_at": now,
        "stability": initial_stability(d.kind, d.section, d.salience),
        "difficulty": NEW_DIFFICULTY,
        "content_hash": d.content_hash,
    }


def _reinforce(op: Operating, repeats: Sequence[tuple[Draft, str]]) -> None:
    """A repeated statement counts as one use of the memory that says it; its wording stays in the journal."""
    if not repeats:
        return
    rows = op.writer.memories({memory_id for _, memory_id in repeats})
    for d, memory_id in repeats:
        row = rows[memory_id]
        figures = reinforced(row, Outcome.USED, op.now, curves=op.writer.curves())
        op.writer.change("memories", {row["key"]: figures})
        op.writer.reject(row["key"], {"title": d.title, "text": d.text})
        rows[memory_id] = {**row, **figures}


def _connect(
    op: Operating, drafts: Sequence[Draft], outcomes: Sequence[tuple[str, bool]]
) -> dict[str, tuple[str, ...]]:
    """Makes the links the drafts ask for; a link that exists already stays as it is."""
    wanted = {
        (memory_id, target, edge_type)
        for d, (memory_id, _) in zip(drafts, outcomes, strict=True)
        for target, edge_type in d.links
    }
    if not wanted:
        return {}
    rows = op.writer.memories({end for source, target, _ in wanted for end in (source, target)})
    edges: list[dict[str, Any]] = []
    connected: dict[str, list[str]] = {}
    for source, target, edge_type in sorted(wanted):
        if target not in rows:
            raise MemoryNotFound(target, op.writer.space)
        a, b = rows[source]["key"], rows[target]["key"]
        if a == b:
            raise InvalidInput("links", "a memory cannot be linked to itself. Name another one.")
        connected.setdefault(source, []).append(target)
        if op.writer.edge(a, b, edge_type) is None:
            edges.append(
                {"source": a, "target": b, "type": edge_type,
                 "weight": DEFAULT_WEIGHTS[edge_type], "created_at": op.now}
            )  # fmt: skip
    op.writer.insert("edges", edges)
    made_here = {rows[memory_id]["key"] for memory_id, repeated in outcomes if not repeated and memory_id in rows}
    op.writer.bump({end for edge in edges for end in (edge["source"], edge["target"])} - made_here)
    return {source: tuple(targets) for source, targets in connected.items()}
