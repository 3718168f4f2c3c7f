"""Keeps what is new in a source: once, with its dates and its origin, without secrets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from glymph import write
from glymph.context import Context, every_row
from glymph.errors import InvalidInput
from glymph.importers.contract import Item
from glymph.importers.sources import choose_kind, find_source, read_source
from glymph.importers.values import name_by_text
from glymph.model import Refusal, State
from glymph.moments import micros
from glymph.store.contract import Filter
from glymph.text.injection import find_order
from glymph.text.normal import storable
from glymph.text.secrets import mask_secrets, masked_in
from glymph.write.draft import Draft

ORIGIN = "imported"  # the attribute that says where a memory comes from
SHOWN = 10  # titles that a report names
LONGEST_TAG = 200  # characters
TOLD_EVERY = 100  # memories
ASKED_AT_ONCE = 500  # texts compared with tombstones, and hashes looked up


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What a source holds, and what became or would become of it."""

    kind: str
    source: str  # its name, without the folders of the machine
    read: int
    new: int
    known: int  # imported before, or known in these words
    repeated: int  # said more than once by the source itself
    kept_out: int  # removed for good here
    secrets: int  # masked
    refused: tuple[Refusal, ...]  # by the id that the source gave it
    titles: tuple[str, ...]  # of the first new ones
    applied: bool
    operation_id: str | None = None


@dataclass(slots=True)
class _Candidate:
    fields: dict[str, Any]  # as `add_many` takes them
    draft: Draft
    origin: tuple[str, str]  # its id in the source, and its wording


@dataclass(slots=True)
class _Counts:
    read: int = 0
    secrets: int = 0
    repeated: int = 0


def import_source(
    ctx: Context, source: str | Path, *, kind: str | None = None, apply: bool = False,
    progress: Callable[[int], None] | None = None,
) -> ImportReport:  # fmt: skip
    """Reads a source and, with `apply`, stores what is new in it as one operation."""
    path = find_source(source)
    chosen = choose_kind(path, kind)
    counts, refused = _Counts(), []
    candidates: list[_Candidate] = []
    said: set[str] = set()
    for item in read_source(path, chosen, ctx.reader):
        counts.read += 1
        if progress is not None and counts.read % TOLD_EVERY == 0:
            progress(counts.read)
        try:
            found = _prepare(ctx, item, chosen, counts)
        except InvalidInput as error:
            refused.append(Refusal(item.id, str(error)))
            continue
        if isinstance(found, Refusal):
            refused.append(found)
        elif found.draft.content_hash in said:
            counts.repeated += 1
        else:
            said.add(found.draft.content_hash)
            candidates.append(found)
    unknown = _leave_out_known(ctx, candidates, chosen)
    new = _leave_out_removed(ctx, unknown)
    operation = _store(ctx, new) if apply and new else None
    return ImportReport(
        kind=chosen, source=path.name, read=counts.read, new=len(new),
        known=len(candidates) - len(unknown), repeated=counts.repeated,
        kept_out=len(unknown) - len(new), secrets=counts.secrets, refused=tuple(refused),
        titles=tuple(one.draft.title for one in new[:SHOWN]), applied=apply,
        operation_id=operation,
    )  # fmt: skip


def _prepare(ctx: Context, item: Item, kind: str, counts: _Counts) -> _Candidate | Refusal:
    """Returns an item as it may be stored, or why it may not; raises InvalidInput likewise."""
    text, hidden = mask_secrets(storable(item.text).strip())
    counts.secrets += hidden
    if wants := find_order(text):
        return Refusal(item.id, f"order: it tries {wants}")
    if ctx.settings.junk_gate == "on" and (empty := write.junk.find_junk(text)):
        return Refusal(item.id, f"junk: {empty}")
    origin = {"kind": kind, "place": item.place, "id": item.id, "wording": name_by_text(text)}
    now = ctx.now()
    created = _not_after(item.created_at, now)
    used = _not_after(item.last_used_at or item.updated_at, now)  # a new wording is a use
    fields: dict[str, Any] = {
        "title": _shorten_title(item.title, ctx.settings.max_title_chars),
        "kind": item.kind,
        "tags": [tag[:LONGEST_TAG] for tag in item.tags][: ctx.settings.max_tags],
        "entities": [name[:LONGEST_TAG] for name in item.entities][: ctx.settings.max_tags],
        "attributes": _fit({ORIGIN: masked_in(origin), **_plain(item.about)}, ctx),
        "source": source_of(kind),
        "session": item.session,
        "trust": item.trust,
        "expires_at": item.expires_at,
    }
    past = {
        "created_at": created,
        "last_used_at": used if created is None or used is None or used > created else None,
        "access_count": item.access_count,
        "stability": item.stability,
    }
    draft = write.draft.draft(text, ctx.settings, **fields)
    return _Candidate({"text": text, **fields, **past}, draft, (item.id, origin["wording"]))


