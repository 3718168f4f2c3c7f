"""What a purge leaves of a row in the journal: that it was there and what became of it, never what
it said.

A blanked image names the purge that blanked it. Hashes of contents go with the texts: from one, a
short text could be guessed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from glymph.store.journal import PURGED as PURGED
from glymph.text.quotes import words_in

# Columns without a word of what a row says. Any other, also one that is yet to come, is blanked.
KEPT: Mapping[str, frozenset[str]] = {
    "memories": frozenset(
        {"id", "version", "state", "state_at", "state_by", "pinned", "superseded_by", "created_at"}
    ),
    "conflicts": frozenset(
        {"id", "older", "newer", "raised_at", "expires_at", "resolution", "resolved_at"}
    ),
    "pages": frozenset({"name", "updated_at"}),
}
# Columns that say it.
WORDED: Mapping[str, tuple[str, ...]] = {
    "memories": ("text", "title", "tags", "entities", "attributes"),
    "pages": ("text",),
}


def blanked(table: str, image: str, by: str | None = None) -> str:
    """The image without what the row said; `by` is the purge that it is to name."""
    kept = {column: value for column, value in json.loads(image).items() if column in KEPT[table]}
    return compact({**kept, PURGED: by} if by else kept)


def without_words(
    table: str, image: str, after: str, by: str, *, keep_after: bool = False
) -> tuple[str, str] | None:
    """Both images of a journal row without what the row said; None if that is how they are.

    One that was blanked before goes on naming the purge that did it.
    """
    earlier = json.loads(image).get(PURGED)
    anew = blanked(table, image, earlier or by), after if keep_after else blanked(table, after)
    return None if earlier and anew == (image, after) else anew


def texts_in(*images: str) -> list[str]:
    """The wordings of a memory that journal images hold."""
    return [text for image in images if (text := json.loads(image).get("text"))]


def wordings_in(*images: str) -> list[str]:
    """The same with titles, tags, entities and attributes."""
    return [said for image in images for said in wordings_of(json.loads(image))]


def wordings_of(row: Mapping[str, Any]) -> list[str]:
    """What a memory's row, or a part of one, says in whatever column."""
    return [words_in(row[column]) for column in WORDED["memories"] if row.get(column)]


def changes_words(table: str, image: str) -> bool:
    """Whether the image of a journal row holds a former wording."""
    columns = json.loads(image)
    return any(column in columns for column in WORDED[table])


def compact(value: Mapping[str, Any]) -> str:
    """JSON as the journal's triggers write it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
