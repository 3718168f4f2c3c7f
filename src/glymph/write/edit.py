"""Changing what a memory says, and pinning it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict, Unpack

from glymph import checks
from glymph.context import Context, OpenOperation
from glymph.decay.sections import IDENTITY_KIND, SECTIONS, Section, initial_stability
from glymph.errors import InvalidInput, Refused
from glymph.model import Receipt
from glymph.moments import micros
from glymph.store import foresight
from glymph.store.contract import Row
from glymph.text.normal import content_hash, derive_title, is_derived_title
from glymph.text.quotes import words_in
from glymph.write.tombstones import TOMBSTONED, match_tombstones

# The fields that hold words.
SAYING = ("text", "title", "kind", "tags", "entities", "attributes", "source")
PAGE = "memory.md/agent"
PAGE_WORDS = 600


class MemoryChanges(TypedDict, total=False):
    """The changes that can be made to a memory; what is left out stays as it is."""

    text: str
    title: str
    kind: str
    tags: Iterable[str] | None
    entities: Iterable[str] | None
    attributes: Mapping[str, Any] | None
    event_at: datetime | None
    expires_at: datetime | None
    salience: float
    trust: float
    source: str | None


def update(
    ctx: Context, memory_id: str, *, reason: str | None = None, **changes: Unpack[MemoryChanges]
) -> Receipt:
    """Changes the given fields of a memory; the old ones stay in its history."""
    checks.checked_id(memory_id)
    unknown = changes.keys() - _CHECKS.keys()
    if unknown or not changes:
        problem = f"cannot change {', '.join(sorted(unknown))}" if unknown else "nothing to change"
        raise InvalidInput("fields", f"{problem}. Give some of {', '.join(_CHECKS)}.")
    checked = {name: _CHECKS[name](ctx, value) for name, value in changes.items()}
    ahead = [foresight.memory(memory_id), foresight.has_tombstones()]
    with ctx.operation("update", reason=reason, ahead=ahead) as op:
        row = op.row(memory_id)
        checked |= consequences(row, checked)
        different = {name: value for name, value in checked.items() if row[name] != value}
        said = [words_in(different[name]) for name in SAYING if different.get(name)]
        refuse_tombstoned(ctx, op, said)
        if different:
            stamp = {"updated_at": op.now, "version": row["version"] + 1}
            op.writer.change("memories", {row["key"]: different | stamp})
            op.succeeded.append(memory_id)
            op.titles[memory_id] = str(different.get("title", row["title"]))
        else:
            op.skip(memory_id, "it says that already")
    if "content_hash" in different:
        ctx.settle_soon([memory_id])
    return ctx.receipt(op)


_CHECKS: Mapping[str, Any] = {
    "text": lambda place, v: checks.checked_text("text", v, place.settings.max_text_chars),
    "title": lambda place, v: checks.checked_text("title", v, place.settings.max_title_chars),
    "kind": lambda place, v: checks.checked_kind(v),
    "tags": lambda place, v: checks.checked_words("tags", v, place.settings),
    "entities": lambda place, v: checks.checked_words("entities", v, place.settings),
    "attributes": lambda place, v: checks.checked_attributes(v, place.settings),
    "event_at": lambda place, v: None if v is None else micros(v, "event_at"),
    "expires_at": lambda place, v: None if v is None else micros(v, "expires_at"),
    "salience": lambda place, v: checks.checked_share("salience", v),
    "trust": lambda place, v: checks.checked_share("trust", v),
    "source": lambda place, v: checks.optional_text("source", v),
}


def consequences(row: Row, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what follows from the changes.

    Derived title, section, hash, and the strength of a never-used memory.
    """
    after = {**row, **changes}
    follows: dict[str, Any] = {}
    derived = is_derived_title(row["title"], row["text"])
    if "text" in changes and "title" not in changes and derived:
        follows["title"] = derive_title(after["text"])
    if "kind" in changes and after["kind"] != row["kind"]:
        if row["kind"] == IDENTITY_KIND:
            raise InvalidInput(
                "kind", "the identity memory of a space stays what it is. Leave kind out."
            )
        follows["section"] = str(checks.checked_section(after["kind"], None))
    follows["content_hash"] = content_hash(after["text"], after["kind"], after["event_at"])
    section = Section(str(follows.get("section", row["section"])))
    if row["access_count"] == 0 and ("kind" in changes or "salience" in changes):
        follows["stability"] = initial_stability(after["kind"], section, after["salience"])
    else:
        follows["stability"] = min(row["stability"], SECTIONS[section].max_stability)
    return follows


def refuse_tombstoned(ctx: Context, op: OpenOperation, texts: Sequence[str]) -> None:
    """Refuses texts that say what was removed on request, or hold such an identifier."""
    if any(match_tombstones(ctx, op.writer, texts)):
        raise Refused(f"It is {TOMBSTONED}.")


def pin(ctx: Context, memory_id: str, *, reason: str | None = None) -> Receipt:
    """Keeps a memory from being archived, trashed, superseded or merged until it is unpinned."""
    return _set_pin(ctx, "pin", memory_id, True, reason)


def unpin(ctx: Context, memory_id: str, *, reason: str | None = None) -> Receipt:
    return _set_pin(ctx, "unpin", memory_id, False, reason)


def _set_pin(ctx: Context, verb: str, memory_id: str, pinned: bool, reason: str | None) -> Receipt:
    checks.checked_id(memory_id)
    with ctx.operation(verb, reason=reason, ahead=[foresight.memory(memory_id)]) as op:
        row = op.row(memory_id)
        if bool(row["pinned"]) is pinned:
            op.skip(memory_id, f"it is {'pinned' if pinned else 'not pinned'} already")
        else:
            op.writer.change(
                "memories", {row["key"]: {"pinned": int(pinned), "version": row["version"] + 1}}
            )
            op.succeeded.append(memory_id)
            op.titles[memory_id] = row["title"]
    return ctx.receipt(op)


def write_page(ctx: Context, text: str, mode: str = "replace") -> Receipt:
    """Replaces or extends the page an agent keeps about itself: its part of memory.md."""
    if mode not in ("replace", "append"):
        raise InvalidInput(
            "mode", f"{checks.show(mode)} is neither 'replace' nor 'append'. Use one of them."
        )
    checks.checked_text("text", text, ctx.settings.max_text_chars)
    with ctx.operation("write_page", reason=mode) as op:
        page = op.writer.page_text(PAGE)
        whole = f"{page['text']}\n{text}" if page and mode == "append" else text
        refuse_tombstoned(ctx, op, [text, whole])
        if (words := len(whole.split())) > PAGE_WORDS:
            raise InvalidInput(
                "text",
                f"the page would have {words} words; at most {PAGE_WORDS}. Shorten it, or replace "
                "it whole.",
            )
        if page is None:
            op.writer.insert("pages", [{"name": PAGE, "text": whole, "updated_at": op.now}])
        else:
            op.writer.change("pages", {page["key"]: {"text": whole, "updated_at": op.now}})
        op.succeeded.append(PAGE)
    return ctx.receipt(op)


def read_page(ctx: Context) -> str:
    """Returns the agent's own page; empty if it never wrote one."""
    with ctx.reading() as reader:
        page = reader.page_text(PAGE)
        return page["text"] if page else ""
