"""Adds memories. A text is checked, stored, and answered for:

    draft        checks the fields of one memory
    _store       refuses junk
    _write       stores in one operation, which the journal records
      _plan      decides: a new row, or one more use of a memory in the same words
      _insert    stores the new rows and their vectors
    Added        says what became of each text

What a new memory does to older ones is found out later, in the background (reconcile.py), as are
vectors that take long to compute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

from glymph.checks import checked_list
from glymph.context import Context, OpenOperation
from glymph.decay.edges import DEFAULT_WEIGHTS
from glymph.decay.fsrs import Rating, initial_difficulty
from glymph.decay.reinforce import apply_use
from glymph.decay.sections import KINDS, initial_stability
from glymph.errors import EmbedderFailed, InvalidInput, MemoryNotFound, Refused
from glymph.model import Added, Outcome, State
from glymph.plain import plain
from glymph.store import foresight, once
from glymph.store.arrays import quiet_collector
from glymph.store.contract import Ask, NewKeys, Row
from glymph.store.writer import Writer
from glymph.text.normal import is_derived_title
from glymph.text.quotes import words_in
from glymph.write.backfill import keep_vectors
from glymph.write.draft import Draft, NewMemory, draft
from glymph.write.junk import find_junk
from glymph.write.past import FIELDS as PAST
from glymph.write.past import check_past
from glymph.write.tombstones import TOMBSTONED, match_tombstones, unbury
from glymph.write.waiting import taking_as_is, waiting_facts

NEW_DIFFICULTY = initial_difficulty(Rating.GOOD)
CHARS_PER_MEMORY = 500  # of an average memory; a chunk of longer ones holds fewer
FIELDS = ("text", *NewMemory.__annotations__)
ANSWER = "added"  # under which a request that may be sent again finds what it was told


def add(ctx: Context, text: str, *, revive: bool = False, **fields: Unpack[NewMemory]) -> Added:
    """Stores one memory, or reinforces the live one of the same words.

    `revive` takes in what was removed on request, and lifts its tombstone.
    """
    if unknown := fields.keys() - NewMemory.__annotations__.keys():
        known = ", ".join(NewMemory.__annotations__)
        raise InvalidInput(min(unknown), f"no such field. Use some of {known}.")
    return _store(ctx, [draft(text, ctx.settings, **fields)], revive=revive)[0]


def add_many(
    ctx: Context, items: Iterable[str | Mapping[str, Any]], *, imported: bool = False
) -> list[Added]:
    """Stores many memories under one operation; all are checked before the first is written.

    More than one chunk becomes a parent operation with a child per chunk, so that no transaction
    holds the write lock for long; undoing the parent undoes them all. Imported ones may bring their
    past (`past.py`), and are stored from the oldest to the newest.
    """
    given = checked_list("items", items)
    drafts = [_draft_item(ctx, item, number, imported) for number, item in enumerate(given)]
    if not imported:
        return _add_drafts(ctx, drafts)
    order = sorted(range(len(drafts)), key=lambda at: _begin_of(drafts[at]))
    added = dict(zip(order, _add_drafts(ctx, [drafts[at] for at in order]), strict=True))
    return [added[at] for at in range(len(drafts))]


def _begin_of(d: Draft) -> int:
    return 0 if d.past is None else d.past.created_at


def _add_drafts(ctx: Context, drafts: Sequence[Draft]) -> list[Added]:
    chunks = list(_split_chunks(drafts, ctx.settings.bulk_chunk))
    if len(chunks) <= 1:
        return _store(ctx, drafts) if drafts else []
    done = _count_stored(ctx, len(chunks))
    added = [one for at in range(done) for one in _store_part(ctx, at, chunks[at], None)]
    if done < len(chunks):
        with ctx.bulk("add", reason=f"{len(drafts)} memories") as parent:
            for at in range(done, len(chunks)):
                with quiet_collector():
                    added += _store_part(ctx, at, chunks[at], parent)
    return added


def _store_part(
    ctx: Context, number: int, drafts: Sequence[Draft], parent: int | None
) -> list[Added]:
    once.begin_part(number)
    return _store(ctx, drafts, parent)


def _count_stored(ctx: Context, parts: int) -> int:
    """Returns how many of the parts a request stored when it was sent before."""
    with ctx.reading() as reader:
        for number in range(parts):
            once.begin_part(number)
            try:
                once.check_part(reader)
            except once.AppliedBefore:
                continue
            return number
    return parts


def add_with(ctx: Context, drafts: Sequence[Draft], also: Callable[[Writer], None]) -> list[Added]:
    """Stores drafts and does something more in the same transaction, even if none is stored."""
    return _store(ctx, drafts, also=also)


def _split_chunks(drafts: Sequence[Draft], most: int) -> Iterator[list[Draft]]:
    """Yields the drafts in chunks, none with too many or too much text for one transaction."""
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


def _draft_item(ctx: Context, item: object, number: int, imported: bool) -> Draft:
    fields: dict[str, Any] = {}
    if not isinstance(item, str) and isinstance(item, Mapping):
        fields = dict(item)
        item = fields.pop("text", None)
    elif not isinstance(item, str):
        raise InvalidInput(
            f"items[{number}]",
            f"expected a text or a mapping, got {type(item).__name__}. Pass {{'text': …}}.",
        )
    past = {name: fields.pop(name) for name in PAST if imported and name in fields}
    if unknown := [name for name in fields if name not in FIELDS]:
        also = " A past is given with imported=True." if unknown[0] in PAST else ""
        raise InvalidInput(
            f"items[{number}]",
            f"no such field {unknown[0]!r}. Use some of {', '.join(FIELDS)}.{also}",
        )
    try:
        checked = draft(item, ctx.settings, **fields)  # type: ignore[arg-type]  # which it checks
        if not imported:
            return checked
        return checked._replace(past=check_past(past, checked.section, ctx.now()))
    except InvalidInput as error:
        raise InvalidInput(
            f"items[{number}].{error.field}", str(error).partition(": ")[2]
        ) from error


def _store(
    ctx: Context, drafts: Sequence[Draft], parent: int | None = None, *, revive: bool = False,
    also: Callable[[Writer], None] | None = None,
) -> list[Added]:  # fmt: skip
    """Stores the drafts that are worth it; the others say why they were refused."""
    gated = ctx.settings.junk_gate == "on"
    refused = [find_junk(d.text) if gated else None for d in drafts]
    kept = [d for d, reason in zip(drafts, refused, strict=True) if reason is None]
    try:
        added = iter(_write(ctx, kept, parent, revive=revive, also=also) if kept else [])
    except once.AppliedBefore as before:
        if not before.resumes:
            raise
        added = iter(Added(**one) for one in before.outcome[ANSWER])
    if also is not None and not kept:
        with ctx.store.writing(ctx.space, None) as writer:
            also(writer)
    return [next(added) if reason is None else Added(None, refused=reason) for reason in refused]


def _write(
    ctx: Context, drafts: Sequence[Draft], parent: int | None, *, revive: bool,
    also: Callable[[Writer], None] | None = None,
) -> list[Added]:  # fmt: skip
    """Stores the drafts in one operation."""
    vectors = embed_drafts(ctx, drafts)
    session = drafts[0].session if len(drafts) == 1 else None
    ahead = _foresee(ctx, drafts, with_vectors=bool(vectors))
    with ctx.operation("add", session=session, parent=parent, ahead=ahead) as op:
        removed = _find_removed(ctx, op, drafts, revive=revive)
        if any(removed):
            drafts = [drafts[at] for at, hidden in enumerate(removed) if not hidden]
        drafts = _drop_removed_sessions(ctx, op, drafts)
        plan = _plan(ctx, op, drafts)
        with taking_as_is(ctx, op.writer):
            _insert(ctx, op, plan, vectors)
        _reinforce(op, plan.repeats)
        links = _connect(op, drafts, plan.results)
        if also is not None:
            also(op.writer)
        told = iter([_describe(op, result, links) for result in plan.results])
        added = [
            Added(None, refused=TOMBSTONED, operation_id=op.intent.id) if hidden else next(told)
            for hidden in removed
        ]
        if once.is_resumed():
            op.answer[ANSWER] = plain(added)
    ctx.settle_soon([] if vectors else [row["id"] for row in plan.rows])
    return added


def _foresee(ctx: Context, drafts: Sequence[Draft], *, with_vectors: bool) -> list[Ask]:
    """Returns what storing the drafts will ask for."""
    asks: list[Ask] = [
        foresight.has_tombstones(),
        foresight.knows_any(d.content_hash for d in drafts),
        *waiting_facts(ctx),
    ]
    if with_vectors and ctx.embedding.model is not None:
        asks += [foresight.model_key(*ctx.embedding.model), NewKeys("memories", len(drafts))]
    return asks


def _find_removed(
    ctx: Context, op: OpenOperation, drafts: Sequence[Draft], *, revive: bool
) -> list[bool]:
    """Tells which drafts say what was removed on request, in whatever field.

    A revival lifts their tombstones instead.
    """
    if not op.writer.has_tombstones():
        return [False] * len(drafts)
    said = [list_said(d) for d in drafts]
    texts = [text for of_one in said for text in of_one]
    if revive:
        unbury(op, ctx, texts)
        return [False] * len(drafts)
    hidden = dict(zip(texts, match_tombstones(ctx, op.writer, texts), strict=True))
    removed = [any(hidden[text] for text in of_one) for of_one in said]
    if any(removed):
        op.writer.describe({"tombstoned": sum(removed)})
    return removed


def _drop_removed_sessions(
    ctx: Context, op: OpenOperation, drafts: Sequence[Draft]
) -> Sequence[Draft]:
    """Returns the drafts without names of sessions that tell what was removed on request."""
    named = list(dict.fromkeys(d.session for d in drafts if d.session))
    if not any(told := match_tombstones(ctx, op.writer, named)):
        return drafts
    gone = {name for name, hidden in zip(named, told, strict=True) if hidden}
    return [d._replace(session=None) if d.session in gone else d for d in drafts]


def list_said(d: Draft) -> list[str]:
    """Returns the text of a draft, and what its other fields say besides."""
    title = "" if is_derived_title(d.title, d.text) else d.title
    kind = "" if d.kind in KINDS else d.kind
    beside = (title, kind, d.source or "", *map(words_in, (d.tags, d.entities, d.attributes)))
    return [d.text, *(text for text in beside if text.strip())]


# The id of the memory that says it now, and why that is an older one; empty if it is new.
Result = tuple[str, str]


@dataclass(slots=True)
class Plan:
    """The fate of each draft: a new row, or one more use of a memory that says the same."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    repeats: list[tuple[Draft, str]] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)  # one for each draft