def source_of(kind: str) -> str:
    """Returns what an imported memory has for its source."""
    return f"import:{kind}"


def _not_after(at: datetime | None, now: datetime) -> datetime | None:
    return None if at is None or at > now else at


def _shorten_title(title: str | None, longest: int) -> str | None:
    plain = " ".join(mask_secrets(storable(title))[0].split()) if title else ""
    return plain[:longest] or None


def _plain(about: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the other fields of a source as JSON carries them, without secrets."""
    told = json.loads(json.dumps(dict(about), default=str, skipkeys=True), parse_constant=str)
    found: dict[str, Any] = masked_in({
        name: storable(value) if isinstance(value, str) else value
        for name, value in told.items()
        if name != ORIGIN and value not in (None, "")
    })  # fmt: skip
    return found


def _fit(attributes: dict[str, Any], ctx: Context) -> dict[str, Any]:
    """Returns the attributes that a memory has room for; the largest go first, never the origin."""
    left = dict(sorted(attributes.items(), key=lambda one: len(json.dumps(one))))
    room = ctx.settings.max_attributes_bytes
    while (
        len(left) > 1 and len(json.dumps(left, ensure_ascii=False).encode(errors="replace")) > room
    ):
        del left[next(name for name in reversed(left) if name != ORIGIN)]
    return left


def _leave_out_known(ctx: Context, found: Sequence[_Candidate], kind: str) -> list[_Candidate]:
    """Returns those that were never imported, and whose words no current memory has."""
    every_state = Filter(
        states=tuple(state.value for state in State), source=source_of(kind),
        include_superseded=True,
    )  # fmt: skip
    with ctx.reading() as reader:
        before = set()
        for row in every_row(reader, every_state, ctx.settings.bulk_chunk):
            origin = json.loads(row["attributes"]).get(ORIGIN, {})
            before.add((origin.get("id"), origin.get("wording")))
        now = micros(ctx.now())
        known: set[str] = set()
        for some in _chunks(found):
            hashes = [one.draft.content_hash for one in some]
            known |= reader.by_content(hashes, live_at=now).keys()
    return [
        one for one in found if one.origin not in before and one.draft.content_hash not in known
    ]


def _leave_out_removed(ctx: Context, found: Sequence[_Candidate]) -> list[_Candidate]:
    """Returns those that say in no field what was removed for good here."""
    left: list[_Candidate] = []
    with ctx.reading() as reader:
        if not reader.has_tombstones():
            return list(found)
        for some in _chunks(found):
            said = [write.add.list_said(one.draft) for one in some]
            texts = list(dict.fromkeys(text for of_one in said for text in of_one))
            gone = write.tombstones.match_tombstones(ctx, reader, texts)
            hidden = {text for text, is_gone in zip(texts, gone, strict=True) if is_gone}
            left += [
                one for one, of_one in zip(some, said, strict=True) if hidden.isdisjoint(of_one)
            ]
    return left


def _chunks(found: Sequence[_Candidate]) -> Iterator[Sequence[_Candidate]]:
    return (found[at : at + ASKED_AT_ONCE] for at in range(0, len(found), ASKED_AT_ONCE))


def _store(ctx: Context, new: Sequence[_Candidate]) -> str | None:
    """Stores the memories; returns the operation that undoes all of it."""
    added = write.add.add_many(ctx, [one.fields for one in new], imported=True)
    made = next((one.operation_id for one in added if one.operation_id is not None), None)
    if made is None:
        return None
    with ctx.reading() as reader:
        row = reader.operation(made)
        parent = None if row is None else row["parent"]
        whole = None if parent is None else reader.operation_by_key(parent)
    return made if whole is None else str(whole["id"])
