"""Gives memories other words, and looks whether those still hold an identifier."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from glymph.context import OpenOperation
from glymph.forget.requests import Request, still_held
from glymph.store.contract import Row
from glymph.text.normal import content_hash, derive_title, is_derived_title

BESIDE_TEXT = ("title", "entities", "tags", "attributes")

_NO_LETTER_OR_DIGIT = re.compile(r"[\W_]+")


def reword(op: OpenOperation, row: Row, text: str) -> None:
    """Gives a memory other words; entities it no longer names go with them."""
    values = {**_changed_values(row, text), "updated_at": op.now, "version": row["version"] + 1}
    op.writer.change("memories", {row["key"]: values})


def _changed_values(row: Row, text: str) -> dict[str, Any]:
    """Returns the columns that other words change."""
    entities = json.loads(row["entities"] or "[]")
    named = [name for name in entities if name not in row["text"] or name in text]
    values = {"text": text, "content_hash": content_hash(text, row["kind"], row["event_at"])}
    if named != entities:
        values["entities"] = json.dumps(named, ensure_ascii=False)
    if is_derived_title(row["title"], row["text"]):
        values["title"] = derive_title(text)
    return values


def fields_still_holding(request: Request, row: Row, text: str) -> tuple[str, ...]:
    """Returns the fields that hold an identifier of the request even after `text` replaced it."""
    becomes = {**row, **_changed_values(row, text)}
    return tuple(
        field
        for field in ("text", *BESIDE_TEXT)
        if any(
            still_held(request, row["text"], said) or _is_joined(request, said)
            for said in _texts_in(becomes, field)
        )
    )


def holds_beside_text(request: Request, row: Row) -> bool:
    """Tells whether a memory's title, entities, tags or attributes hold an identifier of it."""
    wanted = [_bare(one.text) for one in request.strong]
    return any(
        still_held(request, request.text, said) or _is_joined(request, said)
        for field in (BESIDE_TEXT if wanted else ())
        for said in _texts_in(row, field)
        # Reading identifiers is slow; most texts do not even have their letters and digits.
        if any(one in _bare(said) for one in wanted)
    )


def _is_joined(request: Request, said: str) -> bool:
    """Tells whether a text holds an identifier joined to more by "_" or "/": order_AB-12345."""
    return any(
        re.search(rf"(?<=[_/]){written}(?![^\W_])|(?<![^\W_]){written}(?=[_/])", said, re.I)
        for written in (re.escape(one.text) for one in request.strong)
    )


def _bare(text: str) -> str:
    return _NO_LETTER_OR_DIGIT.sub("", text.casefold())


def _texts_in(row: Row, field: str) -> Iterator[str]:
    """Yields the texts in a field of a memory."""
    waiting = [row[field] if field in ("text", "title") else json.loads(row[field] or "null")]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            waiting += value
        elif value is not None and not isinstance(value, bool):
            yield str(value)