def _plan(ctx: Context, op: OpenOperation, drafts: Sequence[Draft]) -> Plan:
    known = _find_known(op, drafts)
    plan = Plan()
    for d in drafts:
        same = known.get(d.content_hash)
        if same is not None:
            plan.repeats.append((d, same["id"]))
            plan.results.append((same["id"], "it is known in these words"))
            continue
        row = new_row(ctx, d, op)
        plan.rows.append(row)
        plan.results.append((row["id"], ""))
        if d.expires_at is None or d.expires_at > op.now:
            known[d.content_hash] = row
    return plan


def _find_known(op: OpenOperation, drafts: Sequence[Draft]) -> dict[str, Row]:
    """Returns the memories that say the words of a draft, and are not out of date.

    Words that something newer seems to have put out of date return as a new memory: Berlin after
    Lisbon after Berlin.
    """
    hashes = [d.content_hash for d in drafts]
    known = (
        dict(op.writer.by_content(hashes, live_at=op.now)) if op.writer.knows_any(hashes) else {}
    )
    if not known:
        return known
    edges = op.writer.edges_touching([row["key"] for row in known.values()])
    outdated = {target for _, target, kind, *_ in edges if kind == "supersedes"}
    for h in [h for h, row in known.items() if row["key"] in outdated]:
        again = [
            row
            for row in op.writer.memories_by_hash(h)
            if row["state"] == State.LIVE and row["superseded_by"] is None
        ]
        newest = max(again, key=lambda row: int(row["key"]))
        if newest["key"] == known[h]["key"] or _is_outdated(op, newest):
            del known[h]
        else:
            known[h] = newest
    return known


