"""Replacing a belief by hand: the older memory named by its id or described, the newer one told in full."""

from __future__ import annotations

from glymph.core.draft import checked_text, draft
from glymph.core.model import Memory, Receipt, State
from glymph.errors import InvalidInput, MemoryNotFound, Refused
from glymph.services.history import get
from glymph.services.remember import meanings, told
from glymph.services.replace import supersede as take_the_place
from glymph.services.search import MAX_QUERY_CHARS, search
from glymph.services.workplace import Workplace


def supersede(place: Workplace, old: str, new_text: str) -> Receipt:
    """Makes a new statement take an older one's place; `succeeded` names the older memory and the newer one.

    A description means the current memory that a search for it finds first. The newer memory inherits what the
    older one was: kind, section, tags and entities.
    """
    was = _meant(place, old)
    new = draft(new_text, place.settings, kind=was.kind, section=was.section, tags=was.tags, entities=was.entities)
    vectors = meanings(place, [new])
    with place.operation("supersede", reason=f"replaces {was.id}") as op:
        older = op.row(was.id)
        if older["state"] != State.LIVE or older["superseded_by"] is not None:
            raise Refused(f"{was.id} is no longer current. Name the memory that is: list() shows it.")
        newer = told(place, op, new, vectors, by="supersede")
        if newer["id"] == older["id"]:
            raise InvalidInput("new_text", "says what the older memory says already. Say what is true now.")
        take_the_place(op, older, newer)
        op.succeeded += [older["id"], newer["id"]]
    place.embed_soon([] if vectors else [newer["id"]])
    return place.receipt(op)


def _meant(place: Workplace, old: str) -> Memory:
    """The memory of this id, or the current one that a description finds first."""
    checked_text("old", old, MAX_QUERY_CHARS)
    try:
        return get(place, old)
    except MemoryNotFound:
        found = search(place, old, limit=1)
    if not found:
        raise MemoryNotFound(old, place.space)
    return found[0].memory
