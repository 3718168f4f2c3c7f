"""Seals: a hash over an operation's head and journal rows, which no later change fits."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from glymph.store.journal import USE_COLUMNS

SEALED = ("id", "actor", "verb", "reason", "session", "at", "parent", "undoes", "details")


def seal(
    head: Mapping[str, Any],
    entries: Iterable[tuple[Any, ...]],
    offsets: Mapping[str, int],
    children: Iterable[str] = (),
) -> str:
    """Returns a SHA-256 over an operation's head and journal rows, a parent's over its children.

    Keys are local to the space, so an import that moved them changes no seal.
    """
    digest = hashlib.sha256(write_head(head, children))
    for table, key, action, image, after in entries:
        if offsets:
            key -= offsets.get(table, 0)
            image = move_image(table, image, offsets, -1)
            after = move_image(table, after, offsets, -1)
        digest.update(f"{table}\0{key}\0{action}\0{image}\0{after}\n".encode())
    return digest.hexdigest()


def write_head(head: Mapping[str, Any], children: Iterable[str] = ()) -> bytes:
    """Returns what a seal covers before the journal rows."""
    return ("".join(children) + repr([head[name] for name in SEALED])).encode()


def is_edit(table: str, action: str, image: str) -> bool:
    """Tells whether a journal row is more than a use: content, state, links or a pin changed."""
    if action == "update" and table in USE_COLUMNS:
        return '"version":' in image
    return action != "rejected"


def local_head(head: Mapping[str, Any], offsets: Mapping[str, int]) -> Mapping[str, Any]:
    """Returns an operation's head with its pointers as they were before an import moved them."""
    pointers = {name: head[name] for name in ("parent", "undoes") if head[name] is not None}
    return {**head, **{name: key - offsets.get("operations", 0) for name, key in pointers.items()}}


def move_image(table: str, image: str, offsets: Mapping[str, int], sign: int) -> str:
    """Returns the image with its references to other rows moved by the offsets of an import.

    Rewritten as text, so that every other digit stays as it was; these images hold no free text.
    """
    if not offsets or table not in ("edges", "memberships"):
        return image

    def move(match: re.Match[str]) -> str:
        column, key = match[1], int(match[2])
        return f'"{column}":{key + sign * offsets.get(_REFERENCES[column], 0)}'

    return _REFERENCE.sub(move, image)


_REFERENCES = {
    "source": "memories",
    "target": "memories",
    "memory": "memories",
    "cluster": "clusters",
}
_REFERENCE = re.compile(r'"(source|target|memory|cluster)":\s*(\d+)')