def _is_outdated(op: OpenOperation, row: Row) -> bool:
    edges = op.writer.edges_touching([row["key"]])
    return any(kind == "supersedes" and target == row["key"] for _, target, kind, *_ in edges)


def _insert(ctx: Context, op: OpenOperation, plan: Plan, vectors: Mapping[str, bytes]) -> None:
    """Stores the new rows and their vectors."""
    if not vectors:
        op.writer.insert("memories", plan.rows)
        return
    keys = op.writer.new_keys("memories", len(plan.rows))
    rows = [{"key": key, **row} for key, row in zip(keys, plan.rows, strict=True)]
    op.writer.insert("memories", rows)
    keep_vectors(ctx, op.writer, rows, [vectors[row["content_hash"]] for row in rows])


def _describe(op: OpenOperation, result: Result, links: Mapping[str, Sequence[str]]) -> Added:
    """Tells the caller what became of one draft."""
    memory_id, repeats = result
    return Added(
        id=memory_id,
        duplicate_of=memory_id if repeats else None,
        connected_to=tuple(links.get(memory_id, ())),
        operation_id=op.intent.id,
        why=(repeats,) if repeats else (),
    )


def embed_drafts(ctx: Context, drafts: Sequence[Draft]) -> dict[str, bytes]:
    """Returns the vectors of the drafts by their content, or nothing if that takes long.

    A model that fails is asked again later.
    """
    try:
        vectors = ctx.embedding.encode([d.text for d in drafts]) if ctx.embedding.inline else []
    except EmbedderFailed:
        return {}
    return dict(zip((d.content_hash for d in drafts), vectors, strict=bool(vectors)))


def new_row(ctx: Context, d: Draft, op: OpenOperation, *, by: str = "add") -> dict[str, Any]:
    """Returns the row of a new memory."""
    now = op.now
    return {
        "id": ctx.new_id(now),
        "kind": d.kind,
        "section": d.section.value,
        "title": d.title,
        "text": d.text,
        "state": State.LIVE.value,
        "state_at": now,
        "state_by": by,
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
        **(d.past.as_columns() if d.past else {}),
    }


def get_or_create(
    ctx: Context, op: OpenOperation, d: Draft, vectors: Mapping[str, bytes], *, by: str
) -> Row:
    """Returns the memory that says a text, or stores it, as a part of an operation."""
    if any(match_tombstones(ctx, op.writer, list_said(d))):
        raise Refused(f"The text is {TOMBSTONED}.")
    known = op.writer.by_content([d.content_hash], live_at=op.now).get(d.content_hash)
    if known is not None:
        return op.row(known["id"])
    row = new_row(ctx, d, op, by=by)
    op.writer.insert("memories", [row])
    stored = op.row(row["id"])
    if vectors:
        keep_vectors(ctx, op.writer, [stored], [vectors[d.content_hash]])
    return stored


def _reinforce(op: OpenOperation, repeats: Sequence[tuple[Draft, str]]) -> None:
    """Counts each repeated statement as one use of its memory; its wording stays in the journal."""
    if not repeats:
        return
    rows = op.writer.memories({memory_id for _, memory_id in repeats})
    for d, memory_id in repeats:
        row = rows[memory_id]
        figures = apply_use(row, Outcome.USED, op.now, curves=op.writer.curves())
        op.writer.change("memories", {row["key"]: figures})
        op.writer.reject(row["key"], {"title": d.title, "text": d.text})
        rows[memory_id] = {**row, **figures}


def _hide(op: OpenOperation, pairs: Iterable[tuple[Row, Row]]) -> None:
    """Hides the older ones of which a draft says that it supersedes them; pinned ones stay."""
    for newer, older in pairs:
        if older["superseded_by"] is None and not older["pinned"]:
            change = {"superseded_by": newer["id"], "version": older["version"] + 1}
            op.writer.change("memories", {older["key"]: change})


def _connect(
    op: OpenOperation, drafts: Sequence[Draft], results: Sequence[Result]
) -> dict[str, tuple[str, ...]]:
    """Makes the links the drafts ask for; a link that exists already stays as it is."""
    wanted = {
        (memory_id, target, edge_type)
        for d, (memory_id, _) in zip(drafts, results, strict=True)
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
    _hide(op, [(rows[a], rows[b]) for a, b, edge_type in wanted if edge_type == "supersedes"])
    made_here = {
        rows[memory_id]["key"]
        for memory_id, repeats in results
        if not repeats and memory_id in rows
    }
    op.writer.bump({end for edge in edges for end in (edge["source"], edge["target"])} - made_here)
    return {source: tuple(targets) for source, targets in connected.items()}
